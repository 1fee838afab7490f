"""Commands with worker processes that end before their time, in a terminal of their own."""

import contextlib
import io
import os
import signal
import time
from pathlib import Path

import pexpect
import psutil
import pytest

from tests.support.forked import Forked
from tests.support.runs import kept

pytestmark = pytest.mark.heavy

PATIENCE = 120.0  # seconds after which a test has failed: nothing here takes as long
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


class Terminal(Forked):
    """A command that runs in a terminal, in `folder`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        (folder / "slow.py").write_text(STRATEGY)
        super().__init__(*arguments, cwd=folder, terminal=True)
        self.folder = folder
        self.screen.logfile_read = io.StringIO()

    @property
    def shown(self) -> str:
        return self.screen.logfile_read.getvalue()

    def wait_for(self, what) -> None:
        """Until `what()`, or until the command has ended."""
        end = time.monotonic() + PATIENCE
        while not what() and self.returncode is None:
            assert time.monotonic() < end, self.shown
            self.screen.expect([pexpect.TIMEOUT, pexpect.EOF], timeout=0.05)

    def playing(self) -> bool:
        """Whether a worker, or the command itself, plays a trial that does not end."""
        return bool(list(self.folder.glob("playing-*")))

    def end(self) -> int:
        """Wait for its end, and return its exit code; nothing that it started is left then."""
        workers = list[psutil.Process]()
        with contextlib.suppress(psutil.NoSuchProcess):
            workers += psutil.Process(self.pid).children()
        self.screen.expect(pexpect.EOF, timeout=PATIENCE)
        code = self.wait(PATIENCE)
        assert psutil.wait_procs(workers, PATIENCE)[1] == []
        assert "Traceback" not in self.shown, self.shown[-4000:]
        assert "segmentation" not in self.shown
        return code


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def run(*arguments: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments))
        return opened[-1]

    yield run
    for one in opened:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(one.pid, signal.SIGKILL)
        one.wait()
        one.screen.close()


def sweep_of(how):
    grid = [f"slow.py:Slow('{how}')", "-e", "5:50:5"]
    return ["sweep", *grid, "-v", "-n", "200", "--batch", "5", "--words", "nyt2022", "--jobs", "2", "-o", "r.sqlite"]


def keeps_its_trials(run) -> None:
    """Such a file resumes as one in peace ends: tests/chaos."""
    assert kept(run.folder / "r.sqlite") > 0
    assert "the trials so far are in r.sqlite. To resume: wordpl sweep " in " ".join(run.shown.split())


@pytest.mark.parametrize(("how", "code"), [("native", 130), ("sleeps", 128 + signal.SIGTERM)])
def test_a_signal_ends_the_workers_and_keeps_the_trials(terminal, how, code):
    """Nothing in a worker hears of Ctrl-C during native code, so it is killed."""
    run = terminal(*sweep_of(how))
    run.wait_for(run.playing)
    run.screen.send("\x03") if how == "native" else run.send_signal(signal.SIGTERM)
    assert run.end() == code
    keeps_its_trials(run)


def test_a_worker_that_the_kernel_kills(terminal):
    run = terminal(*sweep_of("killed"))
    assert run.end() == 1
    assert "wordpl: a worker process ended (SIGKILL), probably because memory ran out; fewer workers" in run.shown
    keeps_its_trials(run)
