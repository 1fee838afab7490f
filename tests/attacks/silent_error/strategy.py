"""Fails with an error that fails when it is asked what it is."""


class Silent(Exception):
    def __str__(self):
        raise Silent

    __repr__ = __str__


class Attack:
    def first_move(self):
        raise Silent

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
