"""Differences between two strategies on common trials: tests and intervals.

Trial i of every strategy under one seed has the same answer and the same noise, so what differs between two strategies
in a trial is due to them. The number of trials is fixed before. Win rates are tested by Student's t or by betting,
percentiles by the bootstrap.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl.simulation.comparison import DifferenceWithin
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.statistics import mean_interval, mean_p_value

Floats = NDArray[np.float64]

CURVE_POINTS = 30
"""Differences of win rates are computed at no more budgets than this."""
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


# Win rates


def mean_difference(differences: Floats, error: float) -> Estimate:
    """Return the mean of paired differences [n], each from -1 to 1.

    The interval holds the mean with a probability of about 1 - `error`, and the p-values fit it (`mean_interval`).
    """
    shares = (1.0 + differences) / 2.0
    low, high = mean_interval(shares, error)
    first, second = (mean_p_value(values, 0.5, error) for values in (shares, 1.0 - shares))
    return Estimate(float(differences.mean()), (2.0 * low - 1.0, 2.0 * high - 1.0), (first, second))


# Percentiles


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
    reached = np.isfinite(above)
    step = np.where(reached, above, 0.0) - np.where(reached, under, 0.0)
    return np.where(reached, np.where(reached, under, 0.0) + share * step, math.inf)


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


# Win rates within budgets


def curve_budgets(pair: tuple[Evaluation, Evaluation], most: int = CURVE_POINTS) -> Floats:
    """Return budgets at which to compare win rates: at most `most`, evenly spread over what games cost, in order."""
    spent = np.sort(np.concatenate([one.costs for one in pair]))
    spent = spent[np.isfinite(spent)]
    if len(np.unique(spent)) > most:
        spent = spent[np.linspace(0, len(spent) - 1, most).round().astype(int)]
    return np.unique(spent)


def win_rate_band(
    pair: tuple[Evaluation, Evaluation], budgets: Floats | None = None, *, error: float
) -> list[DifferenceWithin]:
    """Return the difference of the win rates of a pair on common trials within each of `budgets` [g], by default
    `curve_budgets`, with a band that holds them all at once: intervals of `mean_difference`, the error divided among
    the budgets."""
    budgets = curve_budgets(pair) if budgets is None else budgets
    curve: list[DifferenceWithin] = []
    for budget in budgets.tolist():
        first, second = (np.where(one.costs <= budget, one.results["chance"], 0.0) for one in pair)
        found = mean_difference(first - second, error / len(budgets))
        curve.append({"budget": budget, "difference": found.difference or 0.0, "interval": found.interval})
    return curve


# Many comparisons


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for their number (Holm 1979): however they depend on each other, the probability of any
    false rejection is at most the level.

    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]"""
    order, corrected = np.argsort(p_values, kind="stable"), np.zeros(len(p_values))
    multiplied = np.take(p_values, order) * np.arange(len(p_values), 0, -1)
    corrected[order] = np.maximum.accumulate(np.minimum(multiplied, 1.0))
    return list(corrected.tolist())
