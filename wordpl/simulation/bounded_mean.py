"""Interval and p-value for the mean of a planned number of values between 0 and 1: Student's, or by betting.

Student's are right for values that are many for their skewness. For others, a gambler who bets at the odds of "the mean
is at most m" gains nothing on average if that is true, so that his wealth ever reaches 1/p with probability at most p
(Ville 1939). The means that no such wealth refutes are the interval.

Sources: Waudby-Smith and Ramdas, "Estimating means of bounded random variables by betting" (JRSS B, 2023), section 3;
Wallace, "Bounds on normal approximations to Student's and the chi-square distributions" (Ann. Math. Statist., 1959).
"""

import math
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wordpl.base.checks import numbers, open_fraction
from wordpl.base.errors import WordplError

Floats = NDArray[np.float64]

_MOST = 0.95
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
    array, error = _checked(values), open_fraction("error", error)
    if not _is_student(array, error):
        return planned_interval(array, error)
    freedom, z = len(array) - 1, NormalDist().inv_cdf(1.0 - error / 2.0)
    t = math.sqrt(freedom * math.expm1((z * (8.0 * freedom + 3.0) / (8.0 * freedom + 1.0)) ** 2 / freedom))
    mean, half = float(array.mean()), t * float(array.std(ddof=1)) / math.sqrt(len(array))
    return max(0.0, mean - half), min(1.0, mean + half)


def mean_p_value(values: ArrayLike, mean: float, error: float) -> float:
    """Return the p-value of "the mean of `values` is at most `mean`" that fits `mean_interval`.

    values: [n], each from 0 to 1, n fixed before.
    mean: above 0 and below 1.
    error: that of the interval.
    """
    array, error = _checked(values), open_fraction("error", error)
    if not _is_student(array, error):
        return planned_p_value(array, mean, error / 2.0)
    freedom = len(array) - 1
    t = float(array.mean() - open_fraction("mean", mean)) * math.sqrt(len(array)) / float(array.std(ddof=1))
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
    array, error = _checked(values), open_fraction("error", error)
    return _lower_bound(array, error / 2.0), 1.0 - _lower_bound(1.0 - array, error / 2.0)


def planned_p_value(values: ArrayLike, mean: float, error: float) -> float:
    """Return the p-value of "the mean of `values` is at most `mean`".

    values: [n], each from 0 to 1, n fixed before.
    mean: above 0 and below 1.
    error: the level for which the bets are chosen. The p-value is valid at every level.
    """
    array = _checked(values)
    return math.exp(-_log_wealth(array, _bets(array, open_fraction("error", error)), open_fraction("mean", mean)))


def _bets(values: Floats, error: float) -> Floats:
    """A bet on each of `values` [n] that depends on those before it alone: [n].

    For normal values sqrt(2 log(1 / error) / (n variance)) is best; the variance is that of the values before and of a
    guess that counts as one of them."""
    n = len(values)
    counts = np.arange(2.0, n + 2.0)
    means = (values.cumsum() + 0.5) / counts
    variances = (((values - means) ** 2).cumsum() + 0.25) / counts
    return np.asarray(np.sqrt(-2.0 * math.log(error) / (n * np.append(0.25, variances)[:n])))


def _log_wealth(values: Floats, bets: Floats, mean: float) -> float:
    """The largest log wealth of these bets, cut so that none can lose all. It falls with the mean."""
    return float(np.log1p(np.minimum(bets, _MOST / mean) * (values - mean)).cumsum().max(initial=0.0))


def _lower_bound(values: Floats, error: float) -> float:
    """The largest mean below the average that is refuted; 0 if none is."""
    bets, enough = _bets(values, error), -math.log(error)
    low, high = 0.0, float(values.mean()) if values.size else 0.0
    for _ in range(_BISECTIONS if high >= _LEAST else 0):
        middle = (low + high) / 2.0
        low, high = (middle, high) if _log_wealth(values, bets, middle) >= enough else (low, middle)
    return low


def _checked(values: ArrayLike) -> Floats:
    array = numbers("values", values)
    if array.ndim != 1 or not ((array >= 0.0) & (array <= 1.0)).all():
        raise WordplError("values must be a list of numbers from 0 to 1")
    return array
