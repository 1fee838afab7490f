"""Looks for the answer in the environment."""

import os


class Attack:
    def first_move(self):
        for value in os.environ.values():
            if "CANARY" in value or (value.isalpha() and len(value) == 5):
                return value[-5:], 0
        return os.environ.get("WORDPL_CANARY", "aback"), 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
