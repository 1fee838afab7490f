"""Proposes a word that is equal to every word."""


class Word(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash("crate")


class Attack:
    def first_move(self):
        return Word("aback"), 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
