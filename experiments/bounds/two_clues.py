"""The most that two clues of real words can win: exactly for one split of the budget, and bounded over all splits.

After the noisy first clue z, an answer has a weight that depends only on the marks in which its true first clue differs
from z. Answers with the same second clue share their second factor, so only the heaviest of them can ever be proposed.
A second guess is thus described by one number for each second clue and each z: in how many marks the nearest true first
clue differs from z. `docs/converse.md` derives the bounds from the counts of these numbers, the profile.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.bounds.clues import Codes, Floats, Integers, as_words, clues_at_distance, differing_marks
from wordpl import WordList, WordplError, clue_matrix
from wordpl.base.checks import finite_positive, fraction, non_negative

Bytes = NDArray[np.uint8]
Singles = NDArray[np.float32]

_KEPT = np.float32(1.0)
"""The chance that a mark of the second clue is kept is a part of the levels already."""
LANES = 16
"""The number of noisy first clues that are treated side by side."""
_ROW = 32
"""Rows over the noisy first clues are filled up to a multiple of this, so that loops over them are whole vectors."""

_SLACK = 1.0 + 2e-5
"""Room for rounding in single precision: sums of at most 243 positive terms."""

_FINEST = 2**12
"""Parts of the budget that are halved no more."""


@dataclass(frozen=True)
class SplitBound:
    """A split of a budget: the `first` epsilon, and a `bound` on the win rate there, 0 to 1."""

    first: float
    bound: float
    exact: bool
    """True if the bound comes from exact values of second guesses, and not from their profiles alone."""


class TwoClues:
    """The most that the first guess `guess` and the best second ones can win, with the profiles of all second guesses.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`.

    The constructor raises `WordplError` for a word that is not on the list, and for words of more than five letters.
    """

    PARTS = 16
    """Equal parts of the budget at whose ends the splits are looked at first."""

    def __init__(self, guess: str, words: WordList | str, rule: str = "letterwise") -> None:
        words = as_words(words)
        if words.length > 5:
            raise WordplError(f"words of {words.length} letters are too long to bound two clues; 5 are the most")
        if guess not in words.guess_index:
            raise WordplError(f"{guess!r} is not a guess of the list {words.name}")
        self.words = words
        self._clues = np.ascontiguousarray(clue_matrix(words, rule))
        self._own = self._clues[words.guess_index[guess]]
        self._apart = _distances(words.length)
        self._sizes = np.zeros((len(words.guesses), words.length + 1, self._apart.shape[1]), dtype=np.uint8)
        _sizes(self._own, self._clues, self._apart, self._sizes)

    def profile_bound(self, first: float, second: float) -> float:
        """Return an upper bound on the win rate, 0 to 1, with a first clue at `first` and a second at `second`.

        Raises `WordplError` for epsilons that are not from 0 to inf.
        """
        splits = [(non_negative("first", first), non_negative("second", second))]
        bounds, _ = self._profiles(_factors(splits, self.words.length), self._sizes)
        return float(bounds.sum()) * _SLACK / len(self.words.answers)

    def win_rate(self, first: float, second: float) -> float:
        """Return the best win rate, 0 to 1, with the epsilons `first` and `second`: exact, the maximum over the second
        guesses.

        Raises `WordplError` for epsilons that are not from 0 to inf.
        """
        splits = [(non_negative("first", first), non_negative("second", second))]
        factors = _factors(splits, self.words.length, np.float64)
        best, _ = self._values(factors, np.zeros((1, self._apart.shape[1])))
        return float(best.sum()) / len(self.words.answers)

    @staticmethod
    def rise(width: float, marks: int) -> float:
        """Return the largest factor by which the win rate can be higher between two splits than at both.

        `width` is the difference of their first epsilons, `marks` the length of the words. `docs/converse.md` proves
        it. Raises `WordplError` for a width at which nothing is known, from 4 sqrt(marks).
        """
        if width * width >= 16.0 * marks:
            raise WordplError(f"splits {width:g} apart tell nothing of those between; less than 4 sqrt({marks}) does")
        return 1.0 / (1.0 - width * width / (16.0 * marks))

    def splits(self, budget: float, win_rate: float) -> list[SplitBound]:
        """Return splits of `budget` whose bounds show that none wins `win_rate`, from the smallest first epsilon up.

        Between two neighbours the win rate is at most the larger bound times the `rise` of their distance. If the first
        guess cannot be refuted, the splits looked at are returned, and a bound times its rise is not below `win_rate`.
        Raises `WordplError` for a budget that is not above 0 and below 64 sqrt(the length of the words).
        """
        budget, wanted = finite_positive("budget", budget), fraction("win rate", win_rate)
        known: dict[float, SplitBound] = {}
        parts, cells = self.PARTS, list(range(self.PARTS))
        while cells and parts <= _FINEST:
            enough = wanted / self.rise(budget / parts, self.words.length)
            firsts = {budget * (cell + end) / parts for cell in cells for end in (0, 1)}
            left = sorted(first for first in firsts if first not in known or known[first].bound >= enough)
            known.update((split.first, split) for split in self._bounded(left, budget, enough, wanted))
            cells = [
                half
                for cell in cells
                if max(known[budget * (cell + end) / parts].bound for end in (0, 1)) >= enough
                for half in (2 * cell, 2 * cell + 1)
            ]
            parts *= 2
        return [known[first] for first in sorted(known)]

    def _bounded(self, firsts: list[float], budget: float, enough: float, wanted: float) -> Iterator[SplitBound]:
        """Bounds at these first epsilons, the cheapest; then better ones wherever the last is not below `enough`."""
        answers = len(self.words.answers)
        left = np.ones(len(firsts), np.bool_)

        def factors_of(firsts: list[float]) -> _Factors:
            return _factors([(first, budget - first) for first in firsts], self.words.length)

        # The largest set of any second guess at each distance: one profile, no worse than all of them.
        for sizes in (self._sizes.max(axis=0)[np.newaxis], self._sizes):
            firsts = list(itertools.compress(firsts, left))
            if not firsts:
                return
            factors = factors_of(firsts)
            bounds, best = self._profiles(factors, sizes)
            totals = bounds.sum(axis=1) * _SLACK / answers
            yield from (SplitBound(first, total, False) for first, total in zip(firsts, totals.tolist(), strict=True))
            left = totals >= enough
        # What the guesses of the largest bounds are worth is less than the win rate, and says how much room is left.
        values = np.zeros(best.shape)
        _values_of(self._own, self._clues, self._apart, best, factors.levels, factors.ratio, values)
        while True:
            # Where the win rate is too near, all values would be computed, and the halves of the cells are cheaper.
            room = enough * answers / (values.sum(axis=1) * _SLACK**2)
            left &= room > wanted / enough
            firsts = list(itertools.compress(firsts, left))
            if not firsts:
                return
            factors, values, room = factors_of(firsts), values[left], room[left]
            exact, passed = self._values(factors, values * room[:, np.newaxis])
            totals = np.maximum(exact, passed).sum(axis=1) * _SLACK / answers
            yield from (SplitBound(first, total, True) for first, total in zip(firsts, totals.tolist(), strict=True))
            left, values = totals >= enough, np.maximum(exact, values)

    def _profiles(self, factors: _Factors, sizes: Bytes) -> tuple[Singles, Integers]:
        """The largest bound after each noisy first clue, times the answers, and the second guess that has it."""
        bounds = np.zeros((len(factors.ratio), sizes.shape[2]), np.float32)
        best = np.zeros(bounds.shape, np.int64)
        _best_profiles(sizes, factors.products, factors.firsts, factors.around, bounds, best)
        return bounds, best

    def _values(self, factors: _Factors, enough: Floats) -> tuple[Floats, Floats]:
        """The best value after each noisy first clue, over second guesses whose bound is above `enough`, and the
        largest bound of the others, both times the answers."""
        best, passed = np.zeros((2, *enough.shape))
        _best_values(self._own, self._clues, self._apart, self._sizes, factors, enough, best, passed)
        return best, passed


class _Factors(NamedTuple):
    """The factors of two clues, for some splits. A product is one for each pair of distances, the largest first."""

    products: Singles
    """[splits, products]"""
    firsts: Integers
    """Distance of the first clue: [splits, products]."""
    around: Singles
    """The number of second clues at the distance of the second: [splits, products]."""
    levels: Any
    """Weight of an answer whose first clue is so far away, if its second is true; none is 0: [splits, marks + 2]."""
    ratio: Any
    """P(a mark of the second clue becomes one given other mark), as a part of P(it is kept): [splits]."""


def _factors(splits: Sequence[tuple[float, float]], marks: int, kind: type[np.floating] = np.float32) -> _Factors:
    lies, epsilons = np.arange(marks + 1), np.array(splits)[:, :, np.newaxis]
    fall = np.exp(-epsilons / marks)  # a false mark's probability, as a part of the true one's
    weights = fall**lies / (1.0 + 2.0 * fall) ** marks
    products = (weights[:, 0, :, np.newaxis] * weights[:, 1, np.newaxis, :]).reshape(len(weights), -1)
    largest_first = np.argsort(-products, axis=1, kind="stable")
    first, second = np.divmod(largest_first, marks + 1)
    around = np.array([clues_at_distance(marks, wrong) for wrong in range(marks + 1)], np.float32)
    return _Factors(
        np.take_along_axis(products, largest_first, axis=1).astype(np.float32),
        first,
        around[second],
        np.pad(weights[:, 0] * weights[:, 1, :1], ((0, 0), (0, 1))).astype(kind),
        np.exp(-epsilons[:, 1, 0] / marks).astype(kind),
    )


@njit(cache=True)
def _fill_near(own: Codes, clues: Codes, apart: Bytes, none: int, near: Bytes) -> None:
    """near[c, z]: the marks in which z differs from the nearest first clue of an answer with the second clue c."""
    near[:] = none
    for answer in range(len(own)):
        row, first = near[clues[answer]], apart[own[answer]]
        for z in range(len(row)):
            row[z] = min(row[z], first[z])


@njit(cache=True)
def _sizes(own: Codes, clues: Codes, apart: Bytes, out: Bytes) -> None:
    """out[h, d, z]: the second clues whose nearest first clue differs from z in at most d marks."""
    near = np.empty_like(apart)
    for guess in range(len(out)):
        _fill_near(own, clues[guess], apart, out.shape[1], near)
        for d in range(out.shape[1]):
            size, distance = out[guess, d], np.uint8(d)
            for row in near:
                for z in range(len(row)):
                    size[z] += np.uint8(row[z] <= distance)


@njit(cache=True, fastmath=True)
def _profile(
    sizes: Bytes, values: Singles, firsts: Integers, around: Singles, new: Singles, left: Singles, out: Singles
) -> None:
    """The bound after each noisy first clue: its places are filled with the largest products."""
    distances, codes = sizes.shape
    places = around.sum() / np.float32(distances)
    for z in range(codes):
        left[z], out[z] = places, np.float32(0.0)
        new[0, z] = np.float32(sizes[0, z])
    for d in range(1, distances):
        for z in range(codes):
            new[d, z] = np.float32(sizes[d, z]) - np.float32(sizes[d - 1, z])
    for k in range(len(values)):
        d, value, room = firsts[k], values[k], around[k]
        for z in range(codes):
            filled = min(left[z], new[d, z] * room)
            out[z] += filled * value
            left[z] -= filled


@njit(cache=True, fastmath=True)
def _best_profiles(
    sizes: Bytes, values: Singles, firsts: Integers, around: Singles, bounds: Singles, best: Integers
) -> None:
    codes = sizes.shape[2]
    new, left = np.empty((sizes.shape[1], codes), np.float32), np.empty(codes, np.float32)
    own = np.empty(codes, np.float32)
    for guess in range(sizes.shape[0]):
        for split in range(len(values)):
            _profile(sizes[guess], values[split], firsts[split], around[split], new, left, own)
            largest = bounds[split]
            for z in range(codes):
                if own[z] > largest[z]:
                    largest[z], best[split, z] = own[z], guess


@njit(cache=True, error_model="numpy")
def _sum_tops(hist: Any, marks: Any, out: Any) -> None:
    """The largest joint weight after each noisy clue, summed: out [LANES] from hist [codes * LANES], overwritten."""
    keep, flip = marks
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            for j in range(stride):
                x, y, z = a[j], b[j], c[j]
                flipped = flip * max(x, max(y, z))
                a[j] = max(keep * x, flipped)
                b[j] = max(keep * y, flipped)
                c[j] = max(keep * z, flipped)
        stride *= 3
    out[:] = 0.0
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            out[lane] += hist[start + lane]


@njit(cache=True)
def _fill_values(near: Bytes, zs: Integers, levels: Any, ratio: Any, weights: Any, values: Any) -> None:
    """The sum over noisy second clues of the largest joint weight, for as many noisy first clues as there are lanes."""
    for clue in range(len(near)):
        row = weights[clue * LANES : (clue + 1) * LANES]
        if near[clue, 0] == len(levels) - 1:  # no answer has this second clue
            row[:] = 0.0
            continue
        for lane in range(LANES):
            row[lane] = levels[near[clue, zs[lane]]]
    _sum_tops(weights, (_KEPT, ratio), values)


@njit(cache=True)
def _values_of(own: Codes, clues: Codes, apart: Bytes, guesses: Integers, levels: Any, ratio: Any, out: Floats) -> None:
    """The value after each noisy first clue of the second guess named for it."""
    splits, codes = out.shape
    near, weights = np.empty_like(apart), np.empty(len(apart) * LANES, levels.dtype)
    values, zs = np.empty(LANES, levels.dtype), np.zeros(LANES, np.int64)
    for guess in np.unique(guesses):
        _fill_near(own, clues[guess], apart, levels.shape[1] - 1, near)
        for split in range(splits):
            count = 0
            for z in range(codes):
                if guesses[split, z] == guess:
                    zs[count] = z
                    count += 1
                if count == LANES or (count and z == codes - 1):
                    _fill_values(near, zs, levels[split], ratio[split], weights, values)
                    for lane in range(count):
                        out[split, zs[lane]] = values[lane]
                    count = 0


@njit(cache=True)
def _best_values(
    own: Codes,
    clues: Codes,
    apart: Bytes,
    sizes: Bytes,
    factors: _Factors,
    enough: Floats,
    best: Floats,
    passed: Floats,
) -> None:
    """The best value after each noisy first clue, and the largest bound passed over: best, passed [splits, codes].

    own [answers] is the clue of each answer to the first guess, clues [guesses, answers] are those to the second,
    apart [codes, z] distances of clues, sizes [guesses, distances, z] what `_sizes` makes of them; second guesses count
    whose bound is above enough [splits, codes].
    """
    products, firsts, around, levels, ratio = factors
    splits, codes = best.shape
    near, weights = np.empty_like(apart), np.empty(len(apart) * LANES, levels.dtype)
    values, zs = np.empty(LANES, levels.dtype), np.zeros(LANES, np.int64)
    new, left = np.empty((sizes.shape[1], codes), np.float32), np.empty(codes, np.float32)
    bounds = np.empty(codes, np.float32)
    for guess in range(len(sizes)):
        filled = False
        for split in range(splits):
            _profile(sizes[guess], products[split], firsts[split], around[split], new, left, bounds)
            count = 0
            for z in range(codes):
                if bounds[z] > enough[split, z] and bounds[z] * _SLACK > best[split, z]:
                    zs[count] = z
                    count += 1
                else:
                    passed[split, z] = max(passed[split, z], bounds[z])
                if count == LANES or (count and z == codes - 1):
                    if not filled:
                        _fill_near(own, clues[guess], apart, levels.shape[1] - 1, near)
                        filled = True
                    _fill_values(near, zs, levels[split], ratio[split], weights, values)
                    for lane in range(count):
                        best[split, zs[lane]] = max(best[split, zs[lane]], values[lane])
                    count = 0


def _distances(marks: int) -> Bytes:
    """apart[c, z]: the marks in which two clues differ, in rows of whole vectors; what fills them up is never near."""
    apart = np.array([differing_marks(code, marks) for code in range(3**marks)], np.uint8)
    return np.pad(apart, ((0, 0), (0, -len(apart) % _ROW)), constant_values=marks + 1)
