"""Help in a game that is played elsewhere. Nothing is kept: each request has all guesses and clues."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Literal, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from wordpl.base.defaults import FEW_ANSWERS
from wordpl.base.json_types import Doc
from wordpl.model.words import WordList
from wordpl.play.setting import Setting
from wordpl.web.models import Epsilon, GameIn, Rows, TurnsIn, Word, channel_of, cost_of, history_of, is_fixed
from wordpl.web.problems import FieldError, in_field
from wordpl.web.server import Here, WordLists
from wordpl.wordle.reading import usual_rule
from wordpl.wordle.rules import HardMode, check_rows, hard_mode_fault, player_format
from wordpl.wordle.session import Assistant, GameStanding, Reasons

router = APIRouter(prefix="/api/coach", tags=["coach"])

Criterion: TypeAlias = Literal[
    "information_gain", "clue_entropy", "expected_top", "renyi", "expected_remaining", "largest_part", "parts"
]


Letters: TypeAlias = Annotated[str, Field(max_length=60)]


class Situation(GameIn):
    turns: TurnsIn = Field(default_factory=tuple)
    epsilon: Annotated[Epsilon, Doc("Epsilon of the next guess")] = math.inf
    known: Annotated[Letters, Doc("Known letters in their places, as ..a.e; not with hard mode")] = ""
    has: Annotated[Letters, Doc("Letters of the word, as `st` or `r:-4` for an r that is not in place 4")] = ""
    absent: Annotated[Letters, Doc("Letters that are not in the word")] = ""
    hard: Annotated[HardMode, Doc("Take and suggest only what hard mode allows; extra forbids absent letters")] = False
    game: Rows = None


class SuggestionsWanted(Situation):
    criterion: Annotated[Criterion, Doc("Criterion that ranks the guesses")] = "information_gain"
    count: Annotated[int, Field(ge=1, le=100, description="Suggestions, or closest words")] = 10
    answers: Annotated[int, Field(ge=0, le=500, description="Answers to name")] = FEW_ANSWERS


class ReasonsWanted(Situation):
    """A game so far, and any word of the right length, which need not be in the list."""

    word: Word


@router.post("/suggestions")
def suggest_guesses(wanted: SuggestionsWanted, here: Here) -> GameStanding:
    """Best next guesses, the answers left, and what is wrong if no answer fits the clues."""
    return _standing(wanted, here.word_lists, here.compiled)


@router.post("/why")
def explain_guess(wanted: ReasonsWanted, here: Here) -> Reasons:
    """Reasons for a guess: the information in its clue, and the groups of answers by clue (300, with 30 words each)."""
    return _reasons(wanted, here.word_lists, here.compiled)


# A name stands for the same words for ever, so what was once asked for need not be worked out again.
@lru_cache(maxsize=256)
def _reasons(wanted: ReasonsWanted, lists: WordLists, kernels: bool) -> Reasons:
    assistant = _assistant(wanted, lists, kernels)
    with in_field("word"):
        reasons = assistant.why(wanted.word)
    parts = (replace(part, words=part.words[:30]) for part in reasons.parts[:300])
    return replace(reasons, parts=tuple(parts))


@lru_cache(maxsize=256)
def _standing(wanted: SuggestionsWanted, lists: WordLists, kernels: bool) -> GameStanding:
    assistant = _assistant(wanted, lists, kernels, wanted.criterion)
    return assistant.record(wanted.count, wanted.answers, advise=kernels)


def _with_letters(words: WordList, wanted: Situation) -> WordList:
    """The list whose answers have the known letters. It keeps its name, by which it can be asked for again."""
    letters = wanted.known, wanted.has, wanted.absent
    if any(letters) and wanted.hard:
        raise FieldError("Hard mode needs your guesses with their clues; leave out the letters.", "known")
    with in_field("known"):
        return replace(words.with_letters(*letters), name=words.name) if any(letters) else words


def _assistant(wanted: Situation, lists: WordLists, kernels: bool, criterion: str = "information_gain") -> Assistant:
    words = _with_letters(lists.get(wanted.words), wanted)
    channel = channel_of(wanted.channel, words)
    turns = history_of(wanted.turns, words, channel)
    with in_field("epsilon"):
        epsilon = cost_of(wanted.epsilon, channel, words)
    least = min([wanted.epsilon, *(turn.epsilon for turn in wanted.turns)])
    rule = wanted.rule or usual_rule(least < math.inf)
    if is_fixed(channel) and criterion == "clue_entropy":
        raise FieldError("Clue entropy ranks no guesses where clues have lies; use information gain.", "criterion")
    with in_field("game"):
        format = player_format(wanted.game, channel, least < math.inf)
        check_rows(format, turns)
    for i, turn in enumerate(turns):
        if fault := hard_mode_fault(turn.guess, turns[:i], rule, wanted.hard):
            raise FieldError(f"hard mode: {fault}", f"turns.{i}.guess")
    assistant = Assistant(Setting(words, rule, channel, format=format), epsilon, criterion, kernels=kernels)
    assistant.take(turns)
    with in_field("hard"):
        assistant.hard = wanted.hard
    return assistant
