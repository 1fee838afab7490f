"""The same jobs done the plain way, for the ratios."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import NDArray

import wordpl


def clue_entropy(belief: wordpl.Posterior, epsilon: float) -> NDArray[np.float64]:
    """Compute the clue entropy of all guesses with NumPy: a histogram for each, the whole channel matrix, x log x."""
    clues = wordpl.clue_matrix(belief.words, belief.rule)
    channel = wordpl.RandomizedResponse(epsilon, belief.words.length).matrix().toarray()
    n = belief.words.n_clues
    histograms = np.array([np.bincount(row, weights=belief.probabilities, minlength=n) for row in clues])
    noisy = histograms @ channel.T
    entropies: NDArray[np.float64] = -(noisy * np.log2(noisy)).sum(axis=1)
    return entropies


def posterior_update(words: wordpl.WordList, guess: str, epsilon: float, clues: str) -> pd.DataFrame:
    """Do one Bayes update with pandas: a table of weights, multiplied once for each mark."""
    table = pd.DataFrame({"word": words.answers, "weight": 1.0})
    factor = np.exp(epsilon / words.length)
    for k, mark in enumerate(clues):
        fits = table["word"].apply(lambda word, k=k, mark=mark: _mark(guess, word, k) == mark)
        table["weight"] *= np.where(fits, factor, 1.0)
    table["weight"] /= table["weight"].sum()
    return table


def _mark(guess: str, answer: str, k: int) -> str:
    if guess[k] == answer[k]:
        return "c"
    return "i" if guess[k] in answer else "."


def clue_matrix_rows(words: wordpl.WordList, guesses: int) -> list[list[int]]:
    """Compute the first rows of the clue matrix in Python, one pair of words at a time."""
    return [[int(wordpl.clue(guess, answer)) for answer in words.answers] for guess in words.guesses[:guesses]]
