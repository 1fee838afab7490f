"""Asks a word of ten million letters."""


class Attack:
    def first_move(self):
        return "a" * 10_000_000, 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
