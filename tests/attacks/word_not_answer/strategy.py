"""Proposes a word that is no answer."""


class Attack:
    def first_move(self):
        return "aahed", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
