"""Lets children think in its place, while it waits for them and uses no CPU itself."""

import os


class Attack:
    def first_move(self):
        for _ in range(4):
            if os.fork() == 0:
                while True:
                    pass
        os.wait()

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
