"""Fills shared memory and then takes its pages out of its own page table, where memory is counted."""

import mmap
import time


class Attack:
    def first_move(self):
        kept = []
        try:
            for _ in range(25):
                kept.append(mmap.mmap(-1, 1 << 24))
                kept[-1].write(b"x" * (1 << 24))
                kept[-1].madvise(mmap.MADV_DONTNEED)
        except OSError:
            return "aback", 0
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
