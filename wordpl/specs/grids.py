"""Grids: several values of a parameter, as a user writes them on the command line or in a study."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, TypeAlias

from wordpl.errors import WordplError, one_line
from wordpl.play.specs import literal_call

MOST_VALUES = 10_000
"""Values of a grid, at most."""

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
"""A value of a parameter: what a spec may hold, but for lists, which become tuples, and dictionaries and sets."""


def epsilon_grid(text: str) -> tuple[float, ...]:
    """The epsilons of `5:50:5` (both ends in it), `5,10,inf`, or a mixture such as `5:20:5,50,inf`; each once.

    Raises `WordplError` for anything else, for an epsilon that is not above 0 and for more than 10,000.
    """
    grid = tuple(map(float, _numbers("epsilon", text)))
    if any(not epsilon > 0 for epsilon in grid):
        raise WordplError(f"epsilon grid {one_line(text, 60)!r} has an epsilon that is not above 0")
    return tuple(dict.fromkeys(grid))


def value_grid(parameter: str, text: str) -> tuple[Value, ...]:
    """The values of a grid of any parameter: as `epsilon_grid`, or literals such as `None,200`, `'a','b'` or `(9, 5)`.

    Numbers that are written as whole numbers are `int`; epsilons are always `float`. Raises `WordplError` for anything
    else.
    """
    if _is_of_numbers(text):
        return epsilon_grid(text) if parameter == "epsilon" else checked_values(parameter, _numbers(parameter, text))
    values = _literals(text)
    if values is None:
        raise WordplError(
            f"{one_line(text, 60)!r} is not a grid of {parameter}; write 5:50:5, or literals such as 5,10 or 'a','b'"
        )
    return checked_values(parameter, values)


def text_values(parameter: str, text: str) -> tuple[Value, ...]:
    """The values that a text of a study stands for: those of a grid if it is one, else the text itself."""
    return value_grid(parameter, text) if _is_of_numbers(text) or _literals(text) is not None else (text,)


def item_values(parameter: str, item: Any) -> tuple[Value, ...]:
    """The values that an item of a list of a study stands for: several for a text that is a grid, else one.

    Raises `WordplError` for a value that no parameter has.
    """
    return (
        text_values(parameter, item) if isinstance(item, str) else checked_values(parameter, [_read(parameter, item)])
    )


def _read(parameter: str, value: Any) -> Any:
    """A value of a study that is not a text; a text inside of it may be a literal, such as `None`."""
    if isinstance(value, list):
        return tuple(_read(parameter, one) for one in value)
    if isinstance(value, str):
        found = text_values(parameter, value)
        if len(found) != 1:
            raise WordplError(
                f"{one_line(value, 60)!r} is a grid inside of a value of {parameter}; one value is expected"
            )
        return found[0]
    return value


def _is_of_numbers(text: str) -> bool:
    """Whether a text is meant as a grid of numbers, right or wrong."""
    try:
        return bool([float(bound) for part in text.split(",") for bound in part.split(":")])
    except ValueError:
        return False


def _literals(text: str) -> tuple[Any, ...] | None:
    """The literals in a text, separated by commas; None if there is anything else."""
    try:
        _, values, named = literal_call(f"grid({text})")
    except WordplError:
        return None
    return None if named or not values else values


def checked_values(parameter: str, values: Sequence[Any]) -> tuple[Value, ...]:
    """The values of a parameter, lists as tuples, epsilons as floats, each once.

    Raises `WordplError` for a value that no parameter has, and for more than 10,000.
    """
    if len(values) > MOST_VALUES:
        raise WordplError(f"{parameter} has {len(values)} values; at most {MOST_VALUES} are allowed")
    found: dict[str, Value] = {}
    for value in values:
        one = _value(parameter, value)
        found.setdefault(repr(one), one)  # 1, 1.0 and True are equal, but not the same
    return tuple(found.values())


def _value(parameter: str, value: Any) -> Value:
    if isinstance(value, (list, tuple)):
        return tuple(_value(parameter, one) for one in value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if not isinstance(value, (int, float)) or math.isnan(value):
        raise WordplError(
            f"{one_line(repr(value), 60)} is not a value of {parameter}; numbers, texts, true, false and lists are"
        )
    try:
        return float(value) if parameter == "epsilon" else value
    except OverflowError:
        raise WordplError(f"{parameter} is too large for a number with a point") from None


def _numbers(name: str, text: str) -> list[int | float]:
    """The numbers of a grid, in order; `name` is what errors call their parameter."""
    grid: list[int | float] = []
    for part in text.split(","):
        bounds = [_number(name, bound, text) for bound in part.split(":")]
        if len(bounds) == 1:
            grid += bounds
        elif len(bounds) == 3 and bounds[2] > 0 and bounds[0] <= bounds[1] < math.inf:
            start, stop, step = bounds
            steps = math.floor((stop - start) / step * (1 + 1e-12))
            if steps >= MOST_VALUES:
                raise WordplError(
                    f"{name} grid {one_line(part, 60)!r} has {steps + 1} values; at most {MOST_VALUES} are allowed"
                )
            # Rounded, so that 0.1:0.5:0.1 holds 0.3 and not 0.30000000000000004.
            grid += [round(start + i * step, 12) for i in range(steps + 1)]
        else:
            raise WordplError(
                f"{name} grid {one_line(part, 60)!r} is not START:STOP:STEP with START <= STOP and STEP above 0"
            )
        if len(grid) > MOST_VALUES:
            raise WordplError(f"{name} grid has more than {MOST_VALUES} values")
    return grid


def _number(name: str, text: str, whole: str) -> int | float:
    try:
        # Not a whole number of hundreds of digits, which no step reaches.
        return int(text) if len(text) < 20 else float(text)
    except ValueError:
        pass
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if math.isnan(value):
        raise WordplError(
            f"{one_line(text, 60)!r} in {name} grid {one_line(whole, 60)!r} is not a number; write 5:50:5 or 5,10,inf"
        )
    return value
