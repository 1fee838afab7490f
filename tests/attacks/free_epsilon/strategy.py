"""Asks with an epsilon that adds nothing to a sum."""


class Free(float):
    def __radd__(self, other):
        return other

    __add__ = __radd__

    def __float__(self):
        return 0.0

    def __gt__(self, other):
        return True


class Attack:
    def first_move(self):
        return "crate", Free(50.0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
