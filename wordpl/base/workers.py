"""Calls that run in this process, in worker processes of this machine, or on a cluster of dask's."""

from __future__ import annotations

import itertools
import os
import pickle
import re
import signal
import sys
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from functools import partial
from queue import SimpleQueue
from typing import Any

from wordpl.base.checks import whole_number
from wordpl.base.clusters import current
from wordpl.base.defaults import HASH_SEED
from wordpl.base.errors import WordplError, WorkerLostError, error_line
from wordpl.base.sources import LIBRARY, SourceFile, modules_in, sources_of
from wordpl.base.stopping import FROM_TERMINAL
from wordpl.base.user_files import load_as_sent

_IN_WORKERS = {"OMP_NUM_THREADS": "1", "PYTHONHASHSEED": str(HASH_SEED)}
_IDLE_SECONDS = 60.0
"""A worker ends after so long without a call, also one whose parent was killed."""
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


def run_calls(
    jobs: int, calls: Iterable[Call], *, ordered: bool = False, hash_seed: int | None = None
) -> Generator[Any]:
    """Run `calls` (`joblib.delayed`) in `jobs` processes, 1 or more, or -1 for one per core; 1 is this process.

    With a `hash_seed`, they run in worker processes of this machine whose Python has that hash seed, never here.

    Yields each result as soon as it is there, or, if they are `ordered`, in the order of the calls. If a call raises,
    no more are given out, and its error is raised after the results of the others. Ctrl-C ends the workers at once.
    Raises `WorkerLostError` if a worker is lost.
    """
    count, client = worker_count(jobs), current.get() if hash_seed is None else None
    if count == 1 and hash_seed is None:
        for function, arguments, keywords in calls:
            yield function(*arguments, **keywords)
        return
    failures, pending, completed = list[BaseException](), deque[Any](), SimpleQueue[Any]()

    def packed() -> Iterator[tuple[Any, ...]]:
        try:
            yield from (_packed(call, by_value=client is not None) for call in calls)
        except Exception as error:
            failures.append(error)

    def give_out(number: int) -> None:
        for call in itertools.islice(waiting, 0 if failures else number):
            pending.append(submit(_run, call))
            if not ordered:
                pending[-1].add_done_callback(completed.put)

    def outcome() -> tuple[Any, BaseException | None]:
        """A value or an error. No local of `run_calls` is a future: the traceback of an error would keep it at dask."""
        future = pending[0] if ordered else completed.get()
        value, error = future.result()
        pending.remove(future)
        return value, error

    try:
        waiting, ahead = packed(), 2 * count
        if client is None:
            submit, stop = _processes(count, hash_seed)
        else:
            submit, stop = partial(client.submit, pure=False), lambda: client.cancel(list(pending))
            ahead += 100  # for workers that join later
        give_out(ahead)
        while pending:
            value, error = outcome()
            if error is None:
                yield value
            else:
                failures.append(error)
            give_out(1)
    except Exception as error:  # loky's or dask's, for calls raise none
        raise _lost(error) from error
    finally:
        if pending:
            stop()
    if failures:
        raise failures[0]


def _processes(count: int, hash_seed: int | None) -> tuple[Callable[..., Any], Callable[[], None]]:
    """Worker processes of this machine: how a call is given to them, and how they are ended with what is pending."""
    from multiprocessing import resource_tracker

    from joblib.externals.loky import get_reusable_executor

    env = {name: os.environ.get(name, value) for name, value in _IN_WORKERS.items()}
    if hash_seed is not None:
        env["PYTHONHASHSEED"] = str(hash_seed)
    env["PYTHONSAFEPATH"] = "1"  # no worker takes modules from the folder where it is started
    # Python's tracker of resources comes before the workers, because its start lets the signals through.
    resource_tracker.ensure_running()
    with _unheard():
        executor = get_reusable_executor(count, timeout=_IDLE_SECONDS, env=env)

    def stop() -> None:
        # A call that loky's thread has not taken up by then would end it with a KeyError. It takes them up in order.
        with suppress(RuntimeError):  # of workers that are lost
            last = executor.submit(int)
            while not (last.running() or last.done()):
                time.sleep(0.001)
        executor.shutdown(kill_workers=True)

    return _unheard()(executor.submit), stop


@contextmanager
def _unheard() -> Iterator[None]:
    """Processes that start in the block never hear the terminal's signals. An initializer that ignores them would come
    too late: with it, Ctrl-C in the first 2.5 s left tracebacks in 18 of 20 runs."""
    heard = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)


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
