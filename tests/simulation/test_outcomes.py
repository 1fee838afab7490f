"""Outcomes and curves, whose statistics are those of the evaluation; and the conditions that select tasks."""

import fnmatch
import math
from dataclasses import replace

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st

from tests.support.helpers import SIX, SMALL
from tests.support.runs import ROW, ROWS
from wordpl import Ball, Evaluation, Store, WordList, make_task, sweep
from wordpl.base.engine import ENGINE_VERSION
from wordpl.simulation import TaskFilter, curves, read_outcomes, win_interval
from wordpl.simulation.known_budgets import known_budgets
from wordpl.simulation.outcomes import find_crossing, shared_terms
from wordpl.simulation.tasks import matches
from wordpl.simulation.trials import RESULT

GRID = (4, 12, 40)


def unplayed(*specs: str, **terms: object) -> list[Evaluation]:
    rows = (make_task(spec, **{"words": SMALL, **terms}).row for spec in specs or [f"NGuess(2, {e})" for e in GRID])
    return [Evaluation(row, np.zeros(1, RESULT)) for row in rows]


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """The outcomes of two curves, one of them up to no noise."""
    with Store(tmp_path_factory.mktemp("curves") / "r.sqlite") as store:
        specs = [f"{family}{epsilon})" for family in ("NGuess(2, ", "TwoGuess(") for epsilon in GRID]
        sweep([*specs, "NGuess(2, inf)"], 20, words=SMALL, store=store)
        return read_outcomes(store)


def test_different_experiments_are_different_curves():
    """An outcome that is given twice counts once, unless it is by other code."""
    for terms, labels in (
        ({"seed": 2}, ["seed 1", "seed 2"]),
        ({"rule": "counted"}, ["counted", "letterwise"]),
        ({"channel": Ball}, ["randomized_response", "whole_clue"]),
        ({"words": SIX}, ["six", "small"]),
        ({"format": "contest (every answer)"}, ["contest", "contest (every answer)"]),
    ):
        made = curves([*unplayed(), *unplayed(**terms)])
        assert sorted(curve.label for curve in made) == [f"NGuess(n_guesses=2), {label}" for label in labels]
        assert [[o.task.epsilon for o in curve.outcomes] for curve in made] == [[4.0, 12.0, 40.0]] * 2
    namesake = WordList(SMALL.name, SMALL.answers[1:], SMALL.guesses)
    made = curves([*unplayed(), *unplayed(words=namesake)])
    assert {len(curve.outcomes) for curve in made} == {1} and len({curve.label for curve in made}) == len(made) == 6
    found = unplayed()
    assert curves([*found, *found]) == curves(found)
    for name, other, own in (("engine", 1, ENGINE_VERSION), ("code", "0" * 8, found[0].task.code[:8])):
        older = [replace(o, task=replace(o.task, **{name: other}, id=o.task.id[::-1])) for o in found]
        labels = [f"NGuess(n_guesses=2), {name} {value}" for value in sorted((other, own))]
        assert sorted(curve.label for curve in curves([*found, *older])) == labels
    made = curves(unplayed("Greedy((20, 9), 2)", "Greedy((9, 20), 2)"))  # schedules with the same mean
    schedules = [f"Greedy(epsilon={epsilon}, n_guesses=2)" for epsilon in ((9.0, 20.0), (20.0, 9.0))]
    assert sorted(curve.label for curve in made) == sorted(schedules)
    assert [one.task.epsilon for curve in made for one in curve.outcomes] == [14.5, 14.5]
    assert all(curve.crossings == () for curve in made)


def test_what_all_curves_share_is_in_no_label_but_in_the_title(played):
    made = curves(played)
    assert [curve.label for curve in made] == ["NGuess(n_guesses=2)", "TwoGuess()"]
    assert [o.task.epsilon for o in made[0].outcomes] == [4.0, 12.0, 40.0, math.inf]
    assert [o.task.epsilon for o in made[0].noisy] == [4.0, 12.0, 40.0] and made[0].largest_budget == 80.0
    assert shared_terms([one.task for one in played]) == "small, letterwise, randomized_response, seed 1, 20 trials"
    for other, shared in (
        ({"trials": 1001}, "letterwise, randomized_response, seed 1, 40 to 1,001 trials"),
        ({"seed": "2", "rule": "counted"}, "randomized_response, 40 trials"),
        ({"format": "wordle:6"}, "letterwise, randomized_response, seed 1, 40 trials"),
    ):
        assert shared_terms([ROW, replace(ROW, words="six", **other)]) == shared
    assert shared_terms([replace(ROW, format="wordle:6", trials=1)]).endswith(", wordle:6, seed 1, 1 trial")
    assert known_budgets([ROW, replace(ROW, seed="2")])  # the contest's are for its own games
    for name, value in {"words": "nyt2022", "rule": "counted", "channel": "whole_clue", "format": "wordle:6"}.items():
        assert not known_budgets([ROW, replace(ROW, **{name: value})])


@pytest.mark.parametrize("confidence", [0.5, 0.99])
def test_smallest_budgets_have_the_confidence_of_the_outcomes(confidence, played):
    curve = curves([replace(one, confidence=confidence) for one in played])[1]
    wins, rates = zip(*((one.wins, one.posterior_win_rate) for one in curve.outcomes), strict=True)
    found = [find_crossing(GRID, wins, (20,) * 3, rates, q, confidence) for q in (0.05, 0.5, 0.95)]
    assert [replace(one, budget=0.0) for one in curve.crossings] == [replace(one, budget=0.0) for one in found]
    assert [one.budget for one in curve.crossings] == pytest.approx([one.budget for one in found])


@pytest.mark.parametrize(("budgets", "place"), [((10.0, 11.0), "under_bound"), ((11.0, 12.0), "inside")])
def test_a_budget_just_under_the_bound_of_all_strategies_is_no_estimate(budgets, place):
    """The bound at 5% is 10.765; the games put it in the middle between two budgets."""
    outcomes = unplayed(*(f"TwoGuess({budget / 2})" for budget in budgets), words="original")
    made = []
    for outcome, budget, chance in zip(outcomes, budgets, (0.04, 0.0611), strict=True):
        results = np.zeros(100, RESULT)
        results["budget"], results["chance"] = budget, chance
        made.append(replace(outcome, results=results))
    (curve,) = curves(made)
    assert curve.crossings[0].place == place


GAMES = st.lists(st.tuples(st.sampled_from([7.5, 20.0, 31.0, 80.0]), st.booleans()), min_size=1, max_size=20)


@given(st.lists(GAMES | st.lists(st.tuples(st.just(31.0), st.booleans()), min_size=1, max_size=20), min_size=2))
def test_a_smaller_share_of_games_is_never_dearer(points):
    """Where games differ in budget, the smallest budgets are the smallest percentiles; else they lie on the curve."""
    outcomes = []
    for i, games in enumerate(points):
        results = np.zeros(len(games), RESULT)
        results["budget"], won = np.array(games).T
        results["verdict"] = np.where(won, "WIN", "LOSS")
        results["chance"] = won
        task = replace(make_task("TwoGuess(5)", words=SMALL).row, id=str(i), epsilon=5.0 + i)
        outcomes.append(Evaluation(task, results))
    (curve,) = curves(outcomes)
    budgets = [crossing.budget for crossing in curve.crossings]
    assert budgets == sorted(budgets)
    if any(len({budget for budget, _ in games}) > 1 for games in points):
        scores = [[budget if won else 1e9 for budget, won in games] for games in points]
        for crossing in curve.crossings:
            smallest = min(np.quantile(one, crossing.win_rate) for one in scores)
            assert crossing.place == "percentile"
            assert crossing.budget == pytest.approx(smallest) if smallest < 100.0 else crossing.budget == math.inf
            ends = [o.percentile_interval(crossing.win_rate) for o in outcomes]
            assert crossing.interval in ends and crossing.interval[0] <= crossing.budget <= crossing.interval[1]
            assert crossing.budget < math.inf or crossing.interval[0] == min(low for low, _ in ends)
    else:
        assert {crossing.place for crossing in curve.crossings} <= {"below", "inside", "above"}


# The smallest budget for a win rate: against brute force

POINTS = st.lists(st.tuples(st.integers(0, 60), st.just(60) | st.integers(60, 90)), min_size=1, max_size=9)
BUDGETS = np.cumsum([3.0, 1.0, 2.0, 0.5, 4.0, 1.0, 7.0, 2.0, 3.0])


@given(
    POINTS,
    st.sampled_from([0.05, 0.3, 0.5, 0.95]),
    st.none() | st.lists(st.integers(0, 64), min_size=9, max_size=9),
    st.sampled_from([0.8, 0.95, 0.99]),
)
@example([(1, 60), (60, 60), (31, 90), (60, 61)], 0.5, None, 0.95)  # what is pooled has unequal numbers of trials
@example([(0, 60), (0, 60), (60, 60)], 0.5, [10, 60, 64] * 3, 0.95)  # the rates cross outside the interval of the wins
@example([(60, 60)] * 3, 0.5, [5, 10, 60] * 3, 0.95)
@example([(10, 60), (30, 60), (30, 60), (60, 60)], 0.5, None, 0.95)  # two budgets win just this share
def test_the_budget_is_where_the_monotone_curve_crosses(points, q, parts, confidence):
    """By the wins, or by the rates that are given. The ends of the interval are the last tests of the wins in a row."""
    won, played = (np.array(part, float) for part in zip(*points, strict=True))
    at = BUDGETS[: len(points)]
    shown = won / played if parts is None else np.array(parts[: len(points)]) / 64
    found = find_crossing(at, won, played, shown, q, confidence)
    rates = scipy.optimize.isotonic_regression(shown, weights=played).x
    fine = np.linspace(at[0], at[-1], 200_001)
    angles = np.interp(fine, at, np.arcsin(np.sqrt(np.clip(rates, 0, 1))))
    enough = fine[angles >= math.asin(math.sqrt(q)) - 1e-12]
    ends = [win_interval(w, n, confidence, "exact") for w, n in points]
    low = max((at[k] for k in range(len(at)) if all(high < q for _, high in ends[: k + 1])), default=0.0)
    high = min((at[k] for k in range(len(at)) if all(low >= q for low, _ in ends[k:])), default=math.inf)
    if found.place == "above":
        assert found.budget == math.inf and not enough.size
        high = math.inf
    elif found.place == "below":
        assert found.budget == at[0] == enough[0]
        low = 0.0
    else:
        assert rates[0] < q and abs(found.budget - enough[0]) < 1e-3
        k = int((rates < q).sum())
        low, high = min(low, at[k - 1]), max(high, at[k])
    assert found.interval == (low, high)


@pytest.mark.parametrize(
    ("where", "ids"),
    [
        (TaskFilter(), "ab12 cd34 ef56"),
        (TaskFilter(["NGuess(n_guesses=2, epsilon=4.0)"]), "ab12"),
        (TaskFilter(["NGuess(n_guesses=2)"]), "ab12"),
        (TaskFilter(["Fifth", "greedy"]), "cd34 ef56"),
        (TaskFilter(epsilons=(0.1, 4.0000000000001)), "ab12"),
        (TaskFilter(epsilons=(4.0000001,)), ""),
        (TaskFilter(epsilons=(4, math.inf)), "ab12 cd34"),
        (TaskFilter(["g*"], (4, math.inf)), "cd34"),
        (TaskFilter(contains="FIFTH or (n_guesses"), "ab12 ef56"),
        (TaskFilter(contains=" FIFTH ,(n_guesses"), "ab12 ef56"),
        (TaskFilter(contains="nguess(n_guesses=2) or Greedy()"), "ab12 cd34"),  # as curves are called
        (TaskFilter(contains="fifth", strategies=["NGuess"]), ""),
    ],
)
def test_selects(where, ids):
    """Where nothing is left, it says what there is."""
    assert " ".join(row.id for row in ROWS if where.holds(row)) == ids
    assert TaskFilter(["Gredy"]).nothing(ROWS) == "no task has strategy Gredy; did you mean 'Greedy'?"
    said = TaskFilter(epsilons=[7], channel="fibble").nothing(ROWS)
    assert said == "no task has epsilon 7 and channel fibble; its strategies are Fifth, Greedy, NGuess"


LETTERS = st.text(alphabet="ab*?[]().|-é", max_size=8)


@given(LETTERS, LETTERS)
def test_patterns_match_as_the_shell_has_them_without_sets_of_letters(text, pattern):
    plain = pattern.translate(str.maketrans("[]", "<>"))
    assert matches(text, pattern) == fnmatch.fnmatchcase(text.translate(str.maketrans("[]", "<>")), plain)
    assert not matches("a" * 3000, "*a" * 30 + "*b")  # in no exponential time
