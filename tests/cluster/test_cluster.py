"""`--cluster`: results as here whatever becomes of the workers; files that travel, what is refused, what is lost."""

import gc
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import distributed
import pytest
from distributed import Client
from joblib import delayed

import wordpl
from tests.support import forked
from tests.support.forked import PATIENCE, Forked
from tests.support.helpers import ORIGINAL, SMALL, TINY, Sometimes
from tests.support.runs import GREEDY, exported, figures, kept
from wordpl import Setting, WordplError, base, make_task, parse_strategy, sweep, wordle
from wordpl.base import run_calls
from wordpl.base.clusters import current
from wordpl.limits import compute_win_rate

pytestmark = pytest.mark.heavy

WORK = """
import sys
from distributed.cli.dask_worker import main
main([sys.argv[1], "--nthreads", "1", "--no-nanny", "--no-dashboard", "--name", sys.argv[2]])
"""


class Workers:
    """Starts workers for one scheduler, and ends them."""

    def __init__(self, address: str, folder: Path) -> None:
        """`folder` is where they run; the client's files are elsewhere."""
        self.address, self.folder = address, folder
        self.started: list[subprocess.Popen[bytes]] = []

    def start(self, code: str = "") -> subprocess.Popen[bytes]:
        """A worker that runs `code` first."""
        self.started.append(
            subprocess.Popen(
                [sys.executable, "-P", "-c", f"{code}\n{WORK}", self.address, f"w{len(self.started)}"],
                cwd=self.folder,
                stdin=subprocess.DEVNULL,
            )
        )
        return self.started[-1]

    def end(self) -> None:
        for worker in self.started:
            worker.kill()
            worker.wait()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler in this process, whose workers each test starts."""
    with distributed.LocalCluster(
        n_workers=0, processes=False, protocol="tcp", host="127.0.0.1", dashboard_address="127.0.0.1:0", silence_logs=50
    ) as made:
        yield made.scheduler_address


@pytest.fixture
def workers(scheduler: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Workers]:
    """Workers of that scheduler, which end with the test."""
    made = Workers(scheduler, tmp_path_factory.mktemp("elsewhere"))
    yield made
    made.end()


def until(happened: Callable[[], object], seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


MINE = """
import helper
import time
from dataclasses import dataclass
from wordpl import Answer, Ask, HistoryStrategy

@dataclass(frozen=True, repr=False)
class Mine(HistoryStrategy):
    epsilon: float
    seconds: float = 0.0

    def decide(self, setting, history):
        time.sleep(self.seconds)
        if history:
            return Answer(setting.words.answers[helper.first(history) % len(setting.words.answers)])
        return Ask("slate", self.epsilon)
"""
PLAYER = """
import helper
class Theirs:
    def __init__(self, epsilon):
        self.epsilon = epsilon
        self.words = open("words.txt").read().split()
    def first_move(self):
        return self.words[helper.PLACE], self.epsilon
    def next_move(self, guess, epsilon, clues):
        return self.words[clues.count("c")], 0
"""


@pytest.fixture
def folder(tmp_path):
    """A folder that no worker knows: strategies, what they import and read, and word lists."""
    (tmp_path / "helper.py").write_text("PLACE = 3\ndef first(history):\n    return history[0].clue\n")
    (tmp_path / "my.py").write_text(MINE)
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "strategy.py").write_text(PLAYER)
    (tmp_path / "theirs" / "helper.py").write_text("PLACE = 3\n")
    (tmp_path / "theirs" / "words.txt").write_text("\n".join(ORIGINAL.answers[:300]))
    (tmp_path / "a.txt").write_text("\n".join(ORIGINAL.answers[::9]))
    (tmp_path / "g.txt").write_text("\n".join(ORIGINAL.guesses))
    return tmp_path


COUNTS = """
import pathlib
import wordpl.base.workers as workers
def run(packed, run=workers._run):
    pathlib.Path("calls").open("a").write("x")
    return run(packed)
workers._run = run
"""


def test_files_and_word_lists_travel(workers, folder):
    """Also a module beside a file, parameters, and a folder of the contest's kind with a data file."""
    workers.start(COUNTS)
    calls = workers.folder / "calls"
    words = ["--answers", "a.txt", "--guesses", "g.txt"]
    for spec, more in (("my.py:Mine(epsilon=12)", words), ("theirs:Theirs(epsilon=15)", [])):
        found = []
        for place, env in (("here", {}), ("there", {"WORDPL_CLUSTER": workers.address})):
            path = folder / f"{place}{len(more)}.sqlite"
            done = forked.run("score", spec, *more, "-n", "40", "--out", str(path), "-j", "1", cwd=folder, env=env)
            assert done.returncode == 0, done.stderr
            found.append(exported(path))
            assert calls.exists() == (place == "there")  # else both runs might be here
        assert found[0] == found[1]
        calls.unlink()


SLOW = "import time; nap = time.sleep; time.sleep = lambda seconds: nap(0.3 if seconds == 0.03 else seconds)"
"""Ten times as slow as where the run is resumed, so that it is not over before the scheduler is lost."""


def test_a_lost_scheduler_is_a_line_and_the_same_command_resumes(folder):
    results = folder / "r.sqlite"
    command = ["score", "my.py:Mine(9, seconds=0.03)", "--trials", "200", "--out", "r.sqlite"]
    options = ["--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", "at.json"]
    scheduler = subprocess.Popen(
        [sys.executable, "-m", "distributed.cli.dask_scheduler", *options], cwd=folder, stderr=subprocess.DEVNULL
    )
    workers = None
    try:
        until(lambda: (folder / "at.json").exists() and (folder / "at.json").read_text().endswith("}"))
        address = json.loads((folder / "at.json").read_text())["address"]
        workers = Workers(address, folder / "theirs")
        workers.start(SLOW)
        run = Forked(*command, "--cluster", address, cwd=folder)
        until(lambda: kept(results) > 3)
        scheduler.kill()
        told = run.communicate()[1]
        assert run.returncode == 1, (told, kept(results))
        assert "the cluster does not answer any more; the trials so far are in r.sqlite." in told
        assert "Traceback" not in told, told
    finally:
        scheduler.kill()
        scheduler.wait()
        if workers is not None:
            workers.end()
    assert kept(results) < 200
    again = forked.run(*command, "--jobs", "1", cwd=folder)
    assert again.returncode == 0
    assert kept(results) == 200


OTHER_VERSION = """
import importlib.metadata
def version(name, version=importlib.metadata.version):
    return "0.0.9" if name == "wordpl" else version(name)
importlib.metadata.version = version
"""


def test_workers_that_do_not_come_or_have_another_version_are_told(workers):
    said = rf"no worker joined {workers.address} within 0\.5 s"
    with pytest.raises(WordplError, match=said), wordpl.base.cluster(workers.address, wait_seconds=0.5):
        pass
    workers.start(OTHER_VERSION)
    line = rf"a worker of {workers.address} has another version of wordpl; install the same there"
    with pytest.raises(WordplError, match=line), wordpl.base.cluster(workers.address):
        pass


def test_nothing_of_a_run_stays(workers):
    """Neither after one that ends by itself nor after one that fails or is given up: no call, and nothing at dask."""
    workers.start()
    with wordpl.base.cluster(workers.address) as cluster:
        with pytest.raises(ZeroDivisionError):
            list(run_calls(1, (delayed(divmod)(1, x) for x in range(900)), ordered=True))
        results = run_calls(1, (delayed(nap)(x and 2) for x in range(200)))  # minutes, if they were to stay
        assert next(results) == 0
        results.close()
        until(lambda: not any(cluster.has_what().values()))
        until(lambda: not any(cluster.processing().values()))
        assert list(run_calls(1, [delayed(nap)(0)])) == [0]
        with wordpl.base.cluster(cluster) as same:  # a client of the user's own
            assert same is current.get() is cluster
        assert cluster.status == "running"
    assert (cluster.status, current.get()) == ("closed", None)


def nap(seconds):
    import time

    time.sleep(seconds)
    return seconds


@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("local:2", "cluster address 'local:2' is not allowed; tcp://HOST:PORT or tls://HOST:PORT is expected"),
        ("tls://127.0.0.1:1", "the cluster tls://127.0.0.1:1 cannot be reached: TLS expects "),
        ("tcp://127.0.0.1:1", "the cluster tcp://127.0.0.1:1 cannot be reached: "),
    ],
)
def test_addresses_that_cannot_be(address, said, monkeypatch):
    monkeypatch.setattr("wordpl.base.clusters._CONNECT_SECONDS", 0.5)
    with pytest.raises(WordplError) as caught, wordpl.base.cluster(address):
        pass
    assert str(caught.value).startswith(said)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 300
    clients = [one for one in gc.get_objects() if type(one) is Client]
    assert {client.status for client in clients} <= {"closed"}, "Python would close it while another one starts"


def tasks():
    return [make_task(strategy, words=SMALL) for strategy in (GREEDY, Sometimes(), parse_strategy("TwoGuess(9)"))]


def where(number):
    return number, os.getpid()


def others(folder):
    """What the other long jobs come to."""
    folder.mkdir()
    tree, certificate = wordle.prove(TINY, folder / "proof.txt")
    return compute_win_rate("NGuess(2, 5)", Setting(TINY)).win_rate, tree.total, list(certificate.rows())


def test_results_are_the_same_here_and_there(workers, tmp_path):
    started = [workers.start() for _ in range(2)]
    alone = [figures(one) for one in sweep(tasks(), 40)]
    alone_as_well = others(tmp_path / "here")
    with base.cluster(workers.address) as cluster:
        until(lambda: len(cluster.nthreads()) == 2)
        assert [figures(one) for one in sweep(tasks(), 40, batch=7)] == alone
        assert others(tmp_path / "there") == alone_as_well
        found = list(run_calls(1, (delayed(where)(number) for number in range(40)), ordered=True))
        assert [number for number, _ in found] == list(range(40))
        assert {process for _, process in found} == {worker.pid for worker in started}
        assert list(run_calls(1, (), ordered=True)) == []
        results = run_calls(1, [delayed(late)(tmp_path / "go", 0), delayed(late)(tmp_path, 1)])
        assert next(results)[0] == 1  # which does not wait for the one before it
        (tmp_path / "go").touch()
        assert [number for number, _ in results] == [0]
        assert len({*run_calls(1, [delayed(os.urandom)(8)] * 3)}) == 3  # equal calls are three


def late(path, number):
    until(path.exists)
    return where(number)


def test_a_worker_is_killed_and_another_joins_late(workers, tmp_path):
    """What the killed one had is done by the other, which was not there when the run began, and nothing here."""
    first = workers.start()
    with base.cluster(workers.address) as cluster:
        results = run_calls(1, (delayed(late)(tmp_path / "go" if number else tmp_path, number) for number in range(9)))
        assert next(results) == (0, first.pid)
        other = workers.start()
        until(lambda: len(cluster.nthreads()) == 2)
        first.kill()
        until(lambda: len(cluster.nthreads()) == 1)
        (tmp_path / "go").touch()
        assert sorted(results) == [(number, other.pid) for number in range(1, 9)]
