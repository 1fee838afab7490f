"""Paired differences for a fixed number of trials: against brute force, scipy, plain bootstraps, and their coverage."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from wordpl.simulation import paired_statistics, percentile
from wordpl.simulation.paired_statistics import Sample, curve_budgets, mean_difference, resampled_percentiles


@pytest.mark.parametrize(("gain", "trials"), [(0.002, 1001), (0.005, 200), (0.003, 1001)])
def test_small_gains_in_nearly_all_trials_do_not_hide_rare_losses(gain, trials):
    """The true mean is 0: a loss of 1 is as rare as that takes, and may not have been seen."""
    rng, repeats, wrong, held = np.random.default_rng(1), 300, 0, 0
    for _ in range(repeats):
        differences = np.where(rng.random(trials) < gain / (1.0 + gain), -1.0, gain)
        found = mean_difference(differences, 0.05, anytime=False)
        wrong += min(found.p_values) <= 0.025
        held += found.interval[0] <= 0.0 <= found.interval[1]
    assert wrong <= scipy.stats.binom.isf(1e-4, repeats, 0.05)
    assert held >= scipy.stats.binom.ppf(1e-4, repeats, 0.95)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=60), st.floats(0.01, 0.5))
def test_a_mean_turns_with_the_strategies_and_its_p_values_fit_its_interval(values, error):
    found, turned = (mean_difference(sign * np.array(values), error, anytime=False) for sign in (1, -1))
    assert turned.interval == pytest.approx((-found.interval[1], -found.interval[0]), abs=1e-9)
    assert turned.p_values == pytest.approx(found.p_values[::-1], rel=1e-6)
    low, high = found.interval
    assert -1.0 <= low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high <= 1.0
    assert (low > 1e-6) <= (found.p_values[0] <= error / 2.0) and (high < -1e-6) <= (found.p_values[1] <= error / 2.0)


# Percentiles


def lists_of_scores(n: int, kinds: int) -> tuple[Any, Any]:
    """Scores of two strategies on common trials, of so many kinds; a third are lost."""
    rng = np.random.default_rng(n)
    one, other = (np.where(rng.random(n) < 0.67, rng.integers(1, kinds + 1, n) * 1.5, math.inf) for _ in range(2))
    return one, other


@pytest.mark.parametrize(("kinds", "draws"), [(200, 300), (200, 1), (4, 300)])
def test_bootstrap_percentiles_are_percentiles_of_common_samples(kinds, draws):
    quantiles = (0.0, 0.05, 0.31, 0.5, 0.95, 1.0)
    one, other = lists_of_scores(101, kinds)
    drawn = resampled_percentiles(one, other, quantiles, draws, seed=5)
    if kinds > 100:  # then trials are drawn one by one
        rows = np.random.default_rng(5).integers(0, 101, (draws, 101))
    else:
        numbers = np.random.default_rng(5)
        pairs = np.unique(np.stack([one, other], axis=1), axis=0)
        parts = [(np.stack([one, other], axis=1) == pair).all(axis=1).mean() for pair in pairs]
        counts = numbers.multinomial(101, parts, draws)
        where = [int((np.stack([one, other], axis=1) == pair).all(axis=1).argmax()) for pair in pairs]
        rows = np.array([np.repeat(where, row) for row in counts])
    for scores, found in zip((one, other), drawn, strict=True):
        expected = [[percentile(scores[row], q) for q in quantiles] for row in rows]
        assert found == pytest.approx(np.array(expected))


def test_few_kinds_of_trials_are_drawn_as_often_as_many():
    """The two ways of drawing give the same distribution: here of a median of two kinds, against the binomial law."""
    scores = np.repeat([1.0, 2.0], [55, 46])
    drawn, _ = resampled_percentiles(scores, scores, (0.5,), 20_000, seed=1)
    assert (drawn == 1.0).mean() == pytest.approx(scipy.stats.binom.sf(50, 101, 55 / 101), abs=0.015)


INF = math.inf


@pytest.mark.parametrize(
    ("scores", "difference", "interval", "both", "ahead"),
    [
        (([5.0] * 40, [INF] * 40), -INF, (-INF, -INF), False, 0),
        (([INF] * 40, [7.0] * 40), INF, (INF, INF), False, 1),
        (([INF] * 40, [INF] * 40), None, (-INF, INF), True, None),
        (([5.0] * 40, [5.0] * 40), 0.0, (0.0, 0.0), False, None),
        (([5.0] * 40, [6.5] * 40), -1.5, (-1.5, -1.5), False, 0),
        # Reached by both or by neither, nobody knows: the difference may be anything.
        (([5.0] * 20 + [INF] * 20, [5.0] * 20 + [INF] * 20), None, (-INF, INF), False, None),
    ],
)
def test_differences_of_percentiles_that_are_not_reached(scores, difference, interval, both, ahead):
    one, other = map(np.array, scores)
    drawn = resampled_percentiles(one, other, (0.5,), 999, seed=3)
    found = paired_statistics.percentile_difference((one, other), 0.5, (drawn[0][:, 0], drawn[1][:, 0]))
    assert (found.difference, found.interval, found.both_infinite) == (difference, interval, both)
    sure = [p <= 0.025 for p in found.p_values]
    assert sure == [ahead == 0, ahead == 1]


@pytest.mark.parametrize("draws", [100, 399, 1000])
def test_the_bootstrap_interval_and_p_values_are_those_of_the_draws(draws):
    """The ends are the order statistics outside the tails, and a p-value counts the sample itself as one more draw."""
    drawn = np.random.default_rng(3).standard_normal((2, draws))
    found = paired_statistics.percentile_difference((np.ones(9), np.ones(9)), 0.5, (drawn[0], drawn[1]), 0.9)
    differences = drawn[0] - drawn[1]
    low, high = np.quantile(differences, 0.05, method="lower"), np.quantile(differences, 0.95, method="higher")
    assert found.interval == (low, high)
    against = (differences >= 0.0).sum(), (differences <= 0.0).sum()
    assert found.p_values == tuple((1 + count) / (1 + draws) for count in against)


@pytest.mark.heavy
@pytest.mark.parametrize(("q", "n"), [(0.05, 250), (0.5, 100)])
def test_the_bootstrap_interval_covers_the_difference(q, n):
    """Correlated strategies, a share of their games lost; the true difference is that of the exact quantiles."""
    rng, repeats, covered = np.random.default_rng(8), 500, 0
    for _ in range(repeats):
        z = rng.standard_normal((3, n))
        u, v = (scipy.stats.norm.cdf((z[0] + z[k]) / math.sqrt(2.0)) for k in (1, 2))
        one, other = (
            np.where(w < 0.8, -s * np.log1p(-np.minimum(w, 0.8 - 1e-9) / 0.8), INF) for w, s in ((u, 10.0), (v, 13.0))
        )
        drawn = resampled_percentiles(one, other, (q,), 399, seed=1)
        low, high = paired_statistics.percentile_difference((one, other), q, (drawn[0][:, 0], drawn[1][:, 0])).interval
        covered += low <= _true(q) <= high
    assert covered / repeats >= 0.95 - 4 * math.sqrt(0.05 * 0.95 / repeats)


def _true(q: float) -> float:
    """The difference of the quantiles of scores that are -s log(1 - u / 0.8) for u below 0.8."""
    return -math.log(1.0 - q / 0.8) * (10.0 - 13.0)


# Curves


def sample(n: int, seed: int, kinds: int = 50) -> Sample:
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 0.5, n)
    return Sample(rng.integers(1, kinds, n).astype(float), chances, rng.random(n) < chances)


def test_budgets_of_a_curve():
    one, other = sample(500, 1), sample(500, 2)
    few = curve_budgets(sample(500, 1, 10), sample(500, 2, 10))
    assert few.tolist() == list(range(1, 10))
    some = curve_budgets(one, other, 20)
    assert len(some) <= 20 and (np.diff(some) > 0).all() and set(some) <= set(one.costs) | set(other.costs)
    assert (some[0], some[-1]) == (1.0, 49.0)
    free = Sample(np.full(4, INF), np.ones(4), np.ones(4, bool))
    assert len(curve_budgets(free, free)) == 0


@pytest.mark.heavy
def test_the_band_covers_all_budgets_at_once():
    """One of them spends more than the other, so that they differ at most budgets."""
    rng, n, repeats, covered = np.random.default_rng(2), 200, 300, 0
    budgets = np.arange(2.0, 30.0, 4.0)
    true = 0.4 * scipy.stats.poisson.cdf(budgets, 12) - 0.5 * scipy.stats.poisson.cdf(budgets, 14)
    for _ in range(repeats):
        one = Sample(rng.poisson(12, n).astype(float), rng.beta(2, 3, n), np.ones(n, bool))
        other = Sample(rng.poisson(14, n).astype(float), rng.beta(3, 3, n), np.ones(n, bool))
        band = paired_statistics.win_rate_band(one, other, budgets, 0.05, anytime=False)
        low, high = np.array([point["interval"] for point in band]).T
        covered += bool(((low <= true) & (true <= high)).all())
    assert covered / repeats >= 0.95


# Many comparisons


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7))
def test_holm_rejects_what_closed_testing_rejects(p_values):
    """Holm's is the closed test by Bonferroni: the largest correction over all sets of hypotheses that hold one."""
    found = paired_statistics.holm(p_values)
    for i, corrected in enumerate(found):
        others = sorted(p for j, p in enumerate(p_values) if j != i)
        # The worst set of k hypotheses holds this one and the k - 1 largest others.
        sets = ([p_values[i], *others[len(others) - k :]] for k in range(len(others) + 1))
        assert corrected == pytest.approx(min(1.0, max(len(s) * min(s) for s in sets)))
