"""From outcomes to a rank: against plain loops, and by simulation of runs that stop when they like."""

import dataclasses
import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

import wordpl
from tests.support.refusals import refusal
from wordpl import Verdict, WordplError
from wordpl.contest import EntryTrials, Records, StopRule, standings
from wordpl.contest.judge.evidence import COLUMNS
from wordpl.contest.judge.ranking import EntryJudge, Row, decided, win_rate_curve
from wordpl.simulation.confidence_sequences import anytime_interval, log_wealths
from wordpl.simulation.known_budgets import RECORDS

RULE = StopRule()
GAMES = st.lists(
    st.tuples(st.sampled_from([5.0, 10.0, 10.01, 30.0, 70.0, math.inf]), st.floats(0.0, 1.0), st.booleans()),
    min_size=1,
    max_size=80,
)


def outcomes(games: list[tuple[float, float, bool]]) -> EntryTrials:
    budgets, chances, won = (np.array(column) for column in zip(*games, strict=True))
    return EntryTrials(budgets, chances, won)


def of_one_budget(chances: np.ndarray, budget: float = 14.6) -> EntryTrials:
    return EntryTrials(np.full(len(chances), budget), chances, np.zeros(len(chances), dtype=bool))


def first(found: EntryTrials, trials: int) -> EntryTrials:
    return EntryTrials(*(getattr(found, name)[:trials] for name in ("costs", "chances", "won", "evidence")))


def end_of(rule: StopRule, found: EntryTrials) -> int | None:
    """The first look that decides, or else the last one; None if there are too few trials."""
    looks = [look for look in rule.looks if look <= len(found)]
    return next((look for look in looks if look == rule.max_trials or decided(first(found, look), rule)), None)


def drawn(mean: float, sd: float, n: int, rng: np.random.Generator) -> np.ndarray:
    both = mean * (1.0 - mean) / sd**2 - 1.0
    return rng.beta(mean * both, (1.0 - mean) * both, n)


@given(GAMES, st.sampled_from([0.05, 0.5]))
@example([(10.0, 1.0, True)] * 80, 0.05)
@example([(10.0, 0.0, False)] * 80, 0.05)
@example([(5.0, 0.0, False)] * 40 + [(30.0, 1.0, True)] * 40, 0.05)
def test_the_budget_is_the_smallest_that_surely_reaches_the_percentile(
    games: list[tuple[float, float, bool]], error: float
) -> None:
    found = outcomes(games)
    for standing in standings(found, StopRule(1, 1, 100, error)):
        q, enough = standing.percentile, math.log(2.0 / error)
        reached, open_ = [], []
        for budget in sorted({game[0] for game in games}):
            within = np.array([chance if spent <= budget else 0.0 for spent, chance, _ in games])
            if log_wealths(within, q)[-1] >= enough:
                reached.append(budget)
            if log_wealths(1.0 - within, 1.0 - q)[-1] < enough:
                open_.append(budget)
        assert standing.budget == min(reached, default=math.inf)
        lowest = min(open_, default=math.inf)
        assert standing.decided == (standing.budget == lowest or standing.budget <= 1.005 * lowest < math.inf)
        scores = [spent if won else math.inf for spent, _, won in games]
        assert standing.sampled == wordpl.simulation.percentile(scores, q)
        shown = next((b for b in (standing.budget, standing.sampled) if b < math.inf), math.inf)
        assert standing.win_rate == pytest.approx(sum(c for b, c, _ in games if b <= shown) / len(games))
        assert standing.wins == sum(won for b, _, won in games if b <= shown)
        assert standing.interval[0] <= standing.win_rate + 1e-12
        assert standing.win_rate <= standing.interval[1] + 1e-12
        assert Records().clears(standing) == (standing.budget <= 0.95 * RECORDS[q])


@given(GAMES, st.integers(0, 79), st.floats(0.0, 100.0))
def test_spending_less_never_ranks_lower(games: list[tuple[float, float, bool]], which: int, budget: float) -> None:
    which %= len(games)
    spent, chance, won = games[which]
    cheaper = [*games[:which], (min(spent, budget), chance, won), *games[which + 1 :]]
    rule = StopRule(1, 1, 100, 0.5)
    for before, after in zip(standings(outcomes(games), rule), standings(outcomes(cheaper), rule), strict=True):
        assert after.budget <= before.budget


def test_the_looks_end_at_the_largest_number_of_trials() -> None:
    assert RULE.looks[:3] == (1001, 1501, 2001) and RULE.looks[-1] == 16001 and len(RULE.looks) == 31
    assert StopRule(10, 4, 20).looks == (10, 14, 18, 20)
    assert StopRule(10, 4, 10).looks == (10,)


def test_a_run_ends_as_soon_as_it_is_decided() -> None:
    assert end_of(RULE, of_one_budget(np.zeros(1001))) == 1001, "it surely clears nothing"
    assert end_of(RULE, of_one_budget(np.ones(1001))) == 1001, "it surely clears everything"
    assert end_of(RULE, of_one_budget(np.ones(1000))) is None
    level = of_one_budget(np.where(np.arange(16001) % 2 == 0, 0.2, 0.8))
    assert end_of(RULE, level) == 16001, "50% exactly is never decided"
    assert end_of(RULE, first(level, 16000)) is None
    assert [s.decided for s in standings(level, RULE)] == [True, False, True]


def test_wins_need_not_agree_with_the_chances() -> None:
    # They are shown beside, and move no rank.
    rng = np.random.default_rng(2)
    chances = drawn(0.06, 0.05, 4001, rng)
    some, none = (EntryTrials(np.full(4001, 14.0), chances, won) for won in (rng.random(4001) < chances, chances < 0.0))
    for one, other in zip(standings(some, RULE), standings(none, RULE), strict=True):
        assert dataclasses.replace(one, wins=0, sampled=0.0) == dataclasses.replace(other, wins=0, sampled=0.0)
    assert standings(some, RULE)[0].budget == 14.0
    assert 200 < standings(some, RULE)[0].wins < 280 and standings(none, RULE)[0].wins == 0


@pytest.mark.published
@pytest.mark.parametrize(("mean", "sd", "index"), [(0.05, 0.05, 0), (0.5, 0.33, 1), (0.95, 0.12, 2)])
def test_a_lucky_run_does_not_rank(mean: float, sd: float, index: int) -> None:
    """A strategy just at the percentile, in runs that end by the rule: 2.5% may clear, and 2.5% be refuted."""
    runs, rule, rng = 80, StopRule(first=501, step=500, max_trials=1501), np.random.default_rng(11)
    cleared = refuted = 0
    for _ in range(runs):
        found = of_one_budget(drawn(mean, sd, rule.max_trials, rng))
        stop = end_of(rule, found)
        assert stop is not None
        standing = standings(first(found, stop), rule)[index]
        cleared += standing.budget < math.inf
        refuted += standing.decided and standing.budget == math.inf
    most = scipy.stats.binom.isf(1e-4, runs, 0.025)
    assert cleared <= most and refuted <= most


@pytest.mark.published
def test_one_test_serves_all_budgets() -> None:
    """Budgets of a continuous kind, all tried at once: the true 5% budget is undercut in at most 2.5% of runs."""
    runs, rng, wrong = 80, np.random.default_rng(12), 0
    for _ in range(runs):
        budgets = rng.uniform(0.0, 20.0, 600)
        found = EntryTrials(budgets, rng.beta(1.0, 9.0, 600), np.zeros(600, dtype=bool))
        wrong += standings(found, RULE)[0].budget < 10.0  # F(B) = B / 20 * 0.1 reaches 5% at 10
    assert wrong <= scipy.stats.binom.isf(1e-4, runs, 0.025)


def test_a_true_gain_ranks() -> None:
    # 5.29% true, which wins alone could not show in 16,001 games.
    found = of_one_budget(drawn(0.0529, 0.05, 16001, np.random.default_rng(4)))
    stop = end_of(RULE, found)
    assert stop is not None and stop < 8001
    assert standings(first(found, stop), RULE)[0].budget == 14.6


def test_a_strategy_cannot_clear_a_percentile_and_then_stop_playing_for_it() -> None:
    rng = np.random.default_rng(9)
    found = of_one_budget(np.concatenate([drawn(0.07, 0.05, 1000, rng), drawn(0.04, 0.05, 4001, rng)]))
    assert standings(first(found, 1001), RULE)[0].budget == 14.6
    assert standings(found, RULE)[0].budget == math.inf and standings(found, RULE)[0].decided


def test_an_improvement_is_what_is_saved_of_the_record() -> None:
    found = standings(of_one_budget(np.ones(1001), 14.82), RULE)
    assert [Records().improvement(standing) for standing in found] == pytest.approx(
        [5.0, 100.0 * (1.0 - 14.82 / 36.9), 100.0 * (1.0 - 14.82 / 75.0)]
    )
    assert [Records().clears(standing) for standing in found] == [True, True, True]
    short = standings(of_one_budget(np.ones(1001), 14.82 + 1e-9), RULE)[0]
    assert Records().improvement(short) > 0.0 and not Records().clears(short)
    worse = standings(of_one_budget(np.ones(1001), 31.2), RULE)[0]
    assert Records().improvement(worse) == pytest.approx(-100.0) and not Records().clears(worse)
    assert Records().improvement(standings(of_one_budget(np.zeros(1001)), RULE)[0]) == -math.inf


@pytest.mark.parametrize("change", [{"first": 0}, {"first": 20000}, {"step": 0}, {"error": 0.0}, {"error": math.nan}])
def test_rules_that_are_none(change: dict[str, float]) -> None:
    assert "not allowed" in refusal(StopRule, **change)


@pytest.mark.parametrize("margin", [-0.01, 1.0, 1.5, math.nan])
@pytest.mark.parametrize("budgets", [{0.05: 0.0}, {0.05: math.inf}, {0.25: 9.0}])
def test_records_that_are_none(margin: float, budgets: dict[float, float]) -> None:
    small = Records(RECORDS | {0.05: 1e-9}, margin=0.0)
    assert small.clears(standings(of_one_budget(np.ones(1001), 1e-9), RULE)[0])
    assert "margin" in refusal(Records, margin=margin)
    for records in (RECORDS | budgets, {0.05: 9.0}):
        assert refusal(Records, records).endswith("at each percentile: 5, 50, 95")


def test_outcomes_that_are_none() -> None:
    good = of_one_budget(np.full(3, 0.5))
    for change in (
        {"costs": np.array([1.0, -1.0, 1.0])},
        {"costs": np.array([1.0, math.nan, 1.0])},
        {"chances": np.array([0.5, 1.5, 0.5])},
        {"chances": np.array([0.5, math.nan, 0.5])},
        {"won": np.zeros(2, dtype=bool)},
        {"evidence": np.zeros((3, COLUMNS + 1))},
        {"evidence": np.full((3, COLUMNS), math.nan)},
    ):
        with pytest.raises(WordplError):
            dataclasses.replace(good, **change)
    assert "no scores" in refusal(standings, first(good, 0), RULE)
    assert "without evidence" in refusal(wordpl.contest.flag, good)


@given(GAMES, st.lists(st.sampled_from([7.0, 30.0, math.inf]), max_size=2), st.integers(1, 6))
def test_a_curve_has_the_win_rate_within_each_of_its_budgets(
    games: list[tuple[float, float, bool]], through: list[float], points: int
) -> None:
    found = outcomes(games)
    assert len(win_rate_curve(outcomes([(float(k), 0.5, True) for k in range(99)]), 0.1)) == 40
    curve = win_rate_curve(found, 0.1, through, points)
    finite = [budget for budget, _, _ in games if budget < math.inf]
    assert [point.budget for point in curve] == sorted({point.budget for point in curve})
    assert {point.budget for point in curve} <= {*finite, *through}
    if finite:
        assert {budget for budget in through if budget < math.inf} <= {point.budget for point in curve}
        assert curve[0].budget == min([*finite, *through]) and len(curve) <= points + len(through)
    else:
        assert curve == []
    for point in curve:
        within = [chance if budget <= point.budget else 0.0 for budget, chance, _ in games]
        assert point.win_rate == pytest.approx(sum(within) / len(games))
        assert point.interval == anytime_interval(within, 0.1)


@given(GAMES, st.data())
@example([(10.0, 1.0, True), (5.0, 0.5, False)] * 20, None)
def test_a_judge_ends_a_run_where_the_rule_says_whatever_the_order_of_its_rows(
    games: list[tuple[float, float, bool]], data: st.DataObject | None
) -> None:
    rule = StopRule(first=20, step=10, max_trials=60)
    rows = [
        Row(n, "crate", None, Verdict.WIN if won else Verdict.LOSS, "", budget, chance, (0.0,) * COLUMNS, [], "", 0, 0)
        for n, (budget, chance, won) in enumerate(games)
    ]
    order = rows if data is None else data.draw(st.permutations(rows))
    split = len(rows) // 3 if data is None else data.draw(st.integers(0, len(rows)))
    judge = EntryJudge(rule, order[:split])
    over = judge.take(order[split:])
    end = end_of(rule, outcomes(games))
    assert over == judge.over == (end is not None)
    looked = end if end is not None else max((look for look in rule.looks if look <= len(rows)), default=0)
    assert list(zip(judge.outcomes.costs, judge.outcomes.chances, judge.outcomes.won, strict=True)) == games[:looked]
    assert judge.missing() == list(range(len(rows), 60))
    assert judge.progress == ((looked, looked) if over else (min(len(rows), judge.progress[1]), judge.progress[1]))
