"""Asks half a character."""


class Attack:
    def first_move(self):
        return "crat\udc80", 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
