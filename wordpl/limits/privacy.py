"""Privacy accounting: the privacy of clues, and the success of the best attacker, from the privacy of the clues alone.

The attacker names one of `answers` equally likely answers, 1 to 2**53 - 1, after `rounds` clues, 1 to 1,000, whose
epsilons are equal and sum to `budget`, 0 to inf. `docs/privacy.md` derives the bounds. They hold for any guesses,
because they use nothing but the privacy of the clues; those of `experiments/bounds/converse.py` are sharper.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wordpl.base.checks import fraction, non_negative, number, whole_number
from wordpl.base.errors import WordplError
from wordpl.model.channel import RandomizedResponse
from wordpl.model.distance_channel import LARGEST_LOG_ODDS, Channel, DistanceChannel
from wordpl.model.entropy import Floats
from wordpl.model.words import MAX_LENGTH

MAX_ROUNDS, _MAX_ANSWERS = 1000, 2**53 - 1


def pure_budget(success: float, answers: int) -> float:
    """Return the smallest budget whose pure privacy allows `success`, 0 to 1, with `answers` possible answers.

    An attacker who sees clues of total epsilon B succeeds with probability e^B / (e^B + `answers` - 1) at most. Raises
    `WordplError` for arguments out of range.

    >>> pure_budget(0.0, 2315), round(pure_budget(0.5, 2315), 3)
    (0.0, 7.747)
    """
    success, answers = fraction("success", success), whole_number("answers", answers, maximum=_MAX_ANSWERS)
    if success <= 1.0 / answers:
        return 0.0
    return math.inf if success == 1.0 else max(0.0, math.log(answers - 1) + math.log(success) - math.log1p(-success))


def approximate_success(budget: float, rounds: int, answers: int, marks: int = 5) -> float:
    """Return an upper bound on the success of the attacker, from (epsilon, delta)-DP at the best epsilon.

    `budget` is the total epsilon, 0 to inf; `rounds` the number of clues, 1 to 1,000; `answers` the number of possible
    answers; `marks` the number of marks in a clue, 1 to 8. Raises `WordplError` for arguments out of range.
    """
    answers = whole_number("answers", answers, maximum=_MAX_ANSWERS)
    rounds, marks = whole_number("rounds", rounds, 1, MAX_ROUNDS), whole_number("marks", marks, 1, MAX_LENGTH)
    privacy = Privacy(RandomizedResponse(non_negative("budget", budget) / rounds, marks), rounds)
    if privacy.epsilon == math.inf:
        return 1.0
    # Between the values of the privacy loss the bound is monotone in epsilon, so its least is at one.
    probabilities, step, unbounded = privacy.losses
    n = len(probabilities) // 2
    scale = np.exp(-step * np.arange(n + 1))  # e^-epsilon at epsilon = 0, step, 2 step, ..
    above = np.append(np.cumsum(probabilities[:n:-1])[::-1], 0.0)  # P(loss > epsilon)
    deltas = np.cumsum((scale * above)[::-1])[::-1] * -math.expm1(-step) + unbounded * scale  # times e^-epsilon
    return float(np.min((1.0 + (answers - 1) * deltas) / (1.0 + (answers - 1) * scale), initial=1.0))


def approximate_budget(success: float, rounds: int, answers: int, marks: int = 5) -> float:
    """Return the smallest budget at which `approximate_success` allows `success`, to within 1e-9 of it.

    `success` is from 0 to 1; `rounds`, `answers` and `marks` are as there. Other numbers raise `WordplError`.
    """
    success = fraction("success", success)
    least = pure_budget(success, answers)
    if least in (0.0, math.inf):
        return least
    low = high = least
    while approximate_success(high, rounds, answers, marks) < success:
        low, high = high, 2.0 * high
    while high - low > 1e-9 * high:
        middle = (low + high) / 2.0
        low, high = (low, middle) if approximate_success(middle, rounds, answers, marks) >= success else (middle, high)
    return high


def privacy_of(channel: Channel, asks: int = 1) -> Privacy:
    """Return the privacy of `asks` clues of `channel`, a distance channel; 1 to 1,000 of them.

    It holds whatever the guesses are, and if each is chosen by the clues before it. Raises `WordplError` for a channel
    that is no `DistanceChannel`, and for another number of asks.

    >>> import wordpl
    >>> once, four_times = privacy_of(wordpl.Ball(12.0)), privacy_of(wordpl.Ball(3.0), asks=4)
    >>> once.epsilon, four_times.epsilon, round(once.delta(9.0), 6), round(four_times.delta(9.0), 6)
    (12.0, 12.0, 0.948802, 3.3e-05)
    """
    if not isinstance(channel, DistanceChannel):
        raise WordplError(f"the privacy of {channel!r} is not known: it is no distance channel")
    return Privacy(channel, whole_number("asks", asks, maximum=MAX_ROUNDS))


@dataclass(frozen=True, eq=False)
class Privacy:
    """Privacy of the clues to a number of asks, for any two answers, by composition."""

    channel: DistanceChannel
    asks: int

    @property
    def epsilon(self) -> float:
        """The epsilon of pure differential privacy: the sum of the clues' epsilons."""
        return self.asks * self.channel.epsilon

    def delta(self, epsilon: float) -> float:
        """Return the smallest delta for which the clues are (epsilon, delta)-differentially private, `epsilon` from 0.

        It is exact where one pair of true clues is the worst at every epsilon and all losses of one clue are multiples
        of one number, as for all channels with a name but `levels`; else an upper bound, with each loss rounded up by
        at most 1/2,000 of the clue's epsilon.
        """
        epsilon = non_negative("epsilon", epsilon)
        # Where the probabilities of the losses are below the floats, the channel is believed.
        believed = self.channel.epsilon > LARGEST_LOG_ODDS
        largest = self.channel.epsilon if believed else math.log(self.channel.odds) * (1.0 - 1e-12) - 1e-12
        if self.asks * largest <= epsilon < math.inf:
            return 0.0
        probabilities, step, unbounded = self.losses
        losses = (np.arange(len(probabilities)) - len(probabilities) // 2) * step
        return min(1.0, unbounded - float((probabilities * np.expm1(np.minimum(epsilon - losses, 0.0))).sum()))

    def renyi(self, order: float) -> float:
        """Return the largest Rényi divergence of `order`, in nats, between the clues to any two answers.

        `order` is above 1, and may be inf; other orders raise `WordplError`.
        """
        order = number("order", order)
        if not order > 1.0:
            raise WordplError(f"order {order} is not allowed; a number above 1, or inf, is expected")
        if order == math.inf or self.channel.epsilon == math.inf:
            return self.epsilon
        p = self.channel.log_likelihood(0)
        others = [self.channel.log_likelihood(code) for code in _others(self.channel)]
        moments = [np.logaddexp.reduce(order * p + (1.0 - order) * q) for q in others]
        return self.asks * max(0.0, float(max(moments)) / (order - 1.0))

    @cached_property
    def losses(self) -> tuple[Floats, float, float]:
        """Distribution of the privacy loss of all clues: probabilities of -n, .., n steps, the step, P(no bound)."""
        ratios, weights, unbounded = _worst_losses(self.channel)
        losses, weights = np.log(ratios[weights > 0.0]), weights[weights > 0.0]
        largest, positive = float(np.abs(losses).max(initial=0.0)), np.abs(losses)[np.abs(losses) > 1e-12]
        step = float(positive.min(initial=largest)) or 1.0
        if np.abs(positive / step - np.rint(positive / step)).max(initial=0.0) > 1e-9:
            step = largest / 2000.0
        of_clue, probabilities = np.zeros(2 * round(largest / step) + 1), np.ones(1)
        np.add.at(of_clue, np.ceil(losses / step - 1e-9).astype(np.int64) + len(of_clue) // 2, weights)
        for _ in range(self.asks):
            # Few places have a probability, so this takes far less than `numpy.convolve`.
            sums = np.zeros(len(probabilities) + len(of_clue) - 1)
            for place in np.flatnonzero(of_clue):
                sums[place : place + len(probabilities)] += of_clue[place] * probabilities
            probabilities = sums
        return probabilities, step, 1.0 - (1.0 - unbounded) ** self.asks


def _worst_losses(channel: DistanceChannel) -> tuple[Floats, Floats, float]:
    """Ratios of a clue's likelihoods for the two true clues that tell most, their probabilities, and that of infinity.

    A pair of true clues matters by its hockey-stick divergences H(ratio). If no pair has the largest at every ratio, a
    distribution is made of the largest: its probabilities are the changes of the slope of H (Zhu, Dong and Wang 2022).
    """
    p, others = channel.likelihood(0), [channel.likelihood(code) for code in _others(channel)]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = [p / q for q in others]
    knots = np.unique(np.concatenate([[0.0], *(ratio[np.isfinite(ratio)] for ratio in ratios)]))
    sticks = np.stack([np.maximum(p - knots[:, np.newaxis] * q, 0.0).sum(axis=1) for q in others])
    largest, worst = sticks.max(axis=0), int(sticks.sum(axis=1).argmax())
    if (sticks[worst] >= largest - 1e-13).all():
        finite = np.isfinite(ratios[worst])
        return ratios[worst][finite], p[finite], float(p[~finite].sum())
    slopes = np.concatenate([[-1.0], np.diff(largest) / np.diff(knots), [0.0]])
    return knots, knots * np.maximum(np.diff(slopes), 0.0), float(largest[-1])


def _others(channel: DistanceChannel) -> list[int]:
    """Codes of clues that differ from the clue of code 0 in 1, 2, .. marks."""
    return [(3**apart - 1) // 2 for apart in range(1, channel.length + 1)]
