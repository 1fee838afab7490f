"""The success of the best attacker by pure and by Rényi privacy; docs/privacy.md derives the bounds.

The attacker names one of `answers` equally likely answers after `rounds` clues of five marks, whose epsilons are equal
and sum to `budget`.
"""

import math

import numpy as np

from wordpl import RandomizedResponse
from wordpl.limits import privacy_of

ORDERS: tuple[float, ...] = (*(1.0 + 2.0 ** (k / 4.0) for k in range(-24, 41)), math.inf)
"""The Rényi orders that are tried: 1.016 to 1,025, and inf. Any choice gives a valid bound."""

# The divergence at a success close to the prior is a difference of nearly equal numbers.
_ROUNDING = 1e-12


def pure_success(budget: float, answers: int) -> float:
    """Return the bound from pure epsilon-DP: e^B / (e^B + `answers` - 1), with the total epsilon B = `budget`."""
    return 1.0 / (1.0 + (answers - 1) * math.exp(-budget))


def renyi_success(budget: float, rounds: int, answers: int) -> float:
    """Return the bound from Rényi DP (Mironov, 2017), at the best of `ORDERS`."""
    if budget == math.inf:
        return 1.0
    privacy = privacy_of(RandomizedResponse(budget / rounds), rounds)
    return min(_success_at(order, privacy.renyi(order), answers) for order in ORDERS)


def _success_at(order: float, divergence: float, answers: int) -> float:
    """The greatest success whose binary divergence of `order` from its share among the others is allowed."""
    if order == math.inf:
        return pure_success(divergence, answers)
    low, high = 1.0 / answers, 1.0
    for _ in range(60):
        middle = (low + high) / 2.0
        # `high` stays on the side of the bound, and what rounding may have cost is allowed on top.
        low, high = (
            (middle, high) if _binary_divergence(order, middle, answers) <= divergence + _ROUNDING else (low, middle)
        )
    return high


def _binary_divergence(order: float, success: float, answers: int) -> float:
    if success >= 1.0:
        return math.inf
    other = (1.0 - success) / (answers - 1)
    hit = order * math.log(success) + (1.0 - order) * math.log(other)
    miss = order * math.log1p(-success) + (1.0 - order) * math.log1p(-other)
    return float(np.logaddexp(hit, miss)) / (order - 1.0)
