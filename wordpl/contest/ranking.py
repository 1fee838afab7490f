"""From scores to a rank: per percentile the smallest budget at which a strategy surely wins often enough."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl.stats import PERCENTILES, percentile, win_interval

CONTEST_TRIALS = 1001
"""What the contest plays, and takes its sampled percentile of."""
RECORDS = {0.05: 15.6, 0.50: 36.9, 0.95: 75.0}
"""The contest's leaderboard, https://github.com/TedTed/wordpl: G3, D95(12.3) and D95(25)."""
MARGIN = 0.05
"""By how much a record must be improved to win."""
LOOKS = (1001, 2001, 4001, 8001, 16001)
"""Trials after which the figures are looked at, and a run may stop."""
CONFIDENCE = 0.95
_CLOSE = 0.005


@dataclass(frozen=True)
class Standing:
    """How a submission stands at one percentile."""

    percentile: float
    budget: float
    """Smallest budget whose win rate's lower confidence bound clears the percentile; infinite if none does."""
    win_rate: float
    """At that budget; if there is none, at the sampled percentile, or over all."""
    interval: tuple[float, float]
    sampled: float
    """The contest's figure: the percentile of the first 1,001 scores."""

    @property
    def record(self) -> float:
        return RECORDS[self.percentile]

    @property
    def improvement(self) -> float:
        """Over the record, in percent; negative if worse."""
        return 100.0 * (1.0 - self.budget / self.record)

    @property
    def clears(self) -> bool:
        """Whether that is by what the contest asks for."""
        # As exact as the decimals of the record: 14.82 is 5% below 15.6.
        return self.budget <= self.record * (1.0 - MARGIN) * (1.0 + 1e-12)


def standings(scores: NDArray[np.float64]) -> list[Standing]:
    """The standing at each of the contest's percentiles; `scores` [trials] in order of trial, infinite if lost."""
    return [_standing(scores, np.sort(scores), q) for q in PERCENTILES]


def settled(scores: NDArray[np.float64], width: float) -> bool:
    """Whether more trials would change little: at each percentile the interval of the win rate is at most `width`
    wide, or the smallest budget that could and the smallest that surely does clear it are the same."""
    ordered = np.sort(scores)
    return all(_settled(scores, ordered, q, width) for q in PERCENTILES)


def look_confidence() -> float:
    """Of each look: the looks share one error, so that stopping at a lucky one gains nothing (Bonferroni)."""
    return 1.0 - (1.0 - CONFIDENCE) / len(LOOKS)


def _standing(scores: NDArray[np.float64], ordered: NDArray[np.float64], q: float) -> Standing:
    n = len(ordered)
    budget = _budget_at(ordered, _fewest_wins(n, q, 0))
    sampled = percentile(scores[:CONTEST_TRIALS], q)
    shown = next((value for value in (budget, sampled) if math.isfinite(value)), None)
    wins = int(np.searchsorted(ordered, shown, side="right")) if shown is not None else int(np.isfinite(ordered).sum())
    interval = win_interval(wins, n, look_confidence(), "exact")
    return Standing(q, budget, wins / n, interval, sampled)


def _settled(scores: NDArray[np.float64], ordered: NDArray[np.float64], q: float, width: float) -> bool:
    surely, perhaps = (_budget_at(ordered, _fewest_wins(len(ordered), q, end)) for end in (0, 1))
    if surely == perhaps or surely <= perhaps * (1.0 + _CLOSE) < math.inf:
        return True
    low, high = _standing(scores, ordered, q).interval
    return high - low <= width


def _budget_at(ordered: NDArray[np.float64], wins: int) -> float:
    """The smallest budget within which so many trials were won."""
    return float(ordered[max(wins, 1) - 1]) if wins <= len(ordered) else math.inf


@lru_cache(maxsize=256)
def _fewest_wins(n: int, q: float, end: int) -> int:
    """The fewest wins of `n` trials with which one end (0 low, 1 high) of the exact interval reaches `q`."""
    low, high = 0, n + 1
    while low < high:
        middle = (low + high) // 2
        reaches = middle <= n and win_interval(middle, n, look_confidence(), "exact")[end] >= q
        low, high = (low, middle) if reaches or middle > n else (middle + 1, high)
    return low
