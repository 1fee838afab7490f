"""Anytime-valid confidence sequences for the mean of bounded values, by betting.

A gambler who bets on values in [0, 1] at the odds of "the mean is at most m" gains nothing on average if that is
true, so his wealth reaches 1/error with probability at most `error`, at whatever time he looks (Ville 1939). A
wealth that large refutes m. All means that are not refuted make up a confidence sequence.

Source: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS B, 2023), section 4.
The bets here are a fixed mixture (as in Orabona and Jun, "Tight concentrations and confidence sequences from the
regret of universal portfolio", 2024) instead of adaptive ones, for two reasons. The wealth increases in every value,
so one test serves all budgets of a player that plays its games alike. And it decreases in m, so what is not refuted is
an interval.
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.base.checks import numbers, open_fraction
from wordpl.base.errors import WordplError

Floats = NDArray[np.float64]

_SHARES = 0.02 * 2.0 ** np.arange(6)
"""Bets in units of 1 / sqrt(m (1 - m)), the largest standard deviation of a value with mean m.

The best bet is (mean - m) / variance. A difference that shows after 1,001 to 16,001 values is 0.03 to 0.11 standard
deviations, and a standard deviation is between the largest one and a fifth of it: that is the range of this grid.
"""
_MOST = 0.95
"""The largest part of his wealth that the gambler can lose at once."""
_BISECTIONS = 24
_LEAST = 1e-12
"""Averages below this one have a lower bound of 0, so that no bet overflows."""


def bets(mean: float) -> Floats:
    """The bets of the mixture against "the mean is at most `mean`", 0 < mean < 1: [6], positive.

    A bet b multiplies the wealth by 1 + b (x - mean). The derivative of log b by the mean lies between -1 / mean and
    1 / (1 - mean), so that this factor never increases in the mean, whatever x.
    """
    return np.asarray(np.minimum(_SHARES / math.sqrt(mean * (1.0 - mean)), _MOST / mean), dtype=np.float64)


def log_factors(values: ArrayLike, mean: float) -> Floats:
    """Log of what each of `values` [n], in [0, 1], multiplies the wealth of each bet by: [n, bets]."""
    return np.log1p(np.multiply.outer(_checked(values) - mean, bets(mean)))


def mixed(log_wealths: Floats) -> Floats:
    """Log of the average wealth of all bets: [...], from [..., bets]."""
    top = log_wealths.max(axis=-1)
    return np.asarray(top + np.log(np.exp(log_wealths - top[..., np.newaxis]).mean(axis=-1)))


def log_wealths(values: ArrayLike, mean: float) -> Floats:
    """Log of the wealth after each of `values` [n], in [0, 1], of the bets against "the mean is at most `mean`": [n].

    If that is true, the probability that the wealth ever reaches 1/error is at most `error`. For "the mean is at least
    m", give 1 - values and 1 - m. The values need not be independent: what counts is the mean of each, given those
    before. Raises `WordplError` for values out of range, and for a mean that is not between 0 and 1.
    """
    return mixed(log_factors(values, open_fraction("mean", mean)).cumsum(axis=0))


def partial_log_wealths(values: ArrayLike, beyond: float, mean: float) -> Floats:
    """Log of the final wealth against "the mean is at most `mean`" if the values after the first k + 1 were `beyond`.

    It is [n]. With values in order of what a game cost, and `beyond` what a game is worth that cost too much, each
    element is the wealth of the same bets for another budget.
    """
    nothing = log_factors([beyond], mean)
    factors = log_factors(values, mean)
    return mixed((factors - nothing).cumsum(axis=0) + len(factors) * nothing)


def p_value(log_wealth: float) -> float:
    """What a wealth says against a hypothesis, 0 to 1."""
    return math.exp(-max(0.0, log_wealth))


def _largest_refuted(values: Floats, refuted: Callable[[float], bool]) -> float:
    """The largest mean below the average that is refuted, if all below a refuted one are; 0 if none is."""
    low, high = 0.0, float(values.mean()) if values.size else 0.0
    if high < _LEAST:
        return 0.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2.0
        low, high = (middle, high) if refuted(middle) else (low, middle)
    return low


def anytime_interval(values: ArrayLike, error: float = 0.05) -> tuple[float, float]:
    """Return an anytime-valid interval for the mean of `values` [n], each from 0 to 1; (0, 1) if n is 0.

    With probability 1 - `error`, the intervals for all n contain the mean. So you may look at the values to decide when
    to stop. The error is error / 2 on each side. Each interval contains the average of its values. Raises `WordplError`
    for values out of range or not in one dimension, and for an error that is not between 0 and 1.
    """
    array, enough = _checked(values), -math.log(open_fraction("error", error) / 2.0)

    def lower(values: Floats) -> float:
        return _largest_refuted(values, lambda mean: float(mixed(log_factors(values, mean).sum(axis=0))) >= enough)

    return lower(array), 1.0 - lower(1.0 - array)


def _checked(values: ArrayLike) -> Floats:
    array = numbers("values", values)
    if array.ndim != 1 or not ((array >= 0.0) & (array <= 1.0)).all():
        raise WordplError("values must be a list of numbers from 0 to 1")
    return array
