"""Asks a word with a letter that only looks right."""


class Attack:
    def first_move(self):
        return "cr\u0430te", 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
