"""The most that a budget buys when every clue may be any function of the answer: the table under the converse.

A real clue is marks of the answer through randomized response, or the whole clue through a mechanism of
two levels. Here the marks, or the clue, may be any functions of the answer, chosen afresh each round, and
the rounds and their epsilons may be any that fit the budget. `docs/converse.md` derives what is computed
here, and why every rounding is upwards.

V(b, l) is the most that E[max(l L - 1, 0)] can reach with budget b, where L is the likelihood ratio of
the noisy clues against evenly drawn ones, and the expectation is under evenly drawn ones. It is
convex and increasing in l, and does not decrease in b.
"""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numba import njit

from experiments.bounds.clues import ChannelFamily, Floats, Integers, clues_at_distance
from wordpl import Ball, RandomizedResponse, WordplError, channel_family, channel_name
from wordpl.base.checks import non_negative, whole_number

Stencils = tuple[Integers, Floats, Floats]

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
    """The distribution of the likelihood ratio of a clue against evenly drawn ones: logs of values, and P."""

    log_values: Floats
    chances: Floats


@dataclass(frozen=True)
class Mechanism:
    """Noise of a clue: in `parts` parts, each of `symbols` values, at epsilon / `parts` each.

    In each part `likely` of the values are e^(epsilon / parts) times as likely as the others.
    """

    parts: int
    symbols: int = 3
    likely: int = 1

    @property
    def unlikely(self) -> int:
        return self.symbols - self.likely

    @property
    def log_most(self) -> float:
        """The log of the largest likelihood ratio of a part, which it has without noise."""
        return math.log(self.symbols / self.likely)


def mechanism_of(channel: ChannelFamily | str, marks: int) -> Mechanism:
    """Return how a channel noises clues of so many marks.

    Raises `WordplError` unless it is `randomized_response`, `whole_clue` or `ball:r`.
    """
    family = channel_family(channel)
    if family is RandomizedResponse:
        return Mechanism(marks)
    name = channel_name(family)
    if isinstance(ball := family(1.0, marks) if name.partition(":")[0] in ("whole_clue", "ball") else None, Ball):
        return Mechanism(1, 3**marks, sum(clues_at_distance(marks, wrong) for wrong in range(ball.radius + 1)))
    raise WordplError(f"no bound is known for channel {name}; randomized_response, whole_clue or ball:r is expected")


def clue_law(epsilon: float, mechanism: Mechanism, clues: int = 1) -> Law:
    """Return the law of `clues` clues, each at `epsilon`: the same for all guesses and answers."""
    n, x = mechanism.parts * clues, epsilon / mechanism.parts
    wrong = np.arange(n + 1)
    ways = (math.comb(n, j) * mechanism.unlikely**j * mechanism.likely ** (n - j) for j in range(n + 1))
    chances = np.array([way / mechanism.symbols**n for way in ways])
    # The log of the larger ratio of a part: from 0 to its value without noise.
    log_keep = mechanism.log_most - math.log1p(mechanism.unlikely / mechanism.likely * math.exp(-x))
    # Not wrong * x at 0: that is NaN without noise.
    log_values = n * log_keep - np.multiply(wrong, x, where=wrong > 0, out=np.zeros(n + 1))
    return Law(log_values, chances)


def group_epsilon(total: float, mechanism: Mechanism) -> float:
    """The epsilon of one clue worth at least any rounds in turn of `total`, which is below 1 for each part."""
    keep = math.exp(mechanism.unlikely * total / mechanism.parts / mechanism.symbols) / mechanism.symbols
    return mechanism.parts * math.log(mechanism.unlikely * keep / (1.0 - mechanism.likely * keep))


def fixed_split_win_rate(
    epsilons: Sequence[float], answers: int, marks: int = 5, channel: ChannelFamily | str = RandomizedResponse
) -> float:
    """Return an upper bound on the win rate of any strategy that asks one clue at each of these epsilons.

    `epsilons` are from 0 to inf, `answers` is the number of equally likely answers and `marks` the number of marks
    in a clue; the result is from 1/answers to 1. It is the power of the best test of size 1/answers (Neyman and
    Pearson) between the noisy clues and uniformly random ones. The number of outcomes is multiplied for each
    distinct epsilon, so use a few distinct values. `channel` is `randomized_response`, `whole_clue` or `ball:r`.

    Raises `WordplError` for an epsilon below 0, answers not from 1 to 2**53 - 1, marks not from 1 to 8, and another
    channel.

    >>> fixed_split_win_rate([float("inf")], 2315) > fixed_split_win_rate([10.0], 2315) > 1 / 2315
    True
    """
    marks = whole_number("marks", marks, maximum=8)
    return _fixed_split(epsilons, whole_number("answers", answers, maximum=2**53 - 1), mechanism_of(channel, marks))


def _fixed_split(epsilons: Sequence[float], answers: int, mechanism: Mechanism) -> float:
    log_values, chances = np.zeros(1), np.ones(1)
    for epsilon, clues in Counter(non_negative("epsilon", epsilon) for epsilon in epsilons).items():
        law = clue_law(epsilon, mechanism, clues)
        log_values = np.add.outer(log_values, law.log_values).ravel()
        chances = np.multiply.outer(chances, law.chances).ravel()
    best_first = np.argsort(-log_values)
    values, chances = np.exp(log_values[best_first]), chances[best_first]
    before = np.concatenate([[0.0], np.cumsum(chances)[:-1]])
    powers = np.clip(1.0 / answers - before, 0.0, chances)
    return min(1.0, float((values * powers).sum()) * SLACK)


def free_win_rate(budget: float, answers: int, mechanism: Mechanism, rounds: int | None = None) -> float:
    """Return an upper bound on the win rate when each part of a clue may be any function of the answer.

    It holds for every split of the budget into at most `rounds` clues, or any number if None. The budget is rounded
    up to the grid of the table; beyond the last table (256) the bound is 1.
    """
    if (rounds is not None and rounds <= 1) or budget == 0:
        return _fixed_split((budget,) if rounds != 0 else (), answers, mechanism)
    if budget > LIMITS[-1]:
        return 1.0
    limit = next(limit for limit in LIMITS if budget <= limit)
    return float(_curve(limit, answers, mechanism, rounds, BOUND_CELLS)[math.ceil(budget * BOUND_CELLS / limit)])


def free_budget(win_rate: float, answers: int, mechanism: Mechanism, rounds: int | None = None) -> float:
    """Return a lower bound on the budget that `win_rate` needs, from `free_win_rate`; 256 at most."""
    for limit in LIMITS:
        curve = _curve(limit, answers, mechanism, rounds, BOUND_CELLS)
        if curve[-1] >= win_rate:
            # Row i bounds all budgets up to its own, so the last row that falls short is not enough.
            return max(0, int(np.searchsorted(curve, win_rate)) - 1) * limit / BOUND_CELLS
    return LIMITS[-1]


def free_value(budget: float, log_likelihoods: Floats, mechanism: Mechanism, rounds: int | None = None) -> Floats:
    """Return an upper bound on V(budget, l), for at most `rounds` rounds or any number: an array of the logs' shape.

    The budget is at most 256.
    """
    limit = next(limit for limit in LIMITS if budget <= limit)
    row: Floats = _table(limit, mechanism, rounds, BOUND_CELLS)[math.ceil(budget * BOUND_CELLS / limit)]
    # A fall past the widened end is taken as one to it. Above the grid V rises no faster than l.
    at = np.clip(log_likelihoods * _PER_UNIT - _LOWEST + _WIDTH, 0.0, len(row) - 2.0)
    below = at.astype(np.int64)
    upper = np.expm1((at - below) / _PER_UNIT) / math.expm1(1.0 / _PER_UNIT)
    value = (1.0 - upper) * row[below] + upper * row[below + 1]
    top = _GRID[-1]
    above = row[2 * _WIDTH - 1] + np.exp(log_likelihoods) - math.exp(top)
    return np.asarray(np.where(log_likelihoods > top, above, value))


@lru_cache(maxsize=64)
def _curve(limit: float, answers: int, mechanism: Mechanism, rounds: int | None, cells: int) -> Floats:
    """Upper bounds on the win rate at the budgets 0, limit/cells, .. limit: [cells + 1]."""
    table = _table(limit, mechanism, rounds, cells)
    # P(win) <= t/N + t V(b, 1/t) for every threshold t; each l of the grid is tried as 1/t.
    column = table[:, _WIDTH : 2 * _WIDTH]
    bounds = ((column + 1.0 / answers) * np.exp(-_GRID)).min(axis=1) * SLACK
    return np.asarray(np.clip(np.maximum.accumulate(bounds), 1.0 / answers, 1.0))


@lru_cache(maxsize=12)
def _table(limit: float, mechanism: Mechanism, rounds: int | None, cells: int) -> Floats:
    """V for at most `rounds` rounds, or any number if None, on the widened grid: [cells + 1, widened].

    The first row is the payoff max(l - 1, 0). Rows are widened: a step off the grid finds a bound.
    """
    if rounds is not None and rounds >= _MANY:
        return _table(limit, mechanism, None, cells)
    step, highest = limit / cells, math.ceil(mechanism.parts * mechanism.log_most * _PER_UNIT)
    table = np.zeros((cells + 1, 2 * _WIDTH + highest + 2))
    table[0, _WIDTH : 2 * _WIDTH] = np.maximum(np.expm1(_GRID), 0.0)
    _widen(table[0])
    big = _stencils([clue_law(j * step, mechanism) for j in range(cells + 1)])
    if rounds is None:
        small = _stencils([clue_law(group_epsilon(k * step, mechanism), mechanism) for k in (1, 2)])
        _fill_any(table, big, small)
    elif rounds == 0:
        table[:] = table[0]
    else:
        _fill_one(table, _table(limit, mechanism, rounds - 1, cells), big)
    return table


def _stencils(laws: Sequence[Law]) -> Stencils:
    """An average of V over a law: for each outcome an offset on the grid, and two weights.

    Between grid points V is below its chord, for it is convex. The chord's weights are the same all
    along the grid, for it is even in log l. A fall by more than the grid is taken as one by the grid.
    """
    steps = np.maximum(np.array([law.log_values for law in laws]) * _PER_UNIT, 1.0 - _WIDTH)
    offsets = np.floor(steps)
    upper = np.expm1((steps - offsets) / _PER_UNIT) / math.expm1(1.0 / _PER_UNIT)
    chances = np.array([law.chances for law in laws])
    return offsets.astype(np.int64), chances * (1.0 - upper), chances * upper


@njit(cache=True)
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


@njit(cache=True, fastmath=True)
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


@njit(cache=True)
def _fill_one(table: Floats, before: Floats, rounds: Stencils) -> None:
    """One more round on top of `before`. Cell j of epsilon pays for j - 1 steps and gets j."""
    offsets, low, high = rounds
    for i in range(1, len(table)):
        own = before[i, _WIDTH : 2 * _WIDTH].copy()
        for j in range(1, i + 1):
            _raise(own, before[i - j + 1], offsets[j], low[j], high[j])
        table[i, _WIDTH : 2 * _WIDTH] = own
        _widen(table[i])


@njit(cache=True)
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
