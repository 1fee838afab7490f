"""The ranking of all guesses for a player's screen.

A player waits for the first screen, and loading the compiled kernels takes longer than everything else. So, unless the
caller asks for the kernels, plain numpy computes a ranking by information, and any ranking if clues are exact and the
answers left are equally likely, which needs only the sizes of the parts. The rankings are the same either way.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.model.channel import make_channel
from wordpl.model.clues import Codes, clues_in_blocks
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats, entropy, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.scoring.bounds import contenders, score_bounds, weights_of_guesses
from wordpl.scoring.criteria import CRITERIA

Indices = NDArray[np.intp]

DIGITS = 9
"""Scores that agree to this many decimals are ties."""
_BLOCK = 1_000_000  # histogram entries worked on at a time
_BY_PARTS = {"information_gain", "clue_entropy", "expected_remaining", "expected_top", "parts", "largest_part"}


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

    def score(some: Indices) -> Floats:
        return _scores(belief, epsilon, some, criterion, kernels)

    count = len(guesses) if count is None else count
    bounds = score_bounds(belief, belief.probabilities, channel, criterion, guesses)
    found, scores = contenders(bounds, guesses, score, count, slack=10.0**-DIGITS)
    chances = weights_of_guesses(words, belief.probabilities)
    return found[np.lexsort((found, -chances[found], -scores.round(DIGITS)))][:count]


def _scores(belief: Posterior, epsilon: float, guesses: Indices, criterion: str, kernels: bool) -> Floats:
    """Score of each guess, more is better."""
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    if not kernels:
        if channel.exact and _uniform(belief) and criterion in _BY_PARTS:
            return _by_parts(belief, guesses, criterion)
        if criterion == "information_gain":
            return _by_sums(belief, channel, guesses)
    from wordpl.scoring.guess_scores import score_guesses

    scores = score_guesses(belief, epsilon, criterion, guesses=guesses)
    return scores if CRITERIA[criterion].larger_is_better else -scores


def _by_parts(belief: Posterior, guesses: Indices, criterion: str) -> Floats:
    """Scores from nothing but the sizes of the parts."""
    n = len(belief.possible)
    counts = np.arange(n + 1)
    plogp = counts * np.log2(np.maximum(counts, 1)) / n
    of_sizes: Mapping[str, Callable[[NDArray[Any]], Floats]] = {
        "information_gain": lambda sizes: math.log2(n) - plogp.take(sizes).sum(axis=1),
        "clue_entropy": lambda sizes: math.log2(n) - plogp.take(sizes).sum(axis=1),
        "expected_remaining": lambda sizes: -(sizes * sizes).sum(axis=1) / n,
        "expected_top": lambda sizes: np.count_nonzero(sizes, axis=1) / n,
        "parts": lambda sizes: np.count_nonzero(sizes, axis=1).astype(np.float64),
        "largest_part": lambda sizes: -sizes.max(axis=1).astype(np.float64),
    }
    return _joined(of_sizes[criterion](sizes) for sizes in _by_clue(belief, guesses, None))


def _by_sums(belief: Posterior, channel: Channel, guesses: Indices) -> Floats:
    """Information gain from the probability of each clue."""
    weights = belief.probabilities[belief.possible]

    def gain(true: Floats) -> Floats:
        win = np.zeros(len(true))
        if belief.right_ends:
            win, true[:, -1] = true[:, -1].copy(), 0.0
        bits = entropy(channel.transform(true.T), axis=0) - p_log2_p(win)
        return np.asarray(np.maximum(bits - true @ channel.noise_entropy, 0.0))

    return _joined(gain(true) for true in _by_clue(belief, guesses, weights))


def _by_clue(belief: Posterior, guesses: Indices, weights: Floats | None) -> Iterator[NDArray[Any]]:
    """The number of possible answers that give each true clue, or the sum of their `weights`, as `counts_by_clue`."""
    for clues, rows in clues_in_blocks(belief.words, belief.rule, guesses):
        yield from counts_by_clue(clues, belief.words.n_clues, rows, belief.possible, weights)


def counts_by_clue(
    clues: Codes, codes: int, rows: Indices, columns: Indices, weights: Floats | None = None
) -> Iterator[NDArray[Any]]:
    """Yield the numbers of `columns` by code, or the sum of their `weights`, in blocks of rows: [rows, codes]."""
    step = max(1, _BLOCK // max(len(columns), codes))
    whole = len(rows) == len(clues)  # then a slice will do, where picking rows would copy them
    for start in range(0, len(rows), step):
        batch = clues[start : start + step] if whole else clues[rows[start : start + step]]
        block = batch.take(columns, axis=1).astype(np.intp)
        block += np.arange(len(block))[:, np.newaxis] * codes
        repeated = None if weights is None else np.tile(weights, len(block))
        yield np.bincount(block.ravel(), repeated, len(block) * codes).reshape(len(block), codes)


def _joined(scores: Iterator[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *scores])
