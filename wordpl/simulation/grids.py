"""Grids: several values of a parameter, as a user writes them on the command line or in a study."""

import math
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from wordpl.base.errors import WordplError, one_line
from wordpl.play.specs import literal_call

MOST_VALUES = 10_000

_NAME = re.compile(r"[^\W\d][\w./-]*")

Value: TypeAlias = "bool | int | float | str | tuple[Value, ...] | None"
"""A value of a parameter. Lists become tuples; dictionaries and sets are not allowed."""


def epsilon_grid(text: str) -> tuple[float, ...]:
    """The epsilons of `5:50:5` (both ends in it), `5,10,inf`, or a mixture such as `5:20:5,50,inf`; each once.

    Raises `WordplError` for anything else, for an epsilon that is not above 0 and for more than 10,000.
    """
    epsilons = [float(epsilon) for epsilon in _numbers("epsilon", text)]
    if not min(epsilons) > 0:
        raise WordplError(f"epsilon grid {one_line(text, 60)!r} has an epsilon that is not above 0")
    return tuple(dict.fromkeys(epsilons))


def value_grid(parameter: str, text: str) -> tuple[Value, ...]:
    """The values of a grid of any parameter: as `epsilon_grid`, literals as `None,200` or `(9, 5)`, or names as `a,b`.

    Numbers that are written as whole numbers are `int`; epsilons are always `float`. Raises `WordplError` for anything
    else.
    """
    values = _values(parameter, text)
    if values is None:
        names = text.split(",")
        if not all(_NAME.fullmatch(name.strip()) for name in names):
            raise WordplError(
                f"{one_line(text, 60)!r} is not a grid of {parameter}; write 5:50:5, literals such as 5,10, or names"
            )
        # A shell takes the quotes of 'optimal','entropy' away.
        values = checked_values(parameter, [value for name in names for value in text_values(parameter, name.strip())])
    return values


def text_values(parameter: str, text: str) -> tuple[Value, ...]:
    """The values that a text of a study stands for: those of a grid if it is one, else the text itself."""
    values = _values(parameter, text)
    return (text,) if values is None else values


def _values(parameter: str, text: str) -> tuple[Value, ...] | None:
    """The values of a grid; None for a text that is not meant as one."""
    try:
        bounds = [float(bound) for bound in text.replace(":", ",").split(",")]
    except ValueError:
        bounds = []
    if bounds:
        return epsilon_grid(text) if parameter == "epsilon" else checked_values(parameter, _numbers(parameter, text))
    try:
        _, values, keywords = literal_call(f"grid({text})")
    except WordplError:
        return None
    return checked_values(parameter, values) if values and not keywords else None


def without_texts(parameter: str, value: Any) -> Any:
    """A value in which each text is what it stands for, such as `None`. Raises `WordplError` for a text of several
    values."""
    if isinstance(value, list):
        return tuple(without_texts(parameter, item) for item in value)
    if not isinstance(value, str):
        return value
    values = text_values(parameter, value)
    if len(values) != 1:
        raise WordplError(f"{one_line(value, 60)!r} is a grid within a list; give one value of {parameter}")
    return values[0]


def checked_values(parameter: str, values: Sequence[Any]) -> tuple[Value, ...]:
    """The values of a parameter, lists as tuples, epsilons as floats, each once. Raises `WordplError` for others."""
    if len(values) > MOST_VALUES:
        raise WordplError(f"{parameter} has {len(values)} values; at most {MOST_VALUES} are allowed")
    checked = [_value(parameter, value) for value in values]
    return tuple({repr(value): value for value in checked}.values())  # 1, 1.0 and True are equal, but not the same


def _value(parameter: str, value: Any) -> Value:
    if isinstance(value, (list, tuple)):
        return tuple(_value(parameter, item) for item in value)
    if value is None or isinstance(value, (bool, str)):
        return value
    if not isinstance(value, (int, float)) or math.isnan(value):
        raise WordplError(
            f"{one_line(repr(value), 60)} is not allowed as {parameter}; use numbers, texts, true, false or lists"
        )
    try:
        return float(value) if parameter == "epsilon" else value
    except OverflowError:
        raise WordplError(f"{parameter} is too large for a decimal number") from None


def _numbers(name: str, text: str) -> list[int | float]:
    """The numbers of a grid, in order; `name` is what errors call their parameter."""
    grid: list[int | float] = []
    for part in text.split(","):
        where = f"{name} grid {one_line(part, 60)!r}"
        try:
            bounds = [_number(bound) for bound in part.split(":")]
        except ValueError:
            raise WordplError(f"{where}: not a number; write 5:50:5 or 5,10,inf") from None
        if len(bounds) == 1:
            grid += bounds
        elif len(bounds) == 3 and 0 < bounds[2] < math.inf and bounds[0] <= bounds[1] < math.inf:
            start, stop, step = bounds
            steps = math.floor((stop - start) / step * (1 + 1e-12))
            if steps >= MOST_VALUES:
                raise WordplError(f"{where} has {steps + 1} values; at most {MOST_VALUES} are allowed")
            # Rounded, so that 0.1:0.5:0.1 holds 0.3 and not 0.30000000000000004.
            digits = max(12, 10 - math.floor(math.log10(step)))
            grid += [round(start + i * step, digits) for i in range(steps + 1)]
        else:
            raise WordplError(f"{where} is not START:STOP:STEP with START <= STOP and STEP above 0")
        if len(grid) > MOST_VALUES:
            raise WordplError(f"{name} grid has more than {MOST_VALUES} values")
    return grid


def _number(text: str) -> int | float:
    number = float(text)
    if math.isnan(number):
        raise ValueError
    # A whole number of hundreds of digits, which no step reaches, is not read as one.
    return int(text) if len(text) < 20 and text.strip().lstrip("+-").isdecimal() else number
