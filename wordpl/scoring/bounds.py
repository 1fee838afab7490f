"""Bounds on what a clue can tell, from its marks one by one, and the search for the best guesses by them.

The entropy of a noisy clue is at most the sum of the entropies of its noisy marks. A mark depends on its letter and its
place, and under the counted rule on the other places of the letter. So the contest's 12,972 guesses have only 130 or
600 kinds of marks. A sum over the answers for each kind bounds all entropies, and a guess whose bound is below the best
scores is not scored.
"""

from collections.abc import Callable, Sequence
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl.model.clues import clue_rows, clues_at_distance
from wordpl.model.distance_channel import Channel, DistanceChannel
from wordpl.model.entropy import Floats, entropy, p_log2_p
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList, letters_of

Indices = NDArray[np.intp]

# Rounding takes a bound below the score by far less than this.
_ROUNDING = 1e-9
TIE = 1e-12
"""Scores that are nearer to each other are ties."""
# So many guesses are scored first, or eight times as many as are wanted.
_FIRST = 32


def weights_of_guesses(words: WordList, weights: Floats) -> Floats:
    """Return the weight that each guess has as an answer, given those of the answers: [guesses], 0 where it is none."""
    of_guesses = np.zeros(len(words.guesses))
    of_guesses[words.answers_as_guesses] = weights
    return of_guesses


def falling(scores: Floats, count: int) -> Indices:
    """Return the places of the `count` largest of `scores`, the largest first, and what ties with it in order."""
    places, at = np.argsort(-scores, kind="stable"), 0
    rising = -scores[places]
    while at < min(count, len(places)):
        tied = int(np.searchsorted(rising, rising[at] + TIE, side="right"))
        places[at:tied].sort()
        at = tied
    return places[:count]


def contenders(
    bounds: Floats | None,
    guesses: Indices,
    score: Callable[[Indices], Floats],
    count: int,
    slack: float = 0.0,
    tighter: Sequence[Callable[[Indices], Floats]] = (),
) -> tuple[Indices, Floats]:
    """Return those of `guesses` that can be among the `count` best, in the order given, and their scores.

    `score(guesses)` returns scores, more is better, and `bounds` [guesses] are never below them; None if no bound is
    known. All guesses whose score is within `slack` of the last of the `count` best are contenders, too.
    `tighter` are functions that return bounds nearer to the scores, each for the guesses that those before it leave.
    """
    first = max(_FIRST, 8 * count)
    if bounds is None:
        return guesses, score(guesses)
    others, found, scores = np.arange(len(guesses)), np.empty(0, np.intp), np.empty(0)
    for bound in (None, *tighter):
        if len(others) <= first:
            break
        most = bounds if bound is None else bound(guesses[others])
        rising = -most.astype(np.float32)  # which are parted in a quarter of the time
        likely = np.flatnonzero(rising <= np.partition(rising, first)[first])
        likely = likely[rising[likely].argsort(kind="stable")][:first]
        found, scores = np.append(found, others[likely]), np.append(scores, score(guesses[others[likely]]))
        least = np.partition(scores, -count)[-count] - slack - _ROUNDING
        most[likely] = -np.inf
        others = others[most >= least]
    found, scores = np.append(found, others), np.append(scores, score(guesses[others]))
    order = found.argsort()
    return guesses[found[order]], scores[order]


def score_bounds(
    belief: Posterior, weights: Floats, channel: Channel, criterion: str, guesses: Indices
) -> Floats | None:
    """Return upper bounds of the scores of `guesses`: [guesses], or None where none are known.

    `weights` [answers] are what the guesses are scored by. Entropy and information have bounds, under channels that do
    the same to each mark.
    """
    marks = noisy_marks(channel)
    if criterion not in ("clue_entropy", "information_gain") or marks is None:
        return None
    words = belief.words
    kinds = mark_kinds(words, belief.rule)
    chances = kinds.chances(weights)
    by_kind = entropy(chances @ marks.T, axis=1)
    of_guesses = kinds.of_guesses.take(guesses, axis=1)
    bounds = by_kind.take(of_guesses).sum(axis=0)
    wins = np.zeros(len(guesses))
    if belief.right_ends:
        # That the guess is right is an outcome of its own, and the marks tell of the other answers.
        wins = weights_of_guesses(words, weights)[guesses]
        right = np.flatnonzero(wins)
        missed = chances[of_guesses[:, right]] - wins[right, np.newaxis] * [0.0, 0.0, 1.0]
        bounds[right] = -p_log2_p(wins[right]) - p_log2_p(missed @ marks.T).sum(axis=(0, 2))
        bounds[right] += (words.length - 1) * p_log2_p(1.0 - wins[right])
    if criterion == "information_gain":
        bounds -= channel.noise_entropy[0] * (1.0 - wins)
    return np.asarray(bounds)


def noisy_marks(channel: Channel) -> Floats | None:
    """P(noisy mark given true mark), if it is the same for all marks and clues: [3, 3], noisy by true."""
    marks = channel.mark_matrix
    if marks is not None or not isinstance(channel, DistanceChannel):
        return marks if channel.symmetric else None
    others = channel.length - 1
    kept = sum(channel.levels[wrong] * clues_at_distance(others, wrong) for wrong in range(channel.length))
    return np.where(np.eye(3) == 1.0, float(kept), (1.0 - float(kept)) / 2.0)


def keep_and_flip(marks: Floats | None) -> tuple[float, float] | None:
    """P(a mark is kept) and P(it becomes one given other mark), from `noisy_marks`; None if these differ by mark."""
    if marks is None or not np.array_equal(marks, np.where(np.eye(3) == 1.0, marks[0, 0], marks[0, 1])):
        return None
    return float(marks[0, 0]), float(marks[0, 1])


class MarkKinds:
    """The kinds of marks of a word list and a rule, and the answers for which each kind is present or correct.

    A mark depends on the places that its letter has in the guess and in the answer, so on one of 2**length sets of
    places for each answer.
    """

    def __init__(self, words: WordList, rule: str) -> None:
        length = words.length
        _, letters = np.unique(letters_of(words.guesses), return_inverse=True)
        letters = letters.reshape(-1, length).T
        spots = np.zeros_like(letters)
        for place in range(length):
            spots |= (letters == letters[place]).astype(np.int64) << place
        shown = spots if rule == "counted" else np.broadcast_to(1 << np.arange(length)[:, np.newaxis], spots.shape)
        kinds = ((letters << length) + shown) * length + np.arange(length)[:, np.newaxis]
        unique, inverse = np.unique(kinds, return_inverse=True)
        self.of_guesses = inverse.reshape(kinds.shape)
        """The kind of each mark: [length, guesses]."""
        self._letters, sets, places = unique // length >> length, unique // length & (2**length - 1), unique % length
        every = tuple(_spelt(places, "ac", length) for places in range(2**length))
        row_of = clue_rows(WordList("sets of places", every, every), rule)
        rows = {places: row_of(_spelt(places, "ab", length)) for places in {*sets.tolist()}}
        self._marks = np.array(
            [rows[of] // 3 ** (length - 1 - at) % 3 for of, at in zip(sets.tolist(), places.tolist(), strict=True)],
            dtype=np.uint8,
        )
        # A letter of an answer counts once, at its first place.
        own = letters[:, words.answers_as_guesses], spots[:, words.answers_as_guesses]
        first = own[1] & ((1 << np.arange(length)[:, np.newaxis]) - 1) == 0
        own_spots = (own[0] << length) + own[1]
        self._answers, self._spots = np.nonzero(first)[1], own_spots[first]
        self._size = int(letters.max()) + 1 << length
        self._places = np.where(first, own_spots, 0).T.astype(np.uint32)

    @cached_property
    def cells(self) -> tuple[NDArray[np.uint32], NDArray[np.uint32], NDArray[np.uint32]]:
        """For each answer its letters, [answers, length], and by letter the kinds of marks that it makes: the cells of
        a letter stand from its start to the next one. They are 2 kind if present, 2 kind + 1 if correct."""
        kinds, spots = np.nonzero(self._marks)
        letters = self._letters[kinds] * self._marks.shape[1] + spots
        order = letters.argsort(kind="stable")
        cells = (2 * kinds + self._marks[kinds, spots] - 1)[order].astype(np.uint32)
        return self._places, np.searchsorted(letters[order], np.arange(self._size + 1)).astype(np.uint32), cells

    def chances(self, weights: Floats) -> Floats:
        """Weight of the answers for which each kind of mark is absent, present and correct: [kinds, 3]."""
        by_spots = np.bincount(self._spots, weights.take(self._answers), self._size)
        own = by_spots.reshape(-1, self._marks.shape[1])[self._letters]
        present, correct = ((own * (self._marks == mark)).sum(axis=1) for mark in (1, 2))
        return np.column_stack([weights.sum() - present - correct, present, correct])


def _spelt(places: int, letters: str, length: int) -> str:
    """A word of two letters, the first of them at these places, bits of a number."""
    return "".join(letters[0 if places >> place & 1 else 1] for place in range(length))


mark_kinds = lru_cache(maxsize=8)(MarkKinds)
"""The `MarkKinds` of a list and a rule, made once."""
