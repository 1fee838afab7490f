"""The types that several endpoints take or give."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, PlainSerializer, WithJsonSchema

from wordpl.displays import json_epsilon
from wordpl.web.settings import MAX_LIES, MAX_TURNS

MAX_EPSILON = 1e6


class Model(BaseModel):
    """A body or an answer of the API. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, ser_json_inf_nan="null")


def _read_epsilon(value: Any) -> Any:
    # As in the JSON of the commands: infinity, that of no noise, is the text "inf".
    return math.inf if value == "inf" else value


def _bounded(value: float) -> float:
    if value > MAX_EPSILON and value != math.inf:
        raise ValueError(f"epsilon is a number above 0 up to {MAX_EPSILON:g}, or inf")
    return value


Epsilon: TypeAlias = Annotated[
    float,
    Field(gt=0),
    AfterValidator(_bounded),
    BeforeValidator(_read_epsilon),
    PlainSerializer(json_epsilon),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "number", "exclusiveMinimum": 0, "maximum": MAX_EPSILON},
                {"type": "string", "enum": ["inf"]},
            ]
        }
    ),
]
"""The budget of a clue: a number above 0 up to 1e6, or the text `inf` for no noise."""

WordsName: TypeAlias = Annotated[
    str, Field(min_length=1, max_length=40, description="A bundled word list, or the name that a pasted list was given")
]
Rule: TypeAlias = Literal["letterwise", "counted"]
UsualRule: TypeAlias = Annotated[
    Rule | None,
    Field(description="By default letterwise where a clue is noisy, and counted elsewhere"),
]
Lies: TypeAlias = Annotated[
    int | None,
    Field(ge=1, le=MAX_LIES, description="False marks in each clue, for a game of Fibble; null for any other game"),
]
Word: TypeAlias = Annotated[str, Field(min_length=1, max_length=60)]


class TurnIn(Model):
    """A guess with its clue, as a player typed it."""

    guess: Word
    clue: Annotated[str, Field(min_length=3, max_length=40, description="As `..icc`, `00122`, `bbygg` or squares")]
    epsilon: Epsilon = math.inf


TurnsIn: TypeAlias = Annotated[list[TurnIn], Field(max_length=MAX_TURNS)]


class TurnOut(Model):
    """A guess with its clue, in the contest's notation."""

    guess: str
    clue: str
    epsilon: Epsilon
