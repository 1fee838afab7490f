"""The cells of a ledger: what a record is there, and reading it back.

Any cell may hold anything, since whoever owns the file can write to it. A record in a cell is canonical JSON, and so is
a list; NULL stands for an infinite budget.
"""

import json
import math
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict, is_dataclass
from enum import EnumType
from functools import cache
from itertools import repeat
from types import UnionType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible

LARGEST_CELL = 1 << 20
"""Bytes of a cell or a row; a longer one is not read. The log of a game with 1,000 asks takes a tenth of it."""
LARGEST_NUMBER = 1 << 62
INFINITE = ("budget", "sampled")
"""The columns in which NULL stands for infinity."""

Record = TypeVar("Record")
_hints: Callable[[Any], dict[str, Any]] = cache(get_type_hints)


class MalformedError(WordplError):
    """A cell that wordpl never writes. The message says which one, on one line."""


def from_json(value: object, label: str) -> Any:
    """Return the value of a JSON text. Raises `MalformedError` for anything else, NaN and infinities included."""
    text = typed(value, str, label)
    try:
        return json.loads(text, parse_constant=int)  # which refuses NaN, too
    except (ValueError, RecursionError):
        raise MalformedError(f"{visible(label, 120)} is not JSON") from None


def record(kind: type[Record], value: object, label: str) -> Record:
    """Return the dataclass that a JSON text or a dictionary holds: exactly its fields, each of its type."""
    values, hints = value if isinstance(value, dict) else from_json(value, label), _hints(kind)
    if not isinstance(values, dict) or set(values) != set(hints):
        raise MalformedError(f"{visible(label, 120)} does not have the fields of {kind.__name__}")
    fields = {name: typed(values[name], hint, f"{label}: {name}") for name, hint in hints.items()}
    try:
        return kind(**fields)
    except WordplError as error:
        raise MalformedError(f"{visible(label, 120)} is not allowed: {error}") from None


def canonical(value: object) -> str:
    """`value` as JSON in one way only: sorted keys, no spaces, ASCII. Raises `ValueError` for NaN and infinities."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)


def stored(value: Any) -> Any:
    """Return what stands in a cell for a value of a record."""
    if is_dataclass(value) and not isinstance(value, type):
        return canonical(asdict(value))
    if isinstance(value, (list, tuple)):
        return canonical(value)
    return None if value == math.inf else value


def row(kind: type[Record], cells: Sequence[object], label: str) -> Record:
    """Return the record whose fields are the `cells` of a row. Raises `MalformedError`, and says which cell."""
    values = {}
    for (name, hint), cell in zip(_hints(kind).items(), cells, strict=True):
        where = f"{label}: {name}"
        if get_origin(hint) in (list, tuple):
            cell = from_json(cell, where)
        elif hint is bool:
            cell = bool(cell) if cell in (0, 1) else cell
        elif cell is None and name in INFINITE:
            cell = math.inf
        values[name] = cell if cell is math.inf else typed(cell, hint, where)
    return kind(**values)


def typed(value: Any, hint: Any, label: str) -> Any:
    """Return `value` if it is what a type hint says: a plain type, an enumeration, or made of such.

    Whole numbers are from 0 up, and numbers are finite. Raises `MalformedError` for anything else.
    """
    kind, kinds = get_origin(hint) or hint, get_args(hint)
    if kind is UnionType:  # `kind | None`
        return None if value is None else typed(value, kinds[0], label)
    if isinstance(kind, type) and is_dataclass(kind):
        return record(kind, value, label)
    if kind is dict and isinstance(value, dict):
        with suppress(ValueError):  # of a key
            return {kinds[0](name): typed(item, kinds[1], f"{label}: {name}") for name, item in value.items()}
    if isinstance(value, list) and (kind is list or kinds[1:] == (...,)):
        return kind(typed(item, kinds[0], label) for item in value)
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
    raise MalformedError(f"{visible(label, 120)} is not a valid {kind.__name__}")
