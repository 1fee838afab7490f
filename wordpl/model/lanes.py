"""Arithmetic on all marks of a clue at once, in a time that depends neither on the marks nor on the noise.

A player can time the reply to an ask. A branch or a look-up that depends on the noise or the true clue takes measurably
longer one way than the other, and so reveals what the noise hides. Here each mark has a lane of 64 bits in one integer,
and noise is added by the same few operations for all values. The top lane always holds a bit, so every integer has the
same number of digits. (CPython 3.11: 0.0 +- 0.4 ns for each changed mark; a loop with a branch takes 80 to 160.)
"""

import math
import struct
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import differing_marks

_WIDTH = 64
_HIGH = 1 << 63
_MASK = (1 << 16) - 1
_SHIFT = 32
_OFFSET = 3**8
"""Added to a code, so that it is no small integer, of which CPython keeps a copy. It changes no mark."""
_THIRD, _THIRD_SHIFT = 43691, 17
"""x // 3 == x * _THIRD >> _THIRD_SHIFT for all x below 2**17."""
# Thresholds that no number in [0, 1) reaches, and that all do.
_NEVER, _ALWAYS = 1.0, 0.0


class Lanes:
    """The lanes of clues of one length, from 1 to 8; the first letter has the lowest."""

    def __init__(self, length: int) -> None:
        self._length = length
        self._pack = struct.Struct(f"<{length}d").pack
        ones = _lanes([1] * length)
        self._guard = 1 << _WIDTH * (length + 1)
        self._high = ones * _HIGH | self._guard
        self.none = self._guard >> 63
        """What `reached` gives where no threshold is, times two: to be added before one is taken from another."""
        self._weights = _lanes([3**k for k in range(length)])
        # code * this >> _SHIFT is code // weight: the error of the rounded quotient is too small to reach it.
        self._divide = _lanes([-(-(1 << _SHIFT) // 3 ** (length - 1 - k)) for k in range(length)])
        self._mask = ones * _MASK
        self._all = self._mask | _MASK << _WIDTH * length
        self._last = _WIDTH * (length - 1)

    def bits(self, uniforms: Sequence[float]) -> int:
        """The bit pattern of each float in its lane: of floats from 0 up, patterns are in the order of the floats."""
        return int.from_bytes(self._pack(*uniforms), "little")

    def least(self, thresholds: Sequence[float]) -> int:
        """What `reached` takes for these thresholds, floats from 0 to 1, one for each lane."""
        return self._high - int.from_bytes(self._pack(*thresholds), "little")

    def reached(self, bits: int, least: int) -> int:
        """1 in each lane whose float is at least its threshold, else 0; the lane above the top one holds a 2."""
        return (bits + least & self._high) >> 63

    def rotate(self, code: int, shifts: int) -> int:
        """The code whose marks are those of `code`, each plus its lane of `shifts` (0 to 2), modulo 3.

        The lane of `shifts` above the top one has to hold something other than 0.
        """
        marks = (int(code + _OFFSET) * self._divide >> _SHIFT & self._mask) + shifts
        marks = marks - 3 * (marks * _THIRD >> _THIRD_SHIFT & self._mask) & self._all
        return marks * self._weights >> self._last & _MASK

    def add(self, code: int, other: int) -> int:
        """The code whose marks are those of two codes (or of multiples of 3**8 more) added, modulo 3."""
        return self.rotate(code, (int(other + _OFFSET) * self._divide >> _SHIFT & self._mask) + self.none)


def _lanes(values: Sequence[int]) -> int:
    return sum(value << _WIDTH * k for k, value in enumerate(values))


lanes = lru_cache(maxsize=8)(Lanes)
"""The lanes of clues of a length, made once."""


def least_float(guess: float, holds: Callable[[float], bool]) -> float:
    """The smallest float for which `holds`, false below and true above some float very near `guess`."""
    while holds(guess):
        guess = math.nextafter(guess, -math.inf)
    while not holds(guess):
        guess = math.nextafter(guess, math.inf)
    return guess


class NoiseDraws:
    """Draws a noisy clue by how many of its marks differ, in a time that does not depend on the clues.

    The first number draws what is added to the marks, modulo 3. Each of the 3**length noises has a share of [0, 1),
    first those that change few marks. Every draw looks at all shares.
    """

    def __init__(self, length: int, levels: NDArray[np.float64]) -> None:
        self._wide = lanes(length)
        changed = differing_marks(0, length)
        noises = np.argsort(changed, kind="stable")
        noises = noises[levels[changed[noises]] > 0.0]
        self._begins = np.cumsum(levels[changed[noises]])[:-1]
        self._first, self._steps = int(noises[0]), np.diff(noises)

    def sample(self, code: int, uniforms: Sequence[float]) -> int:
        """Return the noisy code for the true `code`, from a number uniform in [0, 1): the first of `uniforms`."""
        noise = _OFFSET + int(self._steps @ (self._begins <= uniforms[0])) + self._first
        return self._wide.add(code, noise)


class LieDraws:
    """Draws the noisy clue with `lies` false marks, in a time that depends neither on it nor on the true clue.

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
        place, shifts = wide.bits([uniforms[0]] * self._length), wide.none
        for begin, end in self._turns:
            shifts = shifts + wide.reached(place, begin) - wide.reached(place, end)
        second = wide.reached(wide.bits([uniforms[number] for number in self._numbers]), self._half)
        return wide.rotate(code, shifts + (shifts & second))


def _turns(sets: Sequence[set[int]], length: int) -> list[tuple[list[float], list[float]]]:
    """Where each lane begins to be in the set that a number draws and where it ends, again and again."""
    count = len(sets)
    edges = [_ALWAYS, *(least_float(k / count, lambda uniform, k=k: uniform * count >= k) for k in range(1, count))]  # type: ignore[misc]
    changes: list[list[float]] = [[] for _ in range(length)]
    for lane, bounds in enumerate(changes):
        inside = False
        for edge, places in zip(edges, sets, strict=True):
            if (lane in places) != inside:
                bounds.append(edge)
                inside = not inside
    most = max(len(bounds) + 1 for bounds in changes) // 2
    padded = [bounds + [_NEVER] * (2 * most - len(bounds)) for bounds in changes]
    return [([bounds[2 * k] for bounds in padded], [bounds[2 * k + 1] for bounds in padded]) for k in range(most)]
