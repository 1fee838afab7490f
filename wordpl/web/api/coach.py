"""Help in a game that is played elsewhere. Nothing is kept: each request has all guesses and clues."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from wordpl.assistant.reading import usual_rule
from wordpl.assistant.session import FEW, Assistant
from wordpl.assistant.wordle import FIBBLE_TURNS
from wordpl.model.words import WordList
from wordpl.play.formats import MAX_GUESSES, GameFormat
from wordpl.play.strategy import History
from wordpl.storage.lru_cache import LruCache
from wordpl.web.models import Epsilon, Lies, Model, Rule, TurnOut, TurnsIn, UsualRule, Word, WordsName
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here
from wordpl.web.turns import fibble_channel, history_of

router = APIRouter(prefix="/api/coach", tags=["coach"])

MAX_SUGGESTIONS = 100
MAX_ANSWERS = 500
_MAX_PARTS = 300
_MAX_PART_WORDS = 30
_KEPT = 256

Criterion: TypeAlias = Literal[
    "information_gain", "clue_entropy", "expected_top", "renyi", "expected_remaining", "largest_part", "parts"
]


class Situation(Model):
    """A game so far."""

    words: WordsName
    rule: UsualRule = None
    turns: TurnsIn = Field(default_factory=list)
    epsilon: Annotated[Epsilon, Field(description="Of the next guess")] = math.inf
    lies: Lies = None
    guesses: Annotated[int, Field(ge=1, le=MAX_GUESSES, description="Guesses that a game of Fibble has")] = FIBBLE_TURNS


class SuggestionsWanted(Situation):
    """A game so far, and what is to be said of it."""

    criterion: Annotated[Criterion, Field(description="By which guesses are ranked")] = "information_gain"
    hard: Annotated[bool, Field(description="Suggest only what hard mode allows")] = False
    count: Annotated[int, Field(ge=1, le=MAX_SUGGESTIONS, description="Suggestions, or closest words")] = 10
    answers: Annotated[int, Field(ge=0, le=MAX_ANSWERS, description="Answers to name")] = FEW


class ReasonsWanted(Situation):
    """A game so far, and any word of the right length, which need not be in the list."""

    word: Word


class Figures(Model):
    """What a clue to a guess is expected to tell."""

    word: str
    bits: Annotated[float, Field(description="Information gain")]
    clue_entropy: Annotated[float, Field(description="Entropy of the clue in bits")]
    expected_remaining: Annotated[float, Field(description="Expected effective number of answers after the clue")]
    chance: Annotated[float, Field(description="P(the word is the answer)")]
    parts: Annotated[int, Field(description="Different true clues of the possible answers")]
    largest_part: Annotated[int, Field(description="Possible answers that share the commonest true clue")]


class CoachedTurn(TurnOut):
    """A turn as it was understood."""

    known: Annotated[bool, Field(description="Whether the list has the guess")]


class ChanceOf(Model):
    """An answer and its probability."""

    word: str
    chance: float


class Mend(Model):
    """A clue that can be wrong alone."""

    clue: Annotated[int, Field(description="Its number, from 1")]
    remaining: Annotated[int, Field(description="Answers that fit all the others")]


class Contradicted(Model):
    """Clues that no answer fits."""

    clue: Annotated[int, Field(description="Number of the first clue that leaves nothing, from 1")]
    mends: list[Mend]
    explanation: str


class CloseWord(Model):
    """A word that nearly fits the clues, or that fits them and is only among the guesses."""

    word: str
    contradicted_marks: Annotated[int, Field(description="Marks that would have to be wrong")]
    answer: Annotated[bool, Field(description="Whether it is among the answers")]


class FibbleGame(Model):
    """What is told of a game of Fibble, which the right guess ends."""

    format: str
    channel: str
    rows_left: int
    ranked_by: Annotated[str, Field(description="In the last two rows `expected_top` and `chance`, to win")]
    win_chances: Annotated[
        list[float],
        Field(description="In the last two rows, for each suggestion: the chance to win by it or the best after it"),
    ]
    false_marks: Annotated[list[list[float]], Field(description="For each clue, the chance that each mark is false")]


class Standing(Model):
    """Where a game stands and what to guess next: what `wordpl solve --json` prints."""

    words: str
    rule: Rule
    epsilon: Epsilon
    criterion: Criterion
    hard: bool
    clues: list[CoachedTurn]
    solved: Annotated[str | None, Field(description="The word, if an exact clue was all correct")]
    only: Annotated[str | None, Field(description="The one answer that is left")]
    remaining: Annotated[int, Field(description="Answers that are not ruled out")]
    effective_remaining: Annotated[float, Field(description="Equally likely answers that would be as hard to guess")]
    bits_left: Annotated[float, Field(description="Entropy of the answer")]
    answers: Annotated[list[ChanceOf], Field(description="The most probable answers")]
    suggestions: Annotated[list[Figures], Field(description="Best first")]
    game: Annotated[FibbleGame | None, Field(description="Only of Fibble")] = None
    contradiction: Annotated[Contradicted | None, Field(description="Only if no answer fits the clues")] = None
    closest: Annotated[list[CloseWord], Field(default_factory=list, description="Only if no answer fits the clues")]


class PartOf(Model):
    """The possible answers that give one true clue."""

    clue: str
    chance: float
    size: int
    words: Annotated[list[str], Field(description=f"At most {_MAX_PART_WORDS} of them")]


class Why(Model):
    """Why to guess a word, or why not."""

    figures: Figures
    known: Annotated[bool, Field(description="Whether the list has the word")]
    legal: Annotated[bool, Field(description="Whether hard mode allows it")]
    parts: Annotated[list[PartOf], Field(description=f"The most probable first, at most {_MAX_PARTS}")]


_standings: LruCache[str, Standing] = LruCache(_KEPT)


@router.post("/suggestions")
async def suggest_guesses(given: SuggestionsWanted, here: Here) -> Standing:
    """Best next guesses, the answers left, and what is wrong if no answer fits the clues."""
    return await here.pool.run(_standing, given, here.word_lists.get(given.words))


@router.post("/why")
async def explain_guess(given: ReasonsWanted, here: Here) -> Why:
    """What a clue to a word would tell, and how it parts the possible answers."""
    return await here.pool.run(_why, given, here.word_lists.get(given.words))


def _standing(given: SuggestionsWanted, words: WordList) -> Standing:
    # A name stands for the same words for ever, so what was once asked for need not be worked out again.
    def make() -> Standing:
        if given.lies is not None and given.criterion == "clue_entropy":
            message = "Clue entropy does not rank guesses by information where clues have lies; use information_gain."
            raise FieldError(message, "criterion")
        assistant = _assistant(given, words, given.criterion, given.hard)
        return Standing.model_validate(assistant.record(given.count, given.answers))

    return _standings.get_or_make(given.model_dump_json(), make, once=False)


def _why(given: ReasonsWanted, words: WordList) -> Why:
    assistant = _assistant(given, words)
    with in_field("word"):
        reasons = assistant.why(given.word)
    return Why(
        figures=Figures(**asdict(reasons.figures)),
        known=reasons.known,
        legal=reasons.legal,
        parts=[
            PartOf(clue=part.clue, chance=part.chance, size=len(part.words), words=list(part.words[:_MAX_PART_WORDS]))
            for part in reasons.parts[:_MAX_PARTS]
        ],
    )


def _assistant(given: Situation, words: WordList, criterion: str = "information_gain", hard: bool = False) -> Assistant:
    turns = history_of(given.turns, words)
    noisy = any(map(math.isfinite, (given.epsilon, *(turn.epsilon for turn in turns))))
    rule = given.rule or usual_rule(noisy)
    if given.lies is None:
        with in_field("epsilon"):
            assistant = Assistant(words, rule, given.epsilon, criterion, hard, kernels=True)
    else:
        _check_turns_of_fibble(given, turns)
        channel, format = fibble_channel(given.lies, words, hard), GameFormat(given.guesses)
        assistant = Assistant(words, rule, criterion=criterion, channel=channel, kernels=True, format=format)
    assistant.take(turns)
    return assistant


def _check_turns_of_fibble(given: Situation, turns: History) -> None:
    """Refuse clues that no game of Fibble has."""
    epsilons = {"epsilon": given.epsilon} | {f"turns.{i}.epsilon": turn.epsilon for i, turn in enumerate(turns)}
    for field, epsilon in epsilons.items():
        if epsilon != math.inf:
            raise FieldError("Clues of Fibble have lies and no noise; their epsilon is inf.", field)
    if len(turns) > given.guesses:
        raise FieldError(f"There are {len(turns)} guesses, and the game has {given.guesses}.", "guesses")
