"""Looking one clue ahead: the best guess for the last clue but one, by what the last one can then do.

The chance to be right after two more clues is the sum over the first of them of the best last score.
All of it, for one guess, is 243 searches for a last guess; so candidates are raced. The first lap sums
over the clues that weigh most and scales up the rest by a cheap stand-in; each lap takes more clues and
keeps the better part of the field, and the last takes all clues. No lap draws anything, so the winner's
value is exact, not the luckiest of many estimates.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wordpl import top_kernels
from wordpl.channel import Channel, make_channel
from wordpl.clues import clue_matrix
from wordpl.errors import WordplError
from wordpl.information import score_guesses
from wordpl.last_clue import EvenMarks, best_last_guess, even_marks
from wordpl.posterior import Posterior

Floats = NDArray[np.float64]
Indices = NDArray[np.int64]

# Of the clues by falling weight, how many each lap looks at in full, and how many candidates go on.
LAPS = ((40, 4), (120, 2))
_STAND_INS = 300
# In the race, answers below this part of the heaviest play no part in the choice of the last guess.
_LEAST = 0.01


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
    some = _some_guesses(belief, max(budget - candidates[0][1], 0.0))
    field = [_Runner(belief, guess, epsilon, budget - epsilon, some) for guess, epsilon in candidates]
    for clues, survivors in LAPS:
        if len(field) > survivors:
            field = sorted(field, key=lambda runner: -runner.estimate(clues))[:survivors]
    return max((runner.finish() for runner in field), key=lambda step: step.value)


def shortlist(belief: Posterior, epsilon: float, orders: Sequence[float], each: int) -> list[str]:
    """The `each` best guesses by Renyi information of each of `orders`, without repeats, the best ones first."""
    ranked = [
        np.argsort(-score_guesses(belief, epsilon, "renyi", order=order), kind="stable")[:each] for order in orders
    ]
    places = [int(guess) for same_place in zip(*ranked, strict=True) for guess in same_place]
    return [belief.words.guesses[g] for g in dict.fromkeys(places)]


class _Runner:
    """One candidate in the race."""

    def __init__(self, belief: Posterior, guess: str, epsilon: float, rest: float, some: Indices) -> None:
        if not (epsilon > 0 and rest > 0):
            raise WordplError(f"epsilon {epsilon:g} and {rest:g} after it are not allowed; both must be above 0")
        if guess not in belief.words.guess_index:
            raise WordplError(f"{guess!r} is not among the guesses of {belief.words.name}")
        self.belief, self.guess, self.epsilon = belief, guess, epsilon
        self.clues = clue_matrix(belief.words, belief.rule)
        self.row = self.clues[belief.words.guess_index[guess]]
        self.asked, _ = self._channel(epsilon)
        self.last, self.even = self._channel(rest)
        self.known = np.full(belief.words.n_clues, np.nan)
        self.some = some
        self._stand_ins: Floats | None = None

    def _channel(self, epsilon: float) -> tuple[Channel, EvenMarks]:
        channel = make_channel(self.belief.channel, epsilon, self.belief.words.length)
        even = even_marks(channel)
        if even is None:
            raise WordplError(f"looking ahead needs a channel that treats all marks alike, which {channel!r} does not")
        return channel, even

    def _weights(self, code: int) -> Floats:
        """Joint weight of each answer and this clue: [answers]."""
        return np.asarray(self.belief.probabilities * self.asked.likelihood(code).take(self.row))

    def _full(self, code: int) -> float:
        if np.isnan(self.known[code]):
            weights = self._weights(code)
            if not weights.any():  # all below the smallest float
                self.known[code] = 0.0
                return 0.0
            found = best_last_guess(weights, self.last, self.belief.words, self.belief.rule, _LEAST)
            # Longer words than the search can do: their scores come from the general kernels.
            self.known[code] = found.value if found else self._general(weights)
        return float(self.known[code])

    def _general(self, weights: Floats) -> float:
        after = Posterior(self.belief.words, self.belief.rule, self.belief.channel, prior=weights)
        return float(weights.sum() * score_guesses(after, self.last.epsilon, "expected_top").max())

    def stand_ins(self) -> Floats:
        """A cheap lower bound of each clue's term, from some guesses only: [codes]."""
        if self._stand_ins is None:
            weights = self.belief.probabilities
            support = np.flatnonzero(weights)
            self._stand_ins = np.empty(len(self.known))
            top_kernels.score_clues(
                self.clues,
                self.row,
                self.asked.matrix().toarray(),
                support,
                weights[support],
                _LEAST,
                self.some,
                np.float32(self.even.keep),
                np.float32(self.even.flip),
                self._stand_ins,
            )
        return self._stand_ins

    def estimate(self, clues: int) -> float:
        """The value, from this many of the clues in full and the others scaled up."""
        stand_ins = self.stand_ins()
        first = np.argsort(-stand_ins, kind="stable")[:clues]
        full = sum(self._full(int(code)) for code in first)
        part = float(stand_ins[first].sum())
        return full / part * float(stand_ins.sum()) if part > 0 else 0.0

    def finish(self) -> Step:
        """The exact value: all clues in full."""
        return Step(self.guess, self.epsilon, sum(self._full(code) for code in range(len(self.known))))


def _some_guesses(belief: Posterior, epsilon: float) -> Indices:
    """The guesses that would be best for a last clue now: good company after most clues, though seldom the best."""
    scores = score_guesses(belief, epsilon, "expected_top")
    return np.asarray(np.sort(np.argsort(-scores, kind="stable")[:_STAND_INS]), dtype=np.int64)
