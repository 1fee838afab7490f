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
