"""Bounds from privacy accounting: the success of the best attacker, from the privacy of the clues alone.

The attacker names one of `answers` equally likely answers after `rounds` clues whose epsilons are equal and sum to
`budget`. Each `*_success` is an upper bound on the probability of naming the right one, from 1/answers to 1. It holds
for any guesses, because it uses nothing but the privacy of the clues. `docs/privacy.md` derives the bounds; those of
`converse` are sharper.

In all functions `budget` is a number from 0 to inf, `answers` a whole number from 1 to 2**53 - 1, `rounds` one from 1
to 1,000, and `marks`, the number of marks in a clue, one from 1 to 8. Others raise `WordplError`.
"""

from __future__ import annotations

import math

import numpy as np

from wordpl.bounds.free_codes import check_answers, check_marks
from wordpl.checks import fraction, non_negative, number, whole_number
from wordpl.errors import WordplError
from wordpl.model.entropy import Floats

ORDERS: tuple[float, ...] = (*(1.0 + 2.0 ** (k / 4.0) for k in range(-24, 41)), math.inf)
"""The Rényi orders that are tried: 1.016 to 1,025, and inf. Any choice gives a valid bound."""

MAX_ROUNDS = 1000

# The divergence at a success close to the prior is a difference of nearly equal numbers.
_ROUNDING = 1e-12


def prior_success(answers: int) -> float:
    """Return the success without a clue, 1/answers. Raises `WordplError` for `answers` out of range."""
    return 1.0 / check_answers(answers)


def pure_success(budget: float, answers: int) -> float:
    """Return the bound from pure epsilon-DP: e^B / (e^B + answers - 1) with budget B.

    Raises `WordplError` for arguments out of range.

    >>> round(pure_success(0.0, 2315) * 2315, 6), pure_success(float("inf"), 2315)
    (1.0, 1.0)
    """
    budget, answers = non_negative("budget", budget), check_answers(answers)
    return 1.0 / (1.0 + (answers - 1) * math.exp(-budget))


def pure_budget(success: float, answers: int) -> float:
    """Return the smallest budget at which `pure_success` allows `success`; 0 if no clue is needed.

    `success` is from 0 to 1; others raise `WordplError`.

    >>> round(pure_budget(pure_success(9.0, 2315), 2315), 9)
    9.0
    """
    success, answers = fraction("success", success), check_answers(answers)
    if success <= 1.0 / answers:
        return 0.0
    return math.inf if success == 1.0 else math.log(answers - 1) + math.log(success) - math.log1p(-success)


def approximate_success(budget: float, rounds: int, answers: int, marks: int = 5) -> float:
    """Return the bound from (epsilon, delta)-DP, with the exact delta of each epsilon, at the best epsilon.

    It is never above `pure_success`. Raises `WordplError` for arguments out of range.
    """
    answers = check_answers(answers)
    chances, step = _losses(budget, rounds, marks)
    if step == math.inf:
        return 1.0
    # Between the values of the privacy loss the bound is monotone in epsilon, so its least is at one.
    losses = np.arange(len(chances) // 2 + 1) * step
    deltas = _deltas(chances, step)
    scale = np.exp(-losses)
    return float(np.min((1.0 + (answers - 1) * deltas * scale) / (1.0 + (answers - 1) * scale), initial=1.0))


def approximate_budget(success: float, rounds: int, answers: int, marks: int = 5) -> float:
    """Return the smallest budget at which `approximate_success` allows `success`, to within 1e-9 of it.

    `success` is from 0 to 1; others raise `WordplError`.
    """
    success = fraction("success", success)
    least = pure_budget(success, answers)
    if least in (0.0, math.inf):
        _checked(0.0, rounds, marks)
        return least
    low = high = least
    while approximate_success(high, rounds, answers, marks) < success:
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if approximate_success(middle, rounds, answers, marks) >= success else (middle, high)
    return high


def renyi_success(budget: float, rounds: int, answers: int, marks: int = 5) -> float:
    """Return the bound from Rényi DP (Mironov, 2017), at the best of `ORDERS`.

    It lies between `approximate_success` and `pure_success`. Raises `WordplError` for arguments out of range.
    """
    answers = check_answers(answers)
    return min(_success_at(order, rdp(order, budget, rounds, marks), answers) for order in ORDERS)


def rdp(order: float, budget: float, rounds: int, marks: int = 5) -> float:
    """Return the largest Rényi divergence of `order`, in nats, between the clues to any two answers.

    `order` is above 1, and may be inf; other orders raise `WordplError`.
    """
    order = number("order", order)
    if not order > 1.0:
        raise WordplError(f"order {order} is not allowed; a number above 1, or inf, is expected")
    budget, n = _checked(budget, rounds, marks)
    if order == math.inf or budget == math.inf:
        return budget
    x = budget / n
    if x == 0.0:
        return 0.0
    # log(keep^a flip^(1-a) + flip^a keep^(1-a) + flip) for the three outcomes of a mark, written so that
    # it neither overflows nor cancels: 1 + (e^((a-1)x) - 1) (1 - e^(-ax)) keep.
    z = (order - 1.0) * x
    log_growth = z + math.log(-math.expm1(-z)) + math.log(-math.expm1(-order * x)) - math.log1p(2.0 * math.exp(-x))
    return float(n * np.logaddexp(0.0, log_growth) / (order - 1.0))


def _checked(budget: float, rounds: int, marks: int) -> tuple[float, int]:
    """The budget, and the number of marks in all clues."""
    n = whole_number("rounds", rounds, maximum=MAX_ROUNDS) * check_marks(marks)
    return non_negative("budget", budget), n


def _losses(budget: float, rounds: int, marks: int) -> tuple[Floats, float]:
    """The privacy loss of all marks together: chances of -n, .., n times the step, and the step.

    The worst pair of answers differs in every mark of every clue. A mark's loss is then plus its budget
    if it is kept, minus it if it becomes the other answer's, and 0 if it becomes the third.
    """
    budget, n = _checked(budget, rounds, marks)
    if budget == math.inf:
        return np.ones(1), math.inf
    shrink = math.exp(-budget / n)
    mark = np.array([shrink, shrink, 1.0]) / (1.0 + 2.0 * shrink)
    chances = np.ones(1)
    for _ in range(n):
        chances = np.convolve(chances, mark)
    return chances, budget / n


def _deltas(chances: Floats, step: float) -> Floats:
    """delta at epsilon = 0, step, 2 step, .. of a privacy loss as `_losses` gives it."""
    n = len(chances) // 2
    above = np.cumsum(chances[:n:-1])[::-1]
    out = np.zeros(n + 1)
    for k in reversed(range(n)):
        out[k] = math.exp(-step) * out[k + 1] - math.expm1(-step) * above[k]
    return out


def _success_at(order: float, divergence: float, answers: int) -> float:
    """The greatest success whose binary divergence of `order` from its share among the others is allowed."""
    if order == math.inf:
        return pure_success(divergence, answers)
    if divergence == math.inf or answers == 1:
        return 1.0
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
