"""Percentiles of scores and honest intervals around them."""

from __future__ import annotations

import math

import numpy as np
import scipy.special  # not scipy.stats: that alone takes longer to import than a command takes to run
from numpy.typing import ArrayLike

from wordpl.checks import fraction, whole_number
from wordpl.errors import WordplError

PERCENTILES = (0.05, 0.50, 0.95)
"""The three that the contest ranks by."""


def percentile(scores: ArrayLike, q: float) -> float:
    """The `q` quantile (0..1) of scores, by linear interpolation as `numpy.quantile` does.

    Infinity stands for a lost trial; the result is infinite as soon as the interpolation touches one.
    Raises `WordplError` if there are no scores or one is NaN.
    """
    ordered = _sorted(scores)
    fraction("quantile", q)
    at = (len(ordered) - 1) * q
    low = math.floor(at)
    part = at - low
    if part == 0.0:
        return float(ordered[low])
    below, above = float(ordered[low]), float(ordered[low + 1])
    if math.isinf(above):
        return math.inf
    # From the nearer end, as numpy does it: exact at both ends and never past either.
    step = (above - below) * part
    return below + step if part < 0.5 else above - (above - below) * (1.0 - part)


def wins_to_hold(q: float, games: int) -> int:
    """How many of `games` must be won for the `q` quantile of their scores (see `percentile`) to be finite."""
    fraction("quantile", q)
    games = whole_number("games", games)
    at = (games - 1) * q
    return math.ceil(at) + 1


def win_rate_to_hold(q: float, games: int, probability: float = 0.95) -> float:
    """The smallest win rate with which the `q` quantile of `games` scores is finite with this probability.

    P(Binomial(games, rate) >= wins) is a regularised incomplete beta function of the rate, so this is its
    inverse. With as many games as the contest plays, a strategy that wins just the fraction `q` holds in
    hardly more than half of its runs.
    """
    wins = wins_to_hold(q, games)
    fraction("probability", probability)
    return float(scipy.special.betaincinv(wins, games - wins + 1, probability))


def percentile_interval(scores: ArrayLike, q: float, confidence: float = 0.95) -> tuple[float, float]:
    """Distribution-free interval for the true `q` quantile: two order statistics of the scores.

    Covers it with probability at least `confidence`, whatever the distribution, ties and infinities
    included (David & Nagaraja, Order Statistics, 7.1), and holds `percentile`. With too few scores an end
    is 0 or infinity, the ends of what a score can be.
    """
    ordered = _sorted(scores)
    fraction("quantile", q)
    fraction("confidence", confidence)
    n, tail = len(ordered), (1.0 - confidence) / 2.0
    # Few scores and a quantile near an end: both order statistics can lie on one side of the interpolation.
    at = (n - 1) * q
    low = min(_binomial_quantile(tail, n, q), math.floor(at) + 1)
    high = max(_binomial_quantile(1.0 - tail, n, q), math.ceil(at)) + 1
    return (
        float(ordered[low - 1]) if low >= 1 else 0.0,
        float(ordered[high - 1]) if high <= n else math.inf,
    )


def win_interval(wins: int, trials: int, confidence: float = 0.95, method: str = "wilson") -> tuple[float, float]:
    """Interval for a win rate.

    `wilson` (Wilson 1927) covers `confidence` on average over win rates; `exact` (Clopper and Pearson
    1934) covers at least that for every win rate.
    """
    if not 0 <= wins <= trials or trials < 1:
        raise WordplError(f"{wins} wins of {trials} trials is not possible")
    fraction("confidence", confidence)
    tail = (1.0 - confidence) / 2.0
    losses = trials - wins
    if method == "exact":
        low = scipy.special.betaincinv(wins, losses + 1, tail) if wins else 0.0
        high = scipy.special.betaincinv(wins + 1, losses, 1.0 - tail) if losses else 1.0
        return float(low), float(high)
    if method != "wilson":
        raise WordplError(f"unknown interval {method!r}: choose from exact, wilson")
    z2 = float(scipy.special.ndtri(tail)) ** 2
    centre = wins + z2 / 2.0
    half = math.sqrt(z2) * math.sqrt(wins * (losses / trials) + z2 / 4.0)
    low = (centre - half) / (trials + z2) if wins else 0.0
    high = (centre + half) / (trials + z2) if losses else 1.0
    return max(0.0, low), min(1.0, high)


def mean_interval(values: ArrayLike, confidence: float = 0.95) -> tuple[float, float]:
    """Normal interval for the mean of values in 0..1, as of the chances of the proposed answers."""
    array = np.asarray(values, dtype=np.float64)
    fraction("confidence", confidence)
    if array.size < 2:
        return 0.0, 1.0
    error = float(array.std(ddof=1)) / math.sqrt(array.size)
    half = -float(scipy.special.ndtri((1.0 - confidence) / 2.0)) * error
    mean = float(array.mean())
    return max(0.0, mean - half), min(1.0, mean + half)


def _sorted(scores: ArrayLike) -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    ordered = np.sort(np.asarray(scores, dtype=np.float64).ravel())
    if not len(ordered):
        raise WordplError("no scores: at least one trial is needed")
    if math.isnan(ordered[-1]):
        raise WordplError("a score is NaN; a number or infinity is expected")
    return ordered


def _binomial_quantile(y: float, n: int, p: float) -> int:
    """Smallest k with P(Binomial(n, p) <= k) >= y."""
    if p in (0.0, 1.0):
        return round(n * p)
    if y in (0.0, 1.0):
        return round(n * y)
    solved = float(scipy.special.bdtrik(y, n, p))
    k = max(0, min(n, round(n * p) if math.isnan(solved) else math.ceil(solved)))
    # bdtrik solves for a real number, can be one off after rounding, and gives up at the extremes.
    while k > 0 and scipy.special.bdtr(k - 1, n, p) >= y:
        k -= 1
    while k < n and scipy.special.bdtr(k, n, p) < y:
        k += 1
    return k
