"""Prints without end to stderr."""

import os


class Attack:
    def first_move(self):
        while True:
            os.write(2, b"\x1b[2J owned " * 5000)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
