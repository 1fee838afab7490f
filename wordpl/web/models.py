"""The types that several endpoints take or give, and how they are read."""

from __future__ import annotations

import math
from typing import Annotated, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, PlainSerializer, WithJsonSchema, WrapValidator

from wordpl.base.checks import clue_epsilon
from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import Doc
from wordpl.model.channel import ChannelFamily, make_channel, named_channel, row_epsilon
from wordpl.model.clues import Clue
from wordpl.model.words import WordList
from wordpl.play.setting import History, Turn
from wordpl.web.problems import in_field
from wordpl.web.settings import MAX_TURNS
from wordpl.wordle.reading import read_any_word

MAX_EPSILON = 1e6


class Model(BaseModel):
    """A body or an answer of the API. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="null")


def _bounded(value: float) -> float:
    if value > MAX_EPSILON:
        raise ValueError(f"epsilon is a number above 0 up to {MAX_EPSILON:,.0f}, or inf")
    return value


# The text of no noise, as in all JSON. A number that is too large for a float is not.
_READ = (
    WrapValidator(lambda value, read: math.inf if value == "inf" else _bounded(read(value))),
    PlainSerializer(json_epsilon),
)
_INF = {"type": "string", "enum": ["inf"]}
Epsilon: TypeAlias = Annotated[
    float,
    Field(gt=0),
    *_READ,
    WithJsonSchema({"anyOf": [{"type": "number", "exclusiveMinimum": 0, "maximum": MAX_EPSILON}, _INF]}),
]
"""The budget of a clue: a number above 0 up to 1e6, or the text `inf` for no noise."""
RowEpsilon: TypeAlias = Annotated[
    float,
    Field(ge=0),
    *_READ,
    WithJsonSchema({"anyOf": [{"type": "number", "minimum": 0, "maximum": MAX_EPSILON}, _INF]}),
]
"""The same of a row; 0 for a proposal in an unlimited game."""

WordsName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=40, description="A bundled word list, or the name that a pasted list was given")
]
Rule: TypeAlias = Literal["letterwise", "counted"]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]


class GameIn(Model):
    """Which game it is. Where all clues have one epsilon, as by the channel `fibble:2`, the right guess ends it."""

    words: WordsName
    rule: Annotated[Rule | None, Doc("Repeat rule. Default: letterwise if clues are noisy, counted otherwise")] = None
    channel: Annotated[str | None, Field(max_length=100), Doc("Name of the channel, as on the command line")] = None


Rows: TypeAlias = Annotated[
    str | None,
    Field(pattern="^(contest|unlimited|wordle:[0-9]{1,3})$"),
    Doc("wordle:N has N guesses, the others no limit; by default 6 in Wordle, 9 with lies, and contest in WORDPL"),
]
"""Format of a player's game."""


class TurnIn(Model):
    """A guess with its clue, as a player typed it."""

    guess: Word
    clue: Annotated[str, Field(min_length=3, max_length=300, description="As `..icc`, `00122`, `bbygg` or squares")]
    epsilon: RowEpsilon = math.inf


TurnsIn: TypeAlias = Annotated[tuple[TurnIn, ...], Field(max_length=MAX_TURNS)]


def channel_of(name: str | None, words: WordList) -> ChannelFamily:
    """Return the channel of a name, by default randomized response. Raises `FieldError` if the words have none such."""
    with in_field("channel"):
        channel = named_channel(name or "randomized_response", words.length)
        clue_epsilon("epsilon", row_epsilon(channel))  # the one that it fixes may be 0
        return channel


def is_fixed(channel: ChannelFamily) -> bool:
    """True if all clues of a channel have one epsilon. Such games are as Fibble: the right guess ends them."""
    return getattr(channel, "row_epsilon", None) is not None


def history_of(turns: TurnsIn, words: WordList, channel: ChannelFamily) -> History:
    """Return the turns. Raises `FieldError` for what cannot be, with its place in the request."""
    history = []
    for i, turn in enumerate(turns):
        with in_field(f"turns.{i}.guess"):
            guess = read_any_word(turn.guess, words)
        with in_field(f"turns.{i}.clue"):
            clue = Clue.parse(turn.clue, words.length)
        with in_field(f"turns.{i}.epsilon"):
            epsilon = cost_of(turn.epsilon, channel, words)
        history.append(Turn(guess, epsilon, clue.code))
    return tuple(history)


def cost_of(epsilon: float, channel: ChannelFamily, words: WordList) -> float:
    """Return the epsilon of a clue, by default the one that its channel fixes. Raises `WordplError` for another."""
    return make_channel(channel, row_epsilon(channel) if epsilon == math.inf else epsilon, words.length).epsilon
