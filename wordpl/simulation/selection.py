"""Which tasks of results files are meant: conditions on their properties, as `family=Greedy* and epsilon>=5`.

`docs/how-to/commands.md` says what they can be. All conditions of a text must hold.
"""

import math
import operator
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any, TypeAlias

from wordpl.base.errors import WordplError, closest, nearest, one_line
from wordpl.simulation.tasks import TaskRow

Where: TypeAlias = str | Sequence[str]
"""Conditions on tasks: one text, or several, all of which must hold. Without conditions, all tasks are meant."""

NUMBERS = ("epsilon", "seed", "engine", "trials")
PROPERTIES = ("family", "strategy", *NUMBERS, "words", "rule", "channel", "format", "noiseless", "code", "task")
"""The properties that a condition can name. `results --json` uses the same names."""

_MOST_LETTERS = 4_000
_CONDITION = re.compile(r"\s*([^\s!<>=]+)\s*(!=|<=|>=|==?|<|>)\s*(.*?)\s*", re.DOTALL)
_AND = re.compile(r"(?:^|(?<=\s))and(?=\s|$)", re.IGNORECASE)
_ORDERS: dict[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@dataclass(frozen=True)
class Condition:
    """One property, how it is compared, and with what: one value, or several for `=` and `!=`."""

    name: str
    comparison: str
    values: tuple[str, ...]

    def __str__(self) -> str:
        return one_line(f"{self.name}{self.comparison}{'|'.join(self.values)}", 100)

    def holds(self, task: TaskRow) -> bool:
        """Whether a task meets it. A number that a task does not have is neither smaller nor larger than any."""
        if self.name in NUMBERS:
            number, limits = _number(self.name, text_of(task, self.name)), [_number(self.name, v) for v in self.values]
            if self.comparison in _ORDERS:
                return None not in (number, limits[0]) and bool(_ORDERS[self.comparison](number, limits[0]))
            return any(_same(number, limit) for limit in limits) == (self.comparison == "=")
        text = text_of(task, self.name)
        texts = {text, text.partition("(")[0]} if self.name in ("family", "strategy") else {text}
        return any(matches(text, value) for text in texts for value in self.values) == (self.comparison == "=")


def parse_where(where: Where) -> list[Condition]:
    """Return the conditions of a text, or of several; none for an empty text.

    Raises `WordplError`, with a line that names the nearest property, for what is no condition.

    >>> [str(condition) for condition in parse_where("family=NGuess(* and epsilon >= 5")]
    ['family=NGuess(*', 'epsilon>=5']
    """
    texts = [where] if isinstance(where, str) else where
    if not isinstance(texts, Sequence) or not all(isinstance(text, str) for text in texts):
        raise WordplError("where must be a text such as 'family=Greedy* and epsilon>=5', or several of them")
    if sum(map(len, texts)) > _MOST_LETTERS:
        raise WordplError(f"the conditions have more than {_MOST_LETTERS:,} letters")
    return [_condition(part) for text in texts if text.strip() for part in _AND.split(text)]


def select(tasks: Iterable[TaskRow], where: Where) -> list[TaskRow]:
    """Return the tasks that meet all conditions, in their order. Raises `WordplError` as `parse_where` does."""
    conditions = parse_where(where)
    return [task for task in tasks if all(condition.holds(task) for condition in conditions)]


def why_nothing(tasks: Sequence[TaskRow], where: Where) -> str:
    """Return which condition no task meets, and what the tasks have instead; "" if a task meets all of `where`."""
    if not where or not tasks or select(tasks, where):
        return ""
    for condition in parse_where(where):
        if not any(condition.holds(task) for task in tasks):
            name, values = condition.name, {text_of(task, condition.name) for task in tasks}
            hint, texts = "", sorted(values)
            if name in NUMBERS:
                texts.sort(key=lambda text: (text == "none", _number(name, text) or 0.0))
            else:
                near = closest(condition.values[0], {value.partition("(")[0] for value in values})
                hint = f"did you mean {near!r}? " if near else ""
            return one_line(f"no task has {condition}; {hint}{name} is {', '.join(texts)}", 300)
    return f"no task has all of {one_line(' and '.join(map(str, parse_where(where))))}"


def matches(text: str, pattern: str) -> bool:
    """Whether a pattern matches a whole text: `*` stands for any letters, `?` for one. Case does not matter."""
    # Names have square brackets of their own, so none is a set of letters here.
    return fnmatchcase(text.casefold(), pattern.casefold().replace("[", "[[]"))


def text_of(task: TaskRow, name: str) -> str:
    """A property of a task as a text."""
    value = getattr(task, "id" if name == "task" else name)
    return str(value).casefold() if value is None or isinstance(value, bool) else str(value)


def _condition(text: str) -> Condition:
    typed, match = one_line(repr(text.strip()), 60), _CONDITION.fullmatch(text)
    if match is None:
        raise WordplError(f"condition {typed} is not PROPERTY=VALUE, such as 'family=Greedy*' or 'epsilon>=5'")
    name, comparison, value = match[1].casefold(), match[2].replace("==", "="), match[3]
    if name not in PROPERTIES:
        raise WordplError(f"unknown property {one_line(repr(name), 40)} in {typed}: {nearest(name, PROPERTIES)}")
    if comparison in _ORDERS and name not in NUMBERS:
        numbers = f"{', '.join(NUMBERS[:-1])} and {NUMBERS[-1]}"
        raise WordplError(f"condition {typed}: {name} is a text, so use = or !=; only {numbers} are numbers")
    values = (value,) if comparison in _ORDERS else tuple(part.strip() for part in value.split("|"))
    for part in values if name in NUMBERS else ():
        if _number(name, part) is None and (comparison in _ORDERS or part.casefold() != "none"):
            raise WordplError(f"condition {typed}: {one_line(repr(part), 40)} is not a number")
    return Condition(name, comparison, values)


def _number(name: str, text: str) -> float | None:
    """A number as it is typed; None for anything else, NaN included. Seeds are too large for floats."""
    try:
        value = int(text) if name == "seed" else float(text)
    except ValueError:
        return None
    return None if value != value else value


def _same(value: float | None, other: float | None) -> bool:
    if value is None or other is None or isinstance(value, int):
        return value == other
    return math.isclose(value, other, rel_tol=1e-9)
