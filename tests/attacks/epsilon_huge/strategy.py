"""Asks with the largest epsilon there is, twice."""


class Attack:
    def first_move(self):
        return "crate", 1.7e308

    def next_move(self, guess, epsilon, clues):
        self.asked = getattr(self, "asked", 0) + 1
        return ("aback", 0) if self.asked % 3 == 0 else ("crate", 1.7e308)
