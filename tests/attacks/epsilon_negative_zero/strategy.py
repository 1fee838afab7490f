"""Proposes an answer at minus nothing."""


class Attack:
    def first_move(self):
        return "aback", -0.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
