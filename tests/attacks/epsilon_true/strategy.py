"""Asks with a truth value."""


class Attack:
    def first_move(self):
        return "crate", True

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
