"""Pretends to be a move of every kind."""


class Chameleon:
    word = guess = "aback"
    epsilon = 5.0

    @property
    def __class__(self):
        return tuple


class Attack:
    def first_move(self):
        return Chameleon()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
