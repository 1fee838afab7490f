"""Attacks by what a strategy asks with."""


class EpsilonHuge:
    def first_move(self):
        """LOSS: asks with the largest epsilon there is, twice."""
        return "crate", 1.7e308

    def next_move(self, guess, epsilon, clues):
        self.asked = getattr(self, "asked", 0) + 1
        return ("aback", 0) if self.asked % 3 == 0 else ("crate", 1.7e308)


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
        """LOSS: asks with an epsilon that adds nothing to a sum."""
        return "crate", Free(50.0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
