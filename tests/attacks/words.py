"""Attacks by the words that a strategy returns."""

import itertools


class WordIllegal:
    words = itertools.cycle(
        [
            "a" * 10_000_000,
            'crate", 5.0]\n["pair", 3, "aback", 0',  # another message behind it
            "crate\0",
            "crate ",
            "crat\udc80",  # half a character
            "cr\u0430te",  # a letter that only looks right
            "CRATE",
        ]
    )

    def first_move(self):
        """Asks words that are none, each in a game of its own."""
        return next(self.words), 5.0


class Word(str):
    def __eq__(self, other):
        return True

    def __ne__(self, other):
        return False

    def __hash__(self):
        return hash("crate")


class AlwaysEqualWord:
    def first_move(self):
        """Proposes a word that is equal to every word."""
        return Word("aback"), 0
