"""Work whose memory is measured in a process of its own. This file imports no more than the work needs."""

import wordpl


def solve_tree(first: str | None) -> None:
    wordpl.wordle.solve_tree(wordpl.load_words("original"), first)


def play(trials: int, out: str) -> None:
    wordpl.evaluate("TwoGuess(17.9)", trials, jobs=2, store=wordpl.Store(out)).summary()
