"""Help in a game that is played elsewhere. Nothing is kept: each request has all guesses and clues."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from wordpl.assistant.reading import usual_rule
from wordpl.assistant.session import FEW, Assistant, GameStanding
from wordpl.assistant.wordle import FIBBLE_TURNS
from wordpl.play.formats import MAX_GUESSES, GameFormat
from wordpl.records import Doc
from wordpl.scoring.guess_figures import GuessFigures
from wordpl.web.models import Epsilon, Lies, Model, TurnsIn, UsualRule, Word, WordsName, fibble_channel, history_of
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here, WordLists

router = APIRouter(prefix="/api/coach", tags=["coach"])

MAX_SUGGESTIONS = 100
MAX_ANSWERS = 500
_MAX_PARTS = 300
_MAX_PART_WORDS = 30

Criterion: TypeAlias = Literal[
    "information_gain", "clue_entropy", "expected_top", "renyi", "expected_remaining", "largest_part", "parts"
]


class Situation(Model):
    """A game so far."""

    words: WordsName
    rule: UsualRule = None
    turns: TurnsIn = Field(default_factory=tuple)
    epsilon: Annotated[Epsilon, Doc("Of the next guess")] = math.inf
    lies: Lies = None
    guesses: Annotated[int, Field(ge=1, le=MAX_GUESSES, description="Guesses that a game of Fibble has")] = FIBBLE_TURNS


class SuggestionsWanted(Situation):
    """A game so far, and what is to be said of it."""

    criterion: Annotated[Criterion, Doc("By which guesses are ranked")] = "information_gain"
    hard: Annotated[bool, Doc("Suggest only what hard mode allows")] = False
    count: Annotated[int, Field(ge=1, le=MAX_SUGGESTIONS, description="Suggestions, or closest words")] = 10
    answers: Annotated[int, Field(ge=0, le=MAX_ANSWERS, description="Answers to name")] = FEW


class ReasonsWanted(Situation):
    """A game so far, and any word of the right length, which need not be in the list."""

    word: Word


class PartOf(Model):
    """The possible answers that give one true clue."""

    clue: str
    chance: float
    size: int
    words: Annotated[list[str], Doc(f"At most {_MAX_PART_WORDS} of them")]


class Why(Model):
    """Why to guess a word, or why not."""

    figures: GuessFigures
    known: Annotated[bool, Doc("Whether the list has the word")]
    legal: Annotated[bool, Doc("Whether hard mode allows it")]
    parts: Annotated[list[PartOf], Doc(f"The most probable first, at most {_MAX_PARTS}")]


@router.post("/suggestions")
async def suggest_guesses(given: SuggestionsWanted, here: Here) -> GameStanding:
    """Best next guesses, the answers left, and what is wrong if no answer fits the clues."""
    return await here.pool.run(_standing, given, here.word_lists)


@router.post("/why")
async def explain_guess(given: ReasonsWanted, here: Here) -> Why:
    """What a clue to a word would tell, and how it parts the possible answers."""
    return await here.pool.run(_why, given, here.word_lists)


# A name stands for the same words for ever, so what was once asked for need not be worked out again.
@lru_cache(maxsize=256)
def _standing(given: SuggestionsWanted, lists: WordLists) -> GameStanding:
    return _assistant(given, lists, given.criterion, given.hard).record(given.count, given.answers)


def _why(given: ReasonsWanted, lists: WordLists) -> Why:
    assistant = _assistant(given, lists)
    with in_field("word"):
        reasons = assistant.why(given.word)
    return Why(
        figures=reasons.figures,
        known=reasons.known,
        legal=reasons.legal,
        parts=[
            PartOf(clue=part.clue, chance=part.chance, size=len(part.words), words=list(part.words[:_MAX_PART_WORDS]))
            for part in reasons.parts[:_MAX_PARTS]
        ],
    )


def _assistant(
    given: Situation, lists: WordLists, criterion: str = "information_gain", hard: bool = False
) -> Assistant:
    words = lists.get(given.words)
    turns = history_of(given.turns, words)
    noisy = any(map(math.isfinite, (given.epsilon, *(turn.epsilon for turn in turns))))
    rule = given.rule or usual_rule(noisy)
    if given.lies is None:
        with in_field("epsilon"):
            assistant = Assistant(words, rule, given.epsilon, criterion, kernels=True)
    else:
        if criterion == "clue_entropy":
            message = "Clue entropy does not rank guesses by information where clues have lies; use information_gain."
            raise FieldError(message, "criterion")
        epsilons = {"epsilon": given.epsilon} | {f"turns.{i}.epsilon": turn.epsilon for i, turn in enumerate(turns)}
        for field, epsilon in epsilons.items():
            if epsilon != math.inf:
                raise FieldError("Clues of Fibble have lies and no noise; their epsilon is inf.", field)
        if len(turns) > given.guesses:
            raise FieldError(f"There are {len(turns)} guesses, and the game has {given.guesses}.", "guesses")
        channel, format = fibble_channel(given.lies, words, hard), GameFormat(given.guesses)
        assistant = Assistant(words, rule, criterion=criterion, channel=channel, kernels=True, format=format)
    assistant.take(turns)
    with in_field("hard"):
        assistant.hard = hard
    return assistant
