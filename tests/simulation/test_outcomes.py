"""Outcomes and curves: the figures are those of the evaluation, and what differs makes another curve."""

from __future__ import annotations

import dataclasses
import math
from pathlib import Path

import pytest

from tests.support.helpers import SIX, SMALL, Sometimes
from wordpl import Ball, Evaluation, Store, make_task, parse_strategy, sweep
from wordpl.base.engine import ENGINE_VERSION
from wordpl.simulation import curves, find_crossing, read_outcomes
from wordpl.simulation.outcomes import shared_terms

GRID = (4, 12, 40)
MINE = """
from dataclasses import dataclass
from wordpl import Answer, HistoryStrategy

@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float

    def decide(self, setting, history):
        return Answer(setting.words.answers[{n}])
"""


def tasks_of(*specs: str, **terms: object) -> list:
    return [make_task(parse_strategy(spec), **{"words": SMALL, **terms}) for spec in specs]


def grid_of(family: str, **terms: object) -> list:
    return tasks_of(*(f"{family}{epsilon})" for epsilon in GRID), **terms)


def found_of(tasks: list, tmp_path: Path, trials: int = 20) -> list[Evaluation]:
    with Store(tmp_path / "r.sqlite") as store:
        sweep(tasks, trials, store=store)
        return read_outcomes(store)


def test_stored_and_played_outcomes_are_the_same(tmp_path):
    tasks = [*grid_of("NGuess(2, "), make_task(Sometimes(), words=SMALL)]
    with Store(tmp_path / "r.sqlite") as store:
        played = sweep(tasks, 40, store=store)
        stored = {outcome.task.id: outcome for outcome in read_outcomes(store)}
    assert len(stored) == len(played)
    for one in played:
        other = stored[one.task.id]
        assert one.task == other.task
        assert (one.format, one.budget_is_fixed) == (other.format, other.budget_is_fixed)
        for figure in ("trials", "wins", "win_rate", "interval", "percentiles", "turns", "mean_turns", "mean_budget"):
            assert getattr(one, figure) == getattr(other, figure), figure


@pytest.mark.parametrize(
    ("terms", "labels"),
    [
        ({"seed": 2}, ["NGuess(n_guesses=2), seed 1", "NGuess(n_guesses=2), seed 2"]),
        ({"rule": "counted"}, ["NGuess(n_guesses=2), counted", "NGuess(n_guesses=2), letterwise"]),
        ({"channel": Ball}, ["NGuess(n_guesses=2), randomized_response", "NGuess(n_guesses=2), whole_clue"]),
        ({"words": SIX}, ["NGuess(n_guesses=2), six", "NGuess(n_guesses=2), small"]),
    ],
    ids=["seed", "rule", "channel", "words"],
)
def test_different_experiments_are_different_curves(terms, labels, tmp_path):
    found = found_of([*grid_of("NGuess(2, "), *grid_of("NGuess(2, ", **terms)], tmp_path)
    made = curves(found)
    assert sorted(curve.label for curve in made) == labels
    assert [[o.task.epsilon for o in curve.outcomes] for curve in made] == [[4.0, 12.0, 40.0]] * 2


def test_what_all_curves_share_is_in_no_label(tmp_path):
    found = found_of([*grid_of("NGuess(2, "), *grid_of("TwoGuess("), *tasks_of("NGuess(2, inf)")], tmp_path)
    made = curves(found)
    assert [curve.label for curve in made] == ["NGuess(n_guesses=2)", "TwoGuess()"]
    assert [o.task.epsilon for o in made[0].outcomes] == [4.0, 12.0, 40.0, math.inf]
    assert [o.task.epsilon for o in made[0].noisy] == [4.0, 12.0, 40.0]
    assert shared_terms(found) == "small, letterwise, randomized_response, seed 1, 20 trials"


def test_schedules_with_the_same_mean_and_what_the_file_does_not_tell_apart_are_not_one_curve(tmp_path):
    made = curves(found_of(tasks_of("Greedy((20, 9), 2)", "Greedy((9, 20), 2)"), tmp_path))
    schedules = [f"Greedy(epsilon={epsilon}, n_guesses=2)" for epsilon in ((20.0, 9.0), (9.0, 20.0))]
    assert sorted(curve.label for curve in made) == schedules
    assert all(curve.crossings == () for curve in made)
    (tmp_path / "r.sqlite").unlink()
    made = curves(found_of([*grid_of("TwoGuess("), *grid_of("TwoGuess(", game_seconds=5.0)], tmp_path))
    assert len(made) == len({curve.label for curve in made}) == 6
    assert all(", task " in curve.label for curve in made)


def test_two_versions_of_a_strategy_are_two_curves(tmp_path):
    tasks = []
    for n in (0, 1):
        (tmp_path / "mine.py").write_text(MINE.format(n=n))
        tasks += tasks_of(*(f"{tmp_path / 'mine.py'}:Mine({epsilon})" for epsilon in (4.0, 8.0)))
    made = curves(found_of(tasks, tmp_path))
    codes = {task.strategy.code[:8] for task in tasks}
    assert {curve.label for curve in made} == {f"mine.py:Mine(), code {code}" for code in codes}
    assert [len(curve.outcomes) for curve in made] == [2, 2]


def test_an_outcome_that_is_given_twice_counts_once_unless_by_another_engine(tmp_path):
    found = found_of(grid_of("TwoGuess("), tmp_path)
    assert curves([*found, *found]) == curves(found)
    older = [dataclasses.replace(o, task=dataclasses.replace(o.task, engine=1, id=o.task.id[::-1])) for o in found]
    labels = ["TwoGuess(), engine 1", f"TwoGuess(), engine {ENGINE_VERSION}"]
    assert sorted(curve.label for curve in curves([*found, *older])) == labels


def test_crossings_are_those_of_the_points(tmp_path):
    (curve,) = curves(found_of(grid_of("NGuess(2, "), tmp_path, trials=100))
    wins = [outcome.wins for outcome in curve.outcomes]
    rates = [outcome.posterior_win_rate for outcome in curve.outcomes]
    assert [found.win_rate for found in curve.crossings] == [0.05, 0.5, 0.95]
    for found in curve.crossings:
        assert found == find_crossing([8.0, 24.0, 80.0], wins, [100] * 3, found.win_rate, rates=rates)
    assert all(outcome.budget_is_fixed for outcome in curve.outcomes)
