"""Percentiles and intervals, against numpy, scipy and exact sums."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

from tests.support.refusals import refusal
from wordpl.base.defaults import PERCENTILES
from wordpl.simulation import chance_to_hold, percentile, percentile_interval, win_interval, win_rate_to_hold

SCORES = npst.arrays(np.float64, st.integers(1, 60), elements=st.floats(0, 1e6))
FRACTIONS = st.sampled_from([0.0, 0.05, 0.5, 0.95, 1.0]) | st.floats(0, 1)
METHODS = ("wilson", "exact")


@given(SCORES, st.integers(0, 60), FRACTIONS)
def test_percentile_is_infinite_as_soon_as_it_touches_an_infinity(scores, lost, q):
    """A huge number in place of infinity shows through however little of it is taken."""
    assume(q == 0 or q > 1e-9)  # or what is taken of the huge number is not huge
    with_lost, with_huge = (np.concatenate([scores, np.full(lost, value)]) for value in (math.inf, 1e300))
    expected = np.quantile(with_huge, q)
    found = percentile(with_lost, q)
    if math.isinf(found):
        assert expected > 1e280
    else:
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-300)


@pytest.mark.parametrize(("q", "at"), [(0.05, 50), (0.5, 500), (0.95, 950)])
def test_the_contest_takes_exact_positions(q, at):
    """Of 1,001 scores each percentile is one of them, with nothing of the next, were it infinite."""
    assert percentile(np.arange(1001.0)[::-1], q) == at
    scores = np.where(np.arange(1001) <= at, 7.5, math.inf)
    assert percentile(scores, q) == 7.5
    scores = np.where(np.arange(1001) < at, 7.5, math.inf)
    assert percentile(scores, q) == math.inf


def test_what_has_no_percentile_or_interval():
    for function in (percentile, percentile_interval):
        assert "no scores" in refusal(function, [], 0.5)
        assert "NaN" in refusal(function, [1.0, math.nan], 0.5)
    assert percentile_interval([3, 4, 5, 6, 7, 8], 0.5) == (3.0, 8.0), "misses the median with chance 2/64"
    assert "exact, wilson" in refusal(win_interval, 1, 10, 0.95, "wald")
    assert [percentile_interval([3, 4, 5], q) for q in (0.0, 1.0)] == [(0.0, 3.0), (5.0, math.inf)]
    assert percentile_interval([3, 4, 5], 0.5, 1.0) == (0.0, math.inf), "only that is sure"
    assert {win_interval(3, 10, 1.0, method) for method in METHODS} == {(0.0, 1.0)}


@given(SCORES, FRACTIONS, st.floats(0.9, 1))
@example(np.array([0.0, 1.0]), 0.984375, 0.9375)
@example(np.array([0.0, 1.0]), 0.015625, 0.9375)
def test_an_interval_is_of_scores_and_holds_the_percentile(scores, q, confidence):
    low, high = percentile_interval(scores, q, confidence)
    assert low <= percentile(scores, q) <= high
    assert {low, high} <= {0.0, math.inf, *scores.tolist()}


@pytest.mark.parametrize("q", PERCENTILES)
@pytest.mark.parametrize("n", [10, 100, 1001])
def test_percentile_interval_covers_exactly_computed(n, q):
    """The chance that the true quantile lies between the two order statistics, from the binomial law."""
    low, high = percentile_interval(np.arange(1.0, n + 1), q, 0.95)
    below = scipy.stats.binom(n, q)  # how many scores lie below the true quantile
    missed_low = below.cdf(low - 1) if low >= 1 else 0.0
    missed_high = below.sf(high - 1) if math.isfinite(high) else 0.0
    assert missed_low <= 0.025 + 1e-12
    assert missed_high <= 0.025 + 1e-12
    if low >= 1:
        assert below.cdf(low) > 0.025  # one narrower would not do
    if math.isfinite(high):
        assert below.sf(high - 2) > 0.025


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.01, 0.999))
def test_win_interval_as_scipy_has_it(counts, confidence):
    wins, trials = counts
    test = scipy.stats.binomtest(wins, trials)
    for method in METHODS:
        found = win_interval(wins, trials, confidence, method)
        expected = test.proportion_ci(confidence, method)
        assert found == pytest.approx((expected.low, expected.high), abs=1e-9)
        assert 0 <= found[0] <= wins / trials <= found[1] <= 1


@pytest.mark.parametrize(("q", "wins", "rate"), [(0.05, 51, 0.06280), (0.5, 501, 0.52597), (0.95, 951, 0.95999)])
def test_the_win_rate_that_holds_in_the_contest(q, wins, rate):
    assert math.isfinite(percentile([1.0] * wins + [math.inf] * (1001 - wins), q))
    assert math.isinf(percentile([1.0] * (wins - 1) + [math.inf] * (1002 - wins), q))
    found = win_rate_to_hold(q, 1001)
    assert found == pytest.approx(rate, abs=1e-5)
    assert scipy.stats.binom.sf(wins - 1, 1001, found) == pytest.approx(0.95)
    assert win_rate_to_hold(q, 1001, 0.5) < found < win_rate_to_hold(q, 1001, 0.99)
    assert chance_to_hold(q, 1001, found) == pytest.approx(0.95)
