"""Grids: several values of a parameter, as a user writes them on the command line."""

import math
import re
from typing import Any

from wordpl.base.checks import typed
from wordpl.base.errors import WordplError, one_line
from wordpl.play.specs import literal_call

MOST_VALUES = 10_000

_WHOLE = re.compile(r"\s*[+-]?\d{1,19}\s*", re.ASCII)
_NAME = re.compile(r"[^\W\d][\w./-]*")


def epsilon_grid(text: str) -> tuple[float, ...]:
    """The epsilons of `5:50:5` (both ends in it), `5,10,inf`, or a mixture such as `5:20:5,50,inf`; each once.

    Raises `WordplError` for anything else, for an epsilon that is not above 0 and for a part with more than 10,000.
    """
    epsilons = [float(epsilon) for epsilon in _numbers("epsilon", text)]
    if not min(epsilons) > 0:
        raise WordplError(f"epsilon grid {one_line(text, 60)!r} has an epsilon that is not above 0")
    return tuple(dict.fromkeys(epsilons))


def value_grid(parameter: str, text: str) -> tuple[Any, ...]:
    """The values of a grid of any parameter: as `epsilon_grid`, literals as `None,200` or `(9, 5)`, or names as `a,b`;
    each once.

    Numbers that are written as whole numbers are `int`. Raises `WordplError` for anything else.
    """
    values: list[Any]
    try:
        [float(bound) for bound in text.replace(":", ",").split(",")]
    except ValueError:
        values = _literals(text)
        if not values:
            names = [name.strip() for name in text.split(",")]
            if not all(map(_NAME.fullmatch, names)):
                expected = "write 5:50:5, literals such as 5,10, or names"
                raise WordplError(f"{one_line(text, 60)!r} is not a grid of {parameter}; {expected}") from None
            # A shell takes the quotes of 'optimal','entropy' away.
            values = [value for name in names for value in _literals(name) or [name]]
    else:
        values = _numbers(parameter, text)
    return tuple({repr(value): value for value in values}.values())  # 1, 1.0 and True are equal, but not the same


def _literals(text: str) -> list[Any]:
    """The values of literals with commas between them; empty for anything else."""
    try:
        _, values, named = literal_call(f"grid({text})")
    except WordplError:
        return []
    return [] if named else list(values)


def _numbers(name: str, text: str) -> list[int | float]:
    """The numbers of a grid, in order; `name` is what errors call their parameter."""
    grid: list[int | float] = []
    for part in text.split(","):
        where = f"{name} grid {one_line(part, 60)!r}"
        # A whole number of hundreds of digits, which no step reaches, is not read as one.
        read = [int(text) if _WHOLE.fullmatch(text) else typed(text.strip()) for text in part.split(":")]
        bounds = [bound for bound in read if not isinstance(bound, str)]
        if len(bounds) < len(read):
            raise WordplError(f"{where}: not a number, or one that is too large; write 5:50:5 or 5,10,inf")
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
            raise WordplError(f"{where} is not FIRST:LAST:STEP with FIRST <= LAST and STEP above 0")
    return grid
