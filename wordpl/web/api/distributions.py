"""Distributions of clues: what a page needs to draw them at any epsilon by itself."""

from __future__ import annotations

import math
from typing import Annotated

import numpy as np
from fastapi import APIRouter
from pydantic import Field

import wordpl
from wordpl.base.json_types import Doc
from wordpl.web.models import Model, Rule, TurnsIn, Word, WordsName, history_of
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


class TrueClues(Model):
    """The exact clue to a guess: the codes that are possible, rising, and for each what follows."""

    guess: str
    chance: Annotated[float, Doc("P(the guess is the answer)")]
    codes: list[int]
    probabilities: Annotated[list[float], Doc("P(the exact clue has this code)")]
    largest: Annotated[list[float], Doc("The largest P(answer) among the answers of this code")]


class Distributions(Model):
    """The posterior after the clues, and the exact clues to the guesses.

    A channel that treats each mark alone turns `probabilities` into those of the noisy clue at any epsilon; with
    (max, x) in place of (+, x) it turns `largest` into the top joint weights, whose sum is the expected top posterior.
    """

    length: int
    entropy: Annotated[float, Doc("Entropy of the posterior, in bits")]
    answers: Annotated[int, Doc("Answers that are possible")]
    guesses: list[TrueClues]


@router.post("")
def read_distributions(wanted: DistributionsIn, here: Here) -> Distributions:
    """The distribution of the exact clue to each guess, given the clues so far."""
    words = here.word_lists.get(wanted.words)
    history = history_of(wanted.turns, words, wordpl.RandomizedResponse)
    guesses = []
    for i, typed in enumerate(wanted.guesses):
        with in_field(f"guesses.{i}"):
            guesses.append(read_any_word(typed, words))
    with in_field("turns"):
        belief = wordpl.Setting(words, wanted.rule).belief(history)
    clues = [_true_clues(belief, guess) for guess in guesses]
    return Distributions(length=words.length, entropy=belief.entropy, answers=len(belief.possible), guesses=clues)


def _true_clues(belief: wordpl.Posterior, guess: str) -> TrueClues:
    probabilities = belief.clue_probabilities(guess, math.inf)
    codes = np.flatnonzero(probabilities)
    answer = belief.words.answer_index.get(guess)
    return TrueClues(
        guess=guess,
        chance=0.0 if answer is None else float(belief.probabilities[answer]),
        codes=codes.tolist(),
        probabilities=probabilities[codes].tolist(),
        largest=belief.largest_by_clue(guess)[codes].tolist(),
    )
