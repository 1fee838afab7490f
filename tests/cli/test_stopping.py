"""Commands with worker processes that end before their time, in a terminal of their own."""

import contextlib
import os
import pty
import select
import signal
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from tests.simulation.test_resume import WORDPL, exported, kept

pytestmark = pytest.mark.heavy

INTERRUPT = b"\x03"
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
        if self.seed % 20 == 0 and "QUICK" not in os.environ:
            Path(f"playing-{os.getpid()}").touch()
            if self.how == "sleeps":
                time.sleep(10000)
            elif self.how == "native":  # keeps the interpreter's lock
                ctypes.PyDLL(None).sleep(10000)
            elif self.how == "killed":
                os.kill(os.getpid(), 9)
        return self.word, 0
"""


@dataclass
class Ended:
    code: int
    shown: str


class Terminal:
    """A command that runs in a terminal, in `folder`."""

    def __init__(self, folder: Path, *arguments: str) -> None:
        (folder / "slow.py").write_text(STRATEGY)
        self.folder = folder
        self._master, slave = pty.openpty()
        self.process = subprocess.Popen(
            [*WORDPL, *arguments], cwd=folder, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True, preexec_fn=lambda: os.login_tty(os.dup(0)),
        )  # fmt: skip
        os.close(slave)
        self._shown = b""

    def read(self) -> bool:
        """Take what has been shown; False once the terminal is closed."""
        if not select.select([self._master], [], [], 0.05)[0]:
            return True
        try:
            new = os.read(self._master, 1 << 16)
        except OSError:
            return False
        self._shown += new
        return bool(new)

    def wait_for(self, what) -> None:
        """Until `what()`, or until the command has ended."""
        end = time.monotonic() + PATIENCE
        while not what() and self.process.poll() is None:
            assert time.monotonic() < end, self._shown.decode()
            self.read()

    def shows(self, text: str) -> bool:
        return text in self._shown.decode(errors="replace")

    def playing(self) -> bool:
        """Whether a worker, or the command itself, plays a trial that does not end."""
        return bool(list(self.folder.glob("playing-*")))

    def workers(self) -> list[psutil.Process]:
        found = []
        with contextlib.suppress(psutil.NoSuchProcess):
            for child in psutil.Process(self.process.pid).children():
                with contextlib.suppress(psutil.NoSuchProcess):
                    if any("popen_loky" in part for part in child.cmdline()):
                        found.append(child)
        return found

    def press(self, keys: bytes) -> None:
        os.write(self._master, keys)

    def end(self) -> Ended:
        """Wait for its end; nothing that it started is left then."""
        workers = self.workers()
        end = time.monotonic() + PATIENCE
        while self.read() and time.monotonic() < end:
            pass
        code = self.process.wait(PATIENCE)
        assert psutil.wait_procs(workers, PATIENCE)[1] == []
        shown = self._shown.decode(errors="replace")
        assert "Traceback" not in shown, shown[-4000:]
        assert "segmentation" not in shown
        return Ended(code, shown)

    def close(self) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        os.close(self._master)


@pytest.fixture
def terminal(tmp_path):
    opened = []

    def run(*arguments: str) -> Terminal:
        opened.append(Terminal(tmp_path, *arguments))
        return opened[-1]

    yield run
    for one in opened:
        one.close()


def sweep_of(how, jobs="2", trials="200"):
    spec = f"slow.py:Slow('{how}')"
    return ["sweep", spec, "--trials", trials, "--words", "nyt2022", "--jobs", jobs, "--out", "r.sqlite"]


def assert_resumes(terminal, ended, arguments):
    """The line that says how to resume says true: the file then is what a run in peace makes."""
    there = kept(terminal.folder / "r.sqlite")
    assert there > 0
    assert f"{there} of 2000 trials are in r.sqlite. To resume: wordpl sweep " in " ".join(ended.shown.split())
    for out in ("r.sqlite", "whole.sqlite"):
        subprocess.run(
            [*WORDPL, *arguments[:-1], out], cwd=terminal.folder, env={**os.environ, "QUICK": "1"},
            check=True, capture_output=True,
        )  # fmt: skip
    assert exported(terminal.folder / "r.sqlite") == exported(terminal.folder / "whole.sqlite")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_one_ctrl_c_during_slow_trials(terminal, jobs):
    arguments = sweep_of("sleeps", jobs)
    run = terminal(*arguments)
    run.wait_for(run.playing)
    run.press(INTERRUPT)
    run.wait_for(lambda: run.shows("stopping; finished trials are kept"))
    ended = run.end()
    assert ended.code == 130
    assert_resumes(run, ended, arguments)


def test_ctrl_c_while_workers_start(terminal):
    run = terminal(*sweep_of("sleeps"))
    run.wait_for(run.workers)
    run.press(INTERRUPT)
    assert run.end().code == 130


@pytest.mark.parametrize("presses", [1, 2, 8])
def test_ctrl_c_during_native_code(terminal, presses):
    """Nothing in the worker hears of it, so it is killed after some seconds, or at the second one."""
    run = terminal(*sweep_of("native"))
    run.wait_for(run.playing)
    for _ in range(presses):
        run.press(INTERRUPT)
        time.sleep(0.1)  # two at once would be one signal
    ended = run.end()
    assert ended.code == 130
    assert run.shows("stopping; finished trials are kept")
    assert run.shows("trials are in r.sqlite. To resume: wordpl sweep")


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_sigterm_ends_the_workers_and_keeps_the_trials(terminal, jobs):
    arguments = sweep_of("sleeps", jobs)
    run = terminal(*arguments)
    run.wait_for(run.playing)
    run.process.send_signal(signal.SIGTERM)
    ended = run.end()
    assert ended.code == 128 + signal.SIGTERM
    assert_resumes(run, ended, arguments)


def test_workers_do_not_outlive_a_parent_that_is_killed(terminal):
    run = terminal(*sweep_of("sleeps"))
    run.wait_for(run.playing)
    workers = run.workers()
    assert workers
    run.process.kill()
    assert psutil.wait_procs(workers, PATIENCE)[1] == []


def test_a_worker_that_the_kernel_kills(terminal):
    arguments = sweep_of("killed")
    run = terminal(*arguments)
    ended = run.end()
    assert ended.code == 1
    assert run.shows("wordpl: a worker process ended (SIGKILL), probably because memory ran out; fewer workers")
    assert_resumes(run, ended, arguments)


@pytest.mark.parametrize("presses", [1, 5])
@pytest.mark.parametrize("command", [("win-rate", "--records"), ("tree", "prove"), ("frontier",)])
def test_ctrl_c_in_what_keeps_nothing_of_a_piece_of_work(terminal, command, presses):
    run = terminal(*command, "--jobs", "2")
    run.wait_for(run.workers)
    for _ in range(presses):
        run.press(INTERRUPT)
        time.sleep(0.1)
    ended = run.end()
    assert ended.code == 130
    assert run.shows("wordpl: stopped")


def test_ctrl_c_in_a_score_that_keeps_nothing(terminal):
    run = terminal("score", "slow.py:Slow('sleeps')", "--jobs", "2")
    run.wait_for(run.playing)
    run.press(INTERRUPT)
    assert run.end().code == 130
    assert run.shows("wordpl: stopped")
