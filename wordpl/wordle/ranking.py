"""The ranking of all guesses for a player's screen.

A player waits for the first screen, and loading the compiled kernels takes longer than everything else. So, unless the
caller asks for the kernels, plain numpy computes a ranking. The rankings are the same either way.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.channel import make_channel
from wordpl.model.clues import Codes, clues_in_blocks
from wordpl.model.entropy import Floats, entropy, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.scoring.bounds import contenders, score_bounds, weights_of_guesses
from wordpl.scoring.criteria import CRITERIA

Indices = NDArray[np.intp]

DIGITS = 9
"""Scores that agree to this many decimals are ties."""
_BLOCK = 1_000_000  # histogram entries worked on at a time


def effective(belief: Posterior) -> float:
    """Return how many equally likely answers would be as hard to guess: 1 / (sum of P(answer)**2)."""
    if _uniform(belief):
        return float(len(belief.possible))
    return 1.0 / float(np.square(belief.probabilities).sum())


def _uniform(belief: Posterior) -> bool:
    """Return whether the answers that are left are equally likely."""
    return float(np.ptp(belief.log_weights[belief.possible])) == 0.0


def ranking(
    belief: Posterior,
    epsilon: float,
    criterion: str = "information_gain",
    allowed: Indices | None = None,
    count: int | None = None,
    *,
    kernels: bool = False,
) -> Indices:
    """Return the `count` best guesses, or all, the best first, as indices of `words.guesses`; of those `allowed`, if
    given (rising).

    Ties go to the likelier answer, then to the alphabet. With `kernels`, the compiled kernels do the work. They are
    several times faster, but the first ranking by them loads them, which takes seconds.
    """
    words = belief.words
    guesses = np.arange(len(words.guesses)) if allowed is None else allowed
    channel = make_channel(belief.channel, epsilon, words.length)

    def score(some: Indices) -> Floats:  # more is better
        if not kernels:
            scores = plain_scores(belief, epsilon, some, criterion)
        else:
            from wordpl.scoring.guess_scores import score_guesses

            scores = score_guesses(belief, epsilon, criterion, guesses=some)
        return scores if CRITERIA[criterion].larger_is_better else -scores

    count = len(guesses) if count is None else count
    bounds = score_bounds(belief, belief.probabilities, channel, criterion, guesses)
    found, scores = contenders(bounds, guesses, score, count, slack=10.0**-DIGITS)
    chances = weights_of_guesses(words, belief.probabilities)
    return found[np.lexsort((found, -chances[found], -scores.round(DIGITS)))][:count]


def plain_scores(belief: Posterior, epsilon: float, guesses: Indices, criterion: str) -> Floats:
    """Return the scores of `guesses` as `score_guesses` does, up to rounding, in plain numpy: [guesses]."""
    channel, p = make_channel(belief.channel, epsilon, belief.words.length), belief.probabilities[belief.possible]

    def by_clue(weights: Floats | None, largest: bool = False) -> Iterator[NDArray[Any]]:
        for clues, rows in clues_in_blocks(belief.words, belief.rule, guesses):
            yield from counts_by_clue(clues, belief.words.n_clues, rows, belief.possible, weights, largest=largest)

    def without_win(true: Floats) -> tuple[Floats, Floats]:
        """The weights of the true clues if the game goes on, [clues, guesses], and that of a win."""
        win = np.zeros(len(true))
        if belief.right_ends:
            win, true[:, -1] = true[:, -1].copy(), 0.0
        return true.T, win

    def bits(block: Floats) -> Floats:
        true, win = without_win(block)
        entropies = entropy(channel.transform(true), axis=0) - p_log2_p(win)
        if criterion == "clue_entropy":
            return np.asarray(entropies)
        return np.asarray(np.maximum(entropies - channel.noise_entropy @ true, 0.0))

    def top(block: Floats) -> Floats:
        true, win = without_win(block)
        return np.asarray(channel.transform(true, largest=True).sum(axis=0) + win)

    def renyi(block: Floats) -> Floats:
        true, win = without_win(block)
        sums = np.sqrt(channel.transform(true, power=2)).sum(axis=0) + np.sqrt(win)
        return np.asarray(np.maximum(2.0 * np.log2(sums) - math.log2(float(p @ p)), 0.0))

    def remaining(block: Floats, squared: Floats) -> Floats:
        (true, win), (squares, _) = without_win(block), without_win(squared)
        noisy, squares = channel.transform(true), channel.transform(squares, power=2)
        return np.asarray(np.divide(noisy**3, squares, np.zeros_like(noisy), where=squares > 0).sum(axis=0) + win)

    if criterion == "expected_top" and channel.exact and _uniform(belief):  # which is faster
        return plain_scores(belief, epsilon, guesses, "parts") / len(p)
    if criterion == "expected_remaining":
        return _joined(map(remaining, by_clue(p), by_clue(p * p)))
    blocks: dict[str, Iterator[Floats]] = {
        "expected_top": map(top, by_clue(p, largest=True)),
        "renyi": map(renyi, by_clue(p * p)),
        "parts": (np.count_nonzero(sizes, axis=1).astype(np.float64) for sizes in by_clue(None)),
        "largest_part": (sizes.max(axis=1).astype(np.float64) for sizes in by_clue(None)),
    }
    return _joined(blocks.get(criterion) or map(bits, by_clue(p)))


def counts_by_clue(
    clues: Codes,
    codes: int,
    rows: Indices,
    columns: Indices,
    weights: Floats | None = None,
    *,
    largest: bool = False,
) -> Iterator[NDArray[Any]]:
    """Yield the numbers of `columns` by code, or the sum of their `weights`, in blocks of rows: [rows, codes].

    With `largest`, their largest weight in place of the sum.
    """
    step = max(1, _BLOCK // max(len(columns), codes))
    whole = len(rows) == len(clues)  # then a slice will do, where picking rows would copy them
    for start in range(0, len(rows), step):
        batch = clues[start : start + step] if whole else clues[rows[start : start + step]]
        block = batch.take(columns, axis=1).astype(np.intp)
        block += np.arange(len(block))[:, np.newaxis] * codes
        repeated = None if weights is None else np.tile(weights, len(block))
        if largest and repeated is not None:
            found: NDArray[Any] = np.zeros(len(block) * codes)
            np.maximum.at(found, block.ravel(), repeated)
        else:
            found = np.bincount(block.ravel(), repeated, len(block) * codes)
        yield found.reshape(len(block), codes)


def _joined(scores: Iterator[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *scores])
