"""Scores at tiny epsilons, where the ordinary formulas subtract nearly equal numbers.

A distance channel then gives a noisy clue of m marks the probability (1 + u) / 3**m with a tiny u, whose mean over all
clues is 0. What a clue tells is a mean of u**2 (c2 + c3 u + ..). For example, its entropy falls short of m log2(3) by
the mean of (1 + u) log2(1 + u). Here u is computed without ever adding it to 1: from the deviations of the levels, or
for randomized response from that of a mark, which is kept with probability (1 + v) / 3. `kernels.score_series` does the
same for all guesses.
"""

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.channel import RandomizedResponse
from wordpl.model.clues import by_distance, clues_at_distance
from wordpl.model.distance_channel import Channel, DistanceChannel
from wordpl.model.entropy import Floats, p_log2_p

# Below them the ordinary information of a clue would be wrong in its ninth digit, and the series are right in all.
_LARGEST_OF_MARK, _LARGEST_OF_CLUE = 1e-3, 0.1
_TERMS = 24
_DIGITS = 13
_BITS = 1.0 / math.log(2.0)


def entropy_series() -> Floats:
    """The coefficients c2, c3, .. of (1 + u) log2(1 + u) less its linear part: float64 [terms]."""
    k = np.arange(2, 2 + _TERMS)
    return np.asarray((-1.0) ** k / (k * (k - 1.0)) * _BITS)


def power_series(exponent: float) -> Floats:
    """The coefficients c2, c3, .. of (1 + u)**exponent less 1 and its linear part: float64 [terms]."""
    k = np.arange(1.0, 2 + _TERMS)
    return np.asarray(np.cumprod((exponent - k + 1.0) / k)[1:])


def significant(scores: Floats) -> Floats:
    """The scores in the digits that rounding leaves right: an array of the same shape."""
    mantissas, exponents = np.frexp(scores)
    return np.asarray(np.ldexp(mantissas.round(_DIGITS), exponents))


def series_at(u: NDArray[Any], coefficients: Floats) -> Floats:
    """u**2 (c2 + c3 u + ..) of each entry: an array of the shape of `u`."""
    return np.asarray(u * u * np.polynomial.polynomial.polyval(u, coefficients))


@dataclass(frozen=True)
class Faint:
    """A distance channel that hardly tells anything, each entry raised to `order` and divided by its mean."""

    length: int
    unraised: tuple[float, ...]
    """How much likelier than by chance, before raised: a true mark and a false one, or a noisy clue by distance."""
    each_mark: bool
    """Whether `unraised` is of marks, which the channel treats each alone."""
    order: float = 1.0

    def _mean(self, coefficients: Floats, factor: int = 1) -> float:
        """Mean of `series_at` the deviations over all marks, or all clues, times `factor`."""
        n = len(self.unraised) - 1
        counts = np.array([float(clues_at_distance(n, distance)) for distance in range(n + 1)])
        return factor * float(counts @ series_at(np.array(self.unraised), coefficients)) / 3.0**n

    @property
    def _factors(self) -> int:
        return self.length if self.each_mark else 1

    @cached_property
    def log_mean(self) -> float:
        """Natural log of the mean over noisy clues of their 3**m-fold probability raised to `order`."""
        return self._factors * math.log1p(self._mean(power_series(self.order)))

    @cached_property
    def raised(self) -> Floats:
        """The deviations of the channel that the powers are, once divided by their mean: as `unraised`."""
        mean = math.expm1(self.log_mean / self._factors)
        return np.array([(math.expm1(self.order * math.log1p(u)) - mean) / (1.0 + mean) for u in self.unraised])

    @cached_property
    def capacity(self) -> float:
        """What a clue tells at most, in bits: how far its noise entropy falls short of that of an even clue."""
        return self._mean(entropy_series(), self._factors)

    def deficits(self, true: NDArray[Any]) -> Floats:
        """Bits that a noisy clue's entropy lacks of an even one's: [n] from true clues' weights [3**length, n]."""
        totals = true.sum(axis=0)
        u = np.divide(self.deviations(true), totals, out=np.zeros_like(true), where=totals > 0)
        return np.asarray(series_at(u, entropy_series()).mean(axis=0))

    def entropy_and_information(self, wins: Floats, deficits: Floats) -> tuple[Floats, Floats]:
        """Bits of entropy of, and of information in, the outcome: right with chance `wins`, or a clue of `deficits`."""
        wrong = 1.0 - wins
        ends = 0.0 - p_log2_p(wins) - p_log2_p(wrong)
        even = self.length * math.log2(3.0)
        return ends + wrong * (even - deficits), ends + wrong * np.maximum(self.capacity - deficits, 0.0)

    def deviations(self, weights: NDArray[Any]) -> Floats:
        """u times the total weight, for each noisy clue: [3**length, n] from the weights of the true clues."""
        if not self.each_mark:
            sums = by_distance(weights, self.length, self.length)
            return np.asarray(sum(u * of for u, of in zip(self.raised, sums, strict=True)))
        totals, deviations = weights, np.zeros_like(weights)
        for _ in range(self.length):
            # As in `Channel.transform`: the first mark goes through the channel and comes out last.
            totals, parts = totals.reshape(3, -1, totals.shape[1]), deviations.reshape(3, -1, weights.shape[1])
            repeats = parts.shape[1] // totals.shape[1]
            sums = parts.sum(axis=0)
            own = parts + np.repeat(totals, repeats, axis=1)
            passed = sums + self.raised[0] * (1.5 * own - 0.5 * own.sum(axis=0))
            deviations = passed.swapaxes(0, 1).reshape(weights.shape)
            totals = totals.sum(axis=0)
        return deviations


def faint(channel: Channel, order: float = 1.0) -> Faint | None:
    """The channel with its entries raised to `order`, if it tells so little that its scores need this module."""
    if isinstance(channel, RandomizedResponse):
        v = channel.excess
        return Faint(channel.length, (v, -0.5 * v), True, order) if v < _LARGEST_OF_MARK else None
    if isinstance(channel, DistanceChannel) and np.abs(channel.deviations).max() * max(order, 1.0) < _LARGEST_OF_CLUE:
        return Faint(channel.length, tuple(channel.deviations.tolist()), False, order)
    return None
