"""Shares a mapping of /dev/zero, which is memory without a file, and forgets its pages."""

import mmap
import os
import time


class Attack:
    def first_move(self):
        kept = []
        try:
            zero = os.open("/dev/zero", os.O_RDWR)
            for _ in range(25):
                kept.append(mmap.mmap(zero, 1 << 24))
                kept[-1].write(b"x" * (1 << 24))
                kept[-1].madvise(mmap.MADV_DONTNEED)
        except OSError:
            return "aback", 0
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
