"""Which tasks of results files are meant: conditions on their properties, as `family=Greedy*,epsilon>=5`.

A text has conditions with commas between them. All of them must hold. A condition is a property, a comparison and a
value:

- `=` and `!=` compare with a value, or with one of several: `rule=letterwise|counted`. In texts, `*` stands for any
  letters and `?` for one letter, and capitals do not matter. A family or a strategy may be given without its
  parameters: `family=NGuess`.
- `<`, `<=`, `>` and `>=` compare numbers. A strategy without an epsilon has `epsilon=none`.

A comma in brackets belongs to the value: `strategy=NGuess(n_guesses=2, epsilon=4.0)`.
"""

from __future__ import annotations

import fnmatch
import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias

from wordpl.displays import counted
from wordpl.errors import WordplError, nearest, one_line

if TYPE_CHECKING:
    from wordpl.simulation.store import TaskRow

Where: TypeAlias = str | Sequence[str]
"""Conditions on tasks: one text, or several of which all must hold; empty for all tasks."""

NUMBERS = ("epsilon", "seed", "engine", "trials")
PROPERTIES = ("family", "strategy", *NUMBERS, "words", "rule", "channel", "format", "noiseless", "code", "task")
"""What a condition can ask for, by the names that `results --json` uses."""

_MOST_LETTERS = 4_000
_SHOWN_VALUES = 8
_CONDITION = re.compile(r"\s*([^\s!<>=]+)\s*(!=|<=|>=|==?|<|>)\s*(.*?)\s*", re.DOTALL)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_EQUAL = ("=", "!=")
_ORDERS: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}

Number = int | float | None


@dataclass(frozen=True)
class Condition:
    """One property, how it is compared, and with what: one value, or several for `=` and `!=`."""

    name: str
    comparison: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return one_line(f"{self.name}{self.comparison}{'|'.join(self.values)}", 100)

    def holds(self, task: TaskRow) -> bool:
        """Whether a task meets it. A number that a task does not have is in no order to any."""
        if self.name in NUMBERS:
            value = _number_of(task, self.name)
            if self.comparison in _ORDERS:
                limit = _number(self.values[0])
                return value is not None and limit is not None and _ORDERS[self.comparison](value, limit)
            found = any(_same(value, _number(text)) for text in self.values)
        else:
            found = any(matches(text, pattern) for text in _texts_of(task, self.name) for pattern in self.values)
        return found == (self.comparison == "=")


def parse_where(where: Where) -> list[Condition]:
    """Return the conditions of a text, or of several; none for an empty text.

    Raises `WordplError`, with a line that names the nearest property, for what is no condition.

    >>> [str(condition) for condition in parse_where("family=NGuess(*, epsilon >= 5")]
    ['family=NGuess(*', 'epsilon>=5']
    """
    texts = [where] if isinstance(where, str) else where
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise WordplError("where must be a text such as 'family=Greedy*,epsilon>=5', or several of them")
    if sum(map(len, texts)) > _MOST_LETTERS:
        raise WordplError(f"the conditions have more than {_MOST_LETTERS:,} letters")
    return [_condition(part) for text in texts if text.strip() for part in split_outside(text, ",")]


def select(tasks: Iterable[TaskRow], where: Where) -> list[TaskRow]:
    """Return the tasks that meet all conditions, in their order. Raises `WordplError` as `parse_where` does."""
    conditions = parse_where(where)
    return [task for task in tasks if all(condition.holds(task) for condition in conditions)]


def why_nothing(tasks: Sequence[TaskRow], where: Where) -> str:
    """Return what no task of some has, and what there is in its place; empty if `where` leaves one."""
    if not where or not tasks or select(tasks, where):
        return ""
    for condition in parse_where(where):
        if not any(condition.holds(task) for task in tasks):
            there = _values(tasks, condition.name)
            few = there[:_SHOWN_VALUES]
            more = f" and {counted(len(there) - len(few), 'other')}" if len(there) > len(few) else ""
            typed = "" if condition.name in NUMBERS or condition.comparison != "=" else condition.values[0]
            hint = nearest(typed, {value.partition("(")[0] for value in there}).partition("choose from")[0]
            return f"no task has {condition}; {hint}{condition.name} is {', '.join(few)}{more}"
    return f"no task has all of {one_line(', '.join(map(str, parse_where(where))))}"


def split_outside(text: str, mark: str, most: int = -1) -> list[str]:
    """Return the parts of a text between marks that are in no brackets; a bracket without its other half is none.

    >>> split_outside("NGuess(2, 4), Greedy(*, rule", ",")
    ['NGuess(2, 4)', ' Greedy(*', ' rule']
    """
    inside = [0] * (len(text) + 1)
    opened: list[int] = []
    for i, letter in enumerate(text):
        if letter in _PAIRS.values():
            opened.append(i)
        elif letter in _PAIRS:
            partner = next((j for j in reversed(range(len(opened))) if text[opened[j]] == _PAIRS[letter]), None)
            if partner is not None:
                inside[opened[partner]] += 1
                inside[i] -= 1
                del opened[partner:]
    parts, start, depth = [], 0, 0
    for i, letter in enumerate(text):
        depth += inside[i]
        if letter == mark and depth == 0 and most != 0:
            parts.append(text[start:i])
            start, most = i + 1, most - 1
    return [*parts, text[start:]]


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern is a whole text: `*` is any letters, `?` is one, and capitals do not matter."""
    return _compiled(pattern.casefold())(text.casefold())


@lru_cache
def _compiled(pattern: str) -> Callable[[str], bool]:
    # Names have square brackets of their own, so none is a set of letters here.
    compiled = re.compile(fnmatch.translate(pattern.replace("[", "[[]")))
    return lambda text: compiled.match(text) is not None


def _condition(text: str) -> Condition:
    told = one_line(repr(text.strip()), 60)
    found = _CONDITION.fullmatch(text)
    if found is None:
        raise WordplError(f"condition {told} is not PROPERTY=VALUE, such as 'family=Greedy*' or 'epsilon>=5'")
    name, comparison, value = found.groups()
    name, comparison = name.casefold(), "=" if comparison == "==" else comparison
    if name not in PROPERTIES:
        raise WordplError(f"unknown property {one_line(repr(name), 40)} in {told}: {nearest(name, PROPERTIES)}")
    values = tuple(part.strip() for part in value.split("|")) if comparison in _EQUAL else (value,)
    if comparison in _ORDERS and name not in NUMBERS:
        raise WordplError(f"condition {told}: {name} is a text, which = and != compare; numbers are {_list(NUMBERS)}")
    if name in NUMBERS:
        for one in values:
            if not (one.casefold() == "none" and comparison in _EQUAL) and _number(one) is None:
                raise WordplError(f"condition {told}: {one_line(repr(one), 40)} is not a number")
    return Condition(name, comparison, values)


def _list(names: Sequence[str]) -> str:
    return f"{', '.join(names[:-1])} and {names[-1]}"


def _number(text: str) -> Number:
    """A number as it is typed; None for anything else, NaN included. Whole ones are exact, as seeds must be."""
    try:
        return int(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        return None
    return None if math.isnan(value) else value


def _number_of(task: TaskRow, name: str) -> Number:
    value = getattr(task, name)
    return _number(value) if isinstance(value, str) else value


def _same(one: Number, other: Number) -> bool:
    if one is None or other is None or (isinstance(one, int) and isinstance(other, int)):
        return one == other
    return one == other or math.isclose(one, other, rel_tol=1e-9)


def text_of(task: TaskRow, name: str) -> str:
    """A property of a task as a text."""
    value = getattr(task, "id" if name == "task" else name)
    return str(value).casefold() if value is None or isinstance(value, bool) else str(value)


def _texts_of(task: TaskRow, name: str) -> list[str]:
    """What a pattern may match: the value, and for a spec its name without the parameters."""
    text = text_of(task, name)
    return [text, text.partition("(")[0]] if name in ("family", "strategy") else [text]


def _values(tasks: Sequence[TaskRow], name: str) -> list[str]:
    """The different values of a property, in order, each fit for a line."""
    if name in NUMBERS:
        numbers = {_number_of(task, name) for task in tasks}
        ordered = sorted(number for number in numbers if number is not None)
        return [f"{number:.6g}" if isinstance(number, float) else str(number) for number in ordered] + (
            ["none"] if None in numbers else []
        )
    return sorted({one_line(text_of(task, name), 40) or "''" for task in tasks})
