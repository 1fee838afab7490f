"""Recurses without end and without Python's guard."""

import sys


def deeper(word):
    return list(map(deeper, [word]))


class Attack:
    def first_move(self):
        sys.setrecursionlimit(1 << 30)
        return deeper("aback")[0], 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
