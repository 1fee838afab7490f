"""Calls that run in this process, in worker processes of this machine, or on a cluster of dask's; joblib runs them."""

from __future__ import annotations

import os
import pickle
import re
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from typing import Any

from wordpl.base.checks import whole_number
from wordpl.base.clusters import current
from wordpl.base.defaults import HASH_SEED
from wordpl.base.errors import WordplError, WorkerLostError, error_line
from wordpl.base.sources import LIBRARY, SourceFile, modules_in, sources_of
from wordpl.base.stopping import FROM_TERMINAL
from wordpl.base.user_files import load_as_sent

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""
_SENT_AHEAD = 100  # calls to a cluster, at least, for workers that join it later
# loky's words on a worker that was idle and has ended.
warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")

_Packed = tuple[bytes, tuple[SourceFile, ...], Sequence[str]]
"""A call as it is sent: its pickle, the user's files that define it, and the `sys.path` of who sends it."""


def worker_count(jobs: int) -> int:
    """Return how many calls run at a time with `jobs` processes, -1 for one per core; 1 is this process.

    On a cluster it is the number of threads, or 2, as others may join. Raises `WordplError` for 0 and for what is no
    whole number, and `WorkerLostError` if the cluster is gone.
    """
    if whole_number("jobs", jobs, minimum=-1) == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    if (client := current.get()) is not None:
        try:
            return max(2, sum(map(int, client.nthreads().values())))
        except OSError as error:
            raise _lost(str(error)) from None
    return jobs if jobs > 0 else core_count()


def core_count() -> int:
    """Return how many cores this process may use: its share of a machine, or of a container."""
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
    from multiprocessing import resource_tracker

    import joblib

    os.environ["PYTHONSAFEPATH"] = "1"  # no worker takes modules from the folder where it is started
    os.environ.setdefault("PYTHONHASHSEED", str(HASH_SEED))
    loky: dict[str, Any] = {"initializer": _settle, "initargs": (os.getpid(),)}
    with joblib.parallel_config("loky", **loky) if client is None else joblib.parallel_config("dask", client=client):
        order, ahead = "generator" if ordered else "generator_unordered", max(2 * count, _SENT_AHEAD if client else 0)
        parallel = joblib.Parallel(count, return_as=order, batch_size=1, pre_dispatch=ahead, max_nbytes=None)
    failures: list[BaseException] = []
    sent = received = 0

    def given_out() -> Iterator[Call]:
        """The calls as workers get them, until there is a failure. joblib's threads run it, too, so it raises none."""
        nonlocal sent
        try:
            for call in calls:
                packed = _packed(call, by_value=client is not None)
                if failures:
                    return
                sent += 1
                yield _run, (packed,), {}
        except BaseException as error:
            failures.append(error)

    try:
        # Workers are started without the terminal's signals, until they ignore them. Python's tracker of resources is
        # started first, because its start lets the signals through again.
        resource_tracker.ensure_running()
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
        try:
            outcomes = parallel(given_out())
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        try:
            for value, error in outcomes:
                received += 1
                if error is None:
                    yield value
                else:
                    failures.append(error)
        except GeneratorExit as given_up:
            failures.append(given_up)  # no more calls are given out, and one that is on its way gets there
            time.sleep(0.05)
            raise
        finally:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that there are calls whose results nobody takes
                outcomes.close()
    except Exception as error:  # joblib's or dask's, for calls raise none
        if not os.access("/dev/shm", os.W_OK):  # noqa: S108
            raise WordplError("worker processes need /dev/shm, which cannot be written here; use --jobs 1") from None
        raise _lost(str(error)) from None
    if failures:
        raise failures[0]
    if received < sent:
        raise _lost("")


def run_anew(hash_seed: int, call: Call) -> Any:
    """Run a call (`joblib.delayed`) in a new Python process with this hash seed, and return its value.

    Raises the error of the call, and `WorkerLostError` if the process is lost.
    """
    from joblib.externals.loky import ProcessPoolExecutor

    environment = {"PYTHONHASHSEED": str(hash_seed), "PYTHONSAFEPATH": "1"}
    pool = ProcessPoolExecutor(1, env=environment, initializer=_settle, initargs=(os.getpid(),))
    try:
        value, error = pool.submit(_run, _packed(call, by_value=False)).result()
    except BrokenExecutor as lost:
        raise _lost(str(lost)) from None
    finally:
        pool.shutdown(kill_workers=True)
    if error is not None:
        raise error
    return value


def _packed(call: Call, *, by_value: bool) -> _Packed:
    """A call as it is sent, on a cluster with the user's modules in it."""
    import cloudpickle

    try:
        pickled = cloudpickle.dumps(call)
        files = {file for name in modules_in(pickled) if name != "__main__" for file in sources_of(name).files}
        if not by_value:
            return pickled, tuple(sorted(files)), sys.path
        with ExitStack() as stack:
            for name in {file.module for file in files if not file.module.startswith(LIBRARY)} & sys.modules.keys():
                cloudpickle.register_pickle_by_value(sys.modules[name])
                stack.callback(cloudpickle.unregister_pickle_by_value, sys.modules[name])
            return cloudpickle.dumps(call), (), ()
    except Exception as error:  # whatever a class does there
        raise WordplError(f"a call cannot be sent to a worker process: {error_line(error)}") from None


def _run(packed: _Packed) -> tuple[Any, BaseException | None]:
    """In a worker: the value of a call, or its error."""
    os.environ.setdefault("WORDPL_NUM_THREADS", "1")  # so that threads and workers do not multiply
    pickled, files, path = packed
    sys.path[:] = path or sys.path  # which may have grown since this worker was started
    try:
        load_as_sent(files)
        function, arguments, keywords = pickle.loads(pickled)  # noqa: S301
        return function(*arguments, **keywords), None
    except ImportError as error:
        return None, WordplError(f"a worker process cannot load a call: {error_line(error)}")
    except BaseException as error:
        try:
            return None, pickle.loads(pickle.dumps(error))  # noqa: S301
        except Exception:
            return None, WordplError(error_line(error))


def _lost(how: str) -> WorkerLostError:
    """The error about lost workers; loky says `how` they ended, such as "... {SIGKILL(-9)} ..."."""
    # loky kills the other workers with SIGKILL, so another signal is the cause.
    signals = sorted(set(re.findall(r"SIG[A-Z]+", how)), key="SIGKILL".__eq__)
    if not signals:
        return WorkerLostError("a worker or the scheduler of the cluster does not answer any more")
    cause = "memory ran out; fewer workers (--jobs) need less" if signals[0] == "SIGKILL" else "native code crashed"
    return WorkerLostError(f"a worker process ended ({signals[0]}), probably because {cause}")


def _settle(parent: int) -> None:
    """In a worker, at its start: hear no signal of the terminal, and end with the process that started it."""
    for signum in FROM_TERMINAL:
        signal.signal(signum, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, FROM_TERMINAL)

    def end_with_parent() -> None:
        while os.getppid() == parent:
            time.sleep(1.0)
        os._exit(1)

    threading.Thread(target=end_with_parent, daemon=True).start()
