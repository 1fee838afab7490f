"""Quick look-ahead: nearly the value of an ask, from few of the last guesses that can follow each clue.

`wordpl.scoring.best_ask` values an ask exactly, which takes up to a second. Here only the last guesses of the largest
bounds are scored after each clue, over the likelier answers. So values are too low, by nearly the same for asks of one
epsilon: by 0.0008 on average and 0.005 at most (40 posteriors after two clues at 18, budget 68.5).

The bound of a guess is a sum over answers, heaviest first, of what each can add at most to a heavier one. For two
answers of weights v and w whose clues differ in d marks that is

    sum over noisy clues c of max(v P(c | x) - w P(c | y), 0),    x and y the true clues.
"""

import math
from collections.abc import Sequence
from functools import lru_cache, reduce
from typing import Any, NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wordpl import Posterior, RandomizedResponse, WordList, clue_matrix, clue_row
from wordpl.scoring import best_ask

# Candidates of one epsilon whose near values are this close to the best are valued exactly.
CLOSE = 0.0015
# The last guesses scored after each clue.
TRIED = 64
# Answers below LIGHT of the heaviest are left out; clues that put less than RARE at stake count halfway.
LIGHT, RARE = 3e-4, 1e-5
# Bounds look at so many answers, none below CUTOFF of the heaviest, each beside so many before it.
ANSWERS, RIVALS, CUTOFF = 10, 3, 0.003
LANES = 16


class Step(NamedTuple):
    """An ask, and nearly its value: P(right) if the best last clue follows it."""

    guess: str
    epsilon: float
    value: float


def quick_ask(
    belief: Posterior, candidates: Sequence[tuple[str, float]], budget: float, every: int | None = None
) -> Step:
    """Return the best of `candidates`, (guess, epsilon) each, as `wordpl.scoring.best_ask` does, but sooner.

    Candidates of one epsilon are first compared by near values. With `every`, from 1 up, that is all, and only every
    `every`-th last guess is tried. Under channels other than `RandomizedResponse` this is `best_ask`.
    """
    if not isinstance(belief.channel(budget, belief.words.length), RandomizedResponse):
        return _exact(belief, candidates, budget)
    near = [Step(*ask, near_value(belief, *ask, budget, every or 1)) for ask in candidates]
    if every is not None:
        return max(near, key=lambda step: step.value)
    best: dict[float, float] = {}
    for step in near:
        best[step.epsilon] = max(best.get(step.epsilon, 0.0), step.value)
    close = [(step.guess, step.epsilon) for step in near if step.value >= best[step.epsilon] - CLOSE]
    return _exact(belief, close, budget)


def _exact(belief: Posterior, candidates: Sequence[tuple[str, float]], budget: float) -> Step:
    found = best_ask(belief, candidates, budget)
    return Step(found.guess, found.epsilon, found.value)


def near_value(belief: Posterior, guess: str, epsilon: float, budget: float, every: int = 1) -> float:
    """Return a lower bound on the value of an ask, but for rounding and very rare clues."""
    words, weights = belief.words, belief.probabilities
    first, last = (RandomizedResponse(each, words.length) for each in (epsilon, budget - epsilon))
    support, values = np.flatnonzero(weights), np.empty(words.n_clues)
    marks: list[Any] = [first.mark_matrix] * words.length
    joints = reduce(np.kron, marks)[:, clue_row(guess, words, belief.rule)[support]] * weights[support]
    _fill_values(_tables(words, belief.rule, every), support, joints, _gains(last), (last.keep, last.flip), values)
    return math.fsum(values)


@lru_cache(maxsize=4)
def _tables(words: WordList, rule: str, every: int) -> tuple[NDArray[Any], NDArray[np.uint16]]:
    """The clues of every `every`-th guess: codes [guesses, answers], and two bits a mark [answers, guesses]."""
    clues, codes = clue_matrix(words, rule)[::every].copy(), np.arange(words.n_clues)
    bits = sum((codes // 3**k % 3) << 2 * k for k in range(words.length))
    return clues, np.asarray(bits, np.uint16)[np.ascontiguousarray(clues.T)]


def _gains(channel: RandomizedResponse) -> NDArray[np.float64]:
    """The sum of the module's docstring as its terms: their number, and the factors of v and w: [marks, terms, 3]."""
    length, keep, flip = channel.length, channel.keep, channel.flip
    gains = np.zeros((length + 1, (length + 1) ** 2, 3))
    for apart in range(length + 1):
        for own in range(apart + 1):  # differing marks that come as x has them
            for other in range(apart + 1 - own):  # as y has them; the remaining ones as neither has
                ways = math.comb(apart, own) * math.comb(apart - own, other)
                neither = flip ** (apart - own - other)
                factors = keep**own * flip**other * neither, keep**other * flip**own * neither
                gains[apart, own * (length + 1) + other] = ways, *factors
    return gains


@njit(cache=True, error_model="numpy")
def _fill_values(tables, support, joints, gains, marks, values):  # type: ignore[no-untyped-def]
    """For each clue, nearly the score of the best last guess after it: values [codes], from joints [codes, support]."""
    clues, packed = tables
    bounds, hist = np.empty(len(clues), np.float32), np.empty((len(values), LANES), np.float32)
    for code in range(len(values)):
        joint = joints[code]
        top, mass = joint.max(), joint.sum()
        if mass - top < RARE:
            values[code] = 0.5 * (mass + top)
            continue
        likely = np.flatnonzero(joint >= top * LIGHT)
        likely = likely[np.argsort(-joint[likely])]
        weights, answers = joint[likely] / top, support[likely]
        shown = min(ANSWERS, (weights > CUTOFF).sum())
        _fill_bounds(packed, answers[:shown], weights, gains, bounds)
        tried, best = _largest(bounds), np.float32(1.0)
        for at in range(0, len(tried), LANES):
            best = max(best, _best_score(clues, tried[at : at + LANES], answers, weights, marks, hist))
        values[code] = best * top


@njit(cache=True, error_model="numpy")
def _fill_bounds(packed, answers, weights, gains, bounds):  # type: ignore[no-untyped-def]
    """Upper bounds of what these answers add to the heaviest, which is the first: bounds [guesses]."""
    bounds[:] = 0.0
    least, by_marks = np.empty(len(bounds), np.float32), np.zeros(7, np.float32)
    for i in range(1, len(answers)):
        least[:] = np.inf
        for j in range(min(i, RIVALS)):
            for d in range(len(gains)):
                total = 0.0
                for ways, factor, other in gains[d]:
                    total += ways * max(factor * weights[i] - other * weights[j], 0.0)
                by_marks[d] = total
            _at_most(least, packed[answers[i]], packed[answers[j]], by_marks)
        for k in range(len(bounds)):
            bounds[k] += least[k]


@njit(cache=True)
def _at_most(least, own, rival, by_marks):  # type: ignore[no-untyped-def]
    """Lower `least` to the gain of each guess, by the number of marks in which two packed clues differ."""
    none, one, two, three = by_marks[0], by_marks[1], by_marks[2], by_marks[3]
    four, five, six = by_marks[4], by_marks[5], by_marks[6]
    for k in range(len(least)):
        bits = np.uint16(own[k] ^ rival[k])
        bits = np.uint16((bits | bits >> 1) & 0x5555)
        bits = np.uint16((bits & 0x3333) + (bits >> 2 & 0x3333))
        marks = np.uint16((bits + (bits >> 4) + (bits >> 8)) & 7)
        # A chain, which runs in vectors; a look-up would not.
        gain = one if marks >= 1 else none
        gain = two if marks >= 2 else gain
        gain = three if marks >= 3 else gain
        gain = four if marks >= 4 else gain
        gain = five if marks >= 5 else gain
        gain = six if marks >= 6 else gain
        least[k] = min(least[k], gain)


@njit(cache=True)
def _largest(bounds):  # type: ignore[no-untyped-def]
    """Places of the `TRIED` largest bounds, ties and near ties at the edge by place."""
    low, high = bounds.min(), bounds.max()
    if low == high:
        return np.arange(min(TRIED, len(bounds)))
    # By counting in fine bins, an order of magnitude faster than sorting.
    scale = np.float32(4095 / (high - low))
    counts, edge, above = np.zeros(4096, np.int64), 4095, 0
    for bound in bounds:
        counts[np.intp((bound - low) * scale)] += 1
    while edge > 0 and above + counts[edge] < TRIED:
        above += counts[edge]
        edge -= 1
    free, places = TRIED - above, np.empty(TRIED, np.int64)
    found = 0
    for k in range(len(bounds)):
        at = np.intp((bounds[k] - low) * scale)
        if at > edge or (at == edge and free > 0):
            free -= at == edge
            places[found] = k
            found += 1
    return places[:found]


@njit(cache=True)
def _best_score(clues, guesses, answers, weights, marks, hist):  # type: ignore[no-untyped-def]
    """The largest sum over noisy clues of the largest joint weight, of up to `LANES` guesses, one to a column."""
    keep, flip = np.float32(marks[0]), np.float32(marks[1])
    hist[:] = 0.0
    for lane in range(len(guesses)):
        row = clues[guesses[lane]]
        # From the lightest up, so that the heaviest of a clue is the one that stays.
        for k in range(len(answers) - 1, -1, -1):
            hist[row[answers[k]], lane] = weights[k]
    stride = 1
    while stride < len(hist):
        for start in range(0, len(hist), 3 * stride):
            for at in range(start, start + stride):
                a, b, c = hist[at], hist[at + stride], hist[at + 2 * stride]
                for lane in range(LANES):
                    x, y, z = a[lane], b[lane], c[lane]
                    flipped = flip * max(x, max(y, z))  # no more than the kept one where that is the largest
                    a[lane], b[lane], c[lane] = max(keep * x, flipped), max(keep * y, flipped), max(keep * z, flipped)
        stride *= 3
    for row in hist[1:]:
        for lane in range(LANES):
            hist[0, lane] += row[lane]
    return hist[0, : len(guesses)].max()
