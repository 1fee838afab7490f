"""Changes its own class in the middle of a game."""


class _Winner:
    answer = won = True
    verdict = "WIN"

    def first_move(self):
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0


class Attack:
    def first_move(self):
        self.__class__ = _Winner
        return "crate", 5.0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
