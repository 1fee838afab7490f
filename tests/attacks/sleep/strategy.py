"""Sleeps, which costs no CPU."""

import time


class Attack:
    def first_move(self):
        time.sleep(1000)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
