"""Percentiles of scores, win rates, and their confidence intervals."""

import math
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.base.checks import fraction, numbers, whole_number
from wordpl.base.defaults import CONFIDENCE as CONFIDENCE
from wordpl.base.defaults import PERCENTILES as PERCENTILES
from wordpl.base.defaults import QUANTILES as QUANTILES
from wordpl.base.errors import WordplError

Floats = NDArray[np.float64]

_MOST = 2**53 - 1
"""Up to this number every whole number is a float."""


def percentile(scores: ArrayLike, q: float) -> float:
    """Return the `q` quantile, 0 to 1, of `scores` [n], with linear interpolation like `numpy.quantile`.

    A lost trial has an infinite score. The result is infinite if the interpolation uses such a score. Raises
    `WordplError` if there are no scores, if one is not a number or NaN, and if `q` is out of range.

    >>> percentile([12.0, 14.0, math.inf], 0.25), percentile([12.0, 14.0, math.inf], 0.75)
    (13.0, inf)
    """
    return percentile_of_sorted(in_order(scores), q)


def percentile_of_sorted(ordered: Floats, q: float) -> float:
    """Return `percentile` of scores that are `in_order`."""
    q = fraction("quantile", q)
    at = (len(ordered) - 1) * q
    low = math.floor(at)
    share = at - low
    if share == 0.0:
        return float(ordered[low])
    below, above = float(ordered[low]), float(ordered[low + 1])
    if math.isinf(above):
        return math.inf
    # From the nearer end, as numpy does it: exact at both ends and never past either.
    return below + (above - below) * share if share < 0.5 else above - (above - below) * (1.0 - share)


def win_rate_to_hold(q: float, games: int, probability: float = CONFIDENCE) -> float:
    """Return the win rate, 0 to 1, that a strategy needs so that the `q` quantile of `games` scores is finite with
    `probability`.

    P(Binomial(games, rate) >= wins) is a regularised incomplete beta function of the rate, and this is its inverse. In
    a run of 1,001 games, as in the contest, a strategy whose win rate is exactly `q` reaches it only about half of the
    time. Raises `WordplError` for arguments out of range.

    >>> round(win_rate_to_hold(0.05, 1001), 4)
    0.0628
    """
    q, games = fraction("quantile", q), whole_number("games", games, maximum=_MOST)
    wins = math.ceil((games - 1) * q) + 1  # below it the quantile is infinite (see `percentile`)
    probability = fraction("probability", probability)
    return _beta_quantile(probability, wins, games - wins + 1)


def chance_to_hold(q: float, games: int, win_rate: float) -> float:
    """Return the probability that the `q` quantile of `games` scores is finite, if games are won at this `win_rate`, 0
    to 1: the inverse of `win_rate_to_hold`. Raises `WordplError` for arguments out of range.

    >>> round(chance_to_hold(0.05, 1001, 0.05), 3), round(chance_to_hold(0.05, 1001, 0.0628), 2)
    (0.465, 0.95)
    """
    q, games = fraction("quantile", q), whole_number("games", games, maximum=_MOST)
    wins = math.ceil((games - 1) * q) + 1
    from scipy.special import betainc

    return float(betainc(wins, games - wins + 1, fraction("win rate", win_rate)))


def percentile_interval(scores: ArrayLike, q: float, confidence: float = CONFIDENCE) -> tuple[float, float]:
    """Return a distribution-free interval for the true `q` quantile: two order statistics of `scores` [n].

    It covers the quantile with probability at least `confidence`, whatever the distribution, also with ties and
    infinities (David & Nagaraja, Order Statistics, 7.1), and contains `percentile(scores, q)`. If there are too few
    scores, the lower end is 0 or the upper end is infinite. Raises `WordplError` as `percentile` does.
    """
    return interval_of_sorted(in_order(scores), q, confidence)


def interval_of_sorted(ordered: Floats, q: float, confidence: float) -> tuple[float, float]:
    """Return `percentile_interval` of scores that are `in_order`."""
    q, confidence = fraction("quantile", q), fraction("confidence", confidence)
    n, tail = len(ordered), (1.0 - confidence) / 2.0
    # Few scores and a quantile near an end: both order statistics can lie on one side of the interpolation.
    at = (n - 1) * q
    low = min(_binomial_quantile(tail, n, q), math.floor(at) + 1)
    high = max(_binomial_quantile(1.0 - tail, n, q), math.ceil(at)) + 1
    return float(ordered[low - 1]) if low >= 1 else 0.0, float(ordered[high - 1]) if high <= n else math.inf


def win_interval(wins: int, trials: int, confidence: float = CONFIDENCE, method: str = "wilson") -> tuple[float, float]:
    """Return a confidence interval for a win rate, within 0 to 1, from `wins` of `trials`, by a `method`.

    `wilson` (Wilson 1927) covers the win rate with probability `confidence` on average over win rates; `exact`
    (Clopper and Pearson 1934) covers every win rate with at least that probability. Raises `WordplError` for fewer
    than one trial, more wins than trials, a confidence that is not from 0 to 1, and an unknown method.

    >>> low, high = win_interval(54, 1001)
    >>> round(low, 4), round(high, 4)
    (0.0416, 0.0697)
    """
    trials = whole_number("trials", trials, maximum=_MOST)
    wins = whole_number("wins", wins, minimum=0, maximum=trials)
    confidence = fraction("confidence", confidence)
    tail = (1.0 - confidence) / 2.0
    losses = trials - wins
    if method == "exact":
        low = _beta_quantile(tail, wins, losses + 1) if wins else 0.0
        return low, _beta_quantile(1.0 - tail, wins + 1, losses) if losses else 1.0
    if method != "wilson":
        raise WordplError(f"unknown interval {method!r}: choose from exact, wilson")
    z2 = NormalDist().inv_cdf(tail) ** 2 if tail else math.inf
    centre, half = wins + z2 / 2.0, math.sqrt(z2) * math.sqrt(wins * (losses / trials) + z2 / 4.0)
    low = (centre - half) / (trials + z2) if wins else 0.0
    high = (centre + half) / (trials + z2) if losses else 1.0
    return max(0.0, low), min(1.0, high)


def in_order(scores: ArrayLike) -> Floats:
    """Return scores from the smallest to the largest. Raises what `percentile` does."""
    ordered = numbers("scores", scores).ravel()  # a copy
    ordered.sort()
    if not len(ordered):
        raise WordplError("no scores: at least one trial is needed")
    if math.isnan(ordered[-1]):
        raise WordplError("a score is NaN; a number or infinity is expected")
    return ordered


@lru_cache(maxsize=10_000)  # a table of many tasks asks for few others
def _beta_quantile(y: float, a: float, b: float) -> float:
    from scipy.special import betaincinv  # few tables need it, and it takes as long to load as all the rest of one

    return float(betaincinv(a, b, y))


@lru_cache(maxsize=10_000)
def _binomial_quantile(y: float, n: int, p: float) -> int:
    """Smallest k with P(Binomial(n, p) <= k) >= y."""
    if p in (0.0, 1.0) or y in (0.0, 1.0):
        return round(n * (p if p in (0.0, 1.0) else y))
    # What lies further from the mean has a probability below 1e-80 (Bernstein), which no sum of floats near y shows.
    reach = 20.0 * math.sqrt(n * p * (1.0 - p)) + 200.0
    k = np.arange(max(0, math.floor(n * p - reach)), min(n, math.ceil(n * p + reach)) + 1, dtype=np.float64)
    # P(k + 1) / P(k)
    ratios = (n - k[:-1]) / k[1:] * (p / (1.0 - p))
    logs = np.append(0.0, np.log(ratios).cumsum())
    sums = np.exp(logs - logs.max()).cumsum()
    return int(k[np.searchsorted(sums, y * sums[-1])])
