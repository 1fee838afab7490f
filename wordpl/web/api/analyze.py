"""Skill and luck of each guess of a game that is over."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache
from typing import Annotated, Self, TypeAlias

from fastapi import APIRouter
from pydantic import Field

from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc
from wordpl.model.channel import make_channel
from wordpl.model.words import WordList
from wordpl.play.setting import Setting
from wordpl.web.models import Epsilon, GameIn, Rows, Word, channel_of, cost_of, is_fixed
from wordpl.web.problems import in_field
from wordpl.web.server import Here, WordLists
from wordpl.web.settings import MAX_TEXT
from wordpl.wordle.analysis import Analysis, analyze
from wordpl.wordle.finished import Finished, finished_is_noisy, read_finished, shared_terms
from wordpl.wordle.reading import read_any_word, usual_rule
from wordpl.wordle.rules import HardMode, check_hard_mode, check_rows, player_format
from wordpl.wordle.session import CoachedTurn, coached_turn

router = APIRouter(prefix="/api/analyze", tags=["analyze"])

MAX_TURNS = 50
"""Guesses of a game; each costs much more than a clue does elsewhere."""

Text: TypeAlias = Annotated[str, Field(max_length=MAX_TEXT)]


class Pasted(GameIn):
    """A game as players have it."""

    text: Annotated[Text, Doc("A share text, or guesses with clues, or guesses alone with `answer`")]
    guesses: Annotated[Text, Doc("Guesses for a share text that has only squares")] = ""
    answer: Annotated[Word | None, Doc("The answer. Needed for guesses without clues, or if it was not found")] = None
    hard: Annotated[HardMode, Doc("Played in hard mode, or extra hard mode; the star of a share text says so, too")] = (
        False
    )
    epsilon: Annotated[Epsilon, Doc("Epsilon of each clue that names none")] = math.inf
    game: Rows = None

    @property
    def played_rule(self) -> str:
        return self.rule or usual_rule(finished_is_noisy(f"{self.text}\n{self.guesses}", self.epsilon))

    def shared(self) -> Self:
        """The same, and where nothing was sent what the text says of its game."""
        terms = shared_terms(self.text)
        return self.model_copy(update={name: terms[name] for name in terms if getattr(self, name) is None})


@router.post("")
def analyze_game(pasted: Pasted, here: Here) -> Analysis:
    """Skill and luck of each guess, from 0 to 99 and in bits."""
    return _analyzed(pasted.shared(), here.word_lists, here.compiled)


@router.post("/turns")
def read_turns(pasted: Pasted, here: Here) -> list[CoachedTurn]:
    """The guesses of a game with their clues, as other calls take them."""
    words = here.word_lists.get(pasted.words)
    return [coached_turn(turn, words) for turn in _read(pasted.shared(), words).turns]


def _read(pasted: Pasted, words: WordList) -> Finished:
    with in_field("answer"):
        answer = pasted.answer and read_any_word(pasted.answer, words)
    rule, epsilon, channel = pasted.played_rule, pasted.epsilon, channel_of(pasted.channel, words)
    with in_field("epsilon"):
        lies = not make_channel(channel, cost_of(epsilon, channel, words), words.length).exact
    with in_field("guesses" if pasted.guesses.strip() else "text"):
        given = pasted.guesses.split("\n")
        game = read_finished(given, words, rule, answer=answer, share=pasted.text, epsilon=epsilon, lies=lies)
        if len(game.turns) > MAX_TURNS:
            raise WordplError(f"The game has {len(game.turns)} guesses; at most {MAX_TURNS} are taken.")
        turns = tuple(turn._replace(epsilon=cost_of(turn.epsilon, channel, words)) for turn in game.turns)
    return replace(game, turns=turns)


@lru_cache(maxsize=64)
def _analyzed(pasted: Pasted, lists: WordLists, kernels: bool) -> Analysis:
    words = lists.get(pasted.words)
    game, channel = _read(pasted, words), channel_of(pasted.channel, words)
    fixed = is_fixed(channel)
    with in_field("game"):
        noisy = any(turn.epsilon < math.inf for turn in game.turns)
        format = player_format(pasted.game, channel, noisy)
        check_rows(format, game.turns)
    hard = pasted.hard or (game.hard and not fixed)
    with in_field("hard"):
        check_hard_mode(pasted.hard, exact=not fixed and all(turn.epsilon == math.inf for turn in game.turns))
    setting = Setting(words, pasted.played_rule, channel, format=format)
    with in_field("text"):
        analysis = analyze(setting, game.turns, hard=hard, answer=game.answer, proposed=game.proposed, kernels=kernels)
    return replace(analysis, remark=game.remark, solved=analysis.solved if game.right is None else game.right)
