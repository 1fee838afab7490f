"""Scores of all guesses under clues with lies: against randomized response, and against the channel as a matrix."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from functools import partial
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wordpl

CRITERIA = ("information_gain", "expected_top")
LIES = range(1, 6)
REPEATS = 15


class AsMatrix(wordpl.Channel):
    """A channel that tells nothing but its probabilities, so that it is multiplied out."""

    def __init__(self, channel: wordpl.Channel) -> None:
        self.epsilon, self.length, self._channel = channel.epsilon, channel.length, channel

    def likelihood(self, clue: wordpl.Clue | str | int) -> NDArray[np.float64]:
        return self._channel.likelihood(clue)

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        return self._channel.sample(code, uniforms)

    def matrix(self) -> Any:
        return self._channel.matrix()


def rows(words: wordpl.WordList) -> list[list[str]]:
    prior = wordpl.Posterior(words).update("crate", 12.3, "..icc").probabilities
    return [_row(words, prior, lies, criterion) for lies in LIES for criterion in CRITERIA]


def _row(words: wordpl.WordList, prior: NDArray[np.float64], lies: int, criterion: str) -> list[str]:
    fibble = wordpl.channel_family(f"fibble:{lies}")

    def as_matrix(epsilon: float, length: int) -> wordpl.Channel:
        return AsMatrix(fibble(epsilon, length))

    marks, polynomial, matrix = (
        partial(wordpl.score_guesses, wordpl.Posterior(words, channel=channel, prior=prior), epsilon, criterion)
        for channel, epsilon in ((wordpl.RandomizedResponse, 12.3), (fibble, math.inf), (as_matrix, math.inf))
    )
    assert np.allclose(polynomial(), matrix(), rtol=1e-12)  # noqa: S101
    alone, took, plain = _together(marks, polynomial, matrix)
    what = f"exact {criterion.replace('_', ' ')} of {len(words.guesses):,} guesses, lies in a clue: {lies}"
    measured = f"{took / alone:.1f} times randomized response"
    return [what, measured, f"{lies + 2} times", f"{plain / took:.1f} times the sparse matrix"]


def _together(*calls: Callable[[], object]) -> list[float]:
    """Return the median time of each call in seconds. They take turns, to share the machine's load alike."""
    times: list[list[float]] = [[] for _ in calls]
    for call in calls:
        call()
    for _ in range(REPEATS):
        for call, taken in zip(calls, times, strict=True):
            begun = time.perf_counter()
            call()
            taken.append(time.perf_counter() - begun)
    return [median(taken) for taken in times]
