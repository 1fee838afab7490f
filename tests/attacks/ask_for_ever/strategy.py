"""Asks and asks, for as little as may be."""


class Attack:
    def first_move(self):
        return "crate", 0.001

    def next_move(self, guess, epsilon, clues):
        return "crate", 0.001
