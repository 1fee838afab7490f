"""Clues as arrays: how many marks differ, and how many clues differ in so many."""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl import Channel, WordList, load_words

Codes = NDArray[np.unsignedinteger[Any]]
Floats = NDArray[np.float64]
Integers = NDArray[np.int64]
ChannelFamily = Callable[[float, int], Channel]


def as_words(words: WordList | str) -> WordList:
    """Return the word list, or the bundled one of that name."""
    return load_words(words) if isinstance(words, str) else words


@lru_cache(maxsize=8192)
def differing_marks(code: int, length: int) -> NDArray[np.intp]:
    """Return the number of marks in which each clue code differs from `code`: [3**length]."""
    marks = np.arange(3**length)[:, np.newaxis] // 3 ** np.arange(length) % 3
    return np.asarray((marks != marks[code]).sum(axis=1), dtype=np.intp)


def clues_at_distance(length: int, distance: int) -> int:
    """Return how many clues differ from one in exactly `distance` of its `length` marks."""
    return math.comb(length, distance) << distance
