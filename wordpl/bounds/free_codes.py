"""What a budget buys when every clue may be any function of the answer: the table under the converse.

A real clue is marks of the answer through randomized response. Here the marks may be any ternary
functions of it, chosen afresh each round, and the rounds and their epsilons may be any that fit the
budget. `docs/converse.md` derives what is computed here, and why every rounding is upwards.

V(b, l) is the most that E[max(l L - 1, 0)] can reach with budget b, where L is the likelihood ratio of
the noisy clues against evenly drawn marks, and the expectation is under evenly drawn marks. It is
convex and increasing in l, and does not decrease in b.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import non_negative, whole_number
from wordpl.model.entropy import Floats
from wordpl.model.words import MAX_LENGTH
from wordpl.storage.kernels import kernel

Integers = NDArray[np.int64]
Stencils = tuple[Integers, Floats, Floats]

LOG3 = math.log(3.0)

BOUND_CELLS = 1024
"""Rows of a table. The step in the budget is the table's limit divided by this."""

LIMITS = (8.0, 16.0, 32.0, 64.0, 128.0, 256.0)
"""The largest budgets of the tables."""

_MANY = 6
"""From this many rounds on the table for any number is as good, and needs no others."""

# Likelihoods are on a grid even in log l, with l = 1, the kink of the payoff, on it.
_PER_UNIT = 64
_LOWEST, _HIGHEST = -16 * _PER_UNIT, 5 * _PER_UNIT
_WIDTH = _HIGHEST - _LOWEST + 1
_GRID = np.arange(_LOWEST, _HIGHEST + 1) / _PER_UNIT

# A few thousand sums and products of positive doubles are off by far less.
SLACK = 1.0 + 1e-9


@dataclass(frozen=True)
class Law:
    """The distribution of the likelihood ratio of a clue against uniformly random marks: logs of values, and P."""

    log_values: Floats
    chances: Floats


def clue_law(epsilon: float, marks: int, clues: int = 1) -> Law:
    """Return the law of `clues` clues of `marks` marks, each at `epsilon`: the same for all guesses and answers."""
    n, x = marks * clues, epsilon / marks
    wrong = np.arange(n + 1)
    chances = np.array([math.comb(n, j) * 2**j / 3**n for j in range(n + 1)])
    log_keep = LOG3 - math.log1p(2.0 * math.exp(-x))  # log(3 P(a mark is kept)): from 0 to log 3 (no noise)
    # Not wrong * x at 0: that is NaN without noise.
    log_values = n * log_keep - np.multiply(wrong, x, where=wrong > 0, out=np.zeros(n + 1))
    return Law(log_values, chances)


def group_epsilon(total: float, marks: int) -> float:
    """The epsilon of one clue worth at least any rounds in turn of `total`, which is below 1.6 for each mark."""
    keep = math.exp(2.0 * total / marks / 3.0) / 3.0
    return marks * math.log(2.0 * keep / (1.0 - keep))


def check_answers(answers: object) -> int:
    """Return a number of answers as an `int`. Raises `WordplError` unless it is from 1 to 2**53 - 1."""
    return whole_number("answers", answers, maximum=2**53 - 1)


def check_marks(marks: object) -> int:
    """Return the number of marks in a clue as an `int`. Raises `WordplError` unless it is from 1 to 8."""
    return whole_number("marks", marks, maximum=MAX_LENGTH)


def fixed_split_win_rate(epsilons: Sequence[float], answers: int, marks: int = 5) -> float:
    """Return an upper bound on the win rate of any strategy that asks one clue at each of these epsilons.

    `epsilons` are from 0 to inf, `answers` is the number of equally likely answers and `marks` the number of marks
    in a clue; the result is from 1/answers to 1. It is the power of the best test of size 1/answers (Neyman and
    Pearson) between the noisy clues and uniformly random marks. The number of outcomes is multiplied for each
    distinct epsilon, so use a few distinct values.

    Raises `WordplError` for an epsilon below 0, answers not from 1 to 2**53 - 1, and marks not from 1 to 8.

    >>> fixed_split_win_rate([float("inf")], 2315) > fixed_split_win_rate([10.0], 2315) > 1 / 2315
    True
    """
    answers, marks = check_answers(answers), check_marks(marks)
    log_values, chances = np.zeros(1), np.ones(1)
    for epsilon, clues in Counter(non_negative("epsilon", epsilon) for epsilon in epsilons).items():
        law = clue_law(epsilon, marks, clues)
        log_values = np.add.outer(log_values, law.log_values).ravel()
        chances = np.multiply.outer(chances, law.chances).ravel()
    best_first = np.argsort(-log_values)
    values, chances = np.exp(log_values[best_first]), chances[best_first]
    before = np.concatenate([[0.0], np.cumsum(chances)[:-1]])
    powers = np.clip(1.0 / answers - before, 0.0, chances)
    return min(1.0, float((values * powers).sum()) * SLACK)


def free_win_rate(budget: float, answers: int, marks: int = 5, rounds: int | None = None) -> float:
    """Return an upper bound on the win rate when each mark may be any ternary function of the answer.

    It holds for every split of the budget into at most `rounds` clues, or any number if None. The budget is rounded
    up to the grid of the table; beyond the last table (256) the bound is 1.
    """
    if (rounds is not None and rounds <= 1) or budget == 0:
        return fixed_split_win_rate((budget,) if rounds != 0 else (), answers, marks)
    if budget > LIMITS[-1]:
        return 1.0
    limit = next(limit for limit in LIMITS if budget <= limit)
    return float(_curve(limit, answers, marks, rounds, BOUND_CELLS)[math.ceil(budget * BOUND_CELLS / limit)])


def free_budget(win_rate: float, answers: int, marks: int = 5, rounds: int | None = None) -> float:
    """Return a lower bound on the budget that `win_rate` needs, from `free_win_rate`; 256 at most."""
    for limit in LIMITS:
        curve = _curve(limit, answers, marks, rounds, BOUND_CELLS)
        if curve[-1] >= win_rate:
            # Row i bounds all budgets up to its own, so the last row that falls short is not enough.
            return max(0, int(np.searchsorted(curve, win_rate)) - 1) * limit / BOUND_CELLS
    return LIMITS[-1]


def free_value(budget: float, log_likelihoods: Floats, marks: int = 5) -> Floats:
    """Return an upper bound on V(budget, l) for any rounds and a budget up to 256: an array of the logs' shape."""
    limit = next(limit for limit in LIMITS if budget <= limit)
    row: Floats = _any_rounds(limit, marks, BOUND_CELLS)[math.ceil(budget * BOUND_CELLS / limit)]
    # A fall past the widened end is taken as one to it. Above the grid V rises no faster than l.
    at = np.clip(log_likelihoods * _PER_UNIT - _LOWEST + _WIDTH, 0.0, len(row) - 2.0)
    below = at.astype(np.int64)
    upper = np.expm1((at - below) / _PER_UNIT) / math.expm1(1.0 / _PER_UNIT)
    value = (1.0 - upper) * row[below] + upper * row[below + 1]
    top = _GRID[-1]
    above = row[2 * _WIDTH - 1] + np.exp(log_likelihoods) - math.exp(top)
    return np.asarray(np.where(log_likelihoods > top, above, value))


@lru_cache(maxsize=64)
def _curve(limit: float, answers: int, marks: int, rounds: int | None, cells: int) -> Floats:
    """Upper bounds on the win rate at the budgets 0, limit/cells, .. limit: [cells + 1]."""
    any_number = rounds is None or rounds >= _MANY
    table = _any_rounds(limit, marks, cells) if any_number else _few_rounds(limit, marks, rounds or 0, cells)
    # P(win) <= t/N + t V(b, 1/t) for every threshold t; each l of the grid is tried as 1/t.
    column = table[:, _WIDTH : 2 * _WIDTH]
    bounds = ((column + 1.0 / answers) * np.exp(-_GRID)).min(axis=1) * SLACK
    return np.asarray(np.clip(np.maximum.accumulate(bounds), 1.0 / answers, 1.0))


@lru_cache(maxsize=4)
def _any_rounds(limit: float, marks: int, cells: int) -> Floats:
    """V for any number of rounds, on the widened grid: [cells + 1, widened]."""
    step = limit / cells
    table = _empty_table(cells, marks)
    big = _stencils([clue_law(j * step, marks) for j in range(cells + 1)])
    small = _stencils([clue_law(group_epsilon(k * step, marks), marks) for k in (1, 2)])
    _fill_any(table, big, small)
    return table


@lru_cache(maxsize=8)
def _few_rounds(limit: float, marks: int, rounds: int, cells: int) -> Floats:
    """V for at most `rounds` rounds, on the widened grid: [cells + 1, widened]."""
    table = _empty_table(cells, marks)
    if rounds == 0:
        table[:] = table[0]
        return table
    before = _few_rounds(limit, marks, rounds - 1, cells)
    _fill_one(table, before, _stencils([clue_law(j * limit / cells, marks) for j in range(cells + 1)]))
    return table


def _empty_table(cells: int, marks: int) -> Floats:
    """A table whose first row is the payoff max(l - 1, 0). Rows are widened: a step off the grid finds a bound."""
    table = np.zeros((cells + 1, 2 * _WIDTH + math.ceil(marks * LOG3 * _PER_UNIT) + 2))
    table[0, _WIDTH : 2 * _WIDTH] = np.maximum(np.expm1(_GRID), 0.0)
    _widen(table[0])
    return table


def _stencils(laws: Sequence[Law]) -> Stencils:
    """How to average V over a law: for each outcome an offset on the grid, and two weights.

    Between grid points V is below its chord, for it is convex. The chord's weights are the same all
    along the grid, for it is even in log l. A fall by more than the grid is taken as one by the grid.
    """
    steps = np.maximum(np.array([law.log_values for law in laws]) * _PER_UNIT, 1.0 - _WIDTH)
    offsets = np.floor(steps)
    upper = np.expm1((steps - offsets) / _PER_UNIT) / math.expm1(1.0 / _PER_UNIT)
    chances = np.array([law.chances for law in laws])
    return offsets.astype(np.int64), chances * (1.0 - upper), chances * upper


@kernel()
def _widen(row: Floats) -> None:
    """Fill a widened row outside the grid, [_WIDTH, 2 _WIDTH), from what is on it."""
    width, step = _WIDTH, 1.0 / _PER_UNIT
    lowest, highest = row[width], row[2 * width - 1]
    # Below: V(0) = 0 and V is convex, so it is below the chord to 0.
    for n in range(width):
        row[n] = lowest * math.exp((n - width) * step)
    # Above: V never rises faster than l.
    top = math.exp(_HIGHEST * step)
    for n in range(2 * width, len(row)):
        row[n] = highest + top * math.expm1((n - 2 * width + 1) * step)


@kernel(fastmath=True)
def _raise(out: Floats, row: Floats, offsets: Integers, low: Floats, high: Floats) -> None:
    """out = max(out, average of V over a law), on the grid; `row` is V, widened."""
    width = out.size
    total = np.zeros(width)
    for k in range(len(offsets)):
        at, a, b = width + offsets[k], low[k], high[k]
        for n in range(width):
            total[n] += a * row[at + n] + b * row[at + n + 1]
    for n in range(width):
        out[n] = max(out[n], total[n])


@kernel()
def _fill_one(table: Floats, before: Floats, rounds: Stencils) -> None:
    """One more round on top of `before`. Cell j of epsilon pays for j - 1 steps and gets j."""
    offsets, low, high = rounds
    for i in range(1, len(table)):
        own = before[i, _WIDTH : 2 * _WIDTH].copy()
        for j in range(1, i + 1):
            _raise(own, before[i - j + 1], offsets[j], low[j], high[j])
        table[i, _WIDTH : 2 * _WIDTH] = own
        _widen(table[i])


@kernel()
def _fill_any(table: Floats, big: Stencils, small: Stencils) -> None:
    """Any number of rounds: big ones in cells, small ones in groups (see docs/converse.md)."""
    (offsets, low, high), (small_offsets, small_low, small_high) = big, small
    now = np.empty(table.shape[1])
    for i in range(1, len(table)):
        own = table[0, _WIDTH : 2 * _WIDTH].copy()
        for j in range(2, i + 1):
            _raise(own, table[i - j + 1], offsets[j], low[j], high[j])
        now[_WIDTH : 2 * _WIDTH] = own
        _widen(now)
        # Small rounds short of a group, before a big round or the end: nothing is charged for them.
        _raise(own, now, small_offsets[0], small_low[0], small_high[0])
        # A group: of less than two steps, charged one.
        _raise(own, table[i - 1], small_offsets[1], small_low[1], small_high[1])
        table[i, _WIDTH : 2 * _WIDTH] = own
        _widen(table[i])
