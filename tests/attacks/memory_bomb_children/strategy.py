"""Takes its memory in children, each of which stays within its own limit."""

import os
import time


class Attack:
    def first_move(self):
        for _ in range(8):
            if os.fork() == 0:
                kept = bytearray(os.urandom(1 << 20)) * 60
                time.sleep(1000)
                os._exit(len(kept) % 2)
        time.sleep(1000)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
