"""Clues with an exact number of false marks: sums over them, and their random draws."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.lanes import lanes, least_float

Floats = NDArray[np.float64]

# Thresholds that no number in [0, 1) reaches, and that all do.
_NEVER, _ALWAYS = 1.0, 0.0


def clues_at_distance(length: int, lies: int) -> int:
    """Return how many clues differ from one in exactly `lies` of its `length` marks."""
    return comb(length, lies) << lies


def sums_at_distance(weights: NDArray[Any], length: int, lies: int) -> Floats:
    """Return, for each clue code, the sum of the weights of the codes that differ from it in exactly `lies` marks.

    Both are [3**length, n]. It takes `length` passes of a 3x3 matrix whose entries are polynomials in "false".
    """
    return _at_distance(weights, length, lies, np.add)


def largest_at_distance(weights: NDArray[Any], length: int, lies: int) -> Floats:
    """As `sums_at_distance`, with the largest weight (from 0 up) in place of the sum."""
    return _at_distance(weights, length, lies, np.maximum)


def _at_distance(weights: NDArray[Any], length: int, lies: int, combine: np.ufunc) -> Floats:
    # By the number of lies so far; a pass treats the first mark of each code and puts it last.
    found = [weights, *(np.zeros_like(weights) for _ in range(lies))]
    for _ in range(length):
        marks = [of.reshape(3, -1, weights.shape[1]) for of in found]
        changed = [combine(of[[1, 0, 0]], of[[2, 2, 1]]) for of in marks]
        passed = [marks[0], *(combine(kept, lied) for kept, lied in zip(marks[1:], changed[:-1], strict=True))]
        found = [of.swapaxes(0, 1).reshape(weights.shape) for of in passed]
    return found[-1]


class LieDraws:
    """Draws of the noisy clue with `lies` false marks from the true one, in a time that tells nothing of either.

    The first number draws the places: each set of places has an even share of [0, 1). Where all marks are false, it is
    free. A false mark is one of the other two by the half of [0, 1) in which another number lies. A single lie has the
    second number. Of several, each place has its own: the number that follows, or, for the last place of all, the half
    of the first number; so each half of it is divided evenly among the sets.
    """

    def __init__(self, length: int, lies: int) -> None:
        self._wide = lanes(length)
        # Places are counted from the last letter, lanes from the first.
        sets = [{length - 1 - place for place in places} for places in combinations(range(length), lies)]
        if 1 < lies < length:
            sets += sets
        self._turns = [(self._wide.least(begins), self._wide.least(ends)) for begins, ends in _turns(sets, length)]
        self._half = self._wide.least([0.5] * length)
        if lies == length:
            self._numbers = tuple(range(length))
        elif lies > 1:
            self._numbers = (*range(1, length), 0)
        else:
            self._numbers = (min(1, length - 1),) * length
        self._length = length

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        """Return the noisy code for the true `code`, from `length` numbers uniform in [0, 1)."""
        wide = self._wide
        place, here = wide.bits([uniforms[0]] * self._length), wide.none
        for begin, end in self._turns:
            here = here + wide.reached(place, begin) - wide.reached(place, end)
        second = wide.reached(wide.bits([uniforms[number] for number in self._numbers]), self._half)
        return wide.rotate(code, here + (here & second))


def _turns(sets: Sequence[set[int]], length: int) -> list[tuple[list[float], list[float]]]:
    """Where each lane begins to be in the set that a number draws and where it ends, again and again."""
    count = len(sets)
    edges = [_ALWAYS, *(least_float(k / count, lambda uniform, k=k: uniform * count >= k) for k in range(1, count))]  # type: ignore[misc]
    changes: list[list[float]] = [[] for _ in range(length)]
    for lane, found in enumerate(changes):
        inside = False
        for edge, places in zip(edges, sets, strict=True):
            if (lane in places) != inside:
                found.append(edge)
                inside = not inside
    most = max(len(found) + 1 for found in changes) // 2
    padded = [found + [_NEVER] * (2 * most - len(found)) for found in changes]
    return [([found[2 * k] for found in padded], [found[2 * k + 1] for found in padded]) for k in range(most)]
