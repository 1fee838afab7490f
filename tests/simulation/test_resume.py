"""The same seed gives the same export, byte for byte, however a sweep was run, killed or stopped."""

import signal
import sqlite3
import time

import pytest

from tests.forked import Forked, run
from tests.helpers import SMALL, Sometimes
from wordpl import Store, parse_strategy, sweep
from wordpl.simulation.sweep import make_task

TRIALS = 1_000
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


def exported(path):
    target = path.with_suffix(".csv")
    with Store(path, must_exist=True) as store:
        store.export(target)
    return target.read_bytes()


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


@pytest.mark.heavy
def test_killed_and_resumed(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))
    (tmp_path / "paced.py").write_text(PACED)
    command = ["sweep", "paced.py:Paced()", "TwoGuess(epsilon=9.5)", "--epsilon", "6,14", "--answers", "words.txt"]
    command += ["--trials", str(TRIALS), "--out"]
    out = tmp_path / "killed.sqlite"
    process = Forked(*command, out, "--jobs", 2, "--batch", 100, cwd=tmp_path, env={"PAUSE": "0.003"})
    while process.returncode is None and kept(out) < 200:
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    with process.stdout, process.stderr:
        assert process.wait() == -signal.SIGKILL
    assert 200 <= kept(out) < 3 * TRIALS
    for path in (out, tmp_path / "whole.sqlite"):
        run(*command, path, "--jobs", 1, cwd=tmp_path, check=True)
    assert exported(out) == exported(tmp_path / "whole.sqlite")
    assert kept(out) == 3 * TRIALS


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
@pytest.mark.parametrize(("jobs", "batch"), [(1, 1), (1, 1000), (2, None), (2, 7)])
def test_workers_and_batches_make_no_difference(tmp_path, plain, jobs, batch):
    """Nor does the order of the tasks, nor that it was done in two goes."""
    path = tmp_path / "r.sqlite"
    with Store(path) as store:
        sweep(TASKS[::-1], 40, jobs, batch=batch, store=store)
        sweep(TASKS, 150, jobs, batch=batch, store=store)
    assert exported(path) == plain
