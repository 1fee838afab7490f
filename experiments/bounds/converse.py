"""Converse bounds: limits that hold for every strategy, adaptive or randomised, at any epsilons.

`docs/converse.md` derives them. `free_functions` and `word_list` compute their two halves: what a budget buys when a
clue may be any function of the answer, and what clues of real words can do.
"""

import math

from experiments.bounds import word_list
from experiments.bounds.clues import ChannelFamily, as_words
from experiments.bounds.free_functions import LIMITS, SLACK, free_budget, free_win_rate, mechanism_of
from wordpl import RandomizedResponse, WordList, channel_family
from wordpl.base.checks import fraction, non_negative, whole_number

# Where a budget is found by halving, it is to this part of a unit.
_PRECISION = 1.0 / 64.0


def win_rate_bound(
    budget: float,
    words: WordList | str,
    rounds: int | None = None,
    rule: str = "letterwise",
    *,
    channel: ChannelFamily | str = RandomizedResponse,
    first_at_least: float = 0.0,
) -> float:
    """Return an upper bound on the win rate of every strategy that spends at most `budget` in every game.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`. The bound is for equally likely
    answers and a `channel` that is `randomized_response`, `whole_clue` or `ball:r`. `budget` is a total epsilon, from 0
    to inf; the result lies between 1/answers and 1.

    `rounds` restricts the bound to strategies that ask at most that many clues, from 0 up. For one clue it is exact.
    For two and three, the first clue is that of a real guess. The later ones may be any functions of the answer that
    tell no more answers apart than the best guesses do. Where more is proved of two real clues, it counts.
    `first_at_least` restricts the bound to strategies that ask nothing, or whose first clue costs at least this
    epsilon. Both make the bound sharper and slower to compute: seconds, and a minute for three clues.

    Raises `WordplError` if a number is out of its range or `rule` is unknown.

    >>> import wordpl
    >>> words = wordpl.load_words()
    >>> round(win_rate_bound(0.0, words) * len(words.answers), 6)
    1.0
    >>> win_rate_bound(float("inf"), words, rounds=0) == 1 / len(words.answers)
    True
    """
    words = as_words(words)
    budget, first = non_negative("budget", budget), non_negative("first_at_least", first_at_least)
    rounds = None if rounds is None else whole_number("rounds", rounds, minimum=0)
    return _bound(budget, words, rounds, rule, channel_family(channel), first, 0.0)


def budget_bound(
    win_rate: float,
    words: WordList | str,
    rounds: int | None = None,
    rule: str = "letterwise",
    *,
    channel: ChannelFamily | str = RandomizedResponse,
    first_at_least: float = 0.0,
) -> float:
    """Return a lower bound on the budget of every strategy whose win rate is at least `win_rate`.

    `win_rate` is from 0 to 1; the result is a total epsilon, inf if no budget is enough. `words`, `rounds`, `rule`,
    `channel` and `first_at_least` are as in `win_rate_bound`. The tables end at a budget of 256: where a larger one is
    needed, the result is the largest that they refute, which is still a lower bound.

    Raises `WordplError` if a number is out of its range or `rule` is unknown.
    """
    words = as_words(words)
    win_rate, first = fraction("win rate", win_rate), non_negative("first_at_least", first_at_least)
    rounds = None if rounds is None else whole_number("rounds", rounds, minimum=0)
    family = channel_family(channel)
    if win_rate <= 1.0 / len(words.answers):
        return 0.0
    if rounds is not None and rounds <= 2 and win_rate > word_list.noiseless_cap(words, rounds, rule) * SLACK:
        return math.inf
    free = free_budget(win_rate, len(words.answers), mechanism_of(family, words.length), rounds)
    if rounds not in (1, 2, 3) and first == 0.0:
        return free

    def reaches(budget: float) -> bool:
        return _bound(budget, words, rounds, rule, family, first, win_rate) >= win_rate

    low = free
    proved, most = _proved(words, rounds, rule, family)
    if win_rate > most and proved > low:
        low = proved
        # Past it the other bounds hold alone, and they rise with the budget.
        if reaches(math.nextafter(low, math.inf)):
            return low
    # A budget that falls short of the win rate, close to the last one that does.
    step, high = 1.0, low + 1.0
    while not reaches(high):
        low, step = high, 2.0 * step
        high = low + step
        if high > LIMITS[-1]:
            return low
    # The bound for one clue is exact, and quick to compute.
    while high - low > (1e-5 if rounds == 1 else _PRECISION):
        middle = (low + high) / 2.0
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return low


def _bound(
    budget: float,
    words: WordList,
    rounds: int | None,
    rule: str,
    family: ChannelFamily,
    first: float,
    wanted: float,
) -> float:
    """Return the smallest bound that applies; with `wanted` above 0 it only tells whether it is at least that."""
    answers = len(words.answers)
    if rounds == 0 or first > budget:
        return 1.0 / answers
    if rounds == 1:
        return min(1.0, word_list.one_clue_win_rate(budget, words, rule, family) * SLACK)
    bound = free_win_rate(budget, answers, mechanism_of(family, words.length), rounds)
    if rounds == 2:
        proved, most = _proved(words, rounds, rule, family)
        bound = min(bound, word_list.noiseless_cap(words, 2, rule), most if budget <= proved else 1.0)
    # Past the last table nothing but the cap is left to say.
    if rounds == 2 and wanted <= bound and budget <= LIMITS[-1]:
        bound = min(bound, word_list.two_clue_win_rate(budget, words, rule, wanted, family))
    if (first > 0.0 or rounds == 3) and wanted <= bound and budget <= LIMITS[-1]:
        later = None if rounds is None else rounds - 1
        bound = min(bound, word_list.first_clue_win_rate(budget, first, words, rule, wanted, family, later))
    return bound


def _proved(words: WordList, rounds: int | None, rule: str, family: ChannelFamily) -> tuple[float, float]:
    """A budget, and a win rate that so many clues do not reach with it, where a certificate says so."""
    known = rounds == 2 and family is RandomizedResponse
    return word_list.TWO_CLUES_PROVED.get((words.digest, rule), (0.0, 1.0)) if known else (0.0, 1.0)
