"""Look-ahead: the best guess for a clue that is not the last, by what the clues after it can still achieve.

The probability of being right after two more clues is the sum of the best last scores over the first of them. For one
guess that takes 243 searches. So candidates are first compared by a lower bound, which scores only a few last guesses
after each clue. Those close to the best are then valued exactly, so the value of the winner is exact. Under a channel
of two levels a last guess is found so fast that the bound only takes rare clues together.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from wordpl.base.checks import instance, positive, whole_number
from wordpl.base.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_matrix
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats
from wordpl.model.posterior import Posterior
from wordpl.model.words import WordList
from wordpl.scoring.guess_scores import score_guesses
from wordpl.scoring.last_guess import (
    MAX_MARKS,
    SymmetricMarks,
    best_last_guess,
    clue_tables,
    symmetric_marks,
    two_levels,
)

# Near values fall short by 0.0008 on average and 0.005 at most (40 posteriors after two clues at 18, budget
# 68.5), less between candidates of the same epsilon; those this close to the best are valued exactly.
CLOSE = 0.0015
# The last guesses scored after each clue, for a near value.
_TRIED = 64
# Under a channel of two levels, near values take clues together that are rarer than this, and fall short by less.
_RARE = 1e-4
_CLOSE_OF_TWO_LEVELS = 1e-4
# Answers below this fraction of the heaviest are left out of the choice of the last guess.
_CUTOFF = 0.01


@dataclass(frozen=True)
class ScoredAsk:
    """An ask, and what it is worth."""

    guess: str
    epsilon: float
    value: float
    """P(right) if the best last clue follows it."""


def best_ask(
    belief: Posterior, candidates: Sequence[tuple[str, float]], budget: float, *, every: int | None = None
) -> ScoredAsk:
    """Return the best of `candidates` under `belief`, if the rest of `budget` is spent on one last clue.

    Each candidate is a (guess, epsilon), with epsilon above 0 and below `budget`. `best_last_guess` chooses the last
    guess, and ignores answers below 1% of the most probable one. The value is exact for these last guesses. With
    `every`, from 1 up, the search is many times quicker: it tries only every `every`-th last guess, and values are a
    little too low.

    Raises `WordplError` if there are no candidates, a candidate is not among the guesses or leaves nothing for the
    last clue, for a number out of range, words of more than 6 letters with `every`, or a channel that is neither
    symmetric in each mark nor of two levels, as whole_clue is.
    """
    instance("belief", belief, Posterior)
    if not candidates:
        raise WordplError("there are no guesses to look ahead from")
    asks = [_Ask(belief, guess, epsilon, budget) for guess, epsilon in candidates]
    if every is not None:
        every = whole_number("every", every)
        if belief.words.length > MAX_MARKS:
            raise WordplError(
                f"words of {belief.words.length} letters are too long to look ahead; {MAX_MARKS} are allowed"
            )
        return max((ScoredAsk(ask.guess, ask.epsilon, ask.near(every)) for ask in asks), key=lambda ask: ask.value)
    alike: dict[float, list[_Ask]] = {}
    for ask in asks:
        alike.setdefault(ask.epsilon, []).append(ask)
    close: list[_Ask] = []
    for asks in alike.values():
        if len(asks) > 1 and belief.words.length <= MAX_MARKS:
            near = [ask.near() for ask in asks]
            close_by = CLOSE if asks[0].marks is not None else _CLOSE_OF_TWO_LEVELS
            asks = [ask for ask, value in zip(asks, near, strict=True) if value >= max(near) - close_by]
        close += asks
    return max((ScoredAsk(ask.guess, ask.epsilon, ask.exact()) for ask in close), key=lambda ask: ask.value)


class _Ask:
    """A candidate: a guess at `epsilon`, with the `rest` of `budget` for the last clue."""

    def __init__(self, belief: Posterior, guess: str, epsilon: float, budget: float) -> None:
        if belief.right_ends:
            raise WordplError("looking ahead in a budget is for games that the right guess does not end")
        epsilon, budget = positive("epsilon", epsilon), positive("budget", budget)
        rest = budget - epsilon
        if not rest > 0:
            raise WordplError(f"epsilon {epsilon:g} leaves nothing of the budget {budget:g} for the last clue")
        if guess not in belief.words.guess_index:
            raise WordplError(f"{guess!r} is not among the guesses of {belief.words.name}")
        self.belief, self.guess, self.epsilon, self.rest = belief, guess, epsilon, rest
        self.row = clue_matrix(belief.words, belief.rule)[belief.words.guess_index[guess]]
        self.first, _ = self._channel(epsilon)
        self.last, self.marks = self._channel(rest)

    def _channel(self, epsilon: float) -> tuple[Channel, SymmetricMarks | None]:
        channel = make_channel(self.belief.channel, epsilon, self.belief.words.length)
        marks = symmetric_marks(channel)
        if marks is None and two_levels(channel) is None:
            raise WordplError(
                f"looking ahead needs a channel that treats all marks alike or has two levels, unlike {channel!r}"
            )
        return channel, marks

    def weights(self, code: int) -> Floats:
        """Joint weight of each answer and this clue: [answers]."""
        return np.asarray(self.belief.probabilities * self.first.likelihood(code).take(self.row))

    def near(self, every: int = 1) -> float:
        """Return a lower bound on the value, but for rounding and very rare clues, from every `every`-th last guess."""
        from wordpl.scoring.last_guess_kernels import Weighted, near_clues

        words, rule = self.belief.words, self.belief.rule
        if self.marks is None:
            joints = np.array([self.weights(code) for code in range(words.n_clues)])
            rare = joints.sum(axis=1) < _RARE * joints.sum()
            return math.fsum(map(self._best_last, (*joints[~rare], joints[rare].sum(axis=0))))
        weights = self.belief.probabilities
        support = np.flatnonzero(weights)
        values = np.empty(words.n_clues)
        answers = Weighted(support, weights[support])
        noise = self.first.matrix().toarray()
        near_clues(_tables(words, rule, every), self.row, noise, answers, self.marks, _TRIED, values)
        return float(values.sum())

    def exact(self) -> float:
        """Return the value with every clue evaluated."""
        values: dict[bytes, float] = {}  # by weights: under whole_clue, all clues that no answer has leave the same
        each = []
        for weights in map(self.weights, range(self.belief.words.n_clues)):
            key = weights.tobytes()
            if key not in values:
                values[key] = self._best_last(weights)
            each.append(values[key])
        return math.fsum(each)

    def _best_last(self, weights: Floats) -> float:
        if not weights.any():  # all below the smallest float
            return 0.0
        words, rule = self.belief.words, self.belief.rule
        last = best_last_guess(weights, self.last, words, rule, _CUTOFF)
        if last is not None:
            return last.value
        # Longer words than the search can do: their scores come from the general kernels.
        after = Posterior(words, rule, self.belief.channel, prior=weights)
        return float(weights.sum() * score_guesses(after, self.last.epsilon, "expected_top").max())


@lru_cache(maxsize=4)
def _tables(words: WordList, rule: str, every: int) -> Any:
    """Return the `ClueTables` of every `every`-th guess."""
    tables = clue_tables(words, rule)
    if every == 1:
        return tables
    clues, packed = tables.clues[::every].copy(), tables.packed[:, ::every].copy()
    for matrix in (clues, packed):
        matrix.flags.writeable = False  # as the whole ones are: numba would compile the kernels once more for others
    return tables._replace(clues=clues, packed=packed)
