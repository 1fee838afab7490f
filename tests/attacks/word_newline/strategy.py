"""Asks a word with another message behind it."""


class Attack:
    def first_move(self):
        return 'crate", 5.0]\n["pair", 3, "aback", 0', 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
