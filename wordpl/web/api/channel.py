"""The channel: what epsilon does to one mark, to one clue, and to what a player believes."""

from __future__ import annotations

import math
from typing import Annotated, Literal

import numpy as np
from fastapi import APIRouter, Query
from scipy.special import expit, logit

from wordpl.assistant.reading import check_word
from wordpl.model.channel import CHANNELS, ChannelFamily, RandomizedResponse, channel_family, make_channel
from wordpl.model.clues import Clue, clue, differing_marks
from wordpl.model.posterior import Posterior
from wordpl.model.words import words_from_text
from wordpl.records import Doc
from wordpl.web.models import Epsilon, Model, Rule, Word
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here
from wordpl.web.settings import MAX_LIES

router = APIRouter(prefix="/api/channel", tags=["explore"])

ChannelName = Literal["randomized_response", "fibble"]


class Belief(Model):
    """The probability of the answer before a clue and after it, and between what any clue at this epsilon leaves it."""

    prior: float
    low: float
    high: float
    posterior: float


class Promise(Model):
    """What a noisy clue may do to the odds of the answer against another, and what this clue did.

    It changes them by a factor from e^-epsilon to e^epsilon, whatever the guess and the answers are.
    """

    other_clue: str
    differing: Annotated[int, Doc("Marks in which the true clues to the two answers differ")]
    factor: Annotated[float | None, Doc("What the odds were multiplied by; null for infinity")]
    most: Annotated[float | None, Doc("e^epsilon; null for infinity")]
    chosen: Belief
    curve: Annotated[list[Belief], Doc("The same for priors from 1% to 99%")]


class ChannelOut(Model):
    """A channel at one epsilon, and one clue that went through it."""

    epsilon: Epsilon
    mark: Annotated[list[list[float]], Doc("P(noisy given true), `[noisy][true]`, for absent, present, correct")]
    flipped: Annotated[list[float], Doc("Probability that 0, 1, .. marks of a clue are flipped")]
    noise_entropy: Annotated[float, Doc("Entropy of the noisy clue once the true one is known, in bits")]
    capacity: Annotated[float | None, Doc("What a clue can tell, in bits; null if the noise differs from clue to clue")]
    clue: str
    noisy: str
    promise: Promise


class Capacities(Model):
    """What a clue can tell, in bits, by epsilon, and without noise."""

    epsilons: list[float]
    bits: list[float]
    most: float


@router.get("")
async def read_channel(
    here: Here,
    guess: Word = "crate",
    answer: Word = "haste",
    other: Word = "proud",
    epsilon: Epsilon = 5.0,
    prior: Annotated[float, Query(ge=0.001, le=0.999, description="That it is the answer, not the other")] = 0.5,
    seed: Annotated[int, Query(ge=0, lt=2**32, description="Of the noise")] = 1,
    channel: ChannelName = "randomized_response",
    lies: Annotated[
        int, Query(ge=0, le=MAX_LIES, description="Above 0: false marks in each clue of Fibble; epsilon has to be inf")
    ] = 0,
    rule: Rule = "letterwise",
) -> ChannelOut:
    """What a channel does at an epsilon: to a mark, to a clue, and to the odds of one answer against another."""
    family = channel_family(f"fibble:{lies}") if lies else CHANNELS[channel]
    return await here.pool.run(_channel, (guess, answer, other), family, epsilon, prior, seed, rule)


@router.get("/capacity")
async def read_capacities(here: Here, length: Annotated[int, Query(ge=3, le=8)] = 5) -> Capacities:
    """What a clue of randomized response can tell at epsilons from 0.1 to 100."""
    return await here.pool.run(_capacities, length)


def _capacities(length: int) -> Capacities:
    epsilons = np.logspace(-1.0, 2.0, 61).tolist()
    bits = [RandomizedResponse(epsilon, length).capacity for epsilon in epsilons]
    return Capacities(epsilons=epsilons, bits=bits, most=length * math.log2(3))


def _channel(
    typed: tuple[str, str, str], family: ChannelFamily, epsilon: float, prior: float, seed: int, rule: Rule
) -> ChannelOut:
    words: list[str] = []
    for field, word in zip(("guess", "answer", "other"), typed, strict=True):
        with in_field(field):
            words.append(check_word(word, len(words[0]) if words else None))
    guess, answer, other = words
    if answer == other:
        raise FieldError("The two answers must differ.", "other")
    with in_field("epsilon" if epsilon != math.inf else "lies"):
        channel = make_channel(family, epsilon, len(guess))
    true, other_clue = clue(guess, answer, rule), clue(guess, other, rule)
    noisy = Clue(channel.sample(true.code, np.random.default_rng(seed).random(len(guess)).tolist()), len(guess))
    belief = Posterior(words_from_text("", f"{answer}\n{other}"), rule, family).update(guess, epsilon, noisy)
    weights = dict(zip(belief.words.answers, belief.log_weights.tolist(), strict=True))
    shift = weights[answer] - weights[other]
    # These channels treat all clues alike, and all marks of a clue.
    flips = np.bincount(differing_marks(0, len(guess)), weights=channel.likelihood(0))
    error_rate = float(flips @ np.arange(len(flips))) / len(guess)
    return ChannelOut(
        epsilon=epsilon,
        mark=np.where(np.eye(3) == 1.0, 1.0 - error_rate, error_rate / 2.0).tolist(),
        flipped=flips.tolist(),
        noise_entropy=float(channel.noise_entropy[true.code]),
        capacity=channel.capacity if channel.symmetric else None,
        clue=str(true),
        noisy=str(noisy),
        promise=Promise(
            other_clue=str(other_clue),
            differing=int(differing_marks(true.code, len(guess))[other_clue.code]),
            factor=_exp(shift),
            most=_exp(epsilon),
            chosen=_beliefs([prior], epsilon, shift)[0],
            curve=_beliefs([percent / 100 for percent in range(1, 100)], epsilon, shift),
        ),
    )


def _beliefs(priors: list[float], epsilon: float, shift: float) -> list[Belief]:
    rows = zip(priors, *expit(logit(priors) + np.array([[-epsilon], [epsilon], [shift]])).tolist(), strict=True)
    return [Belief(prior=prior, low=low, high=high, posterior=posterior) for prior, low, high, posterior in rows]


def _exp(value: float) -> float | None:
    return math.exp(value) if value < 700.0 else None
