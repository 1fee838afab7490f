"""Asks with a whole number that no float can hold."""


class Attack:
    def first_move(self):
        return "crate", 10**5000

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
