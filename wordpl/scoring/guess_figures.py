"""Figures of a guess for a player's screen, and the ranking of all guesses.

A player waits for the first screen, and loading the compiled kernels takes longer than everything else. So three things
are computed in plain numpy: the figures of the few words on a screen; and, unless the caller asks for the kernels, a
ranking by information, and the ranking of all guesses if clues are exact and the answers left are equally likely, which
needs only the sizes of the parts. The rankings are the same either way.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from wordpl.base.checks import instance, non_negative
from wordpl.base.displays import line_of
from wordpl.base.json_types import Doc
from wordpl.model.channel import Channel, make_channel
from wordpl.model.clues import Codes, clue_row, clues_in_blocks
from wordpl.model.entropy import Floats, entropy, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.model.words import fold_word
from wordpl.scoring.bounds import contenders, score_bounds
from wordpl.scoring.criteria import CRITERIA
from wordpl.scoring.faint import faint

Indices = NDArray[np.intp]

_DIGITS = 9  # scores that agree to this many decimals are ties, or to more where clues tell little
_BLOCK = 1_000_000  # histogram entries worked on at a time
_BY_PARTS = {"information_gain", "clue_entropy", "expected_remaining", "parts", "largest_part"}


@dataclass(frozen=True, slots=True)
class GuessFigures:
    """What a clue to a guess is expected to tell, given a posterior."""

    word: Annotated[str, Doc("The guess.")]
    bits: Annotated[float, Doc("Information gain: the expected fall of the entropy of the posterior, in bits.")]
    clue_entropy: Annotated[float, Doc("Entropy of the clue in bits; the same as `bits` when there is no noise.")]
    expected_remaining: Annotated[float, Doc("Expected effective number of answers after the clue.")]
    chance: Annotated[float, Doc("Chance that the word is the answer.")]
    parts: Annotated[int, Doc("Number of different true clues of the possible answers.")]
    largest_part: Annotated[int, Doc("Possible answers that share the commonest true clue.")]

    def __repr__(self) -> str:
        figures = f"{self.bits:.4f} bits, {self.expected_remaining:.2f} expected remaining, chance {self.chance:.4g}"
        return line_of(self, f"{self.word}: {figures}")


def figures_of(belief: Posterior, epsilon: float, word: str) -> GuessFigures:
    """Return the figures of `word`, in the list or not, asked at `epsilon` (0 to inf)."""
    words, p = belief.words, belief.probabilities
    channel = make_channel(belief.channel, epsilon, words.length)
    row = clue_row(word, words, belief.rule)
    true, squared = (np.bincount(row, weights, words.n_clues) for weights in (p, p * p))
    win = 0.0
    if belief.right_ends:  # to win is one more outcome, in place of the all-correct clue
        win, true[-1], squared[-1] = float(true[-1]), 0.0, 0.0
    noisy, squares = channel.transform(true), channel.transform(squared, power=2)
    if (clue := faint(channel)) is not None:
        outcome = clue.entropy_and_information(np.array([win]), clue.deficits(true[:, np.newaxis]))
        clue_entropy, bits = (float(figure[0]) for figure in outcome)
    else:
        clue_entropy = float(entropy(noisy) + entropy(np.array([win])))
        bits = max(clue_entropy - float(channel.noise_entropy @ true), 0.0)  # below 0 only by rounding
    sizes = np.bincount(row[belief.possible])
    parts = int(np.count_nonzero(sizes))
    if parts == 1:  # the true clue is known: exactly, and not but for a rounding of the probabilities
        clue_entropy, bits = 0.0 if win else float(channel.noise_entropy[sizes.argmax()]), 0.0
    index = words.answer_index.get(word)
    return GuessFigures(
        word=word,
        bits=bits,
        clue_entropy=clue_entropy,
        # P(c) / (sum of P(a|c)**2), summed over clues; the inner sum is squares / P(c)**2.
        expected_remaining=win
        + float((noisy * np.divide(noisy**2, squares, np.zeros_like(noisy), where=squares > 0)).sum()),
        chance=0.0 if index is None else float(p[index]),
        parts=parts,
        largest_part=int(sizes.max()),
    )


def score_word(belief: Posterior, epsilon: float, word: str) -> dict[str, float]:
    """Return the scores of `word`, in the list or not, asked at `epsilon` (0 to inf) under `belief`: a number for each
    criterion.

    They are those of `score_guesses` up to rounding, for all criteria but `renyi`. It scores one word in plain numpy,
    so it does not wait for the compiled kernels.

    Raises `WordplError` for an epsilon out of range, and for a word of another length.

    >>> import wordpl
    >>> scores = wordpl.score_word(wordpl.Posterior(wordpl.load_words()), 12.3, "crate")
    >>> round(scores["clue_entropy"], 3), round(scores["expected_top"], 5)
    (6.746, 0.03057)
    """
    instance("belief", belief, Posterior)
    figures = figures_of(belief, non_negative("epsilon", epsilon), word)
    return {
        "clue_entropy": figures.clue_entropy,
        "information_gain": figures.bits,
        "expected_top": _expected_top(belief, epsilon, word),
        "expected_remaining": figures.expected_remaining,
        "largest_part": float(figures.largest_part),
        "parts": float(figures.parts),
    }


def _expected_top(belief: Posterior, epsilon: float, word: str) -> float:
    """Sum over noisy clues of the largest joint weight: the channel with (max, x) in place of (+, x)."""
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    index = belief.words.answer_index.get(fold_word(word))
    win = float(belief.probabilities[index]) if belief.right_ends and index is not None else 0.0
    return win + float(channel.transform(belief.largest_by_clue(word), largest=True).sum())


def effective(belief: Posterior) -> float:
    """Return how many equally likely answers would be as hard to guess: 1 / (sum of P(answer)**2)."""
    if _uniform(belief):
        return float(len(belief.possible))
    return 1.0 / float(np.square(belief.probabilities).sum())


def _uniform(belief: Posterior) -> bool:
    """Whether the answers that are left are equally likely."""
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
    decimals = _decimals(channel, criterion)
    if criterion == "clue_entropy" and decimals > _DIGITS:
        criterion = "information_gain"  # the same order, of which the entropy has too few digits

    def score(some: Indices) -> Floats:
        return _scores(belief, epsilon, some, criterion, kernels)

    count = len(guesses) if count is None else count
    bounds = score_bounds(belief, belief.probabilities, channel, criterion, guesses)
    found, scores = contenders(bounds, guesses, score, count, slack=10.0**-decimals)
    chances = np.zeros(len(words.guesses))
    chances[words.answers_as_guesses] = belief.probabilities
    return found[np.lexsort((found, -chances[found], -scores.round(decimals)))][:count]


def _decimals(channel: Channel, criterion: str) -> int:
    """To how many decimals scores are compared: more where the information of a clue, about excess**2, is small."""
    excess, bits = getattr(channel, "excess", 1.0), criterion in ("information_gain", "clue_entropy", "renyi")
    if not 0 < excess < 1 or not (bits or faint(channel) is not None):  # if faint, the other scores have ties already
        return _DIGITS
    return _DIGITS - math.ceil(2 * math.log10(excess))


def _scores(belief: Posterior, epsilon: float, guesses: Indices, criterion: str, kernels: bool) -> Floats:
    """Score of each guess, more is better."""
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    if not kernels:
        if channel.exact and _uniform(belief) and criterion in _BY_PARTS:
            return _by_parts(belief, guesses, criterion)
        if criterion == "information_gain":
            return _by_sums(belief, channel, guesses)
        if criterion == "expected_top" and (channel.exact or channel.false_marks is not None) and _uniform(belief):
            return _by_presence(belief, channel, guesses)
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
        "parts": lambda sizes: np.count_nonzero(sizes, axis=1).astype(np.float64),
        "largest_part": lambda sizes: -sizes.max(axis=1).astype(np.float64),
    }
    return _joined(of_sizes[criterion](sizes) for sizes in _by_clue(belief, guesses, None))


def _by_sums(belief: Posterior, channel: Channel, guesses: Indices) -> Floats:
    """Information gain from the probability of each clue."""
    weights, clue = belief.probabilities[belief.possible], faint(channel)

    def gain(true: Floats) -> Floats:
        win = np.zeros(len(true))
        if belief.right_ends:
            win, true[:, -1] = true[:, -1].copy(), 0.0
        if clue is not None:
            return clue.entropy_and_information(win, clue.deficits(np.ascontiguousarray(true.T)))[1]
        bits = entropy(channel.transform(true.T), axis=0) - p_log2_p(win)
        return np.asarray(np.maximum(bits - true @ channel.noise_entropy, 0.0))

    return _joined(gain(true) for true in _by_clue(belief, guesses, weights))


def _by_presence(belief: Posterior, channel: Channel, guesses: Indices) -> Floats:
    """Expected top posterior, from which clues are possible at all: the answers left are equally likely."""
    p = float(belief.probabilities.max())

    def top(sizes: NDArray[Any]) -> Floats:
        win = np.zeros(len(sizes))
        if belief.right_ends:
            win, sizes[:, -1] = p * sizes[:, -1], 0
        present = (sizes.T > 0).astype(np.float64)
        return np.asarray(win + p * channel.transform(present, largest=True).sum(axis=0))

    return _joined(top(sizes) for sizes in _by_clue(belief, guesses, None))


def _by_clue(belief: Posterior, guesses: Indices, weights: Floats | None) -> Iterator[NDArray[Any]]:
    """The number of possible answers that give each true clue, or the sum of their `weights`, as `counts_by_clue`."""
    for clues, rows in clues_in_blocks(belief.words, belief.rule, guesses):
        yield from counts_by_clue(clues, belief.words.n_clues, rows, belief.possible, weights)


def counts_by_clue(
    clues: Codes, codes: int, rows: Indices, columns: Indices, weights: Floats | None = None
) -> Iterator[NDArray[Any]]:
    """How many `columns` of a row have each code, or the sum of their `weights`, some rows at a time: [some, codes]."""
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
