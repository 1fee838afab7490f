"""Confidence sequences: exact expectations of small games, properties, and an independent computation."""

import itertools
import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.refusals import refusal
from wordpl.simulation.confidence_sequences import anytime_interval, log_factors, planned_interval, planned_log_wealth

MEANS = st.floats(1e-6, 1.0 - 1e-6)
VALUES = st.lists(st.floats(0.0, 1.0), min_size=1, max_size=60)


@pytest.mark.parametrize("mean", [1e-6, 0.05, 0.3, 0.5, 0.95, 1.0 - 1e-6])
def test_wealth_is_worth_no_more_than_it_cost(mean):
    # All ways in which six values can come out, of two distributions with just this mean.
    for low, high in [(0.0, 1.0), (mean / 2.0, min(1.0, 1.7 * mean))]:
        chance = (mean - low) / (high - low)
        total = sum(
            math.prod(chance if x == high else 1.0 - chance for x in values)
            * math.exp(wordpl.simulation.log_wealths(np.array(values), mean)[-1])
            for values in itertools.product((low, high), repeat=6)
        )
        assert total == pytest.approx(1.0, rel=1e-9)


@given(VALUES, st.floats(1e-9, 0.9), st.randoms(use_true_random=False))
@example([0.0], 0.05, None)
@example([1.0] * 60, 0.05, None)
@example([0.0] * 60, 1e-9, None)
@example([5e-324, 1.0], 0.05, None)
def test_intervals_hold_the_average_are_nested_and_forget_the_order(values, error, rng):  # type: ignore[no-untyped-def]
    low, high = anytime_interval(values, error)
    assert 0.0 <= low <= np.mean(values) + 1e-12
    assert np.mean(values) - 1e-12 <= high <= 1.0
    wide = anytime_interval(values, error / 10.0)
    assert wide[0] <= low + 1e-6 and high <= wide[1] + 1e-6
    if rng is not None:
        rng.shuffle(values)
    assert anytime_interval(values, error) == pytest.approx((low, high), abs=1e-6)
    assert anytime_interval([1.0 - x for x in values], error) == pytest.approx((1.0 - high, 1.0 - low), abs=1e-6)


def hedged_excess(mean: float, sample: list[float]) -> float:
    """Hedged betting as plain products, above what it takes to refute a mean."""
    wealth = 0.0
    for share in (0.02, 0.04, 0.08, 0.16, 0.32, 0.64):
        bet = min(share / math.sqrt(mean * (1 - mean)), 0.95 / mean)
        wealth += math.prod(1.0 + bet * (x - mean) for x in sample) / 6.0
    return math.log(wealth) - math.log(1.0 / 0.025)


def planned_excess(mean: float, sample: list[float]) -> float:
    """Bets one by one in plain arithmetic."""
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
@pytest.mark.parametrize(
    ("interval", "excess"), [(anytime_interval, hedged_excess), (planned_interval, planned_excess)]
)
def test_the_interval_against_roots_found_otherwise(interval, excess, seed):
    """By Brent's method."""
    values = [float(x) for x in np.random.default_rng(seed).beta(0.3 + seed, 2.0, 40 + 50 * seed)]

    def root(sample):
        return float(scipy.optimize.brentq(excess, 1e-5, np.mean(sample), args=(sample,), xtol=1e-12))

    assert interval(values) == pytest.approx((root(values), 1.0 - root([1.0 - x for x in values])), abs=1e-6)


@pytest.mark.parametrize("interval", [anytime_interval, planned_interval])
def test_extremes(interval):
    assert interval([]) == (0.0, 1.0)
    low, high = interval(np.zeros(1001))
    assert low == 0.0 and 0.00367 < high < 0.01  # Clopper and Pearson's, which nothing beats here, ends at 0.00368
    assert interval(np.ones(1001)) == pytest.approx((1.0 - high, 1.0))
    for wrong in ([-0.1], [1.1], [math.nan], [[0.5]]):
        assert "from 0 to 1" in refusal(interval, wrong)


# Numbers of values that were fixed before


@given(VALUES, MEANS, MEANS)
def test_a_higher_mean_never_makes_a_bet_pay_more(values, one, other):
    low, high = sorted([one, other])
    assert (log_factors(values[:1], high) <= log_factors(values[:1], low) + 1e-12).all()
    assert planned_log_wealth(values, high, 0.025) <= planned_log_wealth(values, low, 0.025) + 1e-9


@pytest.mark.parametrize("mean", [0.001, 0.05, 0.5, 0.95, 0.999])
@pytest.mark.parametrize("low", [0.0, 0.9])
def test_a_planned_bet_wins_as_seldom_as_stated_at_every_level(mean, low):
    """All ways in which eleven values can come out, of two distributions with just this mean."""
    least, high = low * mean, min(1.0, 3.0 * mean)
    chance = (mean - least) / (high - least)
    runs = [
        (math.prod(chance if x == high else 1.0 - chance for x in values), planned_log_wealth(values, mean, 0.025))
        for values in itertools.product((least, high), repeat=11)
    ]
    for level in (0.5, 0.2, 0.05, 0.025, 0.001):
        assert sum(weight for weight, wealth in runs if wealth >= -math.log(level)) <= level + 1e-12
