"""Calls that run in worker processes of this machine or of a cluster (`wordpl.base.cluster`), or in this process."""

from __future__ import annotations

import itertools
import os
import pickle
import queue
from collections.abc import Generator, Iterable, Iterator
from typing import Any, TypeAlias

from wordpl.base.errors import OtherCodeError, WordplError
from wordpl.base.stopping import stoppable
from wordpl.base.system import core_count
from wordpl.base.workers.clusters import ClusterWorkers, current
from wordpl.base.workers.processes import Call, LocalWorkers, WorkerLostError, pack

_CALLS_AT_HAND = 2
"""So many calls for each that runs are given out: one runs, and one waits until its worker is free."""

Workers: TypeAlias = LocalWorkers | ClusterWorkers


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
    return LocalWorkers(count)


def results(workers: Workers | None, calls: Iterable[Call], *, ordered: bool = False) -> Generator[tuple[Call, Any]]:
    """Each of `calls` (`joblib.delayed`) with its result, as they come or `ordered` as the calls are.

    One Ctrl-C ends the run at once, with `KeyboardInterrupt`. What is under way then is
    lost. Workers that have other code than this process, so that a call raises `OtherCodeError`,
    are replaced once. Raises `WorkerLostError` if one is lost.
    """
    with stoppable() as stop:
        if workers is None:
            for call in calls:
                yield call, call[0](*call[1], **call[2])
            return
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        running: dict[Any, tuple[int, Call]] = {}
        replaced, found, due = False, dict[int, tuple[Call, Any]](), 0
        source: Iterator[tuple[int, Call]] = enumerate(calls)
        try:
            while True:
                room = max(0, _CALLS_AT_HAND * workers.n_jobs - len(running))
                for number, call in itertools.islice(source, room):
                    with stop.held():  # one half begun would be forgotten
                        future = workers.submit(pack(call, elsewhere=isinstance(workers, ClusterWorkers)))
                        running[future] = number, call
                    future.add_done_callback(done.put)
                if not running:
                    return
                future = done.get()
                if future not in running:  # of workers that were replaced
                    continue
                number, call = running.pop(future)
                try:
                    found[number] = call, pickle.loads(workers.result(future))  # noqa: S301 - of our own worker
                except OtherCodeError:
                    if replaced:
                        raise
                    workers.end(running)
                    replaced, source = True, itertools.chain([(number, call), *running.values()], source)
                    running = {}
                except WorkerLostError as lost:
                    if stop.signum is not None:  # what ends this process may have ended the workers
                        raise KeyboardInterrupt from None
                    lost.call = call
                    raise
                if not ordered and found:
                    yield found.pop(number)
                while due in found:
                    yield found.pop(due)
                    due += 1
        except BaseException:
            workers.end(running)
            raise


def run_calls(jobs: int, calls: Iterable[Call], *, ordered: bool = False) -> Generator[Any]:
    """Run `calls` (`joblib.delayed`) in `jobs` processes, 1 or more; 1 is this one. Yield each result as soon as it is
    there, or, if they are `ordered`, in the order of the calls."""
    return (result for _, result in results(make_workers(jobs), calls, ordered=ordered))
