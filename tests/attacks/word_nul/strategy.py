"""Asks a word with a NUL."""


class Attack:
    def first_move(self):
        return "crate\0", 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
