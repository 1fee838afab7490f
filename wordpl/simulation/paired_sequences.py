"""Differences between two strategies on common trials, valid however often one looks and whenever one stops.

All of it is betting (`confidence_sequences`). A p-value is one over the largest wealth that was seen at a look, so that
it ever falls to a level with at most that probability (Ville 1939), and never rises again.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordpl.simulation.confidence_sequences import anytime_interval, log_wealths, p_value, partial_log_wealths
from wordpl.simulation.paired_statistics import Estimate, Floats, Sample, less
from wordpl.simulation.statistics import percentile


def anytime_mean(differences: Floats, error: float) -> Estimate:
    """Return the mean of paired differences [n], each from -1 to 1, as `planned_mean` does."""
    low, high = anytime_interval((1.0 + differences) / 2.0, error)
    return Estimate(float(differences.mean()), (2.0 * low - 1.0, 2.0 * high - 1.0), _signs(differences))


def quick_mean(differences: Floats, margin: float, error: float) -> Estimate:
    """Return what `anytime_mean` does, with an interval that says only whether the mean surely is within `margin` of 0.

    It is [-margin, margin] if so, else [-1, 1].
    """
    shares, bound, enough = (1.0 + differences) / 2.0, (1.0 + margin) / 2.0, -math.log(error / 2.0)
    level = 0.0 < margin < 1.0 and all(
        # The mean is not `bound` or more, and neither is that of the opposite.
        float(log_wealths(1.0 - values, 1.0 - bound)[-1]) >= enough
        for values in (shares, 1.0 - shares)
    )
    ends = (-margin, margin) if level else (-1.0, 1.0)
    return Estimate(float(differences.mean()), ends, _signs(differences))


def _signs(differences: Floats) -> tuple[float, float]:
    """P-values of "the mean is not above 0" and "it is not below 0"."""
    shares = (1.0 + differences) / 2.0
    one, other = (p_value(float(log_wealths(values, 0.5)[-1])) for values in (shares, 1.0 - shares))
    return one, other


@dataclass(frozen=True, eq=False)
class Reach:
    """What the trials of one strategy say about the budgets at which its win rate reaches a quantile."""

    sample: Sample
    q: float

    @cached_property
    def budgets(self) -> Floats:
        """Minus infinity, and the finite budgets that were spent, in order: [1 + distinct]."""
        costs, _ = self._ordered
        return np.concatenate([[-math.inf], costs[self._last]])

    @cached_property
    def reached(self) -> Floats:
        """Log wealth against "the win rate within this budget is at most `q`", for each of `budgets`; it never falls.

        If it is larger than log(1/error), the quantile surely is not above that budget. The largest budget that is too
        small decides whether any is wrongly found large enough, so one error holds for all budgets at once if a
        strategy plays all its games alike.
        """
        return self._wealths(beyond=0.0, flipped=False)

    @cached_property
    def missed(self) -> Floats:
        """Log wealth against "the win rate within this budget is at least `q`", for each of `budgets`; never rises."""
        return self._wealths(beyond=1.0, flipped=True)

    def _wealths(self, beyond: float, flipped: bool) -> Floats:
        _, chances = self._ordered
        values, mean = (1.0 - chances, 1.0 - self.q) if flipped else (chances, self.q)
        # A game that cost too much comes last, as a loss; first of all there is the budget that nothing keeps to.
        n = len(self.sample)
        nothing = partial_log_wealths(np.full(n, beyond), beyond, mean)[-1:]
        rest = n - len(values)
        values = np.concatenate([values, np.full(rest, beyond)])
        wealths = partial_log_wealths(values, beyond, mean)[: n - rest]
        return np.concatenate([nothing, wealths[self._last]])

    @cached_property
    def _ordered(self) -> tuple[Floats, Floats]:
        """Costs and chances of the games of finite cost, in order of cost."""
        finite = np.isfinite(self.sample.costs)
        costs, chances = self.sample.costs[finite], self.sample.chances[finite]
        order = np.argsort(costs, kind="stable")
        return costs[order], chances[order]

    @cached_property
    def _last(self) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """Which of the ordered games is the last of its cost."""
        costs, _ = self._ordered
        return np.append(costs[1:] != costs[:-1], True)[: len(costs)]

    def bounds(self, error: float) -> tuple[float, float]:
        """Ends between which the quantile lies, each wrong with probability `error` at most; from 0 to infinity."""
        enough = -math.log(error)
        missed, reached = self.missed >= enough, self.reached >= enough
        # All budgets before the first that is not surely missed are too small.
        low = math.inf if missed.all() else max(0.0, float(self.budgets[missed.argmin()]))
        high = float(self.budgets[reached.argmax()]) if reached.any() else math.inf
        return low, max(low, high)

    def ahead_of(self, other: Reach) -> float:
        """A p-value of "this quantile is not below the other's".

        That is shown by a budget at which this one surely reaches its quantile and the other surely does not. Each of
        the two can be wrong, so the error is twice that of one.
        """
        at = np.searchsorted(other.budgets, self.budgets, side="right") - 1
        return min(1.0, 2.0 * p_value(float(np.minimum(self.reached, other.missed[at]).max())))


def anytime_percentile(first: Reach, second: Reach, error: float) -> Estimate:
    """Return the difference of two quantiles, as `percentile_difference` does.

    The estimate is that of the sampled scores. The interval is made of a sequence of intervals for each of the two; it
    is widened to hold the estimate.
    """
    found = float(less(percentile(first.sample.scores, first.q), percentile(second.sample.scores, second.q)))
    (low_1, high_1), (low_2, high_2) = first.bounds(error / 4.0), second.bounds(error / 4.0)
    low = -math.inf if math.isinf(high_2) else low_1 - high_2
    high = math.inf if math.isinf(high_1) else high_1 - low_2
    if not math.isnan(found):
        low, high = min(low, found), max(high, found)
    return Estimate(
        None if math.isnan(found) else found,
        (low, high),
        (first.ahead_of(second), second.ahead_of(first)),
        math.isinf(low_1) and math.isinf(low_2),
    )
