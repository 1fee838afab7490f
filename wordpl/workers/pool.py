"""Calls that run in worker processes: of this machine, or of a cluster (`wordpl.cluster`)."""

from __future__ import annotations

import multiprocessing
import os
import re
import signal
import threading
import warnings
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext, suppress
from multiprocessing import resource_tracker
from typing import Any, TypeAlias

import joblib
from joblib.externals.loky.backend.process import LokyProcess
from joblib.externals.loky.process_executor import _ExecutorManagerThread

from wordpl.errors import WordplError
from wordpl.system import FROM_TERMINAL
from wordpl.workers.clusters import ClusterLostError, current
from wordpl.workers.dispatch import ClusterPool
from wordpl.workers.parcels import Call
from wordpl.workers.settling import Place, run_placed
from wordpl.workers.stopping import Stop, stoppable

Pool: TypeAlias = "joblib.Parallel | ClusterPool"

_BATCH_SECONDS, _LONGEST_BATCH_SECONDS = 0.5, 30.0
_CALLS_PER_SECOND = 50


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""


@contextmanager
def make_pool(jobs: int, *, ordered: bool = False) -> Iterator[Pool]:
    """A pool of the current cluster, or of joblib's, of the backend that `joblib.parallel_config` sets.

    Results come as soon as they are there, or `ordered` as the calls are. Raises `WordplError` for a backend that
    cannot. Errors of the block that say that a worker is gone become `WorkerLostError`.
    """
    if jobs == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    cluster = current.get()
    try:
        if cluster is not None:
            yield ClusterPool(cluster, ordered=ordered)
            return
        try:
            # Each call is handed to a worker by itself, however short it is.
            pool = joblib.Parallel(jobs, return_as="generator" if ordered else "generator_unordered", batch_size=1)
        except ValueError:
            raise WordplError(
                "the backend that joblib is set to does not return results as they come; loky, threading and dask do"
            ) from None
        with pool:
            yield pool
    except ClusterLostError as error:
        raise WorkerLostError(str(error)) from None
    except BrokenProcessPool as error:
        raise WorkerLostError(_how_lost(signals_of(error))) from None


def batch_seconds(pool: Pool) -> float:
    """How long a call should take that may be cut to any size, so that progress moves, little is lost with a worker,
    and this process can feed all workers of a large cluster."""
    if isinstance(pool, joblib.Parallel):
        return _BATCH_SECONDS
    return min(max(2 * _BATCH_SECONDS, pool.n_jobs / _CALLS_PER_SECOND), _LONGEST_BATCH_SECONDS)


def signals_of(error: BrokenProcessPool) -> list[str]:
    """The signals, or exit codes, that ended workers: loky tells them in the text of its error and nowhere else."""
    return list(dict.fromkeys(re.findall(r"\b(SIG[A-Z]+|EXIT\(\d+\))", str(error))))


def _how_lost(ends: list[str]) -> str:
    """What became of a worker, by how it ended."""
    message = f"a worker process ended ({', '.join(ends) or 'how is unknown'})"
    if "SIGKILL" in ends:
        return f"{message}, probably because memory ran out; fewer workers (--jobs) need less"
    if set(ends) & {"SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"}:
        return f"{message}: native code crashed, perhaps code that a strategy uses"
    return message


def start(pool: Pool, stop: Stop, calls: Iterable[Call]) -> Generator[Any]:
    """The results of `calls` (`joblib.delayed`), from workers that hear no Ctrl-C and no SIGHUP, however early.

    They inherit the mask of the thread that starts them. A stop waits until then: one half started would be forgotten.
    """
    if not isinstance(pool, joblib.Parallel):
        yield from pool.results(stop, calls)
        return
    place = Place(os.getpid(), stop.file)
    results = None
    try:
        with stop.held(), _deaf() if pool.n_jobs != 1 else nullcontext():
            results = pool((run_placed, (place, *call), {}) for call in calls)
        for result in results:  # noqa: UP028 - where the block ends, that would close the results, which warns
            yield result
    except BaseException:
        if pool.n_jobs != 1:
            with _manager_may_fail():
                _kill_workers()
                _close(results)
        raise
    finally:
        _close(results)


@contextmanager
def _deaf() -> Iterator[None]:
    """Have the processes that the block starts hear no signal of their terminal."""
    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        # Starting the first worker would start this process of Python's too, which unblocks SIGINT when it is done.
        resource_tracker.ensure_running()
        signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


def _close(results: Generator[Any] | None) -> None:
    if results is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that results are left unused
            results.close()


@contextmanager
def _manager_may_fail() -> Iterator[None]:
    """Show no error of the thread in which loky manages workers, in a block that ends them.

    It gives the calls that are left an exception, and errs if one of them has been cancelled in that moment.
    """
    show = threading.excepthook

    def shown(error: threading.ExceptHookArgs) -> None:
        if not isinstance(error.thread, _ExecutorManagerThread):
            show(error)

    threading.excepthook = shown
    try:
        yield
    finally:
        threading.excepthook = show


def _kill_workers() -> None:
    """End the workers of a run that is given up. joblib would, too, but it first takes away what a new worker reads."""
    for child in multiprocessing.active_children():
        if isinstance(child, LokyProcess) and child.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)


def run_in_order(jobs: int, calls: Iterable[Any], *, ordered: bool = True) -> Iterator[Any]:
    """The results of `calls` (`joblib.delayed`) in their order, from `jobs` processes; 1 is this one.

    One Ctrl-C ends the run at once, with `KeyboardInterrupt`. Raises `WorkerLostError` if a worker is lost.
    """
    with stoppable(at_once=True) as stop, make_pool(jobs, ordered=ordered) as pool:
        yield from start(pool, stop, calls)


def run_unordered(jobs: int, calls: Iterable[Any]) -> Iterator[Any]:
    """As `run_in_order`, but each result comes as soon as it is there."""
    return run_in_order(jobs, calls, ordered=False)
