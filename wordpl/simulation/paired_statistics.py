"""Differences between two strategies on common trials, whose number was fixed before: tests and intervals.

Trial i of every strategy under one seed has the same answer and the same noise, so what differs between two strategies
in a trial is due to them. For numbers of trials that depend on what was seen, see `paired_sequences`.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy.special
from numpy.typing import ArrayLike, NDArray

from wordpl.checks import numbers, open_fraction, whole_number
from wordpl.errors import WordplError
from wordpl.simulation.statistics import MAX_TRIALS, percentile

Floats = NDArray[np.float64]

CURVE_POINTS = 30
"""Budgets at which the difference of win rates is looked at, at most."""
_CELLS = 2_000_000
"""Draws of a bootstrap that are in memory at once."""
_FEW_KINDS = 64
"""So few kinds of trials are drawn as numbers of each, and not one by one."""
_BISECTIONS = 60


@dataclass(frozen=True, eq=False)
class Sample:
    """Some trials of one strategy, in order."""

    costs: Floats
    """What each game cost, won or lost: [n], positive, perhaps infinite."""
    chances: Floats
    """The posterior probability of the word that was proposed in each, 0 to 1: [n]."""
    won: NDArray[np.bool_]
    """[n]."""

    def __len__(self) -> int:
        return len(self.costs)

    @cached_property
    def scores(self) -> Floats:
        """The cost of each won trial, infinity for each lost one: [n]."""
        return np.where(self.won, self.costs, math.inf)

    def first(self, trials: int) -> Sample:
        """The first `trials` trials."""
        return Sample(self.costs[:trials], self.chances[:trials], self.won[:trials])


@dataclass(frozen=True)
class Estimate:
    """A difference, first less second, with what was found about its sign."""

    difference: float | None
    """None where both are infinite."""
    interval: tuple[float, float]
    p_values: tuple[float, float]
    """Of "the first is not ahead", and of "the second is not ahead"; each by itself, one-sided."""
    both_infinite: bool = False
    """Whether both are infinite as surely as the interval holds the difference."""


# Win rates


def paired_mean(differences: ArrayLike, confidence: float = 0.95) -> Estimate:
    """Return the mean of paired differences [n], each from -1 to 1, by Student's t.

    Where all differences are the same, t says nothing. The interval then is as wide as a share of differing trials that
    would have stayed unseen with probability `1 - confidence`. No p-value is below 2**-n, that of the sign test if all
    trials agree. Raises `WordplError` for no differences, one out of range, and a confidence that is not from 0 to 1.
    """
    values, confidence = numbers("differences", differences), open_fraction("confidence", confidence)
    if values.ndim != 1 or not values.size or not (np.abs(values) <= 1.0).all():
        raise WordplError("differences must be a list of numbers from -1 to 1, at least one")
    n, mean = len(values), float(values.mean())
    error = float(values.std(ddof=1)) / math.sqrt(n) if n > 1 else 0.0
    if error <= 1e-12:
        half = 1.0 - (1.0 - confidence) ** (1.0 / n)
        tails = (0.5, 0.5) if abs(mean) <= 1e-12 else (0.0, 1.0) if mean > 0 else (1.0, 0.0)
    else:
        half = float(scipy.special.stdtrit(n - 1, (1.0 + confidence) / 2.0)) * error
        tails = (float(scipy.special.stdtr(n - 1, -mean / error)), float(scipy.special.stdtr(n - 1, mean / error)))
    least = 2.0 ** -min(n, 1000)
    ends = (max(-1.0, mean - half), min(1.0, mean + half))
    return Estimate(mean, ends, (max(least, tails[0]), max(least, tails[1])))


def mcnemar(only_first: int, only_second: int) -> float:
    """Return the exact two-sided p-value of "both win equally often", from the trials that only one of them won.

    Source: McNemar (1947), in its exact form: given that just one won, each is as likely as the other. Raises
    `WordplError` for numbers below 0.

    >>> round(mcnemar(12, 3), 4)
    0.0352
    """
    one = whole_number("trials that only the first won", only_first, 0, MAX_TRIALS)
    other = whole_number("trials that only the second won", only_second, 0, MAX_TRIALS)
    if one == other:
        return 1.0
    return min(1.0, 2.0 * float(scipy.special.bdtr(min(one, other), one + other, 0.5)))


def paired_win_interval(
    only_first: int, only_second: int, trials: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Return a score interval, within -1 to 1, for the difference of the win rates of two strategies on common trials.

    `only_first` and `only_second` are the trials that just one of them won. Source: Tango, "Equivalence test and
    confidence interval for the difference in proportions for the paired-sample design" (Statistics in Medicine, 1998).
    Raises `WordplError` for numbers of trials below 0, or above `trials` in sum, and for a confidence that is not
    between 0 and 1.

    >>> low, high = paired_win_interval(12, 3, 100)
    >>> round(low, 4), round(high, 4)
    (0.016, 0.1737)
    """
    trials = whole_number("trials", trials, maximum=MAX_TRIALS)
    one = whole_number("trials that only the first won", only_first, 0, trials)
    other = whole_number("trials that only the second won", only_second, 0, trials - one)
    z = -float(scipy.special.ndtri((1.0 - open_fraction("confidence", confidence)) / 2.0))

    def upper(b: int, c: int) -> float:
        """The largest difference whose score statistic is not below -z; the statistic falls with the difference."""
        low, high = (b - c) / trials, 1.0
        for _ in range(_BISECTIONS):
            middle = (low + high) / 2.0
            low, high = (middle, high) if _tango(b, c, trials, middle) >= -z else (low, middle)
        return high

    return -upper(other, one), upper(one, other)


def _tango(b: int, c: int, n: int, difference: float) -> float:
    """The score statistic of a difference, with the discordant rate that is likeliest given the difference."""
    linear = (2 * n - b + c) * difference - b - c
    root = math.sqrt(max(0.0, linear * linear + 8.0 * n * c * difference * (1.0 - difference)))
    rate = (root - linear) / (4.0 * n)
    variance = n * (2.0 * rate + difference * (1.0 - difference))
    gap = b - c - n * difference
    return gap / math.sqrt(variance) if variance > 0.0 else math.copysign(math.inf, gap) if gap else 0.0


# Percentiles


def resamples(n: int, draws: int, seed: int) -> Iterator[NDArray[np.intp]]:
    """Yield, block by block, `draws` rows of `n` trials drawn with replacement: the same for the same arguments."""
    rng = np.random.default_rng(seed)
    rows = max(1, _CELLS // n)
    for start in range(0, draws, rows):
        yield rng.integers(0, n, (min(rows, draws - start), n))


def resampled_percentiles(
    first: Floats, second: Floats, quantiles: Sequence[float], draws: int, seed: int
) -> tuple[Floats, Floats]:
    """Return percentiles, as `percentile` has them, of common bootstrap samples of two lists of scores [n].

    That is [draws, quantiles] for each of the two: in each draw, both have the same trials.
    """
    pairs, kinds = np.unique(np.stack([first, second], axis=1), axis=0, return_inverse=True)
    places = [(math.floor((len(first) - 1) * q), (len(first) - 1) * q % 1.0) for q in quantiles]
    found: tuple[list[Floats], list[Floats]] = ([], [])
    for counts in _resampled_counts(kinds.ravel(), len(pairs), draws, seed):
        for side in (0, 1):
            order = np.argsort(pairs[:, side], kind="stable")
            scores, below = pairs[order, side], counts[:, order].cumsum(axis=1)
            found[side].append(np.stack([_interpolated(scores, below, *place) for place in places], axis=1))
    return np.concatenate(found[0]), np.concatenate(found[1])


def _resampled_counts(kinds: NDArray[np.intp], n_kinds: int, draws: int, seed: int) -> Iterator[NDArray[np.int64]]:
    """Yield, block by block, how often bootstrap samples of trials hold each kind of them: [rows, kinds]."""
    if n_kinds <= _FEW_KINDS:
        rng = np.random.default_rng(seed)
        yield rng.multinomial(len(kinds), np.bincount(kinds) / len(kinds), draws)
        return
    for rows in resamples(len(kinds), draws, seed):
        base = np.arange(len(rows))[:, np.newaxis] * n_kinds
        counts = np.bincount((base + kinds[rows]).ravel(), minlength=len(rows) * n_kinds)
        yield counts.reshape(len(rows), n_kinds)


def _interpolated(scores: Floats, below: NDArray[np.int64], low: int, part: float) -> Floats:
    """The order statistics `low` and the next, interpolated, from how many draws are up to each of `scores`: [rows]."""
    under: Floats = scores[(below <= low).sum(axis=1)]
    if not part:
        return under
    above = scores[(below <= low + 1).sum(axis=1)]
    reached = np.isfinite(above)
    step = np.where(reached, above, 0.0) - np.where(reached, under, 0.0)
    return np.where(reached, np.where(reached, under, 0.0) + part * step, math.inf)


def less(first: ArrayLike, second: ArrayLike) -> Floats:
    """`first` less `second`; NaN where both are infinite: neither percentile is reached, and nothing can be said."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.subtract(first, second), dtype=np.float64)


def percentile_difference(
    scores: tuple[Floats, Floats], q: float, drawn: tuple[Floats, Floats], confidence: float = 0.95
) -> Estimate:
    """Return the difference of the `q` quantiles of two strategies' scores [n] on common trials, by the bootstrap.

    `drawn` are the quantiles of common bootstrap samples: [draws] each. The interval is that of the bootstrap's
    percentiles (Efron 1979). A draw in which neither quantile is reached could be any difference: it counts as the
    smallest at the lower end and as the largest at the upper one, and speaks for neither strategy. The one with the
    smaller quantile is ahead.
    """
    found = less(percentile(scores[0], q), percentile(scores[1], q))
    drawn_differences = less(*drawn)
    unknown = np.isnan(drawn_differences)
    n, tail = len(drawn_differences), (1.0 - confidence) / 2.0
    low = np.sort(np.where(unknown, -math.inf, drawn_differences))[math.floor(tail * (n - 1))]
    high = np.sort(np.where(unknown, math.inf, drawn_differences))[math.ceil((1.0 - tail) * (n - 1))]
    against_first = int((unknown | (drawn_differences >= 0.0)).sum())
    against_second = int((unknown | (drawn_differences <= 0.0)).sum())
    return Estimate(
        None if math.isnan(found) else float(found),
        (float(low), float(high)),
        ((1 + against_first) / (1 + n), (1 + against_second) / (1 + n)),
        int((~unknown).sum()) <= (1.0 - confidence) * n,
    )


# Win rates within budgets


def curve_budgets(first: Sample, second: Sample, most: int = CURVE_POINTS) -> Floats:
    """Return budgets at which to compare win rates: at most `most`, evenly spread over what games cost, in order."""
    spent: Floats = np.sort(np.concatenate([first.costs, second.costs]))
    spent = np.asarray(spent[np.isfinite(spent)])
    if not len(spent):
        return spent
    distinct: Floats = np.unique(spent)
    if len(distinct) <= most:
        return distinct
    at = np.linspace(0, len(spent) - 1, most).round().astype(int)
    chosen: Floats = np.unique(spent[at])
    return chosen


def within(sample: Sample, budget: float) -> Floats:
    """The chance that each trial won within a budget: [n]."""
    return np.where(sample.costs <= budget, sample.chances, 0.0)


def win_rate_band(
    first: Sample, second: Sample, budgets: Floats, draws: int, seed: int, confidence: float = 0.95
) -> tuple[Floats, Floats, Floats]:
    """Return the differences of the win rates within each of `budgets` [g], and a band that holds them all at once.

    That is: difference, lower end, upper end, [g] each. The band is as many standard errors wide at each budget as
    covers, in a `confidence` share of bootstrap samples, the largest deviation in standard errors over all budgets
    (sup-t: Montiel Olea and Plagborg-Moller, "Simultaneous confidence bands", 2019).
    """
    n, points = len(first), len(budgets)
    differences = [within(first, budget) - within(second, budget) for budget in budgets]
    means = np.array([values.mean() for values in differences])
    errors = np.array([values.std(ddof=1) if n > 1 else 0.0 for values in differences]) / math.sqrt(n)
    bins = [np.searchsorted(budgets, sample.costs) for sample in (first, second)]
    largest = []
    for rows in resamples(n, draws, seed):
        base = np.arange(len(rows))[:, np.newaxis] * (points + 1)
        shape = (len(rows), points + 1)
        one, other = (
            np.bincount((base + place[rows]).ravel(), sample.chances[rows].ravel(), shape[0] * shape[1]).reshape(shape)
            for place, sample in zip(bins, (first, second), strict=True)
        )
        moved = np.abs((one - other)[:, :points].cumsum(axis=1) / n - means)
        largest.append(np.divide(moved, errors, out=np.zeros_like(moved), where=errors > 1e-12).max(axis=1))
    wide = float(np.sort(np.concatenate(largest))[math.ceil(confidence * (draws - 1))])
    # Where no trial differs, as `paired_mean` has it, shared among all budgets.
    least = 1.0 - ((1.0 - confidence) / points) ** (1.0 / n)
    half = np.where(errors > 1e-12, wide * errors, least)
    return means, np.maximum(-1.0, means - half), np.minimum(1.0, means + half)


# Many comparisons


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number, so that the chance of any false rejection is at most the level.

    It holds however they depend on each other. Source: Holm, "A simple sequentially rejective multiple test procedure"
    (Scandinavian Journal of Statistics, 1979).

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for rank, i in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        corrected[i] = largest
    return corrected
