"""Dataclasses as JSON: each field as it is declared, in the value and in the schema."""

import json
import math
from dataclasses import dataclass
from typing import Annotated

import pytest
from jsonschema import validate
from pydantic import TypeAdapter

from wordpl.base.displays import json_epsilon
from wordpl.base.json_types import Doc, InfAsNull, InJson, JsonEpsilon, json_of


@dataclass(frozen=True)
class Inner:
    epsilon: Annotated[float, InJson(json_epsilon, JsonEpsilon), Doc("A budget.")]


@dataclass(frozen=True)
class Outer:
    score: Annotated[InfAsNull, Doc("A score.")]
    seed: Annotated[int, InJson(str, str)]
    inner: tuple[Inner, ...]
    named: dict[str, Inner]
    word: str | None = None


@pytest.mark.parametrize(("number", "score", "epsilon"), [(2.5, 2.5, 2.5), (math.inf, None, "inf")])
def test_a_dataclass_is_plain_json_and_fits_its_schema(number, score, epsilon):
    plain = json_of([Outer(number, 2**200, (Inner(number),), {"one": Inner(number)})])
    inner = {"epsilon": epsilon}
    assert plain == [{"score": score, "seed": str(2**200), "inner": [inner], "named": {"one": inner}, "word": None}]
    schema = TypeAdapter(list[Outer]).json_schema(mode="serialization")
    validate(json.loads(json.dumps(plain, allow_nan=False)), schema)
    assert schema["$defs"]["Inner"]["properties"]["epsilon"]["description"] == "A budget."
