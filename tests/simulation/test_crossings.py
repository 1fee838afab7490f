"""The smallest budget for a win rate: against brute force, and its interval against curves that are known."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wordpl import WordplError
from wordpl.simulation import find_crossing, win_interval

POINTS = st.lists(st.tuples(st.integers(0, 60), st.just(60) | st.integers(60, 90)), min_size=1, max_size=9)
BUDGETS = np.cumsum([3.0, 1.0, 2.0, 0.5, 4.0, 1.0, 7.0, 2.0, 3.0])


@given(POINTS, st.sampled_from([0.05, 0.3, 0.5, 0.95]), st.none() | st.lists(st.integers(0, 64), min_size=9))
def test_the_budget_is_where_the_monotone_curve_crosses(points, q, parts):
    """By the wins, or by the rates that are given."""
    won, played = (np.array(part, float) for part in zip(*points, strict=True))
    at = BUDGETS[: len(points)]
    shown = won / played if parts is None else np.array(parts[: len(points)]) / 64
    found = find_crossing(at, won, played, q, rates=None if parts is None else shown)
    rates = scipy.optimize.isotonic_regression(shown, weights=played).x
    fine = np.linspace(at[0], at[-1], 200_001)
    angles = np.interp(fine, at, np.arcsin(np.sqrt(np.clip(rates, 0, 1))))
    enough = fine[angles >= math.asin(math.sqrt(q)) - 1e-12]
    if found.place == "above":
        assert found.budget == math.inf and not enough.size
    elif found.place == "below":
        assert found.budget == at[0] == enough[0]
    else:
        assert rates[0] < q and abs(found.budget - enough[0]) < 1e-3
    low, high = found.interval
    assert low <= found.budget <= high
    assert low in (0.0, *at) and high in (*at, math.inf)


@given(POINTS, st.sampled_from([0.05, 0.3, 0.5, 0.95]), st.sampled_from([0.8, 0.95, 0.99]))
def test_the_ends_of_the_interval_are_the_last_tests_in_a_row(points, q, confidence):
    at = BUDGETS[: len(points)]
    won, played = zip(*points, strict=True)
    ends = [win_interval(w, n, confidence, "exact") for w, n in points]
    short = [k for k in range(len(at)) if all(high < q for _, high in ends[: k + 1])]
    enough = [k for k in range(len(at)) if all(low >= q for low, _ in ends[k:])]
    expected = (at[max(short)] if short else 0.0, at[min(enough)] if enough else math.inf)
    assert find_crossing(at, won, played, q, confidence).interval == expected


CURVES = {
    "logistic": lambda budget: scipy.special.expit(0.35 * (budget - 12.0)),
    "a step": lambda budget: np.where(budget < 11.3, 0.02, 0.97),
    "flat": lambda budget: np.full_like(budget, 0.3),
    "flat at the wanted rate": lambda budget: np.where(budget < 7.0, 0.01, 0.5),
}


@pytest.mark.parametrize("shared", [False, True], ids=["independent", "common random numbers"])
@pytest.mark.parametrize("name", CURVES)
def test_the_interval_covers_the_true_crossing(name, shared):
    curve, grid, games, runs = CURVES[name], np.arange(2.0, 30.0, 3.0), 150, 400
    rng = np.random.default_rng(7)
    fine = np.linspace(0.0, 60.0, 600_001)
    for q in (0.05, 0.5, 0.95):
        enough = fine[curve(fine) >= q]
        truth = enough[0] if enough.size else math.inf
        rates = curve(grid)
        missed = 0
        for _ in range(runs):
            drawn = rng.random((games, 1 if shared else len(grid)))
            low, high = find_crossing(grid, (drawn < rates).sum(axis=0), [games] * len(grid), q).interval
            # Between grid points the curve may cross anywhere past the lower end.
            missed += not low - 1e-4 <= truth <= high + 1e-4
        # P(more than this | 5% are missed) < 1e-3; the tests are exact, so fewer are.
        assert missed <= 35, (name, q, missed)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (([], [], [], 0.5), "as many as there are points"),
        (([1.0], [3], [2], 0.5), "wins 3 is not allowed"),
        (([1.0], [1.5], [2], 0.5), "whole numbers"),
        (([1.0], ["1"], [2], 0.5), "wins .* is not allowed; an array of numbers"),
        (([1.0], [1], [2], 0.5, 0.9, [0.5, 0.6]), "rates must be as many"),
        (([1.0], [1], [2], 0.5, 0.9, [1.1]), "rates must be"),
    ],
)
def test_what_is_refused(arguments, reason):
    with pytest.raises(WordplError, match=reason):
        find_crossing(*arguments)  # type: ignore[arg-type]
