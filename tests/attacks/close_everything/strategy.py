"""Closes the line."""

import os


class Attack:
    def first_move(self):
        os.closerange(0, 256)
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
