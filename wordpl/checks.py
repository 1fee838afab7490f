"""Checks of numbers that a user gives. Each returns the number as a plain `int` or `float`.

Each raises `WordplError` with one line: the name, the value and what is allowed. NumPy's numbers are accepted; booleans
and text are not.
"""

from __future__ import annotations

import math
from numbers import Integral, Real

from wordpl.errors import WordplError, one_line


def whole_number(name: str, value: object, minimum: int = 1, maximum: int | None = None) -> int:
    """`value` as an `int` from `minimum` to `maximum`, both included; None is no upper limit."""
    if not isinstance(value, Integral) or isinstance(value, bool):
        raise _refused(name, value, _whole_range(minimum, maximum))
    number = int(value)
    if number < minimum or (maximum is not None and number > maximum):
        raise _refused(name, value, _whole_range(minimum, maximum))
    return number


def number(name: str, value: object) -> float:
    """`value` as a `float`, which may be infinite or NaN."""
    return _number(name, value, "a number")


def positive(name: str, value: object) -> float:
    """`value` as a `float` above 0, infinity included."""
    allowed = "a number above 0, or inf,"
    result = _number(name, value, allowed)
    if not result > 0.0:
        raise _refused(name, value, allowed)
    return result


def finite_positive(name: str, value: object) -> float:
    """`value` as a finite `float` above 0."""
    allowed = "a finite number above 0"
    result = _number(name, value, allowed)
    if not 0.0 < result < math.inf:
        raise _refused(name, value, allowed)
    return result


def fraction(name: str, value: object) -> float:
    """`value` as a `float` from 0 to 1, both included."""
    allowed = "a number from 0 to 1"
    result = _number(name, value, allowed)
    if not 0.0 <= result <= 1.0:
        raise _refused(name, value, allowed)
    return result


def open_fraction(name: str, value: object) -> float:
    """`value` as a `float` between 0 and 1, neither included."""
    allowed = "a number between 0 and 1"
    result = _number(name, value, allowed)
    if not 0.0 < result < 1.0:
        raise _refused(name, value, allowed)
    return result


def _number(name: str, value: object, allowed: str) -> float:
    if not isinstance(value, Real) or isinstance(value, bool):
        raise _refused(name, value, allowed)
    try:
        return float(value)
    except OverflowError:
        raise WordplError(f"{name} is too large for a float; {allowed} is expected") from None


def _whole_range(minimum: int, maximum: int | None) -> str:
    return f"a whole number from {minimum} " + ("up" if maximum is None else f"to {_round_number(maximum)}")


def _round_number(value: int) -> str:
    """One less than a large power of two in that form, which is how it can be read."""
    bits = value.bit_length()
    return f"2**{bits} - 1" if bits > 32 and value == 2**bits - 1 else str(value)


def _refused(name: str, value: object, allowed: str) -> WordplError:
    return WordplError(f"{name} {_shown(value)} is not allowed; {allowed} is expected")


def _shown(value: object) -> str:
    """The value on one line, also where its own `repr` fails, as that of a whole number of 5,000 digits does."""
    try:
        # A NumPy number reads as np.float64(0.5).
        return one_line(str(value) if isinstance(value, Real) else repr(value), 60)
    except Exception:
        return f"of type {type(value).__name__}"
