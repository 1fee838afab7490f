"""Becomes another program, which has no line."""

import os
import sys


class Attack:
    def first_move(self):
        os.execv(sys.executable, [sys.executable, "-sSP", "-c", "pass"])

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
