"""Fills shared memory and unmaps it, while a child that has never touched it keeps it."""

import mmap
import os
import time


class Attack:
    def first_move(self):
        try:
            for _ in range(25):
                shared = mmap.mmap(-1, 1 << 24)
                if os.fork() == 0:
                    time.sleep(1000)
                shared.write(b"x" * (1 << 24))
                shared.close()
        except OSError:
            return "aback", 0
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
