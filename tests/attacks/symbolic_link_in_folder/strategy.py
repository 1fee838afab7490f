"""Has a link to a file of the referee's in its folder."""


class Attack:
    def first_move(self):
        with open("answer.txt") as file:
            return file.read(5), 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
