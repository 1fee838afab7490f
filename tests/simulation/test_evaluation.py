"""Evaluations, their statistics by hand, and the win rates that are known; and what is told of a strategy."""

import csv
import inspect
import math
import shlex
from dataclasses import replace

import numpy as np
import pytest

import wordpl
from experiments import strategies as experiment
from tests.support.helpers import SMALL, Sometimes
from wordpl import evaluate, simulation
from wordpl.base.defaults import QUANTILES
from wordpl.simulation import describe_strategy, percentile_interval, win_interval
from wordpl.simulation.outcomes import turn_shares


@pytest.fixture(scope="module")
def found():
    return evaluate("Greedy(epsilon=9, certainty=0.6)", 400, seed=2, words=SMALL)


def test_scores_and_intervals_of_another_confidence(found):
    """`tests/reporting/test_every_cell.py` has the statistics themselves."""
    frame = found.frame
    scores = np.where(won := frame["verdict"] == "WIN", frame["budget"], math.inf)
    assert (won == (frame["answer"] == frame["proposed"])).all() and 0 < won.sum() < 400
    assert (found.scores == scores).all() and (frame["score"] == scores).all()
    low, high = win_interval(int(won.sum()), 400)
    budgets = ", ".join(f"{name} {simulation.percentile(scores, q):.4g}" for name, q in QUANTILES.items())
    told = f"400 trials, win rate {won.mean():.4f} [{low:.4f}, {high:.4f}], {budgets}"
    assert repr(found) == f"<Evaluation {found.task.strategy}: {told}>"
    surer = replace(found, confidence=0.9)
    assert surer.percentile_interval(0.5) == percentile_interval(scores, 0.5, 0.9)
    assert surer.interval == win_interval(int(won.sum()), 400, 0.9) and surer.summary()["confidence"] == 0.9
    assert surer.posterior_interval == simulation.mean_interval(frame["chance"], 0.1)


def test_posterior_win_rates_are_told_unless_all_games_failed():
    never = evaluate(Sometimes(), 30, seed=4, words=SMALL)
    failed = replace(never, results=never.results[(never.frame["verdict"] != "LOSS").to_numpy()].repeat(300))
    for found in (never, failed):
        assert ("posterior win rate" in [row[0] for row in found.estimates]) == (found is never), found
    shares = [(n / 30, win_interval(n, 30, 0.5)) for n in (0, 30)]
    assert turn_shares(replace(never, confidence=0.5), (1,)) == shares


@pytest.mark.parametrize(("wins", "budget", "told"), [(5, 9.0, True), (6, 9.0, True), (6, math.inf, False)])
def test_a_percentile_is_told_unless_it_is_infinite_for_want_of_noise(found, wins, budget, told):
    results = found.results[:101].copy()
    results["verdict"], results["budget"] = ["WIN"] * wins + ["LOSS"] * (101 - wins), budget
    some = replace(found, results=results)
    assert some.p05 == (9.0 if told and wins > 5 else math.inf)
    assert ("budget, 5th percentile" in [row[0] for row in some.estimates]) == told


def test_times_count_the_proposal_but_in_wordle_and_do_not_tell_evaluations_apart(found):
    asks, seconds = found.frame["asks"].sum(), found.frame["seconds"].sum()
    wordle = replace(found, task=replace(found.task, format="wordle:6"))
    assert [one.seconds_per_move for one in (found, wordle)] == pytest.approx([seconds / (asks + 400), seconds / asks])
    slower, other = found.results.copy(), found.results.copy()
    slower["seconds"] += 1.0
    other["chance"][3] += 0.1
    assert found == replace(found, results=slower) != replace(found, results=other)
    assert found != replace(found, confidence=0.9) and found != replace(found, results=found.results[:399])


@pytest.mark.published
def test_max_clue_entropy_wins_as_often_as_the_published_code():
    """0.5140 +- 0.0023 with 200 draws for each candidate, as published. 500 games have a standard error of 0.0145."""
    run = evaluate("MaxClueEntropy(n_guesses=3, epsilon=13.0, monte_carlo=200)", 500, jobs=2)
    chances = run.results["chance"]
    error = math.hypot(chances.std(ddof=1) / math.sqrt(500), 0.0023)
    assert abs(run.posterior_win_rate - 0.5140) < 3 * error
    assert set(run.results["budget"]) == {39.0}
    assert run.errors == run.timeouts == 0
    assert run.p05 == 39.0


NAMES = sorted(wordpl.library.places())


def rows() -> list[dict[str, str]]:
    with simulation.WIN_RATES_FILE.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", NAMES)
def test_each_parameter_and_three_win_rates_of_a_strategy_are_told(name):
    kind, told = wordpl.strategies()[name], describe_strategy(name)
    assert [one.name for one in told.parameters] == list(inspect.signature(kind).parameters)
    for one in told.parameters:
        assert one.meaning.endswith(".") and len(one.meaning) >= 12
        given = inspect.signature(kind).parameters[one.name].default
        assert one.default == (None if given is inspect.Parameter.empty else repr(given))
    assert told.account and told.source
    command = told.win_rates[1].command if told.win_rates else f'wordpl score "{name}(path=...)"'
    assert told.example == command and shlex.split(command)[2].startswith(f"{name}(")
    assert len(told.win_rates) == (0 if name == "FromTable" else 3)
    for row in told.win_rates[:1]:  # since a tree is replayed for each task
        assert wordpl.parse_strategy(row.spec) == experiment.task_of(f"{row.spec} {row.options}".rstrip()).strategy
    for row in told.win_rates:
        assert row.interval[0] <= row.win_rate <= row.interval[1]


@pytest.mark.published
@pytest.mark.parametrize("row", rows(), ids=lambda row: row["spec"] + row["options"])
def test_the_win_rates_are_those_of_the_strategies_as_they_are(row):
    """A code tells more, but is another in each version of Python. What counts is that they play as they played."""
    task = experiment.task_of(f"{row['spec']} {row['options']}".rstrip())
    found = wordpl.sweep([task], experiment.FIRST)[0]
    assert experiment.digest_of(found) == row["first_games"], "run python -m experiments.strategies"


def test_the_games_and_statistics_of_a_row():
    """One row is played whole, and there is a row for each spec."""
    assert sorted(f"{row['spec']} {row['options']}".rstrip() for row in rows()) == sorted(experiment.SPECS)
    (row,) = [row for row in rows() if row["spec"] == "TwoGuess(epsilon=36.0)"]
    found = wordpl.evaluate(row["spec"], int(row["trials"]))
    statistics = found.mean_budget, found.posterior_win_rate, *found.posterior_interval
    assert [float(row[name]) for name in ("budget", "win_rate", "low", "high")] == pytest.approx(statistics, abs=6e-4)
