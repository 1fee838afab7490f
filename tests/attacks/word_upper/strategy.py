"""Asks a word in capitals."""


class Attack:
    def first_move(self):
        return "CRATE", 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
