"""Returns what is no move, and cannot be printed."""


class Silent:
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


class Attack:
    def first_move(self):
        return Silent()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
