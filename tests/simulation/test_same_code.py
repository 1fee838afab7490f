"""A results file tells what made its trials; and what runs is what it is filed under, after edits and reloads."""

import importlib
import os
import platform
import re
import sys
from dataclasses import astuple, dataclass, field
from importlib import metadata
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest

import wordpl
from tests.support.helpers import SMALL, Sometimes
from tests.support.small_games import TWO
from wordpl import Answer, Ask, History, HistoryStrategy, Move, Setting, Store, evaluate, make_task, sweep
from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError
from wordpl.base.workers import run_calls
from wordpl.limits import compute_win_rate
from wordpl.limits.histories import legal_move, remembered_move
from wordpl.simulation import Run, store

MINE = """
from dataclasses import dataclass

import part
from part import shift
from wordpl import Answer, HistoryStrategy

FIRST = 1


@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float = 9.0

    def decide(self, setting, history):
        return Answer(setting.words.answers[FIRST + shift() + part.N])
"""
PART = "N = 1\n\n\ndef shift():\n    return 0\n"


@pytest.fixture
def mine(tmp_path, monkeypatch):
    """A strategy in a module beside another one, and workers of this test alone."""
    monkeypatch.syspath_prepend(str(tmp_path))
    (tmp_path / "mine.py").write_text(MINE)
    (tmp_path / "part.py").write_text(PART)
    yield importlib.import_module("mine")
    for name in ("mine", "part"):
        sys.modules.pop(name, None)


def edit_part(folder: Path, name: str, old: str, new: str) -> None:
    path = folder / f"{name}.py"
    assert old in path.read_text()
    before = path.stat().st_mtime_ns
    path.write_text(path.read_text().replace(old, new))
    # Python believes its compiled file if the source has the size and the second that it had.
    os.utime(path, ns=(1, before + 10**9))
    importlib.invalidate_caches()


def reload(*names: str) -> None:
    for name in names:
        importlib.reload(sys.modules[name])


def proposed(strategy: Any, jobs: int, **options: Any) -> set[str]:
    return set(evaluate(strategy, 4, jobs=jobs, words=SMALL, **options).frame["proposed"])


@pytest.mark.heavy
def test_workers_that_are_older_than_the_code_do_not_play(mine, tmp_path, store):
    answers = SMALL.answers
    assert proposed(mine.Mine(), 2, store=store) == {answers[2]}
    edit_part(tmp_path, "mine", "FIRST = 1", "FIRST = 2")
    reload("mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[3]}
    edit_part(tmp_path, "part", "N = 1", "N = 2")  # a constant of another module
    reload("part", "mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[4]} == proposed(mine.Mine(), 1)
    edit_part(tmp_path, "part", "return 0", "return 1")  # a function that the strategy has under its own name
    reload("part", "mine")
    assert proposed(mine.Mine(), 2, store=store) == {answers[5]}
    assert len({row.code for row in store.tasks()}) == 4
    edit_part(tmp_path, "part", "return 1", "return 2")
    reload("part", "mine")
    moves = run_calls(2, [(legal_move, (mine.Mine(), Setting(SMALL), ()), {})] * 3, ordered=True)
    assert list(moves) == 3 * [Answer(answers[6])]


def test_an_edit_while_games_are_played_ends_the_run(mine, tmp_path, store, monkeypatch):
    """Games after the last save may have read the file before the edit_part or after it, so they are not kept."""
    monkeypatch.setattr(sys.modules[sweep.__module__], "_KEEP_SECONDS", -1.0)

    def progress(task, trials, done, total):
        if done == 2:
            (tmp_path / "part.py").write_text(f"{PART}#")

    with pytest.raises(WordplError, match=r"^part\.py was edited after it was loaded"):
        sweep([make_task(mine.Mine(), words=SMALL)], 4, store=store, batch=1, progress=progress)
    assert list(store.frame()["trial"]) == [0, 1]


@dataclass(frozen=True)
class Spending(HistoryStrategy):
    """Asks twice at an epsilon that its equals need not share."""

    epsilon: float = field(compare=False)

    def decide(self, setting: Setting, history: History) -> Move:
        if len(history) == 2:
            return Answer(setting.belief(history).top[0])
        return Ask(setting.words.guesses[len(history)], self.epsilon)


def test_equal_strategies_of_two_identities_share_nothing():
    setting, equals = Setting(TWO), (Spending(1.0), Spending(20.0))
    exact = [compute_win_rate(strategy, setting, exact=True).win_rate for strategy in equals]
    assert equals[0] == equals[1] and exact[1] - exact[0] > 0.2
    moves = [remembered_move(strategy, setting, (), repr(strategy)) for strategy in equals]
    assert [move.epsilon for move in moves] == [1.0, 20.0]
    for strategy, expected in zip(equals, exact, strict=True):
        assert abs(compute_win_rate(strategy, setting, exact=False, standard_error=0.05).win_rate - expected) < 0.1


TASKS = [make_task(Sometimes(epsilon), words=SMALL) for epsilon in (1.0, 2.0)]
COMMAND = "wordpl sweep 'Sometimes()'"


@pytest.fixture
def later(monkeypatch):
    """Each look at the clock is a second after the one before."""
    seconds = iter(range(60))
    monkeypatch.setattr(store, "_now", lambda: f"2026-11-22T06:45:{next(seconds):02}Z")


def made(path: Path, trials: int, *tasks: wordpl.Task, **given: str) -> None:
    with Store(path, **given) as store:
        sweep(tasks or TASKS, trials, store=store)


def runs(path: Path) -> list[Run]:
    with Store(path, read_only=True) as store:
        return store.provenance()


@pytest.mark.usefixtures("later")
def test_a_run_is_recorded_with_what_made_it(tmp_path):
    path = tmp_path / "r.sqlite"
    with Store(path, command=COMMAND) as store:
        for trials in (3, 7):
            sweep(TASKS, trials, store=store)
    (run,) = runs(path)
    libraries = (metadata.version(name) for name in ("numpy", "scipy", "numba"))
    versions = wordpl.__version__, ENGINE_VERSION, platform.python_version(), *libraries, platform.platform()
    assert astuple(run)[1:10] == (COMMAND, *versions, "2026-11-22T06:45:00Z") and run.ended >= "2026-11-22T06:45:02Z"
    assert (run.added, run.trials) == ({task.id: 7 for task in TASKS}, 14)


def test_only_a_run_that_adds_trials_is_recorded(tmp_path):
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        for trials in (2, 5, 5):  # one run
            sweep(TASKS[:1], trials, store=store)
    before = path.read_bytes()
    made(path, 5, TASKS[0], command="again")
    made(path, 3, TASKS[0], command="less")
    assert path.read_bytes() == before
    made(path, 9, command="more")
    first, second = runs(path)
    assert (first.command, first.added) == ("python", {TASKS[0].id: 5})
    assert (second.command, second.added) == ("more", {TASKS[0].id: 4, TASKS[1].id: 9})
    assert re.fullmatch(r"20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d\d\dZ", first.begun)
    with Store(path) as store:
        assert sum(task.trials for task in store.tasks()) == sum(run.trials for run in store.provenance())


@pytest.mark.usefixtures("later")
def test_a_merge_takes_the_runs_of_all_files_in_any_order(tmp_path):
    files = [tmp_path / f"{name}.sqlite" for name in "abc"]
    for n, file in enumerate(files, 1):
        made(file, 3 * n, *TASKS[: 1 + n % 2], command=f"run {n}")
    made(files[0], 20, TASKS[1], command="run 4")
    expected = sorted((run for file in files for run in runs(file)), key=lambda run: run.begun)
    assert [run.command for run in expected] == ["run 1", "run 2", "run 3", "run 4"]
    for n, order in enumerate(permutations(files)):
        with Store(tmp_path / f"{n}.sqlite") as store:
            for file in (*order, order[0]):
                with Store(file) as other:
                    store.merge(other)
            assert store.provenance() == expected
    # After a run has gone on, its later record counts.
    with Store(tmp_path / "whole.sqlite") as whole, Store(tmp_path / "long.sqlite", command="long") as going:
        for trials in (4, 9):
            sweep(TASKS, trials, store=going)
            whole.merge(going)
            assert whole.provenance() == going.provenance()
        assert [run.added for run in whole.provenance()] == [{task.id: 9 for task in TASKS}]
