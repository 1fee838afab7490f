"""Never says its name."""


class Attack:
    def __str__(self):
        while True:
            pass

    def first_move(self):
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
