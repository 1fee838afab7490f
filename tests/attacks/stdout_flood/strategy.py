"""Prints without end to stdout, and a move among it."""

import os


class Attack:
    def first_move(self):
        for _ in range(20):
            print('["pair", 2, "crate", 0]' * 10000)
            os.write(1, bytes(1 << 20))
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
