"""The channel: what epsilon does to one mark, to one clue, and to what a player believes."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from anyio import to_thread
from fastapi import APIRouter, Query
from pydantic import Field
from scipy.special import expit, logit

from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import Doc, JsonEpsilon
from wordpl.limits.privacy import Privacy, privacy_of
from wordpl.model.channel import ChannelFamily, channel_family, channel_name, make_channel, named_channel, row_epsilon
from wordpl.model.clues import Clue, clue, differing_marks
from wordpl.model.distance_channel import LARGEST_LOG_ODDS, Channel
from wordpl.web.models import Epsilon, Model, Rule, Word, is_fixed
from wordpl.web.problems import FieldError, in_field
from wordpl.web.shared import shared
from wordpl.wordle.reading import check_word

router = APIRouter(prefix="/api/channel", tags=["explore"])

MECHANISMS = ("randomized_response", "whole_clue", "ball:1")
"""Channels that are always set side by side."""
PARTS = (0.25, 0.5, 0.75)
"""Parts of the whole epsilon at which a delta is told."""
ORDERS = (2.0, 8.0)
EPSILONS: list[float] = np.logspace(-1.0, 2.0, 61).tolist()
"""Epsilons at which capacities are told."""
ChannelText = Annotated[str, Field(max_length=100, description="A name, such as `ball:1`")]


class Belief(Model):
    """The probability of the answer before a clue and after it, and between what any clue at this epsilon leaves it."""

    prior: float
    low: float
    high: float
    posterior: float


class Promise(Model):
    """The promise of a noisy clue about the odds of the answer against another, and the factor of this clue.

    A clue changes them by a factor from e^-epsilon to e^epsilon, whatever the guess and the answers are.
    """

    differing: Annotated[int, Doc("Marks in which the true clues to the two answers differ")]
    factor: Annotated[float | None, Doc("Factor by which the odds were multiplied; null for infinity")]
    most: Annotated[float | None, Doc("e^epsilon; null for infinity")]
    curve: Annotated[list[Belief], Doc("Posterior that it is the answer, not the other, for priors from 1% to 99%")]


class ShownMechanism(Model):
    """A channel at the epsilon that was asked for, or at its own if it has one, and what it would have sent."""

    channel: str
    epsilon: JsonEpsilon
    noisy: str
    mark: Annotated[list[list[float]], Doc("P(noisy given true), `[noisy][true]`, for absent, present, correct")]
    flipped: Annotated[list[float], Doc("Probability that 0, 1, .. marks of a clue are flipped")]
    false_marks: Annotated[float, Doc("Mean number of flipped marks in a clue")]
    noise_entropy: Annotated[float, Doc("Entropy of the noisy clue once the true one is known, in bits")]
    capacity: Annotated[float, Doc("The most that a clue to any guess can tell, in bits")]


class PrivacyOut(Model):
    """The promise of the clues to a number of asks together, whatever the guesses are."""

    asks: int
    epsilon: JsonEpsilon
    deltas: Annotated[
        list[tuple[float, float]], Doc("An epsilon below it, and the delta there; none without a promise")
    ]
    renyi: Annotated[list[tuple[float, float | None]], Doc("An order, and the most nats; null for infinity")]


class ChannelOut(Model):
    """A channel beside the usual ones, and a clue that went through each with the same luck."""

    channel: Annotated[str, Doc("The one that was asked for, which is among the mechanisms")]
    fixed: Annotated[bool, Doc("True if all its clues have one epsilon, so that its games are of the kind `fibble`")]
    clue: str
    mechanisms: list[ShownMechanism]
    promise: Promise
    privacy: PrivacyOut


class Capacities(Model):
    """Capacity of a clue, in bits, by epsilon and mechanism."""

    epsilons: list[float]
    bits: dict[str, list[float]]


class CapacityQuery(Model):
    """A number of marks, and a channel beside the usual mechanisms."""

    length: Annotated[int, Field(ge=3, le=8)] = 5
    channel: ChannelText = "randomized_response"


class ChannelQuery(Model):
    """A channel, and the clue that goes through it."""

    guess: Word = "crate"
    answer: Word = "haste"
    other: Word = "proud"
    epsilon: Epsilon = 5.0
    seed: Annotated[int, Field(ge=0, lt=2**32, description="Of the noise")] = 1
    channel: ChannelText = "randomized_response"
    asks: Annotated[int, Field(ge=1, le=10, description="Number of clues for privacy accounting")] = 1
    rule: Rule = "letterwise"


@router.get("")
def read_channel(query: Annotated[ChannelQuery, Query()]) -> ChannelOut:
    """Effects of a channel at an epsilon: on a mark, on a clue, and on the odds of one answer against another."""
    with in_field("channel"):
        family = named_channel(query.channel)
    words: list[str] = []
    for field in ("guess", "answer", "other"):
        with in_field(field):
            words.append(check_word(getattr(query, field), len(words[0]) if words else None))
    guess, answer, other = words
    if answer == other:
        raise FieldError("The two answers must differ.", "other")
    true, other_clue = clue(guess, answer, query.rule), clue(guess, other, query.rule)
    families = {channel_name(each): each for each in (*map(channel_family, MECHANISMS), family)}
    with in_field("channel"):
        channels = {
            name: make_channel(each, row_epsilon(each) if is_fixed(each) else query.epsilon, len(guess))
            for name, each in families.items()
        }
    mechanisms = {name: _mechanism(name, each, true, query.seed) for name, each in channels.items()}
    name = channel_name(family)
    sent = channels[name]
    logs, privacy = sent.log_likelihood(mechanisms[name].noisy), privacy_of(sent, query.asks)
    shift = float(logs[true.code] - logs[other_clue.code])
    return ChannelOut(
        channel=name,
        fixed=is_fixed(family),
        clue=str(true),
        mechanisms=list(mechanisms.values()),
        promise=Promise(
            differing=int(differing_marks(true.code, len(guess))[other_clue.code]),
            factor=math.exp(shift) if shift < LARGEST_LOG_ODDS else None,
            most=sent.odds,
            curve=_beliefs(sent.epsilon, shift),
        ),
        privacy=_promised(privacy),
    )


@router.get("/capacity")
async def read_capacities(query: Annotated[CapacityQuery, Query()]) -> Capacities:
    """Capacities of the usual mechanisms, and of another channel that has no epsilon of its own, from 0.1 to 100."""
    bits = dict(await _usual_bits(query.length))
    with in_field("channel"):
        family = named_channel(query.channel)
        if not is_fixed(family) and (name := channel_name(family)) not in bits:
            bits[name] = await to_thread.run_sync(_bits, family, query.length)
    return Capacities(epsilons=EPSILONS, bits=bits)


@shared
def _usual_bits(length: int) -> dict[str, list[float]]:
    return {name: _bits(channel_family(name), length) for name in MECHANISMS}


def _bits(family: ChannelFamily, length: int) -> list[float]:
    return [make_channel(family, epsilon, length).capacity for epsilon in EPSILONS]


def _mechanism(name: str, channel: Channel, true: Clue, seed: int) -> ShownMechanism:
    length = true.length
    # All clues are treated alike.
    summed = np.bincount(differing_marks(0, length), weights=channel.likelihood(0))
    flips = summed / summed.sum()  # what always happens has a probability of exactly 1
    false_marks = float(flips @ np.arange(length + 1))
    error_rate = false_marks / length
    # Not `sample`, which deals out the false clues anew at each epsilon. Here less noise only takes false marks away,
    # and the mechanisms differ in how many there are.
    random = np.random.default_rng(seed)
    count = int((np.cumsum(flips)[:-1] <= random.random()).sum())
    places, turns = random.permutation(length)[:count], random.integers(1, 3, length)
    marks = np.array(true.marks)
    marks[places] = (marks + turns)[places] % 3
    return ShownMechanism(
        channel=name,
        epsilon=json_epsilon(channel.epsilon),
        noisy=str(Clue.parse("".join(map(str, marks)))),
        mark=np.where(np.eye(3) == 1.0, 1.0 - error_rate, error_rate / 2.0).tolist(),
        flipped=flips.tolist(),
        false_marks=false_marks,
        noise_entropy=float(channel.noise_entropy[0]),
        capacity=channel.capacity,
    )


def _promised(privacy: Privacy) -> PrivacyOut:
    epsilons = [part * privacy.epsilon for part in PARTS] if privacy.epsilon < math.inf else []
    return PrivacyOut(
        asks=privacy.asks,
        epsilon=json_epsilon(privacy.epsilon),
        deltas=[(epsilon, privacy.delta(epsilon)) for epsilon in epsilons],
        renyi=[(order, privacy.renyi(order)) for order in ORDERS],
    )


def _beliefs(epsilon: float, shift: float) -> list[Belief]:
    priors = np.arange(1, 100) / 100
    rows = zip(priors, *expit(logit(priors) + np.array([[-epsilon], [epsilon], [shift]])), strict=True)
    return [Belief(prior=prior, low=low, high=high, posterior=posterior) for prior, low, high, posterior in rows]
