"""The smallest budget at which a strategy reaches a win rate, from trials at a grid of epsilons.

The only assumption is that the win rate does not fall as epsilon grows.

The estimate takes the win rates at the grid, makes them monotone (isotonic regression by pooling adjacent violators:
Ayer et al. 1955) and interpolates between the two points around the wanted win rate, linearly in log odds.

The interval does not interpolate, since nothing is known of the curve between two points: its ends are points of the
grid. From the smallest epsilon upwards, each point is tested for a win rate below the wanted one, until a test does not
reject; the last that does is the lower end. The upper end is found likewise from the largest epsilon downwards. Tests
in a fixed order that stop at the first one not rejected need no correction for their number (Maurer, Hothorn and
Lehmacher 1995): the only one that can be wrong and count is that of the first point past the crossing. Each test is
exact (Clopper and Pearson 1934) and has half of the error, so the interval covers with at least its confidence,
however the trials of different points depend on each other. A finer grid narrows it. That the number of trials may
depend on their results (`until_width`) is not taken into account.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.checks import numbers, open_fraction
from wordpl.errors import WordplError
from wordpl.simulation.statistics import win_interval

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Crossing:
    """The smallest budget at which a win rate is reached."""

    win_rate: float
    """The wanted one, between 0 and 1."""
    place: Literal["below", "inside", "above"]
    """Where it is reached: at the first point of the grid or below it, between two points, or not on this grid."""
    budget: float
    """The estimate; the smallest budget of the grid for `below`, infinity for `above`."""
    interval: tuple[float, float]
    """Budgets of points of the grid; 0 or infinity where the grid does not tell."""


def find_crossing(
    budgets: ArrayLike, wins: ArrayLike, trials: ArrayLike, win_rate: float, confidence: float = 0.95
) -> Crossing:
    """Return where the win rate crosses `win_rate`, between 0 and 1, on a grid: three arrays [n] in order of epsilon.

    Raises `WordplError` for arrays that are empty or differ in length, for wins that are not whole numbers from 0 to
    the trials, and for a win rate or a confidence that is not between 0 and 1.
    """
    at, won, played = numbers("budgets", budgets), numbers("wins", wins), numbers("trials", trials)
    win_rate, confidence = open_fraction("win rate", win_rate), open_fraction("confidence", confidence)
    if not at.shape == won.shape == played.shape or at.ndim != 1 or not at.size:
        raise WordplError("budgets, wins and trials must be as many as there are points, and at least one")
    if not all(map(float.is_integer, [*won.tolist(), *played.tolist()])):
        raise WordplError("wins and trials must be whole numbers")
    ends = [win_interval(int(w), int(n), confidence, "exact") for w, n in zip(won, played, strict=True)]
    interval = _interval(at, ends, win_rate)
    # Half a win more of one game more: a rate of 0 or 1 would be infinitely far away in log odds.
    rates = monotone((won + 0.5) / (played + 1.0), played)
    after = int(np.searchsorted(rates, win_rate, side="left"))
    if after == 0:
        return Crossing(win_rate, "below", float(at[0]), interval)
    if after == len(rates):
        return Crossing(win_rate, "above", math.inf, interval)
    low, high, wanted = (math.log(p / (1.0 - p)) for p in (rates[after - 1], rates[after], win_rate))
    part = (wanted - low) / (high - low)
    return Crossing(win_rate, "inside", float(at[after - 1] + part * (at[after] - at[after - 1])), interval)


def _interval(at: Floats, ends: list[tuple[float, float]], win_rate: float) -> tuple[float, float]:
    short = [high < win_rate for _, high in ends]
    enough = [low >= win_rate for low, _ in ends]
    first = 0
    while first < len(at) and short[first]:
        first += 1
    last = len(at)
    while last > 0 and enough[last - 1]:
        last -= 1
    # It lies past point first - 1, and not past point last. Budgets that fall while epsilon grows are odd, but allowed.
    between = at[max(first - 1, 0) : last + 1]
    return (
        float(between.min()) if first > 0 else 0.0,
        float(between.max()) if last < len(at) else math.inf,
    )


def monotone(values: ArrayLike, weights: ArrayLike) -> Floats:
    """Return the nondecreasing sequence that is nearest to `values` [n] in weighted least squares."""
    blocks: list[tuple[float, float, int]] = []
    for value, weight in zip(np.asarray(values, float).tolist(), np.asarray(weights, float).tolist(), strict=True):
        mean, total, length = value, weight, 1
        while blocks and blocks[-1][0] >= mean:
            before, heavy, more = blocks.pop()
            mean = (before * heavy + mean * total) / (heavy + total)
            total, length = heavy + total, length + more
        blocks.append((mean, total, length))
    return np.concatenate([np.full(length, mean) for mean, _, length in blocks])
