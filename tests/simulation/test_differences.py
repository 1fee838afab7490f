"""Paired differences for a fixed number of trials: against brute force, scipy and plain bootstraps."""

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.runs import ROW
from wordpl import Evaluation
from wordpl.base.defaults import QUANTILES
from wordpl.simulation import pairing, percentile, statistics
from wordpl.simulation.comparison import ComparisonRule, Difference
from wordpl.simulation.pairing import curve_budgets, find_differences
from wordpl.simulation.statistics import mean_difference, resampled_percentiles
from wordpl.simulation.trials import RESULT

INF = math.inf


@pytest.mark.parametrize(("gain", "trials"), [(0.002, 1001), (0.005, 200), (0.003, 1001)])
def test_small_gains_in_nearly_all_trials_do_not_hide_rare_losses(gain, trials):
    """The true mean is 0: a loss of 1 is as rare as that takes, and may not have been seen."""
    rng, repeats, wrong, held = np.random.default_rng(1), 120, 0, 0
    for _ in range(repeats):
        differences = np.where(rng.random(trials) < gain / (1.0 + gain), -1.0, gain)
        found = mean_difference(differences, 0.05)
        wrong += min(found.p_values) <= 0.025
        held += found.interval[0] <= 0.0 <= found.interval[1]
    assert wrong <= scipy.stats.binom.isf(1e-4, repeats, 0.05)
    assert held >= scipy.stats.binom.ppf(1e-4, repeats, 0.95)


@given(st.lists(st.floats(-1.0, 1.0), min_size=1, max_size=60), st.floats(0.01, 0.5))
@example([-1.0, 0.0, 1.0], 0.05)  # Student's interval would end beyond them
@example([0.22] * 20, 0.05)  # bets for another error would not reject this
def test_a_mean_turns_with_the_strategies_and_p_values_fit_its_interval(values, error):
    found, turned = (mean_difference(sign * np.array(values), error) for sign in (1, -1))
    assert turned.interval == pytest.approx((-found.interval[1], -found.interval[0]), abs=1e-9)
    assert turned.p_values == pytest.approx(found.p_values[::-1], rel=1e-6)
    low, high = found.interval
    assert -1.0 <= low <= np.mean(values) + 1e-9 and np.mean(values) - 1e-9 <= high <= 1.0
    assert (low > 1e-6) <= (found.p_values[0] <= error / 2.0) and (high < -1e-6) <= (found.p_values[1] <= error / 2.0)


def games(costs: Any, chances: Any, won: Any) -> Evaluation:
    """Games that cost this much, with these posterior probabilities of the proposed words."""
    results = np.zeros(len(costs), RESULT)
    results["budget"], results["chance"] = costs, chances
    results["verdict"] = np.where(won, "WIN", "LOSS")
    return Evaluation(ROW, results)


@pytest.mark.parametrize(("kinds", "draws"), [(200, 300), (200, 1), (4, 300)])
def test_bootstrap_percentiles_are_percentiles_of_common_samples(kinds, draws):
    quantiles, rng = (0.0, 0.05, 0.31, 0.5, 0.95, 1.0), np.random.default_rng(100)
    one, other = (np.where(rng.random(100) < 0.67, rng.integers(1, kinds + 1, 100) * 1.5, INF) for _ in range(2))
    drawn, numbers = resampled_percentiles(one, other, quantiles, draws, seed=5), np.random.default_rng(5)
    if kinds > 100:  # then trials are drawn one by one
        rows = numbers.integers(0, 100, (draws, 100))
    else:
        pairs = np.stack([one, other], axis=1)
        same = [(pairs == pair).all(axis=1) for pair in np.unique(pairs, axis=0)]
        counts = numbers.multinomial(100, [each.mean() for each in same], draws)
        rows = np.array([np.repeat([each.argmax() for each in same], row) for row in counts])
    for scores, found in zip((one, other), drawn, strict=True):
        expected = [[percentile(scores[row], q) for q in quantiles] for row in rows]
        assert found == pytest.approx(np.array(expected))


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
    medians = percentile(one, 0.5), percentile(other, 0.5)
    found = statistics.percentile_difference(*medians, (drawn[0][:, 0], drawn[1][:, 0]), 0.05)
    assert (found.difference, found.interval, found.both_infinite) == (difference, interval, both)
    sure = [p <= 0.025 for p in found.p_values]
    assert sure == [ahead == 0, ahead == 1]


def test_the_bootstrap_interval_and_p_values_are_those_of_the_draws():
    """The ends are the order statistics outside the tails, and a p-value counts the sample itself as one more draw."""
    draws = 399
    drawn = np.random.default_rng(3).standard_normal((2, draws))
    found = statistics.percentile_difference(1.0, 1.0, (drawn[0], drawn[1]), 0.1)
    differences = drawn[0] - drawn[1]
    low, high = np.quantile(differences, 0.05, method="lower"), np.quantile(differences, 0.95, method="higher")
    assert found.interval == (low, high)
    against = (differences >= 0.0).sum(), (differences <= 0.0).sum()
    assert found.p_values == tuple((1 + count) / (1 + draws) for count in against)


def test_a_percentile_has_as_many_draws_as_many_pairs_need(monkeypatch):
    one, other = (games(np.full(50, budget), np.ones(50), np.ones(50, bool)) for budget in (5.0, 7.0))
    found = find_differences([(one, other), *[(one, one)] * 99], ComparisonRule(("p05",)))
    assert [difference.verdict for (difference,) in found] == ["first", *["level"] * 99]
    for most, draws in ((150, None), (50_000, 100)):  # all speak for the first, and the sample itself counts as one
        monkeypatch.setattr(pairing, "MOST_DRAWS", most)
        ((found,),) = find_differences([(one, other)], ComparisonRule(("p05",), draws=draws))
        assert found.p_value == pytest.approx(2 / (1 + (draws or most)))
    for error, verdict in ((2 / 101, "first"), (1.99 / 101, "undecided")):
        ((found,),) = find_differences([(one, other)], ComparisonRule(("p05",), error=error, draws=100))
        assert found.verdict == verdict


def test_budgets_of_a_curve():
    costs = np.arange(1.0, 50.0), np.arange(4.0, 50.0, 7.0)
    one, other = (games(each, np.ones(len(each)), np.ones(len(each), bool)) for each in costs)
    assert curve_budgets((one, other), 60).tolist() == list(range(1, 50))
    some = curve_budgets((one, other), 20)
    assert len(some) <= 20 and (np.diff(some) > 0).all() and (some[0], some[-1]) == (1.0, 49.0)
    free = games(np.full(4, INF), np.ones(4), np.ones(4, bool))
    assert len(curve_budgets((free, free))) == 0


@pytest.mark.heavy
def test_the_band_covers_all_budgets_at_once(monkeypatch):
    """One of them spends more than the other, so that they differ at most budgets."""
    rng, n, repeats, covered = np.random.default_rng(2), 200, 120, 0
    budgets = np.arange(2.0, 30.0, 4.0)
    monkeypatch.setattr(pairing, "curve_budgets", lambda pair: budgets)
    true = 0.4 * scipy.stats.poisson.cdf(budgets, 12) - 0.5 * scipy.stats.poisson.cdf(budgets, 14)
    for _ in range(repeats):
        one = games(rng.poisson(12, n).astype(float), rng.beta(2, 3, n), np.ones(n, bool))
        other = games(rng.poisson(14, n).astype(float), rng.beta(3, 3, n), np.ones(n, bool))
        band = pairing.win_rate_band((one, other), error=0.05)
        low, high = np.array([point["interval"] for point in band]).T
        covered += bool(((low <= true) & (true <= high)).all())
    assert covered / repeats >= 0.95


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7))
def test_holm_rejects_what_closed_testing_rejects(p_values):
    """Holm's is the closed test by Bonferroni: the largest correction over all sets of hypotheses that hold one."""
    found = statistics.holm(p_values)
    for i, corrected in enumerate(found):
        others = sorted(p for j, p in enumerate(p_values) if j != i)
        # The worst set of k hypotheses holds this one and the k - 1 largest others.
        sets = ([p_values[i], *others[len(others) - k :]] for k in range(len(others) + 1))
        assert corrected == pytest.approx(min(1.0, max(len(s) * min(s) for s in sets)))


# How often a comparison errs

Kind = Callable[[np.random.Generator, float], tuple[Any, Any, Any]]
"""Costs, chances and won games of 1,001 trials; a number moves the statistic, in standard errors, off the border."""
TRIALS, CERTAIN = 1001, np.ones(1001, bool)


def mixed(q: float, low: float, high: float) -> Kind:
    """Games that cost `low` with probability q and else `high`, so that at 0 the percentile could be either."""

    def drawn(rng: Any, off: float) -> tuple[Any, Any, Any]:
        costs = np.where(rng.random(TRIALS) < q + off * math.sqrt(q * (1 - q) / TRIALS), low, high)
        return costs, np.ones(TRIALS), costs < INF

    return drawn


def apart(mean: float) -> Kind:
    """Games whose chances are larger than one half by this much on average."""

    def drawn(rng: Any, off: float) -> tuple[Any, Any, Any]:
        chances = 0.5 + mean + 0.24 * (rng.beta(2, 2, TRIALS) - 0.5) + off * 0.15 * math.sqrt(0.05 / TRIALS)
        return np.full(TRIALS, 9.0), chances, CERTAIN

    return drawn


BORDERS: list[tuple[Any, ...]] = [
    ("posterior_win_rate", apart(0.01), 9.0, "first", "level", ["level"]),
    ("posterior_win_rate", apart(-0.01), 9.0, "level", "second", ["level"]),
    ("posterior_win_rate", apart(0.0), 9.0, "first", "second", ["first", "second"]),
]
for _low, _high, _other, *_said in (
    (100.0, 104.0, 100.0, "level", "second"),
    (100.0, INF, 100.0, "level", "second"),
    (96.0, 100.0, 100.0, "first", "level"),
    (100.0, INF, INF, "first", "neither"),
):
    BORDERS += [(name, mixed(q, _low, _high), _other, *_said, _said) for name, q in [*QUANTILES.items()][::2]]
"""Statistic, games of one strategy, cost of a game of the other, what is true above 0 and below, what is false at 0."""


@pytest.mark.heavy
@pytest.mark.parametrize(("statistic", "kind", "other", "above", "below", "false"), BORDERS)
def test_each_verdict_is_as_seldom_wrong_as_stated(statistic, kind, other, above, below, false):
    """In all of ten pairs together, half of the error is for each side of a border. Far from it, all are right."""
    rng, rule, repeats = np.random.default_rng(7), ComparisonRule((statistic,), error=0.2, draws=1000), 30
    rival = games(np.full(TRIALS, other), np.full(TRIALS, 0.5), CERTAIN & (other < INF))

    def said(off: float) -> set[str]:
        found = find_differences([(games(*kind(rng, off)), rival) for _ in range(10)], rule)
        return {one.verdict for (one,) in found}

    found = Counter(verdict for _ in range(repeats) for verdict in said(0.0))
    assert set(found) <= {above, below, "undecided", "level"}
    assert all(found[verdict] <= scipy.stats.binom.isf(1e-4, repeats, 0.1) for verdict in false), found
    assert (said(8.0), said(-8.0)) == ({above}, {below})


@pytest.mark.parametrize("statistic", ["posterior_win_rate", "p50"])
def test_strategies_are_level_up_to_the_margin_and_no_further(statistic):
    """The margin is of win rates as it is, of percentiles as a share of the smaller one."""
    rng = np.random.default_rng(6)
    chances = rng.beta(7.2, 0.8, 2_000)
    one = games(10.0 + np.floor(20.0 * rng.random(2_000)), chances, rng.random(2_000) < chances)
    other = games(one.costs + 0.01 * rng.standard_normal(2_000), rng.permutation(one.results["chance"]), one.won)

    def found(margin: float) -> Difference:
        return find_differences([(one, other)], ComparisonRule((statistic,), margin))[0][0]

    strict = found(0.0)
    unit = 1.0 if statistic == "posterior_win_rate" else min(strict.first, strict.second)
    margin = max(map(abs, strict.interval)) / unit
    assert (strict.verdict, found(margin * (1.0 + 1e-9)).verdict) == ("undecided", "level")
    assert found(margin * (1.0 - 1e-9)).verdict == "undecided"
