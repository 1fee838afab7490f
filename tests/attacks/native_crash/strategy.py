"""Crashes in native code."""

import ctypes


class Attack:
    def first_move(self):
        ctypes.string_at(0)

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
