"""Checks of what a user gives, mostly numbers. They return a plain `int`, `float` or `bool`, or an array.

Each raises `WordplError` with one line: the name, the value and what is allowed. NumPy's numbers are accepted, but
no booleans and no text.

>>> fraction("certainty", 1.5)
Traceback (most recent call last):
    ...
wordpl.base.errors.RefusedValueError: certainty 1.5 is not allowed; a number from 0 to 1 is expected
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from numbers import Integral, Real
from typing import TYPE_CHECKING, TypeVar

from wordpl.base.errors import RefusedValueError, shown

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

T = TypeVar("T")
MAX_SEED = 2**256 - 1
DEFAULT_TRIALS, MOST_TRIALS, MAX_TRIALS = 1001, 1_000_000, 10**8
"""Trials of a run that does not say how many; the same if it stops by the width of an interval; the most that a run may
have, since more would not fit into memory."""


def set_fields(record: object, **values: object) -> None:
    """Set fields of a frozen dataclass, by name; for its `__post_init__`, which checks them."""
    for name, value in values.items():
        object.__setattr__(record, name, value)


def whole_number(name: str, value: object, minimum: int = 1, maximum: int | None = None) -> int:
    """`value` as an `int` from `minimum` to `maximum`, both included; None is no upper limit."""
    if isinstance(value, (int, Integral)) and not isinstance(value, bool):  # int first, which is fast
        number = int(value)
        if minimum <= number and (maximum is None or number <= maximum):
            return number
    if maximum is None:
        raise _refused(name, value, f"a whole number from {minimum:,} up")
    bits = maximum.bit_length()
    most = f"2**{bits} - 1" if bits > 32 and maximum == 2**bits - 1 else f"{maximum:,}"
    raise _refused(name, value, f"a whole number from {minimum:,} to {most}")


def _floats(allowed: str, fits: Callable[[float], bool] = lambda x: True) -> Callable[[str, object], float]:
    """A check that returns a value as a `float`, if it is one of those that are `allowed`."""

    def check(name: str, value: object) -> float:
        if not isinstance(value, (float, Real)) or isinstance(value, bool):  # float first, which is fast
            raise _refused(name, value, allowed)
        try:
            result = float(value)
        except OverflowError:
            raise RefusedValueError(f"{name} is too large for a float", allowed) from None
        if not fits(result):
            raise _refused(name, value, allowed)
        return result

    check.__doc__ = f"Return `value` as a `float`: {allowed}."
    return check


number = _floats("a number")
non_negative = _floats("a number from 0 to inf", lambda x: x >= 0.0)
positive = _floats("a number above 0, or inf,", lambda x: x > 0.0)
clue_epsilon = _floats("a number above 0 up to 1,000,000, or inf,", lambda x: 0.0 < x <= 1e6 or x == math.inf)
"""The epsilon of a clue that somebody typed. Far beyond it, the logarithms of clues overflow."""
turn_epsilon = _floats("a number from 0 to 1,000,000, or inf,", lambda x: 0.0 <= x <= 1e6 or x == math.inf)
"""The epsilon of a row that somebody typed: in an unlimited game, a proposal is a row at epsilon 0."""
finite_positive = _floats("a finite number above 0", lambda x: 0.0 < x < math.inf)
fraction = _floats("a number from 0 to 1", lambda x: 0.0 <= x <= 1.0)
open_fraction = _floats("a number between 0 and 1", lambda x: 0.0 < x < 1.0)
percent = _floats("a number from 0 to less than 100", lambda x: 0.0 <= x < 100.0)


def typed(text: str, kind: type[float] = float) -> float | str:
    """The number that a text says, or the text, which every check refuses: also of a number too large for a float."""
    try:
        value = kind(text) if re.fullmatch(r"[-+.a-zA-Z0-9]+", text) else math.nan
    except ValueError:
        return text
    # Comparisons, since math.isinf and math.isnan refuse a whole number that no float can hold.
    too_large = abs(value) == math.inf and any(map(str.isdigit, text))
    return text if too_large or value != value else value


def is_in_file(text: str) -> bool:
    """Return whether a text names something in a file, as `FILE.py:Name`."""
    return ".py:" in text


def boolean(name: str, value: object) -> bool:
    """`value` as a `bool`; only True and False are allowed, NumPy's too."""
    if isinstance(value, bool):
        return value
    import numpy as np

    if not isinstance(value, np.bool_):
        raise _refused(name, value, "True or False")
    return bool(value)


def instance(name: str, value: object, kind: type[T]) -> T:
    """`value` if it is an object of this public kind."""
    if not isinstance(value, kind):
        raise _refused(name, value, f"a {kind.__name__}")
    return value


def several(name: str, values: Iterable[T]) -> list[T]:
    """`values` as a list. A text alone is refused: it would be a list of its letters."""
    if isinstance(values, str) or not isinstance(values, Iterable):
        raise _refused(name, values, "a list")
    return list(values)


def numbers(name: str, values: object) -> NDArray[np.float64]:
    """`values` as an array of floats of the same shape, which may be infinite or NaN; booleans count as 0 and 1."""
    import numpy as np

    with suppress(ValueError):  # of lists of different lengths
        array = np.asarray(values)
        if not array.size or array.dtype.kind in "biuf":
            return array.astype(np.float64)
    raise _refused(name, values, "an array of numbers")


def _refused(name: str, value: object, allowed: str) -> RefusedValueError:
    return RefusedValueError(f"{name} {shown(value)} is not allowed", allowed)
