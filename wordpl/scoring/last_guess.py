"""The best guess for the last clue before the proposal, found without scoring every guess in full.

The chance to be right after a clue is the sum over noisy clues of the largest joint weight. An answer
whose weight is below e^-epsilon of the heaviest can never be the one on top, for that is what the
privacy of the clue means, so it is left out; and nearly all guesses are ruled out by a bound. Neither
changes the result.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from wordpl.errors import WordplError
from wordpl.model.channel import Channel
from wordpl.model.clues import clue_matrix, packed_clues
from wordpl.model.words import WordList
from wordpl.scoring import kernels, last_guess_kernels
from wordpl.scoring.kernels import IDENTITY, PER_MARK, Noise

Floats = NDArray[np.float64]

# Beyond what rounding in single precision can do to a sum of 243 (3**6: 729) non-negative terms.
_SLACK = 1e-4
# Two bits a mark: a table over pairs of clues has 4**length entries.
MOST_MARKS = 6


class LastGuess(NamedTuple):
    """A guess for the last clue, and what it is worth."""

    guess: int
    """Index into `words.guesses`: the first of the best."""
    value: float
    """Sum over noisy clues of the largest joint weight; of a posterior, the chance to be right."""


class EvenMarks(NamedTuple):
    """A channel that treats all marks alone and alike, and their flips evenly."""

    keep: float
    flip: float
    """P(a mark becomes one given other mark)."""

    @property
    def matrix(self) -> Floats:
        """[3, 3], noisy mark by true mark."""
        marks = np.full((3, 3), self.flip)
        np.fill_diagonal(marks, self.keep)
        return marks


def even_marks(channel: Channel) -> EvenMarks | None:
    """The channel as `EvenMarks`, or None if it is more than that."""
    marks = channel.mark_matrix
    if marks is None:
        return None
    even = EvenMarks(float(marks[0, 0]), float(marks[0, 1]))
    return even if np.array_equal(marks, even.matrix) and even.keep >= even.flip else None


def in_play(weights: Floats, even: EvenMarks, length: int, least: float = 0.0) -> NDArray[np.int64]:
    """Answers that may come out on top of one more clue, the heaviest first: indices.

    With `least`, those below that part of the heaviest are left out too, which is no longer exact.
    """
    top = float(weights.max())
    # A little less than the exact ratio, so that rounding drops nothing that ties.
    ratio = (even.flip / even.keep) ** length * (1.0 - 1e-9)
    kept = np.flatnonzero((weights >= top * max(ratio, least)) & (weights > 0))
    return np.asarray(kept[np.argsort(-weights[kept], kind="stable")], dtype=np.int64)


def best_last_guess(
    weights: Floats, channel: Channel, words: WordList, rule: str, least: float = 0.0
) -> LastGuess | None:
    """The guess with the largest expected top weight after a clue through `channel`.

    `weights` [answers] are non-negative and of any scale. The same guess as the first best of
    `score_guesses(…, criterion="expected_top")`, several times sooner. With
    `least`, answers below that part of the heaviest play no part in the choice; the value is that
    of the chosen guess either way. None for a channel or length that this cannot do.
    """
    even = even_marks(channel)
    if even is None or words.length > MOST_MARKS:
        return None
    weights = np.asarray(weights, dtype=np.float64)
    if weights.shape != (len(words.answers),) or not (np.isfinite(weights).all() and (weights >= 0).all()):
        raise WordplError(f"one weight from 0 up for each of the {len(words.answers)} answers is expected")
    if not weights.any():
        raise WordplError("the weights are all zero; one above 0 is expected")
    keep, flip = np.float32(even.keep), np.float32(even.flip)
    support = in_play(weights, even, words.length, least)
    clues, codes = clue_matrix(words, rule), words.n_clues
    top = weights[support[0]]
    light = (weights[support] / top).astype(np.float32)
    scores = np.empty(len(words.guesses), np.float32)
    packed, code_of = packed_clues(words, rule), codes_of_packed(words.length)
    last_guess_kernels.search_top(clues, packed, code_of, support, light, keep, flip, codes, np.float32(_SLACK), scores)
    near = np.flatnonzero(scores >= scores.max() * (1.0 - _SLACK))
    exact = in_play(weights, even, words.length) if least else support
    values = np.empty(len(near))
    kernels.score_top(clues, near, exact, weights[exact], _noise(even), codes, values)
    best = int(values.argmax())
    return LastGuess(int(near[best]), float(values[best]))


def _noise(even: EvenMarks) -> Noise:
    none = np.empty(0, dtype=np.int64)
    return Noise(PER_MARK if even.flip else IDENTITY, even.matrix, none, none, np.empty(0))


@lru_cache(maxsize=4)
def codes_of_packed(length: int) -> NDArray[np.uint16]:
    """The code of a clue of two bits a mark: uint16 [4**length]; for bits that stand for no mark, any."""
    bits = np.arange(4**length)
    return np.asarray(sum((bits >> 2 * k & 3) % 3 * 3**k for k in range(length)), dtype=np.uint16)


@lru_cache(maxsize=4)
def differing_in_packed(length: int) -> NDArray[np.uint8]:
    """How many of `length` pairs of bits are not both zero: uint8 [4**length]."""
    bits = np.arange(4**length)
    return np.asarray(sum(((bits >> 2 * k) & 3 > 0).astype(np.uint8) for k in range(length)), dtype=np.uint8)
