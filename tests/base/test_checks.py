"""Checks of what a user gives, and the one line that an error is: of ours, of others, and about an unknown name."""

import math
import pickle
from decimal import Decimal
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wordpl.base import checks
from wordpl.base.checks import boolean, fraction, non_negative, number, numbers, open_fraction, positive, whole_number
from wordpl.base.errors import RefusedValueError, WordplError, closest, error_line, nearest, one_line

REALS = st.floats() | st.integers(-(10**30), 10**30)
ALLOWED: dict[Any, tuple[str, Any]] = {
    number: ("a number", lambda x: True),
    non_negative: ("a number from 0 to inf", lambda x: x >= 0),
    positive: ("a number above 0, or inf,", lambda x: x > 0),
    checks.finite_positive: ("a finite number above 0", lambda x: 0 < x < math.inf),
    fraction: ("a number from 0 to 1", lambda x: 0 <= x <= 1),
    open_fraction: ("a number between 0 and 1", lambda x: 0 < x < 1),
    checks.clue_epsilon: ("a number above 0 up to 1,000,000, or inf,", lambda x: 0 < x <= 1e6 or x == math.inf),
    checks.turn_epsilon: ("a number from 0 to 1,000,000, or inf,", lambda x: 0 <= x <= 1e6 or x == math.inf),
    checks.percent: ("a number from 0 to less than 100", lambda x: 0 <= x < 100),
}
NO_NUMBERS = [None, True, False, np.True_, "1", b"1", 1j, Decimal(1), [1.0], np.array([1.0]), object()]


class Mute:
    def __repr__(self) -> str:
        raise RuntimeError("says nothing")


def refusal(check, value, **limits) -> str:
    with pytest.raises(WordplError) as caught:
        check("this width", value, **limits)
    line = str(caught.value)
    assert line.startswith("this width ")
    assert line.endswith(" is expected")
    assert "\n" not in line
    assert len(line) < 200
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
        if ALLOWED[check][1](value):
            result = check("this width", given_value)
            assert type(result) is float
            assert result == float(value) or math.isnan(value)
        else:
            assert str(value)[:20] in refusal(check, given_value) or isinstance(value, int)


@given(st.integers(-(10**30), 10**30), st.integers(-5, 5), st.none() | st.integers(5, 50))
def test_whole_numbers(value, minimum, maximum):
    if value < minimum or (maximum is not None and value > maximum):
        line = refusal(whole_number, value, minimum=minimum, maximum=maximum)
        assert f"from {minimum} {'up' if maximum is None else f'to {maximum}'}" in line
    else:
        assert whole_number("this width", value, minimum, maximum) == value
    # Large ones are told in a few letters.
    assert "of type int" in refusal(whole_number, 10**5000, maximum=5)
    assert "from 0 to 2**256 - 1" in refusal(whole_number, -1, minimum=0, maximum=2**256 - 1)


@pytest.mark.parametrize("check", [*ALLOWED, whole_number])
def test_what_is_no_number_and_what_no_float_can_hold(check):
    for value in (*NO_NUMBERS, Mute(), "a\nb" * 100):
        assert refusal(check, value).endswith(f"; {ALLOWED.get(check, ['a whole number from 1 up'])[0]} is expected")
    assert "this width <object object> is not allowed" in refusal(check, object())
    for value in (10**400, -(10**400), 10**5000) if check is not whole_number else ():
        assert "too large for a float" in refusal(check, value)


def test_a_number_of_numpy_is_told_as_a_number():
    assert refusal(positive, np.float64(-0.5)).startswith("this width -0.5 is not allowed")
    assert refusal(whole_number, np.int8(-5)).startswith("this width -5 is not allowed")


def test_booleans():
    for value in (True, False, np.True_, np.False_):
        result = boolean("this width", value)
        assert type(result) is bool and result == value
    for value in (None, 0, 1, 1.0, "True", "", [], np.int64(1), np.array([True]), Mute()):
        refusal(boolean, value)


def test_arrays_of_numbers():
    for values in ([], [1, 2.5], (math.inf, math.nan), np.arange(3), [[1, 2], [3, 4]], [True, False], 3):
        array = numbers("this width", values)
        assert array.dtype == np.float64
        np.testing.assert_array_equal(array, np.array(values, dtype=np.float64))
    for wrong in ("12", ["1"], [None], [1j], [[1], [1, 2]], [10**400], object(), [Mute()]):
        refusal(numbers, wrong)


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


OPTIONS = ["--json", "--jobs", "--trials", "--first-trial", "--seed", "--out"]
MEANT = {"--trails": "--trials", "--Trials": "--trials", "--JSON": "--json", "--job": "--jobs", "-seed": "--seed"}


@pytest.mark.parametrize("typed", [*MEANT, "--epsilon", "--words", "", "--"])
def test_a_name_is_offered_only_if_it_is_near(typed):
    meant = MEANT.get(typed)
    assert closest(typed, OPTIONS) == meant
    assert nearest(typed, OPTIONS).startswith(f"did you mean {meant!r}? choose from" if meant else "choose from")
