"""Grids: the values that a text stands for."""

import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.refusals import refusal
from wordpl.play.grids import epsilon_grid, value_grid


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("5:20:5", (5.0, 10.0, 15.0, 20.0)),
        ("5:21:5", (5.0, 10.0, 15.0, 20.0)),
        ("0.1:0.5:0.1", (0.1, 0.2, 0.3, 0.4, 0.5)),
        ("5,10,inf", (5.0, 10.0, math.inf)),
        ("5:10:5, 50 ,inf,5", (5.0, 10.0, 50.0, math.inf)),
        ("7", (7.0,)),
        ("7:7:1", (7.0,)),
    ],
)
def test_epsilons(text, expected):
    found = epsilon_grid(text)
    assert repr(found) == repr(expected)
    for below in ("0", "-1", "0:10:5", "5,-inf"):
        assert "not above 0" in refusal(epsilon_grid, below)


@given(st.integers(1, 50), st.integers(0, 40), st.integers(1, 9), st.integers(0, 14))
def test_a_grid_holds_every_step_and_both_ends(start, steps, step, digits):
    """Against decimal arithmetic, which does not round."""
    unit = Decimal(10) ** -digits
    exact = [(start + i * step) * unit for i in range(steps + 1)]
    text = f"{exact[0]}:{exact[-1]}:{step * unit}"
    assert epsilon_grid(text) == tuple(map(float, exact))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2:4:1", (2, 3, 4)),
        ("2:4:1.0", (2.0, 3.0, 4.0)),
        ("3,2,3", (3, 2)),
        ("1,1.0", (1, 1.0)),
        ("None,200", (None, 200)),
        ("True, False", (True, False)),
        ("'salet', \"crate\"", ("salet", "crate")),
        ("(9, 5), (8, inf)", ((9, 5), (8, math.inf))),
        ("[1, [2]], 3", ([1, [2]], 3)),
        ("'5:10:5'", ("5:10:5",)),
        ("-1,1e3", (-1, 1000.0)),
    ],
)
def test_values_of_other_parameters(text, expected):
    assert repr(value_grid("n", text)) == repr(value_grid("candidates", text)) == repr(expected)
    # A grid of names needs no quotes, which a shell takes away.
    assert value_grid("tree", "optimal,a/b-2.txt") == ("optimal", "a/b-2.txt")
    assert value_grid("first_guess", "None, salet") == (None, "salet")


@pytest.mark.parametrize("text", ["a:b", "salet,", "", " ", "open('x')", "x=1", "1,x=2", "1)+(2", "__import__('os')"])
def test_other_texts_are_no_grids(text):
    assert "not a grid of first_guess" in refusal(value_grid, "first_guess", text)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5:50", "FIRST:LAST:STEP"),
        ("50:5:5", "FIRST <= LAST"),
        ("5:50:0", "STEP above 0"),
        ("5:50:inf", "FIRST:LAST:STEP"),
        ("5:inf:5", "FIRST:LAST:STEP"),
        ("1:10001:1", "has 10001 values; at most 10000"),
        (f"1:{'9' * 400}:1", "too large"),
        ("nan", "not a number"),
    ],
)
def test_wrong_grids_are_told_in_a_line(text, said):
    assert said in refusal(value_grid, "n_guesses", text)
    assert said in refusal(epsilon_grid, text)
    assert len(epsilon_grid("1:10000:1")) == 10_000
