"""Percentiles of scores, win rates and means, with their confidence intervals; and differences in these."""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.base.checks import fraction, numbers, open_fraction, whole_number
from wordpl.base.defaults import CONFIDENCE
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
    ordered, q = in_order(scores), fraction("quantile", q)
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
    ordered, q, confidence = in_order(scores), fraction("quantile", q), fraction("confidence", confidence)
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
    if not (ordered[:-1] <= ordered[1:]).all():  # most are those of a task, which are sorted once
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


# The mean of a planned number of values between 0 and 1: its interval and p-values are Student's, or by betting.
#
# Student's are right for values that are many for their skewness. For others, a gambler who bets at the odds of "the
# mean is at most m" gains nothing on average if that is true, so that his wealth ever reaches 1/p with probability at
# most p (Ville 1939). The means that no such wealth refutes are the interval.
#
# Sources: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS B, 2023), section 3;
# Wallace, "Bounds on normal approximations to Student's and the chi-square distributions" (Ann. Math. Statist., 1959).

_MOST_STAKED = 0.95
"""The largest share of his wealth that the gambler can lose at once."""
_BISECTIONS = 24
_LEAST = 1e-12
"""Averages below this one have a lower bound of 0, so that no bet overflows."""
_MOST_SKEWED = 0.45
"""By this part of itself, one tail of Student's may be wrong, as far as the skewness of the values tells."""


def mean_interval(values: ArrayLike, error: float = 0.05) -> tuple[float, float]:
    """Return an interval for the mean of independent `values` [n], each from 0 to 1, if n was fixed before.

    It is Student's if the values are many for their skewness, at the usual error if n is at least 40 times its square.
    Else it is `planned_interval`. It covers the mean with a probability of about 1 - `error`, unless values far from
    the others are so rare that none was seen, while the others differ from each other.
    """
    array, error = _shares(values), open_fraction("error", error)
    if not _is_student(array, error):
        return planned_interval(array, error)
    freedom, z = len(array) - 1, NormalDist().inv_cdf(1.0 - error / 2.0)
    t = math.sqrt(freedom * math.expm1((z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0)) ** 2 / freedom))
    mean, half = float(array.mean()), t * float(array.std(ddof=1)) / math.sqrt(len(array))
    return max(0.0, mean - half), min(1.0, mean + half)


def mean_p_value(values: Floats, mean: float, error: float) -> float:
    """Return the p-value of "the mean of `values` is at most `mean`" that fits `mean_interval` at this `error`."""
    if not _is_student(values, error):
        return math.exp(-_log_wealth(values, error / 2.0)(mean))  # valid at every level
    freedom = len(values) - 1
    t = float(values.mean() - mean) * math.sqrt(len(values)) / float(values.std(ddof=1))
    z = math.sqrt(freedom * math.log1p(t**2 / freedom)) * (8.0 * freedom + 1.0) / (8.0 * freedom + 3.0)
    return NormalDist().cdf(-math.copysign(z, t))


def _is_student(values: Floats, error: float) -> bool:
    """True if Student's interval is right for the values: by the first term of Edgeworth's expansion."""
    if len(values) < 3 or np.ptp(values) < _LEAST:
        return False
    deviations, z = values - values.mean(), NormalDist().inv_cdf(1.0 - error / 2.0)
    squares = deviations * deviations
    skewness = abs(float((squares * deviations).mean())) / float(squares.mean()) ** 1.5
    return bool(z * (2.0 * z**2 + 1.0) * skewness <= 6.0 * _MOST_SKEWED * math.sqrt(len(values)))


def planned_interval(values: ArrayLike, error: float = 0.05) -> tuple[float, float]:
    """Return an interval for the mean of `values` [n], each from 0 to 1, if n was fixed before; (0, 1) if n is 0.

    It contains the mean of independent values with a probability of at least 1 - `error`, for every n and every
    distribution, and it contains their average. The error is error / 2 on each side. The interval depends on the order
    of the values. Raises `WordplError` for values out of range or not in one dimension, and for an error that is not
    between 0 and 1.
    """
    array, error = _shares(values), open_fraction("error", error)
    return _lower_bound(array, error / 2.0), 1.0 - _lower_bound(1.0 - array, error / 2.0)


def _log_wealth(values: Floats, error: float) -> Callable[[float], float]:
    """A function that gives, for a mean, the largest log wealth of bets against it. It falls with the mean.

    A bet depends on the values before it alone, and is cut so that it cannot lose all. For normal values
    sqrt(2 log(1 / error) / (n variance)) is best; the variance is that of the values before and of a guess that counts
    as one of them."""
    n = len(values)
    counts = np.arange(2.0, n + 2.0)
    means = (values.cumsum() + 0.5) / counts
    variances = (((values - means) ** 2).cumsum() + 0.25) / counts
    bets = np.sqrt(-2.0 * math.log(error) / (n * np.append(0.25, variances)[:n]))
    return lambda mean: float(
        np.log1p(np.minimum(bets, _MOST_STAKED / mean) * (values - mean)).cumsum().max(initial=0.0)
    )


def _lower_bound(values: Floats, error: float) -> float:
    """The largest mean below the average that is refuted; 0 if none is."""
    log_wealth, enough = _log_wealth(values, error), -math.log(error)
    low, high = 0.0, float(values.mean()) if values.size else 0.0
    for _ in range(_BISECTIONS if high >= _LEAST else 0):
        middle = (low + high) / 2.0
        low, high = (middle, high) if log_wealth(middle) >= enough else (low, middle)
    return low


def _shares(values: ArrayLike) -> Floats:
    array = numbers("values", values)
    if array.ndim != 1 or not ((array >= 0.0) & (array <= 1.0)).all():
        raise WordplError("values must be a list of numbers from 0 to 1")
    return array


# Differences between two strategies on common trials, whose number is fixed before. Trial i of every strategy under one
# seed has the same answer and the same noise, so what differs between two strategies in a trial is due to them. Win
# rates are tested by Student's t or by betting, percentiles by the bootstrap.

_CELLS = 2_000_000
"""So many draws of a bootstrap are in memory at once."""
_FEW_KINDS = 64
"""If there are no more kinds of trials than this, a draw is how many there are of each kind."""


@dataclass(frozen=True)
class Estimate:
    """A difference, the first minus the second, with the evidence about its sign."""

    difference: float | None
    """None where both are infinite."""
    interval: tuple[float, float]
    p_values: tuple[float, float]
    """The p-values of "the first is not ahead", and of "the second is not ahead"; each by itself, one-sided."""
    both_infinite: bool = False
    """True if both are infinite as surely as the interval holds the difference."""


def mean_difference(differences: Floats, error: float) -> Estimate:
    """Return the mean of paired differences [n], each from -1 to 1.

    The interval holds the mean with a probability of about 1 - `error`, and the p-values fit it (`mean_interval`).
    """
    shares = (1.0 + differences) / 2.0
    low, high = mean_interval(shares, error)
    first, second = (mean_p_value(values, 0.5, error) for values in (shares, 1.0 - shares))
    return Estimate(float(differences.mean()), (2.0 * low - 1.0, 2.0 * high - 1.0), (first, second))


def resampled_percentiles(
    first: Floats, second: Floats, quantiles: Sequence[float], draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Return percentiles of common bootstrap samples (the same trials) of two lists of scores [n]: twice [draws,
    quantiles]."""
    pairs, kinds = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    places = [(math.floor((len(first) - 1) * q), (len(first) - 1) * q % 1.0) for q in quantiles]
    drawn: tuple[list[Floats], list[Floats]] = ([], [])
    for counts in _resampled_counts(kinds.ravel(), len(pairs), draws, seed):
        for side in (0, 1):
            order = np.argsort(pairs[:, side], kind="stable")
            scores, below = pairs[order, side], counts[:, order].cumsum(axis=1)
            drawn[side].append(np.stack([_interpolated(scores, below, *place) for place in places], axis=1))
    return np.concatenate(drawn[0]), np.concatenate(drawn[1])


def _resampled_counts(kinds: NDArray[np.intp], n_kinds: int, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield, block by block, how often bootstrap samples of trials hold each kind of them: [rows, kinds]."""
    rng, n = np.random.default_rng(seed), len(kinds)
    if n_kinds <= _FEW_KINDS:
        yield rng.multinomial(n, np.bincount(kinds) / n, draws)
        return
    block = max(1, _CELLS // n)
    for start in range(0, draws, block):
        rows = rng.integers(0, n, (min(block, draws - start), n))  # each has as many trials, drawn with replacement
        base = np.arange(len(rows))[:, np.newaxis] * n_kinds
        counts = np.bincount((base + kinds[rows]).ravel(), minlength=len(rows) * n_kinds)
        yield counts.reshape(len(rows), n_kinds)


def _interpolated(scores: Floats, below: NDArray[np.int64], low: int, share: float) -> Floats:
    """The order statistics `low` and the next, interpolated, from how many draws are up to each of `scores`: [rows]."""
    under: Floats = scores[(below <= low).sum(axis=1)]
    if not share:
        return under
    above = scores[(below <= low + 1).sum(axis=1)]
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return np.where(np.isfinite(above), under + share * (above - under), math.inf)


def percentile_difference(first: float, second: float, drawn: Sequence[Floats], error: float) -> Estimate:
    """Return the difference of a quantile of two strategies' scores on common trials, by the bootstrap.

    `drawn` are the quantiles of common bootstrap samples: [draws] each. The interval is that of the bootstrap's
    percentiles (Efron 1979). A draw in which neither quantile is reached could be any difference: it counts as the
    smallest at the lower end and as the largest at the upper one, and speaks for neither strategy. The one with the
    smaller quantile is ahead.
    """
    difference = first - second  # NaN where both are infinite
    with np.errstate(invalid="ignore"):
        drawn_differences = drawn[0] - drawn[1]
    unknown = np.isnan(drawn_differences)
    n, tail = len(drawn_differences), error / 2.0
    low = np.sort(np.where(unknown, -math.inf, drawn_differences))[math.floor(tail * (n - 1))]
    high = np.sort(np.where(unknown, math.inf, drawn_differences))[math.ceil((1.0 - tail) * (n - 1))]
    against_first = int((unknown | (drawn_differences >= 0.0)).sum())
    against_second = int((unknown | (drawn_differences <= 0.0)).sum())
    return Estimate(
        None if math.isnan(difference) else difference,
        (float(low), float(high)),
        ((1 + against_first) / (1 + n), (1 + against_second) / (1 + n)),
        int((~unknown).sum()) <= error * n,
    )


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979): however they depend on each other, the probability of any
    false rejection is at most the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]"""
    order, corrected = np.argsort(p_values, kind="stable"), np.zeros(len(p_values))
    multiplied = np.take(p_values, order) * np.arange(len(p_values), 0, -1)
    corrected[order] = np.maximum.accumulate(np.minimum(multiplied, 1.0))
    return list(corrected.tolist())
