"""Looking ahead: the best guess for a clue that is not the last, by what the clues after it can then do.

The chance to be right after two more clues is the sum over the first of them of the best last score.
All of it, for one guess, is 243 searches for a last guess. For most candidates a near value will do,
which scores only the last guesses of the largest bounds; those that come close to the best are valued
exactly, so the winner's value is no estimate and not the luckiest of many.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from wordpl.errors import WordplError
from wordpl.model.channel import Channel, make_channel
from wordpl.model.clues import clue_matrix, packed_clues
from wordpl.model.entropy import entropy
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.scoring import last_guess_kernels
from wordpl.scoring.guess_scores import best_guess, score_guesses
from wordpl.scoring.last_guess import MOST_MARKS, EvenMarks, best_last_guess, differing_in_packed, even_marks

Floats = NDArray[np.float64]

# Near values fall short by 0.0008 on average and 0.005 at most (40 posteriors after two clues at 18, budget
# 68.5), less between candidates of the same epsilon; those this close to the best are valued exactly.
CLOSE = 0.0015
# The last guesses scored after each clue, for a near value.
_TRIED = 64
# In the choice of the last guess, answers below this part of the heaviest play no part.
_LEAST = 0.01
# Two clues ahead, one last guess in so many is looked at, and answers below this part are left out of
# the choice of the guess before.
_EVERY = 3
_LEAST_AHEAD = 1e-4


@dataclass(frozen=True)
class Step:
    """An ask, and the chance to be right if the best last clue follows it."""

    guess: str
    epsilon: float
    value: float


def best_step(belief: Posterior, candidates: Sequence[tuple[str, float]], budget: float) -> Step:
    """The best of `candidates`, (guess, epsilon) each, with what is left of `budget` for one last clue.

    The value is exact for the guesses that `best_last_guess` picks among the answers in play. Raises `WordplError`
    for a channel whose marks are not alike, and for a candidate that leaves nothing.
    """
    if not candidates:
        raise WordplError("there are no candidates to look ahead from")
    alike: dict[float, list[_Ask]] = {}
    for guess, epsilon in candidates:
        alike.setdefault(epsilon, []).append(_Ask(belief, guess, epsilon, budget - epsilon))
    close = [ask for asks in alike.values() for ask in _close(asks)]
    return max((Step(ask.guess, ask.epsilon, ask.exact()) for ask in close), key=lambda step: step.value)


def _close(asks: list[_Ask]) -> list[_Ask]:
    """Those of the asks, of one epsilon, that may be the best by their near values."""
    if len(asks) == 1 or asks[0].belief.words.length > MOST_MARKS:
        return asks
    near = [ask.near() for ask in asks]
    return [ask for ask, value in zip(asks, near, strict=True) if value >= max(near) - CLOSE]


def near_value_of_three(
    belief: Posterior, guess: str, epsilon: float, budget: float, *, share: float, order: float = 1.0, part: float = 1.0
) -> float:
    """Nearly the chance to be right if `guess` is asked at `epsilon` and two clues follow it.

    The second is by Renyi order `order`, at `share` of what is left of `budget`; the last is the best, or nearly.
    The likeliest clues that together have the probability `part` are gone through, and the values of the others
    are judged by their entropy. A little too low, by much the same for all guesses: for comparing them. At
    most 6 marks.
    """
    if not (0 < share < 1 and 0 < part <= 1):
        raise WordplError(
            f"share {share} and part {part} are not allowed; numbers above 0, and 1 at most, are expected"
        )
    if belief.words.length > MOST_MARKS:
        raise WordplError(
            f"words of {belief.words.length} letters cannot be looked at so far ahead; {MOST_MARKS} at most"
        )
    ask = _Ask(belief, guess, epsilon, budget - epsilon)
    joints = np.array([ask.weights(code) for code in range(belief.words.n_clues)])
    chances = joints.sum(axis=1)
    order_of_codes = np.argsort(-chances, kind="stable")
    seen = order_of_codes[: 1 + int(np.searchsorted(np.cumsum(chances[order_of_codes]), part * chances.sum() - 1e-9))]
    seen = seen[chances[seen] > 0]
    values = np.empty(len(seen))
    next_epsilon = share * ask.rest
    for place, code in enumerate(seen):
        after = Posterior(belief.words, belief.rule, belief.channel, prior=joints[code])
        following = best_guess(after.trimmed(_LEAST_AHEAD), next_epsilon, "renyi", order=order)
        values[place] = _Ask(after, following, next_epsilon, ask.rest - next_epsilon).near(_EVERY)
    known = float(chances[seen] @ values)
    others = order_of_codes[len(seen) :]
    others = others[chances[others] > 0]
    if not len(others):
        return known
    degree = min(2, len(seen) - 1)
    bits = entropy(joints / np.where(chances > 0, chances, 1.0)[:, np.newaxis], axis=1)  # after each clue
    curve = np.polyfit(bits[seen], values, degree, w=np.sqrt(chances[seen]))
    judged = np.clip(np.polyval(curve, bits[others]), 0.0, 1.0)
    return known + float(chances[others] @ judged)


def shortlist(belief: Posterior, epsilon: float, orders: Sequence[float], each: int) -> list[str]:
    """The `each` best guesses by Renyi information of each of `orders`, without repeats, the best ones first."""
    ranked = [
        np.argsort(-score_guesses(belief, epsilon, "renyi", order=order), kind="stable")[:each] for order in orders
    ]
    places = [int(guess) for same_place in zip(*ranked, strict=True) for guess in same_place]
    return [belief.words.guesses[g] for g in dict.fromkeys(places)]


class _Ask:
    """A candidate: a guess at `epsilon`, with `rest` for the last clue."""

    def __init__(self, belief: Posterior, guess: str, epsilon: float, rest: float) -> None:
        if not (epsilon > 0 and rest > 0):
            raise WordplError(f"epsilon {epsilon:g} and {rest:g} after it are not allowed; both must be above 0")
        if guess not in belief.words.guess_index:
            raise WordplError(f"{guess!r} is not among the guesses of {belief.words.name}")
        self.belief, self.guess, self.epsilon, self.rest = belief, guess, epsilon, rest
        self.row = clue_matrix(belief.words, belief.rule)[belief.words.guess_index[guess]]
        self.asked, _ = self._channel(epsilon)
        self.last, self.even = self._channel(rest)

    def _channel(self, epsilon: float) -> tuple[Channel, EvenMarks]:
        channel = make_channel(self.belief.channel, epsilon, self.belief.words.length)
        even = even_marks(channel)
        if even is None:
            raise WordplError(f"looking ahead needs a channel that treats all marks alike, which {channel!r} does not")
        return channel, even

    def weights(self, code: int) -> Floats:
        """Joint weight of each answer and this clue: [answers]."""
        return np.asarray(self.belief.probabilities * self.asked.likelihood(code).take(self.row))

    def near(self, every: int = 1) -> float:
        """Nearly the value, and never too large but for what cannot matter; of one in `every` last guesses."""
        words, rule = self.belief.words, self.belief.rule
        clues, packed = _some_clues(words, rule, every)
        weights = self.belief.probabilities
        support = np.flatnonzero(weights)
        values = np.empty(words.n_clues)
        last_guess_kernels.near_clues(
            clues,
            packed,
            differing_in_packed(words.length),
            words.length,
            self.row,
            self.asked.matrix().toarray(),
            support,
            weights[support],
            np.float32(self.even.keep),
            np.float32(self.even.flip),
            _TRIED,
            values,
        )
        return float(values.sum())

    def exact(self) -> float:
        """The value, all clues in full."""
        return sum(self._best_last(code) for code in range(self.belief.words.n_clues))

    def _best_last(self, code: int) -> float:
        weights = self.weights(code)
        if not weights.any():  # all below the smallest float
            return 0.0
        found = best_last_guess(weights, self.last, self.belief.words, self.belief.rule, _LEAST)
        # Longer words than the search can do: their scores come from the general kernels.
        return found.value if found else self._general(weights)

    def _general(self, weights: Floats) -> float:
        after = Posterior(self.belief.words, self.belief.rule, self.belief.channel, prior=weights)
        return float(weights.sum() * score_guesses(after, self.last.epsilon, "expected_top").max())


@lru_cache(maxsize=4)
def _some_clues(words: WordList, rule: str, every: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Clues of one guess in `every`: [guesses, answers], and packed: [answers, guesses]."""
    clues, packed = clue_matrix(words, rule), packed_clues(words, rule)
    if every == 1:
        return clues, packed
    some = clues[::every].copy(), packed[:, ::every].copy()
    for part in some:
        part.flags.writeable = False  # as the whole ones are: numba would compile the kernels once more for others
    return some
