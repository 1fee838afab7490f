"""Asks with the smallest epsilon there is."""


class Attack:
    def first_move(self):
        return "crate", 5e-324

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
