"""Stays below the limit of a move, but not below that of a game."""

import time


class Attack:
    def first_move(self):
        time.sleep(0.2)
        return "crate", 1.0

    def next_move(self, guess, epsilon, clues):
        time.sleep(0.2)
        return "crate", 1.0
