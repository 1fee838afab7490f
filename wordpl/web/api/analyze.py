"""Skill and luck of each guess of a game that is over."""

from __future__ import annotations

import math
from typing import Annotated

from fastapi import APIRouter
from pydantic import Field

from wordpl.assistant.analysis import MOST, analyze
from wordpl.assistant.finished import pasted_is_noisy, read_answer, read_pasted
from wordpl.assistant.reading import usual_rule
from wordpl.errors import WordplError
from wordpl.model.channel import RandomizedResponse
from wordpl.model.words import WordList
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.storage.lru_cache import LruCache
from wordpl.web.models import Epsilon, Lies, Model, Rule, TurnOut, UsualRule, Word, WordsName
from wordpl.web.problems import in_field
from wordpl.web.server import Here
from wordpl.web.settings import MAX_TEXT
from wordpl.web.turns import fibble_channel

router = APIRouter(prefix="/api/analyze", tags=["analyze"])

MAX_TURNS = 50
"""Guesses of a game; each costs much more than a clue does elsewhere."""
_KEPT = 64

Grade = Annotated[int | None, Field(ge=0, le=MOST)]


class Pasted(Model):
    """A game as players have it."""

    words: WordsName
    rule: UsualRule = None
    text: Annotated[
        str,
        Field(max_length=MAX_TEXT, description="A share text, or guesses with clues, or guesses alone with `answer`"),
    ]
    guesses: Annotated[
        str, Field(max_length=MAX_TEXT, description="Of a share text whose rows do not begin with them")
    ] = ""
    answer: Annotated[Word | None, Field(description="From which the clues follow, or which was not found")] = None
    hard: Annotated[bool, Field(description="Played in hard mode; the star of a share text says so, too")] = False
    epsilon: Annotated[Epsilon, Field(description="Of clues that name none")] = math.inf
    lies: Lies = None


class ReviewedTurn(TurnOut):
    """What a turn was worth."""

    chance: Annotated[float, Field(description="That the guess was the answer")]
    remaining_before: Annotated[float, Field(description="Effective number of answers before the clue")]
    remaining_after: Annotated[float, Field(description="Effective number of answers after the clue")]
    expected_bits: Annotated[float, Field(description="Information gain of the guess")]
    actual_bits: Annotated[float, Field(description="What the clue told")]
    best: Annotated[str, Field(description="The best guess")]
    best_bits: Annotated[float, Field(description="Information gain of the best guess")]
    skill_bits: float
    luck_bits: float
    steps: Annotated[float | None, Field(description="Expected guesses to the end, this one included")]
    best_steps: Annotated[float | None, Field(description="The same for the best guess")]
    skill: Grade
    luck: Grade
    line: Annotated[list[str], Field(description="The best guesses from here")]


class Totals(Model):
    """Sums over the turns."""

    guesses: int
    expected_bits: float
    actual_bits: float
    best_bits: float
    skill_bits: float
    luck_bits: float


class AnalyzedGame(Model):
    """A game turn by turn: what `wordpl analyze --json` prints."""

    words: str
    rule: Rule
    solved: bool
    hard: bool
    skill: Annotated[Grade, Field(description="Mean of the turns that have one")]
    luck: Annotated[Grade, Field(description="Mean of the turns that have one")]
    line: Annotated[list[str], Field(description="The best guesses from the start")]
    turns: list[ReviewedTurn]
    total: Totals


_games: LruCache[str, AnalyzedGame] = LruCache(_KEPT)


@router.post("")
async def analyze_game(given: Pasted, here: Here) -> AnalyzedGame:
    """Skill and luck of each guess, from 0 to 99 and in bits."""
    return await here.pool.run(_analyzed, given, here.word_lists.get(given.words))


def _analyzed(given: Pasted, words: WordList) -> AnalyzedGame:
    return _games.get_or_make(given.model_dump_json(), lambda: _worked_out(given, words), once=False)


def _worked_out(given: Pasted, words: WordList) -> AnalyzedGame:
    with in_field("answer"):
        answer = given.answer and read_answer(given.answer, words)
    lies = given.lies is not None
    channel = RandomizedResponse if given.lies is None else fibble_channel(given.lies, words, given.hard)
    rule = given.rule or usual_rule(pasted_is_noisy(given.text, given.guesses, given.epsilon))
    with in_field("guesses" if given.guesses.strip() else "text"):
        game = read_pasted(
            given.text, words, rule, guesses=given.guesses, answer=answer, epsilon=given.epsilon, lies=lies
        )
        if len(game.turns) > MAX_TURNS:
            raise WordplError(f"the game has {len(game.turns)} guesses; at most {MAX_TURNS} are taken")
    format = GameFormat(max(len(game.turns), 1)) if lies else CONTEST  # however many guesses it had
    hard = given.hard or (game.hard and not lies)
    with in_field("text"):
        found = analyze(
            words, game.turns, rule, hard=hard, answer=game.answer, channel=channel, kernels=True, format=format
        )
    return AnalyzedGame.model_validate({"words": words.name, "rule": rule} | found.record())
