"""Skill and luck of each guess of a game that is over."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Annotated, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from wordpl.assistant.analysis import AnalyzedGame, analyze
from wordpl.assistant.finished import pasted_is_noisy, read_answer, read_pasted
from wordpl.assistant.reading import usual_rule
from wordpl.errors import WordplError
from wordpl.model.hard_mode import check_hard_mode
from wordpl.play.formats import CONTEST, GameFormat
from wordpl.records import Doc
from wordpl.web.models import Epsilon, Lies, Model, UsualRule, Word, WordsName, fibble_channel
from wordpl.web.problems import in_field
from wordpl.web.server import Here, WordLists
from wordpl.web.settings import MAX_TEXT

router = APIRouter(prefix="/api/analyze", tags=["analyze"])

MAX_TURNS = 50
"""Guesses of a game; each costs much more than a clue does elsewhere."""

Text: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT)]


class Pasted(Model):
    """A game as players have it."""

    words: WordsName
    rule: UsualRule = None
    text: Annotated[Text, Doc("A share text, or guesses with clues, or guesses alone with `answer`")]
    guesses: Annotated[Text, Doc("Of a share text whose rows do not begin with them")] = ""
    answer: Annotated[Word | None, Doc("From which the clues follow, or which was not found")] = None
    hard: Annotated[bool, Doc("Played in hard mode; the star of a share text says so, too")] = False
    epsilon: Annotated[Epsilon, Doc("Of clues that name none")] = math.inf
    lies: Lies = None


@router.post("")
async def analyze_game(pasted: Pasted, here: Here) -> AnalyzedGame:
    """Skill and luck of each guess, from 0 to 99 and in bits."""
    return await here.slow.run(_analyzed, pasted, here.word_lists)


@lru_cache(maxsize=64)
def _analyzed(pasted: Pasted, lists: WordLists) -> AnalyzedGame:
    words = lists.get(pasted.words)
    with in_field("answer"):
        answer = pasted.answer and read_answer(pasted.answer, words)
    lies, channel = pasted.lies is not None, fibble_channel(pasted.lies, words, pasted.hard)
    rule = pasted.rule or usual_rule(pasted_is_noisy(pasted.text, pasted.guesses, pasted.epsilon))
    with in_field("guesses" if pasted.guesses.strip() else "text"):
        game = read_pasted(
            pasted.text, words, rule, guesses=pasted.guesses, answer=answer, epsilon=pasted.epsilon, lies=lies
        )
        if len(game.turns) > MAX_TURNS:
            raise WordplError(f"the game has {len(game.turns)} guesses; at most {MAX_TURNS} are taken")
    format = GameFormat(max(len(game.turns), 1)) if lies else CONTEST  # however many guesses it had
    hard = pasted.hard or (game.hard and not lies)
    with in_field("hard"):
        check_hard_mode(pasted.hard, exact=all(turn.epsilon == math.inf for turn in game.turns))
    with in_field("text"):
        analysis = analyze(
            words, game.turns, rule, hard=hard, answer=game.answer, channel=channel, kernels=True, format=format
        )
    return analysis.record()
