"""Calls that run in worker processes of this machine or of a cluster (`wordpl.base.cluster`), or in this process."""

from __future__ import annotations

import itertools
import os
import queue
from collections.abc import Generator, Iterable, Iterator
from contextvars import ContextVar
from typing import Any, Protocol

from wordpl.base.errors import WordplError
from wordpl.base.stopping import Stop, stoppable
from wordpl.base.system import core_count
from wordpl.base.workers.calls import Call

_CALLS_AT_HAND = 2
"""So many calls for each that runs are given out: one runs, and one waits until its worker is free."""


class Workers(Protocol):
    """Where calls are run: processes of this machine, or a cluster."""

    @property
    def n_jobs(self) -> int:
        """How many calls run at a time, 1 or more."""

    @property
    def batch_seconds(self) -> float:
        """How long a call should take that may be cut to any size: progress moves, and this process can feed all."""

    def submit(self, call: Call) -> Any:
        """Begin a call, and return its future: with `add_done_callback`."""

    def result(self, future: Any, call: Call) -> Any:
        """What a call that is done has returned. Raises what it raised, and `WorkerLostError`."""

    def end(self) -> None:
        """End what runs now."""


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
    if count == 1 or not os.path.exists("/proc/self"):  # noqa: PTH110 - by which loky looks after its workers
        return None
    from wordpl.base.workers.processes import LocalWorkers  # with loky, which one job does not need

    return LocalWorkers(count)


def results(workers: Workers | None, stop: Stop, calls: Iterable[Call], *, ordered: bool = False) -> Generator[Any]:
    """The results of `calls` (`joblib.delayed`), as they come or `ordered` as the calls are.

    It can be stopped where it waits for a worker, also if `stop` is held. What is under way then is lost.
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
    except BaseException:
        workers.end()
        raise


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
