"""Sweeps in the process: what is played, when it stops, who plays."""

import itertools
import math
import re
from contextvars import ContextVar
from dataclasses import dataclass
from types import SimpleNamespace

import pytest

import wordpl
from tests.support.helpers import SIX, SMALL, Scripted, Sometimes, rows_of
from tests.support.refusals import refusal
from tests.support.runs import GREEDY, exported, figures
from wordpl import WordplWarning, evaluate, from_contest, sweep
from wordpl.base.workers import run_calls
from wordpl.simulation import win_interval
from wordpl.simulation.sweep import looks_up_to
from wordpl.simulation.tasks import make_task


def test_a_run_of_every_answer_resumes_and_is_a_task_of_its_own(store):
    usual = make_task(GREEDY, words=SMALL)
    task = make_task(GREEDY, words=SMALL, format="contest (every answer)")
    assert usual.id != task.id
    sweep([task], 7, store=store)
    before = [row["answer"] for row in store.rows()]
    assert before == list(SMALL.answers[:7])
    every = evaluate(usual, every_answer=True, store=store, jobs=2)
    assert every.task.id == task.id and store.tasks()[0].trials == every.trials == len(SMALL.answers)
    assert every == evaluate(GREEDY, words=SMALL, every_answer=True)
    for given in ({"trials": 5}, {"first_trial": 1}, {"until_width": 0.1}):
        assert "leave out trials" in refusal(evaluate, usual, every_answer=True, **given)


def test_a_part_is_resumed(store):
    task, played = make_task(Sometimes(), words=SMALL), []
    store.add([(task, rows_of(task, 12, 15))])
    assert store.missing(task, 10, 10) == [(10, 12), (15, 20)]
    found = sweep([task], 10, first_trial=10, store=store, progress=lambda *told: played.append(told[1:]))
    assert store.missing(task, 30) == [(0, 10), (20, 30)]
    assert store.missing(task, 5, 12) == []
    assert [done for _, done, _ in played] == list(itertools.accumulate((new for new, *_ in played), initial=3))[1:]
    assert played[0] == (0, 3, 10) and played[-1][1:] == (10, 10)
    assert found[0].frame["answer"].tolist() == [row.answer for row in rows_of(task, 10, 20)]


@pytest.mark.heavy
def test_workers_and_batches_make_no_difference(tmp_path):
    """Byte for byte, nor does the order of the tasks, nor that it was done in two goes."""
    specs = ("BayesianGreedy(8, 0.7)", "MaxClueEntropy(2, 11, monte_carlo=20, jitter=0.1)", "Greedy(inf)")
    tasks = [make_task(strategy, 3, words=SMALL) for strategy in (*specs, Sometimes())]
    exports = set()
    for place, (jobs, batch) in enumerate(((1, 50), (1, 1), (2, None))):
        with wordpl.Store(tmp_path / f"{place}.sqlite") as store:
            if place:
                sweep(tasks[::-1], 20, jobs, batch=batch, store=store)
            sweep(tasks, 50, jobs, batch=batch, store=store)
        exports.add(exported(store.path))
    assert len(exports) == 1


def test_evaluations_come_in_the_order_of_the_tasks():
    tasks = [make_task(GREEDY, seed, words=words) for seed, words in ((2, SMALL), (1, SIX), (2, SMALL), (1, SMALL))]
    found = sweep(tasks, 30)
    assert [evaluation.task.id for evaluation in found] == [task.id for task in tasks]
    assert figures(found[0]) == figures(found[2])
    assert figures(found[3]) == figures(evaluate(GREEDY, 30, 1, words=SMALL))
    assert sweep([], 10) == []
    alike = [from_contest(Scripted(*[(SMALL.answers[0], 0)] * 10)) for _ in range(2)]  # each has moves for ten games
    found = sweep(alike, 10, words=SMALL)
    assert [(one.trials, one.errors) for one in found] == [(10, 0)] * 2, "tasks of one identity are played once"
    told: list[tuple[int, int]] = []
    sweep([tasks[0], tasks[3]], 30, batch=7, progress=lambda task, new, *_: told.append((task.seed, new)))
    assert told == [(2, 0), (2, 7), (2, 3), (1, 7), (1, 3), (2, 7), (2, 7), (2, 6), (1, 7), (1, 7), (1, 6)]


@pytest.mark.heavy
def test_until_width_stops_at_one_number_however_it_is_run_for_each_task_alone(store, monkeypatch):
    monkeypatch.setattr("wordpl.simulation.sweep._WORTH_SECONDS", 0.0)
    tasks = [make_task(strategy, words=SMALL) for strategy in ("Greedy(inf)", GREEDY, "NGuess(2, 9)")]
    evaluate(GREEDY, 555, words=SMALL, store=store)  # more than it needs
    first, *others = (
        sweep(tasks, 600, jobs, until_width=0.11, batch=batch, store=kept)
        for jobs, batch, kept in ((1, None, None), (-1, 33, None), (2, 1000, None), (1, None, store))
    )
    assert all([*map(figures, other)] == [*map(figures, first)] for other in others)
    for one in first:
        for n in (n for n in looks_up_to(600) if n <= one.trials):
            low, high = win_interval(int((one.frame["verdict"][:n] == "WIN").sum()), n)
            assert (n == one.trials) == (n == 600 or high - low <= 0.11)
    assert first[0].trials == 250


def test_a_strategy_that_errs_loses_and_the_run_goes_on(monkeypatch):
    monkeypatch.setattr("wordpl.simulation.sweep._WORTH_SECONDS", 0.0)  # of -1: workers go on after the first batch
    for jobs in (1, 2, -1):
        found = evaluate(Sometimes(), 200, jobs=jobs, words=SMALL)
        verdicts, frame = found.verdicts, found.frame
        assert found.trials == sum(verdicts.values()) == 200
        assert found.errors == verdicts["CRASH"] + verdicts["INVALID"] > 100
        assert verdicts["LOSS"] + verdicts["WIN"] > 20 and found.timeouts == 0
        reasons = {re.sub(r"^helpers\.py:\d+", "place", reason): n for reason, n in found.commonest_reasons}
        assert reasons["place: RuntimeError: lost the thread"] == verdicts["CRASH"]
        assert len(reasons) == 3 and sum(reasons.values()) == len(found.reasons) == found.errors
        assert set(frame["verdict"][frame["reason"] != ""]) == {"CRASH", "INVALID"}
        assert (frame["score"][frame["verdict"] != "WIN"] == math.inf).all()
        assert set(frame["proposed"][frame["verdict"] == "CRASH"]) == {""}


def test_the_numbers_of_games_that_are_played_and_after_which_a_run_may_stop(monkeypatch):
    assert looks_up_to(1001) == [250, 375, 562, 844, 1001] and looks_up_to(250) == [250]
    monkeypatch.setattr("wordpl.simulation.sweep.DEFAULT_TRIALS", 12)
    found = evaluate(GREEDY, words=SMALL)
    assert (found.trials, found.task.seed) == (12, "1")
    assert sweep([GREEDY], words=SMALL)[0].trials == 1001, "as many as in the contest"


@dataclass(frozen=True, repr=False)
class Broken(wordpl.Strategy):
    """Fails in every game, with one error or with others."""

    alike: bool = True

    def players(self, setting):
        def fails(seed):
            raise ValueError("always" if self.alike else f"of {seed}")

        return lambda seed: SimpleNamespace(first_move=lambda: fails(seed))


@pytest.mark.heavy
@pytest.mark.filterwarnings("ignore:Broken")
@pytest.mark.parametrize(("jobs", "batch"), [(1, 3), (1, 40), (2, None)])
def test_a_strategy_whose_games_all_fail_alike_is_not_played_on(store, jobs, batch):
    """The first ten trials decide, however they are played; what they were is kept, and again they decide."""
    tasks = [make_task(strategy, words=SMALL) for strategy in (Broken(), Broken(alike=False), GREEDY)]
    said = r"lost its first 10 trials by the same error, so no more .*: .* always"
    with pytest.warns(WordplWarning, match=said) as warned:
        found = sweep(tasks, 40, jobs, batch=batch, store=store)
    assert {one.filename for one in warned} == {__file__}, "a warning names the line that called"
    assert [one.trials for one in found] == [10, 40, 40] and "10 trials, 10 errors" in repr(found[0])
    assert store.missing(tasks[0], 40) == [(10, 40)]
    assert [one.trials for one in sweep(tasks, 50, jobs, batch=batch, store=store)] == [10, 50, 50]
    one, same, other = (evaluate(Broken(), trials, words=SMALL) for trials in (7, 7, 6))
    assert one.trials == 7 and one == same != other
    assert evaluate(Broken(), 40, words=SMALL, first_trial=100).results["trial"].tolist() == [*range(100, 110)]


def test_what_a_call_had_no_time_for_is_played_in_the_next(monkeypatch):
    asked = []
    for name, value in (
        ("_CALL_SECONDS", 0.0),
        ("_CALLS_PER_SECOND", 1e12),
        ("_WORTH_SECONDS", 0.0),
        ("run_calls", lambda jobs, calls: asked.append(jobs) or run_calls(1, calls)),
    ):
        monkeypatch.setattr(f"wordpl.simulation.sweep.{name}", value)
    (found,) = sweep([make_task(GREEDY, words=SMALL)], 60, 2, batch=20)
    assert asked and found == evaluate(GREEDY, 60, words=SMALL)
    # Where this process has a hash seed of its own, workers play strategies of the user's from the start; and a
    # cluster plays all.
    monkeypatch.setattr("wordpl.simulation.sweep.worker_count", lambda jobs: 2)
    monkeypatch.setattr("wordpl.simulation.sweep._WORTH_SECONDS", math.inf)
    for strategy, randomized, client in (
        *((Sometimes(), True, None), (Sometimes(), False, None)),
        *((GREEDY, True, None), (GREEDY, False, "one")),
    ):
        asked.clear()
        monkeypatch.setattr("wordpl.simulation.sweep.current", ContextVar("cluster", default=client))
        flags = SimpleNamespace(hash_randomization=randomized)
        monkeypatch.setattr("wordpl.simulation.sweep.sys", SimpleNamespace(flags=flags))
        evaluate(strategy, 20, jobs=-1, words=SMALL)
        assert bool(asked) == (client is not None or (randomized and strategy is not GREEDY))
