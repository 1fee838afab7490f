"""Commands with worker processes that end before their time, in a terminal of their own."""

import contextlib
import io
import os
import signal

import pexpect
import psutil
import pytest

from tests.support.forked import PATIENCE, Forked
from tests.support.runs import kept

pytestmark = pytest.mark.heavy

STRATEGY = """
import ctypes, os, time
from dataclasses import dataclass
from pathlib import Path
import wordpl

@dataclass(frozen=True, repr=False)
class Slow(wordpl.Strategy):
    how: str
    epsilon: float = 3.0

    def players(self, setting):
        return lambda seed: Player(self.how, setting.words.answers[0], seed)

class Player:
    def __init__(self, how, word, seed):
        self.how, self.word, self.seed = how, word, seed

    def first_move(self):
        if self.seed % 20 == 0:
            Path(f"playing-{os.getpid()}").touch()
            if self.how == "sleeps":
                time.sleep(10000)
            elif self.how == "native":  # keeps the interpreter's lock
                ctypes.PyDLL(None).sleep(10000)
            elif self.how == "killed":
                os.kill(os.getpid(), 9)
        return self.word, 0
"""


@pytest.fixture
def sweep(tmp_path):
    """Starts a sweep of the strategy in a terminal."""
    (tmp_path / "slow.py").write_text(STRATEGY)
    started = []

    def run(how):
        options = ["-e", "5:50:5", "-v", "-n", "200", "--batch", "5", "--words", "nyt2022", "--jobs", "2"]
        command = ["sweep", f"slow.py:Slow('{how}')", *options, "-o", "r.sqlite"]
        started.append(Forked(*command, cwd=tmp_path, terminal=True))
        started[0].screen.logfile_read = io.StringIO()
        return started[0]

    yield run
    with contextlib.suppress(ProcessLookupError):
        os.killpg(started[0].pid, signal.SIGKILL)


def ended(run, folder) -> str:
    """What a command has shown once it has ended. Nothing that it started is left, and its trials are kept.

    Such a file resumes as one in peace ends: tests/chaos.
    """
    workers = list[psutil.Process]()
    with contextlib.suppress(psutil.NoSuchProcess):
        workers += psutil.Process(run.pid).children()
    run.screen.expect(pexpect.EOF, timeout=PATIENCE)
    assert psutil.wait_procs(workers, PATIENCE)[1] == []
    shown = run.screen.logfile_read.getvalue()
    assert "Traceback" not in shown and "segmentation" not in shown, shown[-4000:]
    assert "the trials so far are in r.sqlite. To resume: wordpl sweep " in " ".join(shown.split())
    assert kept(folder / "r.sqlite") > 0
    return shown


@pytest.mark.parametrize(("how", "code"), [("native", 130), ("sleeps", 128 + signal.SIGTERM)])
def test_a_signal_ends_the_workers_and_keeps_the_trials(sweep, tmp_path, how, code):
    """Nothing in a worker hears of Ctrl-C during native code, so it is killed."""
    run = sweep(how)
    while not list(tmp_path.glob("playing-*")):
        assert run.returncode is None
        run.screen.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.05)
    run.screen.send("\x03") if how == "native" else run.send_signal(signal.SIGTERM)
    ended(run, tmp_path)
    assert run.wait() == code


def test_a_worker_that_the_kernel_kills(sweep, tmp_path):
    run = sweep("killed")
    said = "wordpl: a worker process ended (SIGKILL), probably because memory ran out; fewer workers"
    assert said in ended(run, tmp_path) and run.wait() == 1
