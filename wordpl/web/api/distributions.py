"""Distributions of clues, and what they tell."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

import wordpl
from wordpl.base.json_types import Doc
from wordpl.model.channel import make_channel
from wordpl.web.models import Epsilon, Model, Rule, TurnsIn, Word, WordsName, history_of
from wordpl.web.problems import in_field
from wordpl.web.server import Here
from wordpl.wordle.reading import read_any_word

router = APIRouter(prefix="/api/distributions", tags=["explore"])


class DistributionsIn(Model):
    """Guesses to compare after the clues so far."""

    words: WordsName = "original"
    rule: Rule = "letterwise"
    turns: TurnsIn = Field(default_factory=tuple)
    guesses: Annotated[list[Word], Field(min_length=1, max_length=4)]
    epsilon: Annotated[Epsilon, Doc("Epsilon of the clues")] = math.inf


class ClueDistribution(Model):
    """The clue to a guess: its probabilities by code, and its scores as `score_word` has them, in bits."""

    guess: str
    chance: Annotated[float, Doc("P(the guess is the answer)")]
    exact: Annotated[list[float], Doc("P(the exact clue has this code)")]
    noisy: Annotated[list[float], Doc("P(the noisy clue has this code)")]
    clue_entropy: float
    noise_entropy: float
    information_gain: float
    expected_top: Annotated[float, Doc("Expected probability of the most probable answer after the clue")]


class Distributions(Model):
    """The posterior after the clues, and the distributions of the next clue to each guess."""

    length: int
    entropy: Annotated[float, Doc("Entropy of the posterior, in bits")]
    answers: Annotated[int, Doc("Answers that are possible")]
    guesses: list[ClueDistribution]


@router.post("")
def read_distributions(wanted: DistributionsIn, here: Here) -> Distributions:
    """The distribution of the clue to each guess, given the clues so far."""
    words = here.word_lists.get(wanted.words)
    history = history_of(wanted.turns, words, wordpl.RandomizedResponse)
    guesses = []
    for i, typed in enumerate(wanted.guesses):
        with in_field(f"guesses.{i}"):
            guesses.append(read_any_word(typed, words))
    with in_field("turns"):
        belief = wordpl.Setting(words, wanted.rule).belief(history)
    clues = [_distribution(belief, guess, wanted.epsilon) for guess in guesses]
    return Distributions(length=words.length, entropy=belief.entropy, answers=len(belief.possible), guesses=clues)


def _distribution(belief: wordpl.Posterior, guess: str, epsilon: float) -> ClueDistribution:
    answer, scores = belief.words.answer_index.get(guess), wordpl.score_word(belief, epsilon, guess)
    return ClueDistribution(
        guess=guess,
        chance=0.0 if answer is None else float(belief.probabilities[answer]),
        exact=belief.clue_probabilities(guess, math.inf).tolist(),
        noisy=belief.clue_probabilities(guess, epsilon).tolist(),
        clue_entropy=scores["clue_entropy"],
        noise_entropy=float(make_channel(belief.channel, epsilon, belief.words.length).noise_entropy[0]),
        information_gain=scores["information_gain"],
        expected_top=scores["expected_top"],
    )
