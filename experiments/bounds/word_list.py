"""Word-list bounds: how many answers clues can tell apart, and the best win rate of one or two noisy clues.

These are the bounds of `converse` that depend on the words. `docs/converse.md` derives them.
"""

import heapq
import itertools
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np
from numba import njit
from numpy.typing import NDArray

from experiments.bounds.clues import ChannelFamily, Codes, Floats, Integers, as_words, differing_marks
from experiments.bounds.free_functions import SLACK, clue_law, free_value, mechanism_of
from wordpl import DistanceChannel, Posterior, RandomizedResponse, WordList, clue_matrix, score_guesses

Counts = NDArray[np.unsignedinteger[Any]]

# Splits of a budget into two are resolved down to this fraction of it.
_COARSE, _FINEST = 16, 1.0 / 512.0

# The most answers that two noiseless clues tell apart, and a first guess that does it, by list and rule, where finding
# it takes minutes. Found by `python -m experiments.converse cells`.
_CELLS_OF_TWO = {
    ("f10e64e532ec7cada3eeb9db9b5c23b38a8016b562694c6ca697175dacb2147d", "letterwise"): (1383, "trace"),  # original
}

# A budget, and a win rate that no two clues reach with it, by list and rule, where the proof takes an hour. Proved by
# `python -m experiments.two_clues prove`.
TWO_CLUES_PROVED = {
    ("f10e64e532ec7cada3eeb9db9b5c23b38a8016b562694c6ca697175dacb2147d", "letterwise"): (14.31, 0.0499999),  # original
}

# Up to this many steps the search is done when it is needed.
_AT_ONCE = 2e8


@lru_cache(maxsize=4)
def most_cells(words: WordList, rule: str = "letterwise") -> int:
    """Return the largest number of different clues that one guess can get, over all guesses."""
    return int(max(len(np.unique(row)) for row in clue_matrix(words, rule)))


@lru_cache(maxsize=4)
def most_cells_of_two(words: WordList, rule: str = "letterwise") -> int:
    """Return how many answers two noiseless clues can tell apart, exactly; it is stored for the contest's list."""
    known = _CELLS_OF_TWO.get((words.digest, rule))
    return known[0] if known is not None else find_cells_of_two(words, rule)[0]


def find_cells_of_two(words: WordList | str, rule: str = "letterwise") -> tuple[int, str]:
    """Return what `most_cells_of_two` does, and a first guess that reaches it, by a search through all pairs.

    `words` is a word list or the name of one; `rule` is `letterwise` or `counted`. It takes minutes for the contest's
    list. Raises `WordplError` for an unknown rule.
    """
    words = as_words(words)
    clues = clue_matrix(words, rule)
    most, sizes = most_cells(words, rule), [np.bincount(row, minlength=words.n_clues) for row in clues]
    best, opener = 0, ""
    # Guesses with most cells first: the best pair begins with one of them, and then the others are given up early.
    for guess in np.argsort([-np.count_nonzero(size) for size in sizes], kind="stable"):
        cells = _two_noiseless(clues, *_cells_of(clues[guess], sizes[guess]), most, best)
        if cells > best:
            best, opener = cells, words.guesses[guess]
    return best, opener


def one_clue_win_rate(
    budget: float, words: WordList, rule: str = "letterwise", family: ChannelFamily = RandomizedResponse
) -> float:
    """Return the best win rate with one clue at epsilon `budget`: exact, the maximum over all guesses."""
    return float(score_guesses(Posterior(words, rule, family), budget, "expected_top").max())


def noiseless_cap(words: WordList, rounds: int, rule: str = "letterwise") -> float:
    """Return an upper bound on the win rate of `rounds` clues without noise; 1 if it would take too long to find."""
    answers = len(words.answers)
    if rounds == 0:
        return 1.0 / answers
    if rounds == 1:
        return most_cells(words, rule) / answers
    known = (words.digest, rule) in _CELLS_OF_TWO or answers * len(words.guesses) ** 2 <= _AT_ONCE
    return most_cells_of_two(words, rule) / answers if rounds == 2 and known else 1.0


def two_clue_win_rate(
    budget: float,
    words: WordList,
    rule: str = "letterwise",
    wanted: float = 0.0,
    family: ChannelFamily = RandomizedResponse,
) -> float:
    """Return an upper bound on the win rate with at most two clues that cost `budget` together.

    It is a maximum over all real first guesses and all splits of the budget, to 1/512 of it. The second clue may be any
    function of the answer that tells apart no more answers than the best guess does. With `wanted` above 0 the
    result only tells whether the bound is at least `wanted`, which takes less time.
    """
    cells, answers, marks = most_cells(words, rule), len(words.answers), words.length
    mechanism = mechanism_of(family, marks)

    def values(first: float, second: float, guesses: Integers) -> Floats:
        second_law = clue_law(second, mechanism)
        # Joint weight of an answer whose first clue differs in d marks from the noisy one, times the ratio
        # of the second clue; the clue has 3**marks values, evenly likely under the test's other law.
        weights = np.add.outer(_log_levels(family, first, marks), second_law.log_values).ravel()
        order = np.argsort(-weights, kind="stable")
        distances, outcomes = np.divmod(order, len(second_law.chances))
        joint = np.exp(weights[order]) / answers
        out = np.empty(len(guesses))
        _best_first(distance_counts(words, rule), guesses, cells, distances, second_law.chances[outcomes], joint, out)
        return np.asarray(out * SLACK)

    return _best_split(budget, 0.0, wanted, len(words.guesses), values) if budget else 1.0 / answers


def first_clue_win_rate(
    budget: float,
    at_least: float,
    words: WordList,
    rule: str = "letterwise",
    wanted: float = 0.0,
    family: ChannelFamily = RandomizedResponse,
    later: int | None = None,
) -> float:
    """Return an upper bound on the win rate of strategies whose first clue costs at least `at_least`.

    It is a maximum over all real first guesses. At most `later` clues, or any number, follow. They may be any functions
    of the answer, at any epsilons that the budget leaves, but two tell no more answers apart than two real clues can.
    `wanted` is as in `two_clue_win_rate`.
    """
    answers, marks = len(words.answers), words.length
    cells = round(answers * noiseless_cap(words, 2, rule)) if later == 2 else answers

    def values(first: float, rest: float, guesses: Integers) -> Floats:
        log_weights = _log_levels(family, first, marks) - math.log(answers)
        log_thresholds = log_weights[0] + np.arange(-16.0, 6.0, 1.0 / 16.0)
        # Any threshold gives a bound, so a grid of them is as rigorous as the best.
        ratios = log_weights[np.newaxis, :] - log_thresholds[:, np.newaxis]
        thresholds = np.exp(log_thresholds)
        gains = thresholds[:, np.newaxis] * free_value(rest, ratios, mechanism_of(family, marks), later)
        out = np.empty(len(guesses))
        _least_over_thresholds(distance_counts(words, rule), guesses, cells, thresholds, gains, out)
        return np.asarray(out * SLACK)

    return _best_split(budget, at_least, wanted, len(words.guesses), values)


def _log_levels(family: ChannelFamily, epsilon: float, marks: int) -> Floats:
    """The log of the probability of a noisy clue, by the marks in which it differs from the true one."""
    channel = family(epsilon, marks)
    assert isinstance(channel, DistanceChannel)  # noqa: S101 - as all are that `mechanism_of` takes
    return channel.log_levels


def _best_split(
    budget: float, at_least: float, wanted: float, n_guesses: int, values: Callable[[float, float, Integers], Floats]
) -> float:
    """Return an upper bound on `values` over all guesses and all splits whose first part is `at_least` or more.

    What `values` bounds never decreases when a part grows. So its value at the upper ends of a cell of splits bounds
    the whole cell and all cells within it, even where the grids of `values` give a larger one there. Cells are halved,
    the one with the largest bound first.
    """
    tie = itertools.count()
    cells: list[tuple[float, int, float, float, Integers, Floats]] = []
    floor = wanted

    def add(low: float, high: float, guesses: Integers, most: Floats) -> None:
        above = np.minimum(values(high, budget - low, guesses), most)
        enough = above >= floor
        if enough.any():
            heapq.heappush(cells, (-float(above.max()), next(tie), low, high, guesses[enough], above[enough]))

    edges = np.linspace(at_least, budget, _COARSE + 1)
    for low, high in itertools.pairwise(edges.tolist()):
        add(low, high, np.arange(n_guesses), np.ones(n_guesses))
    reached = 0.0
    while cells:
        bound, _, low, high, guesses, most = heapq.heappop(cells)
        if high - low <= budget * _FINEST:
            return max(-bound, reached)
        middle = (low + high) / 2.0
        # A split that is possible: what stays below it cannot be the best.
        reached = max(reached, float(np.minimum(values(middle, budget - middle, guesses), most).max()))
        if 0.0 < wanted <= reached:
            break
        floor = max(floor, reached)
        add(low, middle, guesses, most)
        add(middle, high, guesses, most)
    return reached


@lru_cache(maxsize=2)
def distance_counts(words: WordList, rule: str) -> Counts:
    """The number of answers whose clues differ in 0, 1, .. marks from each code: [guesses, codes, marks + 1]."""
    codes = words.n_clues
    distances = np.array([differing_marks(code, words.length) for code in range(codes)])
    sizes = np.array([np.bincount(row, minlength=codes) for row in clue_matrix(words, rule)], dtype=np.float32)
    dtype = np.result_type(np.uint16, np.min_scalar_type(len(words.answers)))
    counts = np.empty((len(sizes), codes, words.length + 1), dtype)
    for distance in range(words.length + 1):  # whole numbers far below 2**24: single precision is exact
        counts[..., distance] = sizes @ (distances == distance).astype(np.float32)
    return counts


@njit(cache=True, error_model="numpy")
def _heaviest(counts: Counts, cells: int, own: Floats) -> None:
    """The number of the `cells` heaviest answers, which are the nearest, at each distance."""
    left = float(cells)
    for d in range(len(own)):
        own[d] = min(left, counts[d])
        left -= own[d]


@njit(cache=True, error_model="numpy")
def _best_first(
    counts: Counts, guesses: Integers, cells: int, distances: Integers, chances: Floats, values: Floats, out: Floats
) -> None:
    """Sum over noisy first clues of the most that chances of 1 in all can collect from the `cells` heaviest answers."""
    own = np.empty(counts.shape[2])
    for i in range(len(guesses)):
        total = 0.0
        for noisy in range(counts.shape[1]):
            _heaviest(counts[guesses[i], noisy], cells, own)
            room = 1.0
            for k in range(len(values)):
                mass = min(room, own[distances[k]] * chances[k])
                total += mass * values[k]
                room -= mass
                if room <= 0.0:
                    break
        out[i] = total


@njit(cache=True, error_model="numpy")
def _sum_at(k: int, own: Floats, thresholds: Floats, gains: Floats) -> float:
    total = float(thresholds[k])
    for d in range(len(own)):
        total += own[d] * gains[k, d]
    return total


@njit(cache=True, error_model="numpy")
def _least_over_thresholds(
    counts: Counts, guesses: Integers, cells: int, thresholds: Floats, gains: Floats, out: Floats
) -> None:
    """Sum over noisy first clues of the least over thresholds of threshold + gains of the `cells` heaviest answers.

    It is convex in the threshold, so the search goes downhill from the threshold of the clue before.
    """
    at = len(thresholds) // 2
    own = np.empty(counts.shape[2])
    for i in range(len(guesses)):
        total = 0.0
        for noisy in range(counts.shape[1]):
            _heaviest(counts[guesses[i], noisy], cells, own)
            best = _sum_at(at, own, thresholds, gains)
            for step in (1, -1):
                while 0 <= at + step < len(thresholds):
                    value = _sum_at(at + step, own, thresholds, gains)
                    if value >= best:
                        break
                    best, at = value, at + step
            total += best
        out[i] = total


def _cells_of(row: Codes, sizes: Integers) -> tuple[Integers, Integers, Integers]:
    """The answers cell after cell, the sizes of the cells [codes], and the codes with the largest cell first."""
    # numpy sorts, as numba would compile a sort for seconds.
    return np.argsort(row, kind="stable"), sizes, np.argsort(-sizes, kind="stable")


@njit(cache=True, error_model="numpy")
def _two_noiseless(
    clues: Codes, members: Integers, sizes: Integers, largest_first: Integers, most: int, floor: int
) -> int:
    """The most cells after the first guess of `_cells_of`, or `floor` or less as soon as more are out of reach."""
    codes = len(sizes)
    ends, end = np.empty(codes, np.int64), 0
    for code in range(codes):
        end += sizes[code]
        ends[code] = end
    seen = np.zeros(codes, np.int64)
    stamp = 0
    possible = 0
    for code in range(codes):
        possible += min(sizes[code], most)
    # Largest cells first: they lose most, so a poor first guess is given up early.
    for code in largest_first:
        size = sizes[code]
        if possible <= floor or size <= 1:
            break
        members_here = members[ends[code] - size : ends[code]]
        top = 0
        for second in range(len(clues)):
            stamp += 1
            apart = 0
            for a in members_here:
                value = clues[second, a]
                if seen[value] != stamp:
                    seen[value] = stamp
                    apart += 1
            if apart > top:
                top = apart
                if top == min(size, most):
                    break
        possible -= min(size, most) - top
    return possible
