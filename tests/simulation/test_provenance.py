"""Provenance: a results file tells what made its trials, and nothing else depends on it."""

import platform
import re
from dataclasses import astuple
from importlib import metadata
from itertools import permutations
from pathlib import Path

import pytest

import wordpl
from tests.support.helpers import SMALL, Sometimes
from wordpl import Store, make_task, sweep
from wordpl.base.engine import ENGINE_VERSION
from wordpl.simulation import Run, store

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


def test_a_merge_after_a_run_has_gone_on_has_its_later_record(tmp_path):
    with Store(tmp_path / "a.sqlite") as whole, Store(tmp_path / "b.sqlite", command="long") as going:
        for trials in (4, 9):
            sweep(TASKS, trials, store=going)
            whole.merge(going)
            assert whole.provenance() == going.provenance()
    assert [run.added for run in runs(tmp_path / "a.sqlite")] == [{task.id: 9 for task in TASKS}]
