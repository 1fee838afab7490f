"""Ends the process without a word."""

import os


class Attack:
    def first_move(self):
        os._exit(0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
