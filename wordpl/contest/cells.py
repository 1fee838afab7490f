"""Reading what stands in a ledger: any cell may hold anything, since whoever owns the file can write to it."""

from __future__ import annotations

import json
import math
from dataclasses import fields
from typing import Any, NoReturn, TypeVar

from wordpl.contest.sanitizing import visible
from wordpl.errors import WordplError

LARGEST_CELL = 1 << 20
"""Bytes of a cell or a row; a longer one is not read. The log of a game with 1,000 asks takes a tenth of it."""
LARGEST_NUMBER = 1 << 62

Record = TypeVar("Record")


class MalformedError(WordplError):
    """A cell that wordpl never writes. The message says which one, on one line."""


def text(value: object, label: str) -> str:
    """Return `value` if it is a text. Raises `MalformedError` otherwise, as all functions here do."""
    return value if isinstance(value, str) else _refuse(label, "is not a text")


def whole(value: object, label: str) -> int:
    """Return `value` if it is a whole number from 0 up."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < LARGEST_NUMBER:
        _refuse(label, "is not a whole number from 0 up")
    return value


def real(value: object, label: str) -> float:
    """Return `value` as a float if it is a finite number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        _refuse(label, "is not a number")
    if not (math.isfinite(value) if isinstance(value, float) else abs(value) < LARGEST_NUMBER):
        _refuse(label, "is not a number of a sensible size")
    return float(value)


def from_json(value: object, label: str) -> Any:
    """Return the value of a JSON text. NaN and infinities are not allowed."""
    try:
        return json.loads(text(value, label), parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        if isinstance(error, MalformedError):
            raise
        _refuse(label, "is not JSON")


def record(kind: type[Record], value: object, label: str) -> Record:
    """Return the dataclass of a JSON object, which must have exactly its fields, each of its type."""
    found = from_json(value, label)
    declared = {field.name: str(field.type) for field in fields(kind)}  # type: ignore[arg-type]
    if not isinstance(found, dict) or set(found) != set(declared):
        _refuse(label, f"has not the fields of {kind.__name__}")
    values = {name: _typed(found[name], hint, f"{label}: {name}") for name, hint in declared.items()}
    try:
        return kind(**values)
    except WordplError as error:
        _refuse(label, f"is not allowed: {error}")


def _typed(value: object, hint: str, label: str) -> Any:
    if hint == "bool":
        return value if isinstance(value, bool) else _refuse(label, "is neither true nor false")
    if hint == "dict[str, float]":
        if not isinstance(value, dict):
            _refuse(label, "is not an object")
        return {name: _typed(item, "float", f"{label}: {name}") for name, item in value.items()}
    return {"int": whole, "float": real, "str": text}[hint](value, label)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(name)


def _refuse(label: str, why: str) -> NoReturn:
    raise MalformedError(f"{visible(label, 120)} {why}")
