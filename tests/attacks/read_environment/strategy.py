"""Looks for the answer in the environment."""

import os


class Attack:
    def first_move(self):
        for name, value in os.environ.items():
            if "CANARY" in name:
                return value[-5:], 0
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
