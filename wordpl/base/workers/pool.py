"""Calls that run in worker processes of this machine or of a cluster (`wordpl.base.cluster`), or in this process."""

from __future__ import annotations

import itertools
import os
import pickle
import queue
import signal
import time
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from contextvars import ContextVar
from typing import Any, Protocol

from wordpl.base.errors import WordplError
from wordpl.base.system import core_count
from wordpl.base.workers.calls import Call, Packer
from wordpl.base.workers.processes import Processes
from wordpl.base.workers.stopping import Stop, stoppable

_CALLS_AT_HAND = 2
"""So many calls for each that runs are given out: one runs, and one waits until its worker is free."""
_GRACE_SECONDS, _LOOK_SECONDS = 2.0, 0.1
"""After a stop, workers have so long to give back what is finished of their calls."""


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""

    def __init__(self, message: str, signum: int | None = None, call: Call | None = None) -> None:
        super().__init__(message)
        self.signum = signum
        """The signal that ended it, if that is known."""
        self.call = call
        """What it ran, if that is known."""


def lost_worker(code: int | None, call: Call | None = None) -> WorkerLostError:
    """The error about a worker that has ended with an exit code, less than 0 for a signal; None if it is unknown."""
    names = {-signum: signum.name for signum in signal.Signals}
    end = "how is unknown" if code is None else names.get(code, f"exit code {code}")
    message = f"a worker process ended ({end})"
    if end == "SIGKILL":
        message += ", probably because memory ran out; fewer workers (--jobs) need less"
    elif end in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
        message += ": native code crashed, perhaps code that a strategy uses"
    return WorkerLostError(message, -code if code is not None and code < 0 else None, call)


class Workers(Protocol):
    """Where calls are run: processes of this machine, or a cluster."""

    elsewhere: bool
    """Whether they may be other machines."""

    @property
    def n_jobs(self) -> int:
        """How many calls run at a time, 1 or more."""

    @property
    def batch_seconds(self) -> float:
        """How long a call should take that may be cut to any size, so that progress moves, little is lost with a
        worker, and this process can feed them all."""

    def submit(self, call: Call) -> Any:
        """Begin a call, and return its future: with `add_done_callback` and `done`."""

    def result(self, future: Any, call: Call) -> Any:
        """What a call that is done has returned. Raises what it raised, and `WorkerLostError`."""

    def cut(self) -> None:
        """Have the workers give back what is finished of the calls that they run."""

    def end(self) -> None:
        """End what runs now."""


class LocalWorkers:
    """Worker processes of this machine."""

    elsewhere = False
    batch_seconds = 0.5

    def __init__(self, count: int) -> None:
        self.n_jobs = count
        self._processes, self._packer = Processes(count), Packer()

    def submit(self, call: Call) -> Future[bytes]:
        return self._processes.submit(*self._packer.pack(call))

    def result(self, future: Future[bytes], call: Call) -> Any:
        try:
            return pickle.loads(future.result())  # noqa: S301 - of our own worker
        except BrokenProcessPool:  # which call it was is unknown
            raise lost_worker(self._processes.ending()) from None

    def cut(self) -> None:
        self._processes.cut()

    def end(self) -> None:
        self._processes.end()


current: ContextVar[Workers | None] = ContextVar("cluster", default=None)
"""The cluster on which long jobs run here; None if they run on this machine."""


def make_workers(jobs: int) -> Workers | None:
    """Return the workers of the current cluster, or so many of this machine, -1 for one per core. None is this process.

    Raises `WordplError` for 0.
    """
    if jobs == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    if (cluster := current.get()) is not None:
        return cluster
    count = jobs if jobs > 0 else max(1, core_count() + 1 + jobs)
    # loky looks after its workers by /proc.
    return LocalWorkers(count) if count > 1 and os.path.exists("/proc/self") else None  # noqa: PTH110


def results(
    workers: Workers | None, stop: Stop, calls: Iterable[Call], *, ordered: bool = False, keep: bool = False
) -> Generator[Any]:
    """The results of `calls` (`joblib.delayed`), as they come or `ordered` as the calls are.

    It can be stopped where it waits for a worker, also if `stop` is held. With `keep` the results of what was under way
    come before the `KeyboardInterrupt`, as far as workers give them back soon.
    """
    if workers is None:
        yield from (function(*arguments, **keywords) for function, arguments, keywords in calls)
        return
    done: queue.SimpleQueue[Any] = queue.SimpleQueue()
    running: dict[Any, tuple[int, Call]] = {}
    source, values, due = enumerate(calls), dict[int, Any](), 0
    try:
        while True:
            for number, call in itertools.islice(source, max(0, _CALLS_AT_HAND * workers.n_jobs - len(running))):
                with stop.held():  # one half begun would be forgotten
                    future = workers.submit(call)
                    running[future] = number, call
                future.add_done_callback(done.put)
            if not running:
                return
            with stop.held(False):
                future = done.get()
            number, call = running.pop(future)
            values[number] = workers.result(future, call)
            if not ordered:
                yield values.pop(number)
            while due in values:
                yield values.pop(due)
                due += 1
    except BaseException as error:
        if keep and isinstance(error, KeyboardInterrupt):
            yield from _last_results(workers, running)
        workers.end()
        raise


def _last_results(workers: Workers, running: dict[Any, tuple[int, Call]]) -> Iterator[Any]:
    """The results of what is under way, as far as workers give them back soon."""
    end = time.monotonic() + _GRACE_SECONDS
    while running and time.monotonic() < end:
        workers.cut()
        for future in [future for future in running if future.done()]:
            _, call = running.pop(future)
            with suppress(Exception):  # the run is over
                yield workers.result(future, call)
        time.sleep(_LOOK_SECONDS)


def run_in_order(jobs: int, calls: Iterable[Call], *, ordered: bool = True) -> Iterator[Any]:
    """The results of `calls` (`joblib.delayed`) in their order, from `jobs` processes; 1 is this one.

    One Ctrl-C ends the run at once, with `KeyboardInterrupt`. Raises `WorkerLostError` if a worker is lost.
    """
    workers = make_workers(jobs)
    with stoppable() as stop:
        yield from results(workers, stop, calls, ordered=ordered)


def run_unordered(jobs: int, calls: Iterable[Call]) -> Iterator[Any]:
    """Run `calls` (`joblib.delayed`) in `jobs` processes, 1 or more, and yield each result as soon as it is there."""
    return run_in_order(jobs, calls, ordered=False)
