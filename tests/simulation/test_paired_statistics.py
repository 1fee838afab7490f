"""Paired differences for a fixed number of trials: against brute force, scipy and plain bootstraps."""

import math
from typing import Any

import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st

from tests.support.selections import ROW
from wordpl.simulation import paired_statistics, percentile
from wordpl.simulation.comparison import ComparisonRule, Difference, Verdict
from wordpl.simulation.paired_statistics import (
    Reach,
    Sample,
    anytime_percentile,
    curve_budgets,
    mean_difference,
    resampled_percentiles,
)
from wordpl.simulation.pairing import Judge
from wordpl.simulation.sweep import looks_up_to


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


def lists_of_scores(n: int, kinds: int) -> tuple[Any, Any]:
    """Scores of two strategies on common trials, of so many kinds; a third are lost."""
    rng = np.random.default_rng(n)
    one, other = (np.where(rng.random(n) < 0.67, rng.integers(1, kinds + 1, n) * 1.5, math.inf) for _ in range(2))
    return one, other


@pytest.mark.parametrize(("kinds", "draws"), [(200, 300), (200, 1), (4, 300)])
def test_bootstrap_percentiles_are_percentiles_of_common_samples(kinds, draws):
    quantiles = (0.0, 0.05, 0.31, 0.5, 0.95, 1.0)
    one, other = lists_of_scores(100, kinds)
    drawn = resampled_percentiles(one, other, quantiles, draws, seed=5)
    if kinds > 100:  # then trials are drawn one by one
        rows = np.random.default_rng(5).integers(0, 100, (draws, 100))
    else:
        numbers = np.random.default_rng(5)
        pairs = np.unique(np.stack([one, other], axis=1), axis=0)
        parts = [(np.stack([one, other], axis=1) == pair).all(axis=1).mean() for pair in pairs]
        counts = numbers.multinomial(100, parts, draws)
        where = [int((np.stack([one, other], axis=1) == pair).all(axis=1).argmax()) for pair in pairs]
        rows = np.array([np.repeat(where, row) for row in counts])
    for scores, found in zip((one, other), drawn, strict=True):
        expected = [[percentile(scores[row], q) for q in quantiles] for row in rows]
        assert found == pytest.approx(np.array(expected))


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


def test_a_percentile_has_as_many_draws_as_many_pairs_need():
    judge = Judge(ComparisonRule(("p05",)), range(100))
    one, other = (Sample(np.full(50, budget), np.ones(50), np.ones(50, bool)) for budget in (5.0, 7.0))
    judge.look({0: (one, other)})
    assert judge.verdicts[0, "p05"] == "first"


def sample(n: int, seed: int, kinds: int = 50) -> Sample:
    rng = np.random.default_rng(seed)
    chances = rng.beta(0.5, 0.5, n)
    return Sample(rng.integers(1, kinds, n).astype(float), chances, rng.random(n) < chances)


def test_budgets_of_a_curve():
    one, other = sample(500, 1), sample(500, 2)
    few = curve_budgets(sample(5, 1, 10), sample(500, 2, 10), 9)
    assert few.tolist() == list(range(1, 10))
    some = curve_budgets(one, other, 20)
    assert len(some) <= 20 and (np.diff(some) > 0).all() and set(some) <= set(one.costs) | set(other.costs)
    assert (some[0], some[-1]) == (1.0, 49.0)
    free = Sample(np.full(4, INF), np.ones(4), np.ones(4, bool))
    assert len(curve_budgets(free, free)) == 0


@pytest.mark.published
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


@given(st.lists(st.floats(0.0, 1.0), min_size=1, max_size=7))
def test_holm_rejects_what_closed_testing_rejects(p_values):
    """Holm's is the closed test by Bonferroni: the largest correction over all sets of hypotheses that hold one."""
    found = paired_statistics.holm(p_values)
    for i, corrected in enumerate(found):
        others = sorted(p for j, p in enumerate(p_values) if j != i)
        # The worst set of k hypotheses holds this one and the k - 1 largest others.
        sets = ([p_values[i], *others[len(others) - k :]] for k in range(len(others) + 1))
        assert corrected == pytest.approx(min(1.0, max(len(s) * min(s) for s in sets)))


# How often a comparison errs: with strategies that are alike it says "ahead" as seldom as stated, looks or not

Rng = np.random.Generator


def alike(rng: Rng, n: int, strategies: int, win_rate: float = 0.5, spread: float = 0.3) -> list[Sample]:
    """Strategies of one distribution whose games depend on each other, as those with the same answers and noise do."""
    ease = rng.standard_normal(n)
    both = win_rate * (1.0 - win_rate) / spread**2 - 1.0
    found = []
    for _ in range(strategies):
        luck = scipy.stats.norm.cdf((ease + rng.standard_normal(n)) / math.sqrt(2.0))
        chances = rng.beta(win_rate * both, (1.0 - win_rate) * both, n)
        found.append(Sample(10.0 + np.floor(20.0 * luck), chances, rng.random(n) < chances))
    return found


def verdicts(judge: Judge, pairs: list[tuple[Sample, Sample]], trials: int, rule: ComparisonRule) -> list[Verdict]:
    for look in looks_up_to(trials) if rule.until_settled else [trials]:
        judge.look({i: (pairs[i][0].at(slice(look)), pairs[i][1].at(slice(look))) for i in judge.open})
    return list(judge.verdicts.values())


def wrongly_ahead(rule: ComparisonRule, repeats: int, trials: int, strategies: int, **kind: Any) -> int:
    """In how many repeats some strategy was said to be ahead of others that are like it."""
    rng, wrong = np.random.default_rng(11), 0
    for _ in range(repeats):
        one, *others = alike(rng, trials, strategies, **kind)
        pairs = [(one, other) for other in others]
        judge = Judge(rule, [1] * len(pairs))
        wrong += any(verdict in ("first", "second") for verdict in verdicts(judge, pairs, trials, rule))
    return wrong


def most(repeats: int, error: float) -> float:
    """How often something of this probability happens at most, but once in 10,000 such tests."""
    return float(scipy.stats.binom.isf(1e-4, repeats, error))


@pytest.mark.published
def test_strategies_that_are_alike_are_seldom_said_to_differ():
    rule, repeats = ComparisonRule(error=0.2, draws=250), 250
    assert wrongly_ahead(rule, repeats, 100, 4) <= most(repeats, 0.2)


@pytest.mark.published
def test_looks_do_not_make_it_err_more_often():
    """Two comparisons of two figures, each looked at up to five times."""
    rule, repeats = ComparisonRule(("posterior_win_rate", "p50"), until_settled=True, error=0.2), 80
    wrong = wrongly_ahead(rule, repeats, 1_000, 3, win_rate=0.05, spread=0.05)
    assert wrong <= most(repeats, 0.2)


@pytest.mark.heavy
@pytest.mark.parametrize("until_settled", [False, True])
def test_a_difference_that_is_there_is_found(until_settled):
    rng, found, rule = np.random.default_rng(5), 0, ComparisonRule(until_settled=until_settled, draws=800)
    for _ in range(20):
        one, other = alike(rng, 2_000, 2)
        better = Sample(one.costs * 0.7, np.minimum(1.0, one.chances + 0.05), one.won)
        judge = Judge(rule, [1])
        said = verdicts(judge, [(other, better)], 2_000, rule)
        assert "first" not in said
        found += said[:3] == ["second", "second", "undecided"] or said[:2] == ["second", "second"]
    assert found >= 16


def reach_bounds(sample: Sample, q: float, error: float) -> tuple[float, float]:
    """As defined, budget by budget: those at which the mean chance within is surely q or more, or surely less."""
    from wordpl.simulation import log_wealths

    enough, low, high = -math.log(error), 0.0, math.inf
    budgets = np.unique(sample.costs[np.isfinite(sample.costs)])
    missed = True
    for budget in (-math.inf, *budgets):
        values = np.where(sample.costs <= budget, sample.chances, 0.0)
        if log_wealths(values, q)[-1] >= enough:
            high = min(high, float(budget))
        missed = missed and bool(log_wealths(1.0 - values, 1.0 - q)[-1] >= enough)
        if missed:
            later = budgets[budgets > budget]
            low = float(later[0]) if len(later) else math.inf
    return low, high


@pytest.mark.parametrize("q", [0.05, 0.3, 0.5])
@pytest.mark.parametrize("free", [0, 5, 300])
def test_the_budgets_of_a_quantile_against_their_definition(q, free):
    (sample,) = alike(np.random.default_rng(9), 300, 1)
    costs = np.where(np.arange(300) < free, math.inf, sample.costs)
    sample = Sample(costs, sample.chances, sample.won)
    for error in (0.5, 0.05, 1e-4):
        assert Reach(sample, q).bounds(error) == reach_bounds(sample, q, error)


def test_a_quantile_is_ahead_if_a_budget_reaches_it_that_is_too_small_for_the_other():
    one, other = alike(np.random.default_rng(9), 400, 2)
    cheap = Sample(one.costs * 0.6, one.chances, one.won)
    first, second = Reach(cheap, 0.3), Reach(other, 0.3)
    found = anytime_percentile(first, second, 0.05)
    p = found.p_values[0]
    assert p < 0.05 < found.p_values[1]
    # The p-value is the error at which the intervals come apart.
    for error, apart in ((1.02 * p, True), (0.98 * p, False)):
        assert (first.bounds(error / 2.0)[1] < second.bounds(error / 2.0)[0]) == apart
    assert found.interval[1] < 0.0


def test_quantiles_that_are_not_reached():
    n = 400
    never = Sample(np.full(n, 9.0), np.full(n, 0.01), np.zeros(n, bool))
    always = Sample(np.full(n, 9.0), np.full(n, 0.99), np.ones(n, bool))
    free = Sample(np.full(n, math.inf), np.full(n, 0.99), np.ones(n, bool))
    for one in (never, free):
        found = anytime_percentile(Reach(one, 0.5), Reach(never, 0.5), 0.05)
        assert (found.difference, found.interval, found.both_infinite) == (None, (-math.inf, math.inf), True)
        assert min(found.p_values) == 1.0
        found = anytime_percentile(Reach(always, 0.5), Reach(one, 0.5), 0.05)
        assert (found.difference, found.interval, found.both_infinite) == (-math.inf, (-math.inf, -math.inf), False)
        assert found.p_values[0] < 1e-6
    found = anytime_percentile(Reach(always, 0.5), Reach(always, 0.5), 0.05)
    assert (found.difference, found.interval) == (0.0, (0.0, 0.0))


@pytest.mark.parametrize("until_settled", [False, True])
@pytest.mark.parametrize("figure", ["posterior_win_rate", "p50"])
def test_strategies_are_level_up_to_the_margin_and_no_further(figure, until_settled):
    """The margin is of win rates as it is, of percentiles as a share of the smaller one."""
    rng = np.random.default_rng(6)
    (one,) = alike(rng, 2_000, 1, win_rate=0.9, spread=0.1)
    other = Sample(one.costs + 0.01 * rng.standard_normal(2_000), rng.permutation(one.chances), one.won)

    def found(margin: float) -> Difference:
        rule = ComparisonRule((figure,), margin, until_settled=until_settled)
        judge = Judge(rule, [1])
        judge.look({0: (one, other)})
        return judge.comparison([(ROW, ROW)]).pairs[0].differences[0]

    strict = found(0.0)
    unit = 1.0 if figure == "posterior_win_rate" else min(strict.first, strict.second)
    margin = max(map(abs, strict.interval)) / unit
    assert (strict.verdict, found(margin * (1.0 + 1e-9)).verdict) == ("undecided", "level")
    assert found(margin * (1.0 - 1e-9)).verdict == "undecided"


def test_an_interval_at_every_look_holds_its_estimate():
    """The estimate is of the games that were won, the interval of their chances: the two may disagree."""
    n = 400
    lucky = Sample(np.repeat([5.0, 9.0], n // 2), np.repeat([0.0, 0.99], n // 2), np.ones(n, bool))
    plain = Sample(np.full(n, 7.0), np.full(n, 0.99), np.ones(n, bool))
    one, other = Reach(lucky, 0.3), Reach(plain, 0.3)
    assert (one.bounds(0.01), other.bounds(0.01)) == ((9.0, 9.0), (7.0, 7.0))
    for first, second, sign in ((one, other, 1.0), (other, one, -1.0)):
        found = anytime_percentile(first, second, 0.04)
        assert (found.difference, found.interval) == (-2.0 * sign, (-2.0, 2.0))
