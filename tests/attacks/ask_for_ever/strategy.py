"""Asks and asks, for next to nothing."""


class Attack:
    def first_move(self):
        return "crate", 1e-9

    def next_move(self, guess, epsilon, clues):
        return "crate", 1e-9
