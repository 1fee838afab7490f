"""Scores of guesses by how many answers they leave possible, for games of Wordle that guesses run out of.

Under `Fibble`, and without noise, a clue either rules an answer out or says nothing about it. So all possible answers
stay equally likely, and a position is nothing but the set of them. Then the chance to win with two guesses left comes
from which noisy clues are possible at all, and the best of all guesses is found in a millisecond. That makes it cheap
to look one guess further ahead.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl.checks import numbers
from wordpl.errors import WordplError
from wordpl.model.channel import Channel, Fibble, check_epsilon, make_channel
from wordpl.model.clues import clue_matrix
from wordpl.model.posterior import Posterior
from wordpl.scoring import possible_kernels
from wordpl.scoring.guess_scores import Indices, chosen_guesses, over_threads

Floats = NDArray[np.float64]
Bits = NDArray[np.uint64]


def counts_answers(belief: Posterior, epsilon: float) -> bool:
    """Return whether all possible answers are equally likely and stay so, whatever the clues at `epsilon` (0 to inf).

    So it is under `Fibble` and without noise, from a uniform prior. Raises `WordplError` for another epsilon.
    """
    channel = make_channel(belief.channel, check_epsilon(epsilon), belief.words.length)
    return _lies(channel) is not None and bool((belief.log_weights[belief.possible] == 0.0).all())


def expected_wins(
    belief: Posterior,
    epsilon: float,
    values: Sequence[float] | Floats,
    guesses: Sequence[int] | Indices | None = None,
) -> Floats:
    """Return for each guess what a game is expected to be worth if it ends with the right guess: [guesses].

    The right guess is worth 1. After any other, a position with s possible answers is worth values[s] / s; so
    `values`, [answers + 1], are s times the chance to win, as a function of s. With `guesses`, indices of
    `words.guesses`, only these are scored, in their order. The result is a chance if the values stand for one.

    Raises `WordplError` for a belief and an epsilon for which `counts_answers` is false, values of another shape or
    not finite, and indices out of range.

    >>> import wordpl
    >>> words = wordpl.load_words()
    >>> belief = wordpl.Posterior(words, channel=wordpl.Fibble, right_ends=True)
    >>> in_two = expected_wins(belief, float("inf"), [0] + [1] * len(words.answers))
    >>> words.guesses[int(in_two.argmax())], round(float(in_two.max()) * len(words.answers), 2)
    ('eater', 25.2)
    """
    lies, values = _checked(belief, epsilon), numbers("values", values)
    words = belief.words
    if values.shape != (len(words.answers) + 1,) or not np.isfinite(values).all():
        raise WordplError(f"values are to be {len(words.answers) + 1} finite numbers: one for each number of answers")
    chosen = chosen_guesses(guesses, len(words.guesses))
    possible, scores = belief.possible, np.empty(len(chosen))
    position = _position(belief)
    shares = values / Fibble(length=words.length, lies=lies).noisy_clues

    def part(bounds: slice) -> None:
        possible_kernels.score_counts(*position, chosen[bounds], words.n_clues, lies, shares, scores[bounds])

    over_threads(part, len(chosen), len(chosen) * max(len(possible), words.n_clues))
    return scores / len(possible)


def chances_in_three(belief: Posterior, epsilon: float, guesses: Sequence[int] | Indices) -> Floats:
    """Return for each of `guesses` the exact chance to win by it or by the best two guesses after it: [guesses].

    They are indices of `words.guesses`; the two after it are chosen from all guesses. Each takes some tens of
    milliseconds. Raises `WordplError` for a belief and an epsilon for which `counts_answers` is false, and for indices
    out of range.
    """
    lies = _checked(belief, epsilon)
    chosen = chosen_guesses(guesses, len(belief.words.guesses))
    possible, scores = belief.possible, np.empty(len(chosen))
    position, reached = _position(belief), _reached(belief.words.length, lies)
    noisy_clues = Fibble(length=belief.words.length, lies=lies).noisy_clues
    for place, guess in enumerate(chosen.tolist()):
        left = np.empty(reached.shape[0])

        def part(bounds: slice, guess: int = guess, left: Floats = left) -> None:
            possible_kernels.best_of_two_after(*position, guess, reached, noisy_clues, bounds.start, left[bounds])

        over_threads(part, len(left), len(left) * len(belief.words.guesses))
        scores[place] = (position[1][guess] >= 0) + left.sum() / noisy_clues
    return scores / len(possible)


def _checked(belief: Posterior, epsilon: float) -> int:
    lies = _lies(make_channel(belief.channel, check_epsilon(epsilon), belief.words.length))
    if lies is None or not counts_answers(belief, epsilon):
        raise WordplError("the possible answers are not equally likely, or the channel tells more than whether one is")
    return lies


def _lies(channel: Channel) -> int | None:
    """How many marks of each clue are false; None if that is not a fixed number or they are not drawn evenly."""
    return 0 if channel.exact else channel.false_marks


def _position(belief: Posterior) -> tuple[NDArray[np.integer], NDArray[np.int64]]:
    """The clues of the possible answers, [guesses, possible], and the place of each guess among these, else -1."""
    words, possible = belief.words, belief.possible
    place = np.full(len(words.guesses), -1, dtype=np.int64)
    place[words.answers_as_guesses[possible]] = np.arange(len(possible))
    # A copy: the few columns of the whole matrix that matter would each be a miss of the cache.
    return clue_matrix(words, belief.rule).take(possible, axis=1), place


@lru_cache(maxsize=16)
def _reached(length: int, lies: int) -> Bits:
    """For each true clue, the noisy clues that it can become, a bit each: [3**length, words of 64 bits]."""
    codes = 3**length
    possible = np.asarray(Fibble(length=length, lies=lies).matrix().todense() > 0).T  # [true, noisy]
    padded = np.zeros((codes, 64 * math.ceil(codes / 64)), dtype=np.uint8)
    padded[:, :codes] = possible
    bits = np.packbits(padded, axis=1, bitorder="little").view(np.dtype("<u8")).astype(np.uint64)
    bits.flags.writeable = False
    return bits
