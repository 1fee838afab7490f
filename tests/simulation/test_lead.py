"""How often a comparison errs: with strategies that are alike it says "ahead" as seldom as stated, looks or not."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy

from wordpl.simulation.comparison import ComparisonRule, Difference, Verdict
from wordpl.simulation.paired_statistics import Reach, Sample, anytime_percentile
from wordpl.simulation.pairing import Judge
from wordpl.simulation.sweep import looks_up_to

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


@pytest.mark.heavy
def test_strategies_that_are_alike_are_seldom_said_to_differ():
    rule, repeats = ComparisonRule(error=0.2, draws=250), 250
    assert wrongly_ahead(rule, repeats, 100, 4) <= most(repeats, 0.2)


def test_one_figure_errs_not_much_less_often_than_stated():
    """So the bound of the test above is not kept by never deciding anything."""
    rule, repeats = ComparisonRule(("posterior_win_rate",)), 1_000
    wrong = wrongly_ahead(rule, repeats, 100, 2)
    assert most(repeats, 0.05) >= wrong >= 0.3 * 0.05 * repeats


@pytest.mark.heavy
def test_looks_do_not_make_it_err_more_often():
    """Two comparisons of two figures, each looked at up to five times."""
    rule, repeats = ComparisonRule(("posterior_win_rate", "p50"), until_settled=True, error=0.2), 120
    wrong = wrongly_ahead(rule, repeats, 1_000, 3, win_rate=0.05, spread=0.05)
    assert wrong <= most(repeats, 0.2)


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


def test_strategies_that_are_all_but_the_same_are_level_in_the_end():
    rng, rule = np.random.default_rng(6), ComparisonRule(("posterior_win_rate",), margin=0.02, until_settled=True)
    one, _ = alike(rng, 4_000, 2)
    other = Sample(one.costs, np.clip(one.chances + 0.05 * rng.standard_normal(4_000), 0.0, 1.0), one.won)
    judge = Judge(rule, [1])
    assert verdicts(judge, [(one, other)], 4_000, rule) == ["level"]
    assert judge.trials[0] < 4_000


# What holds at every look


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
        tasks: Any = [(None, None)]
        return judge.comparison(tasks).pairs[0].differences[0]

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
