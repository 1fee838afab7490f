"""Reading what stands in a ledger: any cell may hold anything, since whoever owns the file can write to it."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from enum import EnumType
from itertools import repeat
from types import UnionType
from typing import Any, NoReturn, TypeVar, get_args, get_origin, get_type_hints

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible

LARGEST_CELL = 1 << 20
"""Bytes of a cell or a row; a longer one is not read. The log of a game with 1,000 asks takes a tenth of it."""
LARGEST_NUMBER = 1 << 62

Record = TypeVar("Record")


class MalformedError(WordplError):
    """A cell that wordpl never writes. The message says which one, on one line."""


def from_json(value: object, label: str) -> Any:
    """Return the value of a JSON text. Raises `MalformedError` for anything else, NaN and infinities included."""
    text = typed(value, str, label)
    try:
        return json.loads(text, parse_constant=lambda name: _refuse(label, f"holds {name}"))
    except MalformedError:
        raise
    except (ValueError, RecursionError):
        _refuse(label, "is not JSON")


def record(kind: type[Record], value: object, label: str) -> Record:
    """Return the dataclass of a JSON object, which must have exactly its fields, each of its type."""
    values, hints = from_json(value, label), get_type_hints(kind)
    if not isinstance(values, dict) or set(values) != set(hints):
        _refuse(label, f"has not the fields of {kind.__name__}")
    fields = {name: typed(values[name], hint, f"{label}: {name}") for name, hint in hints.items()}
    try:
        return kind(**fields)
    except WordplError as error:
        _refuse(label, f"is not allowed: {error}")


def row(hints: Mapping[str, Any], stored: Sequence[object], label: str) -> dict[str, Any]:
    """Return the cells of a row by column, each of the type that `hints` has for it; lists are JSON."""
    values = {}
    for (name, hint), cell in zip(hints.items(), stored, strict=True):
        where = f"{label}: {name}"
        values[name] = typed(from_json(cell, where) if get_origin(hint) in (list, tuple) else cell, hint, where)
    return values


def typed(value: Any, hint: Any, label: str) -> Any:
    """Return `value` if it is what a type hint says: a plain type, an enumeration, or made of such.

    Whole numbers are from 0 up, and numbers are finite. Raises `MalformedError` for anything else.
    """
    kind, kinds = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:  # `kind | None`
        return None if value is None else typed(value, kinds[0], label)
    if kind is dict and isinstance(value, dict):
        with suppress(ValueError):  # of a key
            return {kinds[0](name): typed(item, kinds[1], f"{label}: {name}") for name, item in value.items()}
    if kind is list and isinstance(value, list):
        return [typed(item, kinds[0], label) for item in value]
    if kind is tuple and isinstance(value, list) and len(value) == len(kinds):
        return tuple(map(typed, value, kinds, repeat(label)))
    if kind in (str, bool) and isinstance(value, kind):
        return value
    if kind is int and type(value) is int and 0 <= value < LARGEST_NUMBER:
        return value
    if kind is float and type(value) in (int, float) and abs(value) <= sys.float_info.max:
        return float(value)
    if isinstance(kind, EnumType) and value in list(kind):
        return kind(value)
    raise MalformedError(f"{visible(label, 120)} is not a sensible {kind.__name__}")


def _refuse(label: str, why: str) -> NoReturn:
    raise MalformedError(f"{visible(label, 120)} {why}")
