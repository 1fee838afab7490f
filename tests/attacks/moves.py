"""Attacks by moves that are none, or too many, or too dear."""


class AskForEver:
    def first_move(self):
        """INVALID: asks and asks, for as little as may be."""
        return "crate", 0.001

    def next_move(self, guess, epsilon, clues):
        return "crate", 0.001


class Silent:
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


class NoMove:
    def first_move(self):
        """INVALID: returns what is no move, and cannot be printed."""
        return Silent()


def marks(guess, word):
    return "".join("c" if a == b else "i" if a in word else "." for a, b in zip(guess, word))


class WinAtAnyPrice:
    def first_move(self):
        """WIN: wins by asking with all the budget there is: no attack on the referee, but on its sums."""
        with open("answers.txt") as file:
            self.left = file.read().split()
        return self.left[0], 1.7e308

    def next_move(self, guess, epsilon, clues):
        self.left = [word for word in self.left if word != guess and marks(guess, word) == clues] or [guess]
        return self.left[0], 0 if len(self.left) == 1 else 1.7e308


class Free(float):
    def __radd__(self, other):
        return other

    __add__ = __radd__

    def __float__(self):
        return 0.0

    def __gt__(self, other):
        return True


class FreeEpsilon:
    def first_move(self):
        """LOSS: asks with an epsilon that adds nothing to a sum."""
        return "crate", Free(50.0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
