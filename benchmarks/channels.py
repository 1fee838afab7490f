"""Scores of all guesses under other channels: against randomized response, and against the channel as a matrix."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

import wordpl
from benchmarks.timing import cpu_together

CRITERIA = ("information_gain", "expected_top")
EPSILON = 12.3
CHANNELS = (
    *(f"fibble:{lies}" for lies in range(1, 6)),
    *("whole_clue", "ball:1", "ball:2", "ball:3"),
    "levels:220000,40000,6000,900,30,1",
)
REPEATS = 45


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
    prior = wordpl.Posterior(words).update("crate", EPSILON, "..icc").probabilities
    return [_row(words, prior, channel, criterion) for channel in CHANNELS for criterion in CRITERIA]


def _row(words: wordpl.WordList, prior: NDArray[np.float64], channel: str, criterion: str) -> list[str]:
    family: Any = wordpl.channel_family(channel)
    epsilon = getattr(family, "row_epsilon", None) or EPSILON

    def as_matrix(epsilon: float, length: int) -> wordpl.Channel:
        return AsMatrix(family(epsilon, length))

    marks, levels, matrix = (
        partial(wordpl.score_guesses, wordpl.Posterior(words, channel=channel, prior=prior), epsilon, criterion)
        for channel, epsilon in ((wordpl.RandomizedResponse, EPSILON), (family, epsilon), (as_matrix, epsilon))
    )
    assert np.allclose(levels(), matrix(), rtol=1e-12)  # noqa: S101
    alone, took, plain = cpu_together(marks, levels, matrix, repeats=REPEATS)
    what = f"exact {criterion.replace('_', ' ')} of {len(words.guesses):,} guesses, {channel}"
    return [
        what,
        f"{took / alone:.1f} times randomized response",
        "1.2 times",
        f"{plain / took:.1f} times the sparse matrix",
    ]
