"""Asks with an infinite epsilon."""

import math


class Attack:
    def first_move(self):
        return "crate", math.inf

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
