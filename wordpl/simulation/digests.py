"""Sums by which a results file tells that it holds what was written to it.

Every row has a number of 63 bits, which is another one if any one of its cells is. A file keeps the sums of these
numbers, modulo 2**63, and changes them in the transaction that changes the rows. A sum does not depend on the order of
the rows, so a batch only adds to it. It shows damage; it does not keep anybody from changing rows and sums.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

MODULUS = 1 << 63
_ODD = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(29)
_WIDTH = 8
"""Letters of the longest words."""


def row_digest(cells: Iterable[Any]) -> int:
    """Return the number of a row of cells that JSON can hold."""
    return int.from_bytes(blake2b(json.dumps([*cells]).encode(), digest_size=8).digest()) % MODULUS


def figures_sum(trials: NDArray[np.void], reasons: Mapping[int, str]) -> int:
    """Return the sum of trials [n], over all their columns but those of words, and of the `reasons` that there are."""
    mixed = np.zeros(len(trials), np.uint64)
    for name in trials.dtype.names or ():
        column = trials[name]
        # Of 0.0 and -0.0, SQLite keeps one.
        bits = column + 0.0 if column.dtype.kind == "f" else column.astype(np.int64)
        mixed = _mixed(mixed, bits.view(np.uint64))
    return (int(mixed.sum()) + sum(map(row_digest, reasons.items()))) % MODULUS


def words_sum(trials: Sequence[int], answers: Sequence[str], proposed: Sequence[str | None]) -> int:
    """Return the sum of trials, by number, over their columns of words."""
    mixed = np.array(trials, np.int64).view(np.uint64)
    for words in (answers, [word or "" for word in proposed]):
        letters = np.array(words, f"U{_WIDTH}").view(np.uint64).reshape(len(mixed), -1)
        for pair in letters.T:
            mixed = _mixed(mixed, pair)
    return int(mixed.sum()) % MODULUS


def _mixed(mixed: NDArray[np.uint64], column: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """The numbers of rows with one more column. One to one in each of both, so no change of one cell is lost."""
    mixed = (mixed ^ column) * _ODD
    return mixed ^ (mixed >> _SHIFT)
