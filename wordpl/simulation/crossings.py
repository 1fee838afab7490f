"""The smallest budget at which a strategy reaches a win rate, from trials at a grid of epsilons.

The only assumption is that the win rate does not fall as epsilon grows.

The estimate takes the win rates at the grid, makes them monotone (isotonic regression:
Ayer et al. 1955) and interpolates between the two points around the wanted win rate, linearly in arcsin(sqrt(rate)):
that is finite at 0 and 1, and the noise of a share is about the same everywhere on it (Anscombe 1948). The win rates
may be those by posterior, which have less noise than shares of wins.

The interval does not interpolate, since nothing is known of the curve between two points: its ends are points of the
grid. From the smallest epsilon upwards, each point is tested for a win rate below the wanted one, until a test does not
reject; the last that does is the lower end. The upper end is found likewise from the largest epsilon downwards. Tests
in a fixed order that stop at the first one not rejected need no correction for their number (Maurer, Hothorn and
Lehmacher 1995): the only one that can be wrong and count is that of the first point past the crossing. Each test is
exact (Clopper and Pearson 1934) and has half of the error, so the interval covers with at least its confidence,
however the trials of different points depend on each other. A finer grid narrows it. It goes by wins alone; where the
estimate goes by other win rates and lies outside, the interval is widened to the points around the estimate. That the
number of trials may depend on their results (`until_width`) is not taken into account.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.checks import numbers, open_fraction
from wordpl.errors import WordplError
from wordpl.simulation.statistics import win_interval

Floats = NDArray[np.float64]


Place: TypeAlias = Literal["below", "inside", "above", "under_bound"]
"""Where on a grid of epsilons a win rate is reached; `under_bound` says that there is no estimate."""


@dataclass(frozen=True)
class Crossing:
    """The smallest budget at which a win rate is reached."""

    win_rate: float
    """The wanted one, between 0 and 1."""
    place: Place
    """Where it is reached: at the first point of the grid or below it, between two points, or not on this grid. Or
    under the bound of all strategies, so that there is no estimate; this is only said where such a bound is known."""
    budget: float
    """The estimate; the smallest budget of the grid for `below`, infinity for `above`, NaN for `under_bound`."""
    interval: tuple[float, float]
    """Budgets of points of the grid; 0 or infinity where the grid does not tell."""


def find_crossing(
    budgets: ArrayLike,
    wins: ArrayLike,
    trials: ArrayLike,
    win_rate: float,
    confidence: float = 0.95,
    rates: ArrayLike | None = None,
) -> Crossing:
    """Return where the win rate crosses `win_rate`, between 0 and 1, on a grid: three arrays [n] in order of epsilon.

    `rates` [n], 0 to 1, are the win rates by posterior, by which the estimate then goes; without them it goes by the
    shares of wins.

    Raises `WordplError` for arrays that are empty or differ in length, for wins that are not whole numbers from 0 to
    the trials, for rates out of range, and for a win rate or a confidence that is not between 0 and 1.
    """
    at, won, played = numbers("budgets", budgets), numbers("wins", wins), numbers("trials", trials)
    win_rate, confidence = open_fraction("win rate", win_rate), open_fraction("confidence", confidence)
    if not at.shape == won.shape == played.shape or at.ndim != 1 or not at.size:
        raise WordplError("budgets, wins and trials must be as many as there are points, and at least one")
    if not all(map(float.is_integer, [*won.tolist(), *played.tolist()])):
        raise WordplError("wins and trials must be whole numbers")
    ends = [win_interval(int(w), int(n), confidence, "exact") for w, n in zip(won, played, strict=True)]
    interval = _interval(at, ends, win_rate)
    from scipy.optimize import isotonic_regression  # it takes a while to load

    shares = won / played if rates is None else numbers("rates", rates)
    if shares.shape != at.shape or not np.all((shares >= 0.0) & (shares <= 1.0)):
        raise WordplError("rates must be as many as there are points, each from 0 to 1")
    curve = isotonic_regression(shares, weights=played).x
    after = int(np.searchsorted(curve, win_rate, side="left"))
    if after == 0:
        return Crossing(win_rate, "below", float(at[0]), (0.0, interval[1]))
    if after == len(curve):
        return Crossing(win_rate, "above", math.inf, (interval[0], math.inf))
    low, high, wanted = (math.asin(math.sqrt(p)) for p in (curve[after - 1], curve[after], win_rate))
    around = at[after - 1 : after + 1]
    budget = float(around[0] + (wanted - low) / (high - low) * (around[1] - around[0]))
    widened = min(interval[0], float(around.min())), max(interval[1], float(around.max()))
    return Crossing(win_rate, "inside", budget, widened)


def _interval(at: Floats, ends: list[tuple[float, float]], win_rate: float) -> tuple[float, float]:
    first = next((k for k, (_, high) in enumerate(ends) if high >= win_rate), len(at))
    last = next((k for k in range(len(at), 0, -1) if ends[k - 1][0] < win_rate), 0)
    # It lies past point first - 1, and not past point last. Budgets that fall while epsilon grows are odd, but allowed.
    between = at[max(first - 1, 0) : last + 1]
    return (
        float(between.min()) if first > 0 else 0.0,
        float(between.max()) if last < len(at) else math.inf,
    )
