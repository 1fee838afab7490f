"""Figures of a guess for a player's screen, and the ranking of all guesses.

A player waits for the first screen, and loading the compiled kernels takes longer than everything else. So three things
are computed in plain numpy: the figures of the few words on a screen; and, unless the caller asks for the kernels, a
ranking by information, and the ranking of all guesses if clues are exact and the answers left are equally likely, which
needs only the sizes of the parts. The rankings are the same either way. The ranking before the first clue is stored on
disk.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wordpl.displays import line_of
from wordpl.errors import WordplError, nearest
from wordpl.model.channel import Channel, RandomizedResponse, check_epsilon, make_channel
from wordpl.model.clues import clue_matrix, clue_row
from wordpl.model.entropy import entropy, p_log2_p
from wordpl.model.lies import clues_at_distance, largest_at_distance
from wordpl.model.posterior import Posterior
from wordpl.scoring.criteria import CRITERIA
from wordpl.storage import arrays

Floats = NDArray[np.float64]
Indices = NDArray[np.intp]

OPENING_VERSION = 1  # part of the name of a kept ranking: raise it when the order of words changes
_KEPT = 100  # words of a ranking that are kept
_SPOT_CHECKS = 32
_DIGITS = 9  # scores that agree to this many decimals are ties
_BLOCK = 1_000_000  # histogram entries worked on at a time


@dataclass(frozen=True, slots=True)
class GuessFigures:
    """What a clue to a guess is expected to tell, given a posterior."""

    word: str
    bits: float
    """Information gain: the expected fall of the entropy of the posterior."""
    clue_entropy: float
    """Entropy of the clue in bits; the same as `bits` when there is no noise."""
    expected_remaining: float
    """Expected effective number of answers after the clue."""
    chance: float
    """P(the word is the answer)."""
    parts: int
    """Number of different true clues of the possible answers."""
    largest_part: int
    """Possible answers that share the commonest true clue."""

    def score(self, criterion: str) -> float:
        """Return the score by one of `_SCORES`; more is better."""
        return _SCORES[criterion](self)

    def __repr__(self) -> str:
        told = f"{self.bits:.4f} bits, {self.expected_remaining:.2f} expected remaining, chance {self.chance:.4g}"
        return line_of(self, f"{self.word}: {told}")


_SCORES: Mapping[str, Callable[[GuessFigures], float]] = {
    "information_gain": lambda figures: figures.bits,
    "clue_entropy": lambda figures: figures.clue_entropy,
    "expected_remaining": lambda figures: -figures.expected_remaining,
    "parts": lambda figures: figures.parts,
    "largest_part": lambda figures: -figures.largest_part,
}


def check_criterion(criterion: str) -> str:
    """Return `criterion` if guesses can be ranked by it. Raises `WordplError`, with the nearest one, if not."""
    if criterion not in CRITERIA:
        raise WordplError(f"unknown criterion {criterion!r}: {nearest(criterion, CRITERIA)}")
    return criterion


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
    clue_entropy = float(entropy(noisy) + entropy(np.array([win])))
    sizes = np.bincount(row[belief.possible])
    index = words.answer_index.get(word)
    return GuessFigures(
        word=word,
        # Information is never negative; at tiny epsilons the difference is all rounding.
        bits=max(clue_entropy - float(channel.noise_entropy @ true), 0.0),
        clue_entropy=clue_entropy,
        # P(c) / (sum of P(a|c)**2), summed over clues; the inner sum is squares / P(c)**2.
        expected_remaining=win
        + float((noisy * np.divide(noisy**2, squares, np.zeros_like(noisy), where=squares > 0)).sum()),
        chance=0.0 if index is None else float(p[index]),
        parts=int(np.count_nonzero(sizes)),
        largest_part=int(sizes.max()),
    )


def score_word(belief: Posterior, epsilon: float, word: str) -> dict[str, float]:
    """Return the scores of `word`, in the list or not, asked at `epsilon` (0 to inf): a number for each criterion.

    They are those of `score_guesses` up to rounding, for all criteria but `renyi`. It scores one word in plain numpy,
    so it does not wait for the compiled kernels.

    Raises `WordplError` for an epsilon out of range, and for a word of another length.

    >>> import wordpl
    >>> scores = wordpl.score_word(wordpl.Posterior(wordpl.load_words()), 12.3, "crate")
    >>> round(scores["clue_entropy"], 3), round(scores["expected_top"], 5)
    (6.746, 0.03057)
    """
    figures = figures_of(belief, check_epsilon(epsilon), word)
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
    top = belief.largest_by_clue(word)
    marks, index = channel.mark_matrix, belief.words.answer_index.get(word.lower())
    win = float(belief.probabilities[index]) if belief.right_ends and index is not None else 0.0
    if marks is None and channel.false_marks is not None:
        tops = largest_at_distance(top[:, np.newaxis], channel.length, channel.false_marks)
        return win + float(tops.sum()) / clues_at_distance(channel.length, channel.false_marks)
    if marks is None:
        return win + float(channel.matrix().multiply(top).max(axis=1).sum())
    for _ in range(channel.length):
        # Each pass takes the first mark through the channel and puts it last.
        top = (marks[:, :, np.newaxis] * top.reshape(3, -1)).max(axis=1).T.ravel()
    return win + float(top.sum())


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
    *,
    kernels: bool = False,
) -> Indices:
    """Return the guesses from best to worst, as indices of `words.guesses`: [guesses], or those `allowed` (rising).

    Ties go to the likelier answer, then to the alphabet. With `kernels`, the compiled kernels do the work. They are
    several times faster, but loading them takes seconds; see `load_kernels`.
    """
    words = belief.words
    guesses = np.arange(len(words.guesses)) if allowed is None else allowed
    scores = _scores(belief, epsilon, guesses, criterion, kernels)
    chances = np.zeros(len(words.guesses))
    chances[words.answers_as_guesses] = belief.probabilities
    return guesses[np.lexsort((guesses, -chances[guesses], -scores.round(_DIGITS)))]


def _scores(belief: Posterior, epsilon: float, guesses: Indices, criterion: str, kernels: bool) -> Floats:
    """Score of each guess, more is better."""
    if not kernels:
        channel = make_channel(belief.channel, epsilon, belief.words.length)
        if channel.exact and _uniform(belief) and criterion in _SCORES:
            return _by_parts(belief, guesses, criterion)
        if criterion == "information_gain":
            return _by_sums(belief, channel, guesses)
        if criterion == "expected_top" and channel.false_marks is not None and _uniform(belief):
            return _by_presence(belief, channel, channel.false_marks, guesses)
    return _by_kernels(belief, epsilon, guesses, criterion)


def load_kernels() -> None:
    """Load the compiled kernels, so that the first ranking by them comes at once."""
    importlib.import_module("wordpl.scoring.guess_scores")


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
    weights = belief.probabilities[belief.possible]

    def gain(true: Floats) -> Floats:
        win = np.zeros(len(true))
        if belief.right_ends:
            win, true[:, -1] = true[:, -1].copy(), 0.0
        bits = entropy(channel.transform(true.T), axis=0) - p_log2_p(win)
        return np.asarray(np.maximum(bits - true @ channel.noise_entropy, 0.0))

    return _joined(gain(true) for true in _by_clue(belief, guesses, weights))


def _by_presence(belief: Posterior, channel: Channel, lies: int, guesses: Indices) -> Floats:
    """Expected top posterior, from which clues are possible at all: the answers left are equally likely."""
    p = float(belief.probabilities.max())
    of_clue = p / clues_at_distance(channel.length, lies)

    def top(sizes: NDArray[Any]) -> Floats:
        win = np.zeros(len(sizes))
        if belief.right_ends:
            win, sizes[:, -1] = p * sizes[:, -1], 0
        present = (sizes.T > 0).astype(np.float64)
        return np.asarray(win + of_clue * largest_at_distance(present, channel.length, lies).sum(axis=0))

    return _joined(top(sizes) for sizes in _by_clue(belief, guesses, None))


def _by_kernels(belief: Posterior, epsilon: float, guesses: Indices, criterion: str) -> Floats:
    from wordpl.scoring.guess_scores import score_guesses

    scores = score_guesses(belief, epsilon, criterion, guesses=guesses)
    return scores if CRITERIA[criterion].larger_is_better else -scores


def _by_clue(belief: Posterior, guesses: Indices, weights: Floats | None) -> Iterator[NDArray[Any]]:
    """The number of possible answers that give each true clue, or the sum of their `weights`.

    Some guesses at a time: [some, codes].
    """
    clues, support, codes = clue_matrix(belief.words, belief.rule), belief.possible, belief.words.n_clues
    step = max(1, _BLOCK // max(len(support), codes))
    whole = len(guesses) == len(clues)  # then a slice will do, where picking rows would copy them
    for start in range(0, len(guesses), step):
        rows = clues[start : start + step] if whole else clues[guesses[start : start + step]]
        block = rows.take(support, axis=1).astype(np.intp)
        block += np.arange(len(block))[:, np.newaxis] * codes
        repeated = None if weights is None else np.tile(weights, len(block))
        yield np.bincount(block.ravel(), repeated, len(block) * codes).reshape(len(block), codes)


def _joined(scores: Iterator[Floats]) -> Floats:
    return np.concatenate([np.empty(0), *scores])


def opening(belief: Posterior, epsilon: float, criterion: str, n: int, *, kernels: bool = False) -> list[GuessFigures]:
    """Return the figures of the `n` best first guesses: from the stored ranking if it is valid, else ranked again.

    `belief` must be the uniform prior of its list and rule. `kernels` is as in `ranking`; with them nothing is stored,
    since ranking is as fast as reading and checking.
    """
    words = belief.words
    # The name of a stored ranking tells neither channel nor format; without noise, all formats rank alike.
    stored = belief.channel is RandomizedResponse and not (belief.right_ends and epsilon < math.inf)
    if kernels or not stored:
        best = ranking(belief, epsilon, criterion, kernels=kernels)[:n]
        return [figures_of(belief, epsilon, words.guesses[i]) for i in best]
    name = f"opening-v{OPENING_VERSION}-{belief.rule}-{criterion}-{epsilon!r}-{words.digest}.txt"
    path = arrays.directory() / name
    kept = _load(path) if criterion in _SCORES and n <= _KEPT else None
    if kept is not None and len(kept) == min(_KEPT, len(words.guesses)):
        shown = _checked(belief, epsilon, criterion, kept[:n])
        if shown is not None:
            return shown
    ranked = [words.guesses[i] for i in ranking(belief, epsilon, criterion)]
    if criterion in _SCORES:
        _save(path, ranked[:_KEPT])
    return [figures_of(belief, epsilon, word) for word in ranked[:n]]


def _checked(belief: Posterior, epsilon: float, criterion: str, kept: Sequence[str]) -> list[GuessFigures] | None:
    """Return fresh figures of the stored words; None if they are out of order or a randomly drawn word beats them."""
    guesses, index = belief.words.guesses, belief.words.guess_index
    if len(set(kept)) < len(kept) or any(word not in index for word in kept):
        return None

    def place(of: GuessFigures) -> tuple[float, float, int]:
        return -round(of.score(criterion), _DIGITS), -of.chance, index[of.word]

    shown = [figures_of(belief, epsilon, word) for word in kept]
    drawn = {guesses[i] for i in np.random.default_rng().integers(0, len(guesses), _SPOT_CHECKS)}
    last = place(shown[-1])
    if any(place(figures_of(belief, epsilon, word)) < last for word in drawn.difference(kept)):
        return None
    return shown if shown == sorted(shown, key=place) else None


def _load(path: Path) -> list[str] | None:
    try:
        # A named pipe or a directory is not ours, and opening a pipe would wait for a writer.
        return path.read_text("utf-8").split() if path.is_file() else None
    except (OSError, ValueError):
        return None


def _save(path: Path, words: Sequence[str]) -> None:
    """Store a ranking, one word a line. Does nothing if the cache cannot be written."""
    try:
        text = "".join(f"{word}\n" for word in words)
        arrays.write_whole(path, lambda file: file.write(text.encode()))
    except OSError:
        return
