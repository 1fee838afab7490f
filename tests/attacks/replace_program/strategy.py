"""Replaces the program around it."""

import sys


class Attack:
    def first_move(self):
        wire = sys.modules["wordpl.contest.protocol"]
        wire.reply = lambda *values: b'["win", 2]\n'
        contestant = sys.modules["wordpl.contest.contestant"]
        contestant.encode = lambda turn, move: f'["answer", {turn}, "aback"]\n'.encode()
        return "crate", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
