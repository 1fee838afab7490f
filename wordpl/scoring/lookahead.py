"""Look-ahead: the best guess for a clue that is not the last, by what the clue after it can still achieve.

The probability of being right after two more clues is the sum of the best last scores over the first of them. For one
guess that takes 243 searches. `experiments/quick_asks.py` leaves most candidates out by lower bounds.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wordpl.base.checks import instance, positive
from wordpl.base.errors import WordplError
from wordpl.model.channel import make_channel
from wordpl.model.clues import clue_row
from wordpl.model.distance_channel import Channel
from wordpl.model.entropy import Floats
from wordpl.model.posterior import Posterior
from wordpl.scoring.guess_scores import score_guesses
from wordpl.scoring.last_guess import best_last_guess, symmetric_marks, two_levels

# Answers below this fraction of the heaviest are left out of the choice of the last guess.
_CUTOFF = 0.01


@dataclass(frozen=True)
class ScoredAsk:
    """An ask, and what it is worth."""

    guess: str
    epsilon: float
    value: float
    """P(right) if the best last clue follows it."""


def best_ask(belief: Posterior, candidates: Sequence[tuple[str, float]], budget: float) -> ScoredAsk:
    """Return the best of `candidates` under `belief`, if the rest of `budget` is spent on one last clue.

    Each candidate is a (guess, epsilon), with epsilon above 0 and below `budget`. `best_last_guess` chooses the last
    guess, and ignores answers below 1% of the most probable one. The value is exact for these last guesses. It takes
    0.1 to 1 s for each candidate.

    Raises `WordplError` if there are no candidates, a candidate is not in the word list or leaves nothing for the
    last clue, for a number out of range, or a channel that is neither symmetric in each mark nor of two levels, as
    whole_clue is.
    """
    instance("belief", belief, Posterior)
    if belief.right_ends:
        raise WordplError("looking ahead in a budget is for games that the right guess does not end")
    if not candidates:
        raise WordplError("there are no guesses to look ahead from")
    budget = positive("budget", budget)
    asks = (_scored(belief, guess, positive("epsilon", epsilon), budget) for guess, epsilon in candidates)
    return max(asks, key=lambda ask: ask.value)


def _scored(belief: Posterior, guess: str, epsilon: float, budget: float) -> ScoredAsk:
    """The ask with its value: every clue is evaluated."""
    rest = budget - epsilon
    if not rest > 0:
        raise WordplError(f"epsilon {epsilon:g} leaves nothing of the budget {budget:g} for the last clue")
    if guess not in belief.words.guess_index:
        raise WordplError(f"{guess!r} is not in the word list {belief.words.name}")
    first, last = _channel(belief, epsilon), _channel(belief, rest)
    row = clue_row(guess, belief.words, belief.rule)
    values: dict[bytes, float] = {}  # by weights: under whole_clue, all clues that no answer has leave the same
    each = []
    for code in range(belief.words.n_clues):
        weights = belief.probabilities * first.likelihood(code).take(row)
        key = weights.tobytes()
        if key not in values:
            values[key] = _best_last(belief, weights, last)
        each.append(values[key])
    return ScoredAsk(guess, epsilon, math.fsum(each))


def _channel(belief: Posterior, epsilon: float) -> Channel:
    channel = make_channel(belief.channel, epsilon, belief.words.length)
    if symmetric_marks(channel) is None and two_levels(channel) is None:
        raise WordplError(
            f"looking ahead needs a channel that treats all marks alike or has two levels, unlike {channel!r}"
        )
    return channel


def _best_last(belief: Posterior, weights: Floats, channel: Channel) -> float:
    """The value of the best last guess, for these joint weights of the answers and a clue."""
    if not weights.any():  # all below the smallest float
        return 0.0
    last = best_last_guess(weights, channel, belief.words, belief.rule, _CUTOFF)
    if last is not None:
        return last.value
    # Longer words than the search can do: their scores come from the general kernels.
    after = Posterior(belief.words, belief.rule, belief.channel, prior=weights)
    return float(weights.sum() * score_guesses(after, channel.epsilon, "expected_top").max())
