"""Makes files without end, behind a child that has ended and is not waited for."""

import os
import time


class Attack:
    def first_move(self):
        if os.fork() == 0:
            os._exit(0)
        time.sleep(0.1)
        for at in range(20000):
            os.close(os.open(f"/tmp/{at}", os.O_CREAT))
        time.sleep(1000)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
