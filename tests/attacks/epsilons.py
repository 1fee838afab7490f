"""Attacks by what a strategy asks with."""

import itertools
import math


class EpsilonIllegal:
    epsilons = itertools.cycle([5e-324, 10**5000, math.inf, [5.0], math.nan, 5j, "5.0", True])

    def first_move(self):
        """Asks with epsilons that are none, each in a game of its own."""
        return "crate", next(self.epsilons)


class EpsilonHuge:
    def first_move(self):
        """Asks with the largest epsilon there is, twice."""
        return "crate", 1.7e308

    def next_move(self, guess, epsilon, clues):
        self.asked = getattr(self, "asked", 0) + 1
        return ("aback", 0) if self.asked % 3 == 0 else ("crate", 1.7e308)


class EpsilonNegative:
    epsilons = itertools.cycle([-0.0, -5.0, -math.inf, -(10**5000)])

    def first_move(self):
        """Proposes an answer at less than nothing, each time at another epsilon."""
        return "aback", next(self.epsilons)


class Free(float):
    def __radd__(self, other):
        return other

    __add__ = __radd__

    def __float__(self):
        return 0.0

    def __gt__(self, other):
        return True


class FreeEpsilon:
    def first_move(self):
        """Asks with an epsilon that adds nothing to a sum."""
        return "crate", Free(50.0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
