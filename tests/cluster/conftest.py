"""A scheduler that the tests of a file share, and workers in processes of their own."""

import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

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
            for signum in (signal.SIGCONT, signal.SIGKILL):
                with suppress(ProcessLookupError):
                    worker.send_signal(signum)
            worker.wait()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a scheduler in this process, whose workers each test starts."""
    import distributed

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


def until(happened: Callable[[], object], seconds: float = 60.0) -> None:
    """Wait for something."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)
