"""Takes its memory through a library."""

import numpy


class Attack:
    def first_move(self):
        return numpy.ones((1 << 20, 1 << 12)).sum()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
