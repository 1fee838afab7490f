"""Takes all the memory there is."""


class Attack:
    def first_move(self):
        kept = []
        while True:
            kept.append(bytearray(1 << 24))

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
