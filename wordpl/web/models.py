"""The types that several endpoints take or give, and how they are read."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from wordpl.assistant.reading import read_any_word
from wordpl.model.channel import ChannelFamily, RandomizedResponse, channel_family, check_family
from wordpl.model.clues import Clue
from wordpl.model.hard_mode import check_hard_mode
from wordpl.model.words import WordList
from wordpl.play.setting import History, Turn
from wordpl.records import Doc
from wordpl.text.displays import json_epsilon
from wordpl.web.problems import in_field
from wordpl.web.settings import MAX_LIES, MAX_TURNS

MAX_EPSILON = 1e6


class Model(BaseModel):
    """A body or an answer of the API. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="null")


def _bounded(value: float) -> float:
    if value > MAX_EPSILON and value != math.inf:
        raise ValueError(f"epsilon is a number above 0 up to {MAX_EPSILON:,.0f}, or inf")
    return value


_EPSILON = {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_EPSILON}
Epsilon: TypeAlias = Annotated[
    float,
    Field(gt=0),
    AfterValidator(_bounded),
    BeforeValidator(lambda value: math.inf if value == "inf" else value),  # the text of no noise, as in all JSON
    PlainSerializer(json_epsilon),
    WithJsonSchema({"anyOf": [_EPSILON, {"type": "string", "enum": ["inf"]}]}),
]
"""The budget of a clue: a number above 0 up to 1e6, or the text `inf` for no noise."""

WordsName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=40, description="A bundled word list, or the name that a pasted list was given")
]
Rule: TypeAlias = Literal["letterwise", "counted"]
UsualRule: TypeAlias = Annotated[Rule | None, Doc("By default letterwise where a clue is noisy, and counted elsewhere")]
Lies: TypeAlias = Annotated[
    int | None, Field(ge=1, le=MAX_LIES), Doc("False marks in each clue of Fibble; null for any other game")
]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]


class TurnIn(Model):
    """A guess with its clue, as a player typed it."""

    guess: Word
    clue: Annotated[str, Field(min_length=3, max_length=40, description="As `..icc`, `00122`, `bbygg` or squares")]
    epsilon: Epsilon = math.inf


TurnsIn: TypeAlias = Annotated[tuple[TurnIn, ...], Field(max_length=MAX_TURNS)]


def history_of(turns: TurnsIn, words: WordList) -> History:
    """Return the turns. Raises `FieldError` for a word or a clue that cannot be, with its place in the request."""
    history = []
    for i, turn in enumerate(turns):
        with in_field(f"turns.{i}.guess"):
            guess = read_any_word(turn.guess, words)
        with in_field(f"turns.{i}.clue"):
            clue = Clue.parse("".join(turn.clue.split()), words.length)
        history.append(Turn(guess, turn.epsilon, clue.code))
    return tuple(history)


def fibble_channel(lies: int | None, words: WordList, hard: bool) -> ChannelFamily:
    """Return the channel of a game. Raises `FieldError` for more lies than letters, and for hard mode with lies."""
    if lies is None:
        return RandomizedResponse
    with in_field("hard"):
        check_hard_mode(hard, exact=False)
    with in_field("lies"):
        return check_family(channel_family(f"fibble:{lies}"), words.length)
