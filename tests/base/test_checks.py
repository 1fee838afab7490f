"""Checks of what a user gives, and the one line that an error is: of ours, and of others."""

import math
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordpl.base import checks
from wordpl.base.checks import fraction, number, whole_number
from wordpl.base.errors import RefusedValueError, WordplError, error_line, one_line

REALS = st.floats() | st.integers(-(10**30), 10**30)
ALLOWED: dict[Any, Any] = {
    number: lambda x: True,
    checks.non_negative: lambda x: x >= 0,
    checks.positive: lambda x: x > 0,
    checks.finite_positive: lambda x: 0 < x < math.inf,
    fraction: lambda x: 0 <= x <= 1,
    checks.open_fraction: lambda x: 0 < x < 1,
    checks.clue_epsilon: lambda x: 0 < x <= 1e6 or x == math.inf,
    checks.turn_epsilon: lambda x: 0 <= x <= 1e6 or x == math.inf,
    checks.percent: lambda x: 0 <= x < 100,
}


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("says nothing")


def refusal(check, value, **limits) -> str:
    with pytest.raises(WordplError) as caught:
        check("this width", value, **limits)
    line = str(caught.value)
    assert line.startswith("this width ") and line.endswith(" is expected") and "\n" not in line and len(line) < 200
    return line


@pytest.mark.parametrize("check", ALLOWED)
@given(value=REALS)
@example(value=1)
@example(value=100)
@example(value=10**6)
@example(value=10**6 + 1)
@example(value=math.inf)
@example(value=0)
def test_numbers(check, value):
    for given_value in (value, np.float64(value)):
        if ALLOWED[check](value):
            assert check("this width", given_value) == float(value) or math.isnan(value)
        else:
            assert str(value)[:20] in refusal(check, given_value) or isinstance(value, int)


@given(st.integers(-(10**30), 10**30), st.integers(-5, 5), st.none() | st.integers(5, 50))
def test_whole_numbers(value, minimum, maximum):
    if value < minimum or (maximum is not None and value > maximum):
        line = refusal(whole_number, value, minimum=minimum, maximum=maximum)
        assert f"from {minimum} {'up' if maximum is None else f'to {maximum}'}" in line
        assert "to 2**64 - 1" in refusal(whole_number, -1, minimum=0, maximum=2**64 - 1)
    else:
        assert whole_number("this width", value, minimum, maximum) == value


@given(st.text(max_size=400), st.integers(10, 300))
def test_one_line(text, most):
    line, error = one_line(text, most), error_line(KeyError(text))
    assert len(line) <= most and error.startswith("KeyError: ")
    assert all(" " <= character <= "~" for character in line + error)
    assert error_line(type("MuteError", (Exception,), {"__str__": Mute.__repr__})()) == "MuteError"
    assert (one_line("a\tb " * 3, 11), one_line("a\tb " * 3, 10)) == ("a b a b a b", "a b a b...")


@pytest.mark.parametrize(
    ("text", "meant"),
    [("5", 5.0), ("-.5", -0.5), ("1e3", 1e3), ("inf", math.inf)]
    + [(text, text) for text in ("1e400", "nan", "1_0", "²", "x", " 1")],
)
def test_a_number_that_is_typed(text, meant):
    assert checks.typed(text) == meant and type(checks.typed(text)) is type(meant)
    assert checks.typed("9" * 400, int) == int("9" * 400)  # which no float can hold


def test_a_refusal_comes_back_from_a_worker_as_it_was():
    for refused in (lambda: fraction("x  y", 2.0), lambda: number("x", 10**400)):
        with pytest.raises(RefusedValueError) as caught:
            refused()
        again = pickle.loads(pickle.dumps(caught.value))  # noqa: S301
        assert (type(again), str(again)) == (RefusedValueError, str(caught.value))
