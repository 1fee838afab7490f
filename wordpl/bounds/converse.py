"""The limit: what no strategy can pass, whatever it asks, at whatever epsilons, adaptive or randomised.

`docs/converse.md` derives the bounds. `freecode` and `wordclues` compute their two halves: what a
budget buys when a clue may be any function of the answer, and what clues of real words can do.
"""

from __future__ import annotations

import math

import numpy as np

from wordpl.bounds.free_codes import LAST_LIMIT, SLACK, free_budget, free_win_rate
from wordpl.bounds.word_list import first_clue_win_rate, noiseless_cap, one_clue_win_rate, two_clue_win_rate
from wordpl.errors import WordplError
from wordpl.model.words import WordList

# From this many rounds on the table for any number is as good, and needs no others.
_MANY = 6

# Where a budget is found by halving, it is to this part of a unit.
_PRECISION = 1.0 / 64.0


def win_rate_bound(
    budget: float,
    words: WordList,
    rounds: int | None = None,
    rule: str = "letterwise",
    *,
    first_at_least: float = 0.0,
) -> float:
    """Upper bound on the win rate of every strategy that spends at most `budget` in every game.

    With `rounds`, of every strategy that asks at most that many clues: exact for one, over all real
    first guesses for two. With `first_at_least`, of every strategy that asks nothing, or a first clue at
    this epsilon or more: over all real first guesses. `budget` is a number from 0 to inf.
    """
    budget, first = _checked_budget("budget", budget), _checked_budget("first_at_least", first_at_least)
    rounds = _checked_rounds(rounds)
    return _bound(budget, words, rounds, rule, first, 0.0)


def budget_bound(
    win_rate: float,
    words: WordList,
    rounds: int | None = None,
    rule: str = "letterwise",
    *,
    first_at_least: float = 0.0,
) -> float:
    """Lower bound on the budget of every strategy that wins with chance `win_rate` (0 to 1) or more.

    `rounds` and `first_at_least` are as in `win_rate_bound`; inf if no budget is enough. Where even the
    largest budget of the tables (256) may be, that is the answer: it is still a lower bound.
    """
    win_rate, first = _checked_win_rate(win_rate), _checked_budget("first_at_least", first_at_least)
    rounds = _checked_rounds(rounds)
    if win_rate <= 1.0 / len(words.answers):
        return 0.0
    if rounds is not None and rounds <= 2 and win_rate > noiseless_cap(words, rounds, rule) * SLACK:
        return math.inf
    free = free_budget(win_rate, len(words.answers), words.length, _table_rounds(rounds))
    if rounds not in (1, 2) and first == 0.0:
        return free
    return _halved(win_rate, words, rounds, rule, first, free)


def _bound(budget: float, words: WordList, rounds: int | None, rule: str, first: float, wanted: float) -> float:
    """The least of the bounds that apply. With `wanted`, only whether it is at least that means anything."""
    answers = len(words.answers)
    if rounds == 0 or first > budget:
        return 1.0 / answers
    if rounds == 1:
        return min(1.0, one_clue_win_rate(budget, words, rule) * SLACK)
    bound = free_win_rate(budget, answers, words.length, _table_rounds(rounds))
    if rounds == 2:
        bound = min(bound, noiseless_cap(words, 2, rule))
    # Past the last table nothing but the cap is left to say.
    if rounds == 2 and wanted <= bound and budget <= LAST_LIMIT:
        bound = min(bound, two_clue_win_rate(budget, words, rule, wanted))
    if first > 0.0 and wanted <= bound and budget <= LAST_LIMIT:
        bound = min(bound, first_clue_win_rate(budget, first, words, rule, wanted))
    return bound


def _table_rounds(rounds: int | None) -> int | None:
    return rounds if rounds is not None and rounds < _MANY else None


def _halved(win_rate: float, words: WordList, rounds: int | None, rule: str, first: float, low: float) -> float:
    """A budget that falls short of the win rate, close to the last one that does; `low` is one."""

    def reaches(budget: float) -> bool:
        return _bound(budget, words, rounds, rule, first, win_rate) >= win_rate

    step, high = 1.0, low + 1.0
    while not reaches(high):
        low, step = high, 2.0 * step
        high = low + step
        if high > LAST_LIMIT:
            return low
    while high - low > _PRECISION:
        middle = (low + high) / 2.0
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return low


def _number(value: object) -> bool:
    return not isinstance(value, bool) and isinstance(value, (int, float, np.integer, np.floating))


def _checked_budget(name: str, budget: float) -> float:
    if not _number(budget) or not budget >= 0:
        raise WordplError(f"{name} {budget!r} is not allowed; a number from 0 to inf is expected")
    try:
        return float(budget)
    except OverflowError:
        return math.inf


def _checked_win_rate(win_rate: float) -> float:
    if not _number(win_rate) or not 0 <= win_rate <= 1:
        raise WordplError(f"win rate {win_rate!r} is not allowed; a number from 0 to 1 is expected")
    return float(win_rate)


def _checked_rounds(rounds: object) -> int | None:
    if rounds is None:
        return None
    if isinstance(rounds, bool) or not isinstance(rounds, (int, np.integer)) or rounds < 0:
        raise WordplError(f"rounds {rounds!r} is not allowed; a whole number from 0 up, or None, is expected")
    return int(rounds)
