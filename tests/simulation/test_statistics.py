"""Percentiles, win rates and means with their intervals: against numpy, scipy and exact sums."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import assume, example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as npst

import wordpl
from wordpl.base.defaults import PERCENTILES
from wordpl.simulation import percentile, percentile_interval, statistics, win_interval, win_rate_to_hold
from wordpl.simulation.statistics import mean_p_value, planned_interval

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


def test_intervals_of_few_scores_and_of_certainty():
    assert percentile_interval([3, 4, 5, 6, 7, 8], 0.5) == (3.0, 8.0), "misses the median with chance 2/64"
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
    """Of 1,001 scores each percentile is one of them, with nothing of the next, were it infinite."""
    assert percentile(np.arange(1001.0)[::-1], q) == wins - 1
    for won, expected in ((wins, 7.5), (wins - 1, math.inf)):
        assert percentile([7.5] * won + [math.inf] * (1001 - won), q) == expected
    found = win_rate_to_hold(q, 1001)
    assert found == pytest.approx(rate, abs=1e-5)
    assert scipy.stats.binom.sf(wins - 1, 1001, found) == pytest.approx(0.95)
    assert win_rate_to_hold(q, 1001, 0.5) < found < win_rate_to_hold(q, 1001, 0.99)
    assert wordpl.simulation.chance_to_hold(q, 1001, found) == pytest.approx(0.95)


# The mean of values between 0 and 1


def planned_p_value(values: Any, mean: float) -> float:
    """By betting, however the values are spread."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statistics, "_is_student", lambda values, error: False)
        return mean_p_value(np.array(values), mean, 0.05)


MEANS = st.floats(1e-6, 1.0 - 1e-6)
VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60)


@given(VALUES, st.floats(1e-9, 0.9), st.tuples(MEANS, MEANS).map(sorted))
@example([0.0], 0.05, (0.1, 0.9))
@example([1.0] * 60, 0.05, (0.1, 0.9))
@example([0.0] * 60, 1e-9, (0.1, 0.9))
@example([5e-324, 1.0], 0.05, (0.1, 0.9))
def test_intervals_hold_the_average_and_turn_with_the_values(values, error, means):
    less, more = (planned_p_value(values, mean) for mean in means)
    assert more >= less * (1.0 - 1e-9)
    low, high = planned_interval(values, error)
    assert 0.0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1.0
    assert planned_interval([1.0 - x for x in values], error) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-6)


def excess(mean: float, sample: list[float]) -> float:
    """The log wealth above what it takes to refute a mean: bets one by one in plain arithmetic."""
    wealth = most = 1.0
    total, squares = 0.5, 0.25
    for before, x in enumerate(sample, 1):
        bet = math.sqrt(2.0 * math.log(40.0) * before / (len(sample) * squares))
        wealth *= 1.0 + min(bet, 0.95 / mean) * (x - mean)
        most = max(most, wealth)
        total += x
        squares += (x - total / (before + 1)) ** 2
    return math.log(most) - math.log(40.0)


@pytest.mark.parametrize("seed", range(6))
def test_the_interval_against_roots_found_otherwise(seed):
    values = [float(x) for x in np.random.default_rng(seed).beta(0.3 + seed, 2.0, 40 + 50 * seed)]

    def root(sample):
        return float(scipy.optimize.brentq(excess, 1e-5, np.mean(sample), args=(sample,), xtol=1e-12))

    assert planned_interval(values) == pytest.approx((root(values), 1.0 - root([1.0 - x for x in values])), abs=1e-6)


def test_extremes():
    assert planned_interval([]) == (0.0, 1.0)
    low, high = planned_interval(np.zeros(1001))
    assert low == 0.0 and 0.00367 < high < 0.01  # Clopper and Pearson's, which nothing beats here, ends at 0.00368
    assert planned_interval(np.ones(1001)) == pytest.approx((1.0 - high, 1.0))


@pytest.mark.parametrize("mean", [0.001, 0.05, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("low", [0.0, 0.9])
def test_a_p_value_is_as_seldom_small_as_stated_at_every_level(mean, low):
    """All ways in which nine values can come out, of two distributions with just this mean."""
    least, high = low * mean, min(1.0, 3.0 * mean)
    chance = (mean - least) / (high - least)
    runs = [
        (math.prod(chance if x == high else 1.0 - chance for x in values), planned_p_value(values, mean))
        for values in itertools.product((least, high), repeat=9)
    ]
    for level in (0.5, 0.2, 0.05, 0.025, 0.001):
        assert sum(weight for weight, p in runs if p <= level) <= level + 1e-12


# Student's, or by betting


@pytest.mark.parametrize(
    ("games", "draw", "mean", "wider"),
    [
        (50, lambda rng, n: rng.beta(2, 3, n), 0.4, 1.3),
        (1001, lambda rng, n: 0.05 * rng.random(n), 0.025, 1.3),
        (100, lambda rng, n: rng.beta(0.1, 1.9, n), 0.05, None),
        (100, lambda rng, n: 1.0 * (rng.random(n) < 0.01), 0.01, None),
        (400, lambda rng, n: np.where(rng.random(n) < 0.005, 0.0, 0.999), 0.999 * 0.995, None),
    ],
)
def test_the_interval_holds_the_mean_and_is_students_without_skewness(games, draw, mean, wider):
    rng, held, width, usual, runs = np.random.default_rng(games), 0, 0.0, 0.0, 200
    for _ in range(runs):
        values = draw(rng, games)
        low, high = wordpl.simulation.mean_interval(values)
        held += low <= mean <= high
        width, usual = width + high - low, usual + 2 * values.std(ddof=1) / math.sqrt(games)
    assert held >= scipy.stats.binom.ppf(1e-3, runs, 0.95)
    assert wider is None or width <= wider * scipy.stats.t.ppf(0.975, games - 1) * usual


@given(st.integers(15, 200), st.floats(0.001, 0.5), st.floats(0.3, 0.7))
def test_students_interval_and_p_value_are_those_of_scipy(n, error, mean):
    half = np.random.default_rng(n).normal(0.0, 0.02, n)
    values = 0.5 + np.concatenate([half, -half, [0.0]])
    found: Any = scipy.stats.ttest_1samp(values, mean, alternative="greater")
    ends = scipy.stats.ttest_1samp(values, 0.5).confidence_interval(1.0 - error)
    assert wordpl.simulation.mean_interval(values, error) == pytest.approx(tuple(ends), abs=2e-3 * np.ptp(ends))
    if abs(found.statistic) < 5.0:
        assert mean_p_value(values, mean, error) == pytest.approx(found.pvalue, rel=0.02)


@pytest.mark.parametrize(("wins", "is_student"), [(30, False), (31, True)])
def test_students_interval_is_for_40_times_the_square_of_the_skewness(wins, is_student):
    values = np.arange(400.0) < wins  # 38.4 and 40.1 times it
    assert (wordpl.simulation.mean_interval(values) != planned_interval(values)) == is_student
