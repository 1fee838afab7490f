"""The same seed gives the same export, byte for byte, however a sweep was run, killed or stopped."""

import contextlib
import os
import signal
import sqlite3
import subprocess
import sys
import time

import pytest

from tests.helpers import SMALL, Sometimes
from wordpl import Store, parse_strategy, sweep
from wordpl.simulation.sweep import make_task

TRIALS = 3_000
# A cheap strategy that a sweep to be stopped is told to play slowly, so that it is still running then.
PACED = """
import os, time
from dataclasses import dataclass
import wordpl

@dataclass(frozen=True, repr=False)
class Paced(wordpl.HistoryStrategy):
    epsilon: float

    def players(self, setting):
        maker, pause = super().players(setting), float(os.environ.get("PAUSE", "0"))
        return lambda seed: time.sleep(pause) or maker(seed)

    def decide(self, setting, history):
        top = setting.belief(history).top[0]
        return wordpl.Answer(top) if len(history) == 2 else wordpl.Ask(top, self.epsilon)
"""
WORDPL = [sys.executable, "-c", "from wordpl.cli import main; main()"]


def exported(path):
    target = path.with_suffix(".csv")
    with Store(path, must_exist=True) as store:
        store.export(target)
    return target.read_bytes()


def command(folder, out, *options):
    for name, words in (("answers.txt", SMALL.answers), ("guesses.txt", SMALL.guesses)):
        (folder / name).write_text("\n".join(words))
    (folder / "paced.py").write_text(PACED)
    specs = [f"{folder / 'paced.py'}:Paced()", "TwoGuess(epsilon=9.5)"]
    lists = ["--answers", folder / "answers.txt", "--guesses", folder / "guesses.txt"]
    numbers = ["--epsilon", "6,14", "--trials", TRIALS, "--seed", 5]
    return [*WORDPL, "sweep", *specs, *map(str, [*numbers, *lists, "--out", out, *options])]


def kept(path):
    """Trials in a results file that another process may be writing."""
    if not path.exists():
        return 0
    database = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
    try:
        return database.execute("SELECT count(*) FROM trials").fetchone()[0]
    except sqlite3.OperationalError:
        return 0  # no table yet
    finally:
        database.close()


def started(folder, out, *options):
    """A sweep in a process group of its own, once it has kept some trials."""
    process = subprocess.Popen(
        command(folder, out, *options),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "PAUSE": "0.003"},
    )
    while process.poll() is None and kept(out) < 200:
        time.sleep(0.01)
    return process


def run(folder, out, *options):
    return subprocess.run(command(folder, out, *options), check=True, capture_output=True, text=True)


def end_group(process):
    """Kill what is left of it: workers outlive a parent that was killed."""
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory):
    """The export of a sweep that was left in peace, by the Python API and one process."""
    path = tmp_path_factory.mktemp("whole") / "whole.sqlite"
    words = type(SMALL)("answers+guesses", SMALL.answers, SMALL.guesses)
    (path.parent / "paced.py").write_text(PACED)
    paced = f"{path.parent / 'paced.py'}:Paced"
    strategies = ["TwoGuess(9.5)", f"{paced}(6.0)", f"{paced}(14.0)"]
    tasks = [make_task(parse_strategy(text), 5, words=words) for text in strategies]
    with Store(path) as store:
        sweep(tasks, TRIALS, 1, store=store)
    text = exported(path)
    assert text.count(b"\n") == 1 + 3 * TRIALS
    return text


@pytest.mark.heavy
def test_killed_and_resumed(tmp_path, uninterrupted):
    out = tmp_path / "killed.sqlite"
    process = started(tmp_path, out, "--jobs", 2, "--batch", 100)
    try:
        os.kill(process.pid, signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL
        there = kept(out)
        assert 200 <= there < 3 * TRIALS
    finally:
        end_group(process)
    run(tmp_path, out, "--jobs", 1)
    assert exported(out) == uninterrupted


@pytest.mark.heavy
def test_stopped_by_ctrl_c_and_resumed(tmp_path, uninterrupted):
    out = tmp_path / "stopped.sqlite"
    process = started(tmp_path, out, "--jobs", 2, "--batch", 100)
    try:
        os.killpg(process.pid, signal.SIGINT)  # a terminal sends it to every process of the group
        stdout, stderr = process.communicate()
    finally:
        end_group(process)
    assert process.returncode == 130
    there = kept(out)
    assert 200 <= there < 3 * TRIALS
    last = stderr.splitlines()[-1]
    assert f"stopped; {there} of {3 * TRIALS} trials are in {out}. To resume: wordpl sweep " in last
    assert str(out) in last.split("To resume:")[1]
    assert "Traceback" not in stderr
    assert stdout == ""
    run(tmp_path, out, "--jobs", 2)
    assert exported(out) == uninterrupted


TASKS = [
    make_task(parse_strategy(text), 3, words=SMALL)
    for text in ("BayesianGreedy(8, 0.7)", "MaxClueEntropy(2, 11, monte_carlo=20, jitter=0.1)", "Greedy(inf)")
] + [make_task(Sometimes(), 3, words=SMALL)]


@pytest.fixture(scope="module")
def plain(tmp_path_factory):
    path = tmp_path_factory.mktemp("plain") / "plain.sqlite"
    with Store(path) as store:
        sweep(TASKS, 150, 1, batch=150, store=store)
    return exported(path)


@pytest.mark.heavy
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("batch", [None, 1, 7, 1000])
def test_workers_and_batches_make_no_difference(tmp_path, plain, jobs, batch):
    """Nor does the order of the tasks, nor that it was done in two goes."""
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        sweep(TASKS[::-1], 40, jobs, batch=batch, store=store)
        sweep(TASKS, 150, jobs, batch=batch, store=store)
    assert exported(path) == plain


def test_another_seed_makes_a_difference(tmp_path, plain):
    with Store(tmp_path / "r.sqlite") as store:
        sweep([make_task(task.strategy, 4, words=SMALL) for task in TASKS], 150, store=store)
    assert exported(tmp_path / "r.sqlite") != plain
