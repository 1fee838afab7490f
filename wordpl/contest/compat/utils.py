"""The contest repository's `strategies.utils`: the names that its strategies import, in our own way.

Reads its lists from the current directory, as there. A weight table is a DataFrame of columns `word` and
`weight`; updates change it in place and return it. The marks of a clue are those of the contest since April 2025:
'c' for a letter that is here, 'i' for one that is elsewhere only, '.' for one that is absent.
"""

from __future__ import annotations

import math
import random
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

valid = Path("valid.txt").read_text().split()
answers = Path("answers.txt").read_text().split()
easy_words = Path("easy_words.txt").read_text().split()


def uniform_prior() -> pd.DataFrame:
    """Weight 1 for each answer."""
    return pd.DataFrame({"word": answers, "weight": np.ones(len(answers), dtype=np.int64)})


def uniform_prior_easy() -> pd.DataFrame:
    """Weight 1 for each easy answer."""
    return pd.DataFrame({"word": easy_words, "weight": np.ones(len(easy_words), dtype=np.int64)})


def is_consistent(word: str, index: int, letter: str, clue: str) -> bool:
    """Return whether `word` fits mark `clue` at letter `index` of a guess, which was `letter`. Raises `ValueError`."""
    present, correct = letter in word, word[index] == letter
    fits = {".": not present, "i": present and not correct, "c": correct}
    if clue not in fits:
        raise ValueError(f"mark {clue!r} of letter {letter!r} is none of 'c', 'i' and '.'")
    return fits[clue]


def update_weight(row: Any, index: int, letter: str, clue: str, epsilon: float) -> float:
    """The weight of a row after one mark of a clue bought with `epsilon`."""
    factor = math.exp(epsilon / 5) if is_consistent(row["word"], index, letter, clue) else 1
    weight: float = row["weight"] * factor
    return weight


def update_prior(prior: pd.DataFrame, guess: str, epsilon: float, clues: str) -> pd.DataFrame:
    """The table after a clue, weights summing to 1."""
    words = prior["word"].to_list()
    weights = prior["weight"].to_numpy(dtype=np.float64)
    gain = math.exp(epsilon / 5)
    for index, mark in enumerate(clues):
        fits = np.array([is_consistent(word, index, guess[index], mark) for word in words])
        weights = weights * np.where(fits, gain, 1.0)
    # Summed in order, as plain Python does it: where two weights tie, rounding decides which is the larger.
    prior["weight"] = weights / sum(weights.tolist())
    return prior


def jitter(x: float) -> float:
    """`x`, up to a tenth more or less."""
    return random.uniform(0.9 * x, 1.1 * x)  # noqa: S311
