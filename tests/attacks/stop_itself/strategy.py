"""Stops itself with a signal that cannot be caught."""

import os
import signal


class Attack:
    def first_move(self):
        os.kill(os.getpid(), signal.SIGSTOP)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
