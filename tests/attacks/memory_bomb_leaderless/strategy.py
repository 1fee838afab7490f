"""Fills the memory of children whose main thread has ended, so that they look like zombies."""

import ctypes
import os
import threading
import time


def fill():
    time.sleep(0.1)
    kept = b"x" * (100 << 20)
    time.sleep(1000)
    print(len(kept))


class Attack:
    def first_move(self):
        for _ in range(4):
            if os.fork() == 0:
                threading.Thread(target=fill).start()
                ctypes.CDLL(None).pthread_exit(None)
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
