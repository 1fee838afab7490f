"""Calls that run in this process, in worker processes of this machine, or on a cluster of dask's."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from wordpl.base.checks import whole_number
from wordpl.base.clusters import current
from wordpl.base.defaults import HASH_SEED
from wordpl.base.errors import WordplError, WorkerLostError, error_line
from wordpl.base.sources import LIBRARY, SourceFile, modules_in, sources_of
from wordpl.base.stopping import FROM_TERMINAL
from wordpl.base.user_files import load_as_sent

if TYPE_CHECKING:
    from distributed import Client

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""


def worker_count(jobs: int) -> int:
    """Return how many calls run at a time with `jobs` processes, -1 for one per core; 1 is this process.

    On a cluster it is the number of threads, or 2, as others may join. Raises `WordplError` for 0 and for what is no
    whole number, and `WorkerLostError` if the cluster is gone.
    """
    if whole_number("jobs", jobs, minimum=-1) == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    if (client := current.get()) is not None:
        try:
            return max(2, int(sum(client.nthreads().values())))
        except OSError as error:
            raise _lost(error) from None
    if jobs > 0:
        return jobs
    import joblib  # half of the start of a run in one process

    return int(joblib.cpu_count())


def run_calls(jobs: int, calls: Iterable[Call], *, ordered: bool = False) -> Generator[Any]:
    """Run `calls` (`joblib.delayed`) in `jobs` processes, 1 or more, or -1 for one per core; 1 is this process.

    Yields each result as soon as it is there, or, if they are `ordered`, in the order of the calls. If a call raises,
    no more are given out, and its error is raised after the results of the others. Ctrl-C ends the workers at once.
    Raises `WorkerLostError` if a worker is lost.
    """
    count, client = worker_count(jobs), current.get()
    if count == 1:
        for function, arguments, keywords in calls:
            yield function(*arguments, **keywords)
        return
    failures: list[BaseException] = []

    def given_out() -> Iterator[Call]:
        """The calls as workers get them, until there is a failure. joblib's threads run it, too, so it raises none."""
        try:
            for call in calls:
                packed = _packed(call, by_value=client is not None)
                if failures:
                    return
                yield _run, (packed,), {}
        except BaseException as error:
            failures.append(error)

    try:
        if client is None:
            outcomes = _in_processes(count, given_out(), ordered)
        else:  # more than there are threads, for workers that join later
            outcomes = _on_cluster(client, given_out(), 2 * count + 100, ordered)
        try:
            for value, error in outcomes:
                if error is None:
                    yield value
                else:
                    failures.append(error)
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that there are calls whose results nobody takes
                outcomes.close()
    except Exception as error:  # joblib's or dask's, for calls raise none
        raise _lost(error) from error
    if failures:
        raise failures[0]


def _in_processes(count: int, calls: Iterator[Call], ordered: bool) -> Generator[Any]:
    """Start `count` workers and yield the results of these calls."""
    from multiprocessing import resource_tracker

    import joblib

    os.environ["PYTHONSAFEPATH"] = "1"  # no worker takes modules from the folder where it is started
    os.environ.setdefault("PYTHONHASHSEED", str(HASH_SEED))
    order = "generator" if ordered else "generator_unordered"
    with joblib.parallel_config("loky", initializer=_end_with, initargs=(os.getpid(),)):
        parallel = joblib.Parallel(count, return_as=order, batch_size=1, pre_dispatch=2 * count, max_nbytes=None)
    # Workers start now, and never hear the terminal's signals: an initializer that ignores them comes too late (Ctrl-C
    # in the first 2.5 s left tracebacks in 18 of 20 runs, and now in none). Python's tracker of resources comes before
    # them, because its start lets the signals through again.
    resource_tracker.ensure_running()
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        results: Generator[Any] = parallel(calls)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
    return results


def _on_cluster(client: Client, calls: Iterator[Call], ahead: int, ordered: bool) -> Generator[Any]:
    """Yield the results of these calls; the cluster has `ahead` of them at a time.

    joblib would make all of them in this process while the cluster has one thread, and it does not cancel those whose
    results nobody wants.
    """
    from distributed import as_completed

    pending, completed = deque[Any](), as_completed(loop=client.loop)

    def submit(number: int) -> None:
        for function, arguments, _ in itertools.islice(calls, number):
            pending.append(client.submit(function, *arguments, pure=False))
            if not ordered:
                completed.add(pending[-1])

    try:
        submit(ahead)
        while pending:
            future = pending[0] if ordered else next(completed)
            yield future.result()
            pending.remove(future)
            submit(1)
    finally:
        client.cancel(list(pending))


def run_anew(hash_seed: int, call: Call) -> Any:
    """Run a call (`joblib.delayed`) in a new Python process with this hash seed; return its value, or raise its error,
    or `WorkerLostError` if the process is lost."""
    from joblib.externals.loky import ProcessPoolExecutor

    with ProcessPoolExecutor(1, env={"PYTHONHASHSEED": str(hash_seed), "PYTHONSAFEPATH": "1"}) as pool:
        try:
            value, error = pool.submit(_run, _packed(call, by_value=False)).result()
        except BrokenExecutor as lost:
            raise _lost(lost) from None
    if error is not None:
        raise error
    return value


def _packed(call: Call, *, by_value: bool) -> tuple[bytes, list[SourceFile], list[str]]:
    """A call as it is sent: its pickle, the user's files that define it, and the `sys.path` here. On a cluster, the
    pickle has the user's modules in it."""
    import cloudpickle

    try:
        pickled = cloudpickle.dumps(call)
        files = {file for name in modules_in(pickled) if name != "__main__" for file in sources_of(name).files}
        if not by_value:
            return pickled, sorted(files), sys.path
        with ExitStack() as stack:
            for name in {file.module for file in files if not file.module.startswith(LIBRARY)} & sys.modules.keys():
                cloudpickle.register_pickle_by_value(sys.modules[name])
                stack.callback(cloudpickle.unregister_pickle_by_value, sys.modules[name])
            return cloudpickle.dumps(call), [], []
    except Exception as error:  # whatever a class does there
        raise WordplError(f"a call cannot be sent to a worker process: {error_line(error)}") from None


def _run(packed: tuple[bytes, list[SourceFile], list[str]]) -> tuple[Any, BaseException | None]:
    """In a worker: the value of a call, or its error."""
    os.environ.setdefault("WORDPL_NUM_THREADS", "1")  # so that threads and workers do not multiply
    pickled, files, path = packed
    sys.path[:] = path or sys.path  # which may have grown since this worker was started
    try:
        load_as_sent(files)
        function, arguments, keywords = pickle.loads(pickled)  # noqa: S301
        return function(*arguments, **keywords), None
    except BaseException as error:
        try:
            return None, pickle.loads(pickle.dumps(error))  # noqa: S301
        except Exception:
            return None, WordplError(error_line(error))


def _lost(how: object) -> WorkerLostError:
    """The error about lost workers; loky says `how` they ended, such as "... {SIGKILL(-9)} ..."."""
    # loky kills the other workers with SIGKILL, so another signal is the cause.
    signals = sorted(set(re.findall(r"SIG[A-Z]+", str(how))), key="SIGKILL".__eq__)
    if not signals:
        return WorkerLostError("a worker or the scheduler of the cluster does not answer any more")
    cause = "memory ran out; fewer workers (--jobs) need less" if signals[0] == "SIGKILL" else "native code crashed"
    return WorkerLostError(f"a worker process ended ({signals[0]}), probably because {cause}")


def _end_with(parent: int) -> None:
    """In a worker, at its start: let it end with the process that started it. If that was killed, loky's own workers
    were still there a minute later."""

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
