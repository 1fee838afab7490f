"""Worker processes of this machine, from loky's executor: how they start, and how they ended."""

import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from functools import lru_cache
from multiprocessing import resource_tracker

from joblib.externals import loky
from joblib.externals.loky.process_executor import ShutdownExecutorError

from wordpl.base import stopping
from wordpl.base.system import FROM_TERMINAL
from wordpl.base.workers.calls import Call, WorkerLostError, pack, run_packed

_IDLE_SECONDS = 300.0
_HELPERS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore"}
_THREADS = [f"{name}_NUM_THREADS" for name in ("WORDPL", "NUMBA", "OMP", "OPENBLAS", "MKL")]
_LOST = loky.BrokenProcessPool, ShutdownExecutorError

_lock = threading.Lock()
"""The environment is one for all threads."""


class LocalWorkers:
    """Worker processes of this machine, `n_jobs` of them. Those of an earlier run are used again."""

    batch_seconds = 0.5
    """How long a call should take that may be cut to any size: progress moves, and this process can feed all."""

    def __init__(self, count: int) -> None:
        self.n_jobs = count
        # What loky says of a worker that it replaces is of no use to whoever runs this.
        warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")
        environment = {name: os.environ.get(name, "1") for name in _THREADS}
        environment |= {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "")}
        self._arguments = count, os.getpid(), tuple(environment.items())
        with _starting():  # loky's helpers
            self._executor = _executor(*self._arguments)
        self._last: Future[bytes] | None = None

    def submit(self, call: Call) -> Future[bytes]:
        """Begin a call, which may start workers; its future, with `add_done_callback`."""
        return self.submit_packed(pack(call))

    def submit_packed(self, call: list[bytes]) -> Future[bytes]:
        with _starting():
            while True:
                try:
                    self._last = self._executor.submit(run_packed, call)
                    return self._last
                except _LOST:  # since the last call, whose result says so
                    if _executor(*self._arguments) is self._executor:
                        _executor.cache_clear()
                    self._executor = _executor(*self._arguments)

    def result(self, future: Future[bytes]) -> bytes:
        """What a call that is done has returned, pickled. Raises what it raised, and `WorkerLostError`."""
        try:
            return future.result()
        except _LOST as error:
            raise WorkerLostError.of(str(error)) from None

    def end(self, running: object = ()) -> None:
        """End what runs now, the `running` futures among it. The next call starts processes anew."""
        # loky's thread fails if the workers are killed while a call waits for it to pass the call on.
        while self._last is not None and not (self._last.running() or self._last.done()):
            time.sleep(0.001)
        self._executor.shutdown(kill_workers=True)


@lru_cache(maxsize=1)
def _executor(count: int, parent: int, environment: tuple[tuple[str, str], ...]) -> loky.ProcessPoolExecutor:
    """The processes of the last run. loky's reusable executor would also be that of `joblib.Parallel` in a user's code,
    which cannot work with ours."""
    return loky.ProcessPoolExecutor(
        count, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(parent,), env=dict(environment)
    )


@contextmanager
def _starting() -> Iterator[None]:
    """Have the processes that the block starts hear no signal of their terminal, however early. Keep the current folder
    off the path of those that are Python's, loky's helpers too, and what the helpers warn of."""
    with _lock:
        before = {name: os.environ.get(name) for name in _HELPERS}
        os.environ.update(_HELPERS)
        # Starting the first worker would start this process of Python's too, which unblocks SIGINT when it is done.
        resource_tracker.ensure_running()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, FROM_TERMINAL)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
            for name, value in before.items():
                os.environ.pop(name)
                os.environ |= {} if value is None else {name: value}


def _settle(parent: int) -> None:
    """Make this process a good worker."""
    stopping.is_worker = True
    # loky has made its own way to start processes the usual one, which those that a strategy starts do not know.
    multiprocessing.set_start_method(None, force=True)
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
