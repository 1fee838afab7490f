"""Catches whatever is raised to stop it."""


class Attack:
    def first_move(self):
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
