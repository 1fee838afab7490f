"""Work whose memory is measured in a process of its own. This file imports no more than the work needs."""

import tempfile
from pathlib import Path

import wordpl

SETTINGS = 288, 2880


def solve_tree(first: str | None) -> None:
    wordpl.wordle.solve_tree(wordpl.load_words("original"), first)


def play(trials: int, out: str) -> None:
    wordpl.evaluate("TwoGuess(17.9)", trials, jobs=2, store=wordpl.Store(out)).summary()


def sweep_settings(settings: int) -> None:
    specs = [f"TwoGuess({5 + i / 100})" for i in range(settings)]
    with tempfile.TemporaryDirectory() as folder, wordpl.Store(Path(folder, "sweep.sqlite")) as store:
        wordpl.sweep(specs, 2, store=store)
