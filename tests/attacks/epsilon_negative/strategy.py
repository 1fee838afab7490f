"""Asks for a budget below nothing."""


class Attack:
    def first_move(self):
        return "crate", -5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
