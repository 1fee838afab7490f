"""Worker processes of this machine, from loky's executor: how they start, and how they ended."""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess
from typing import Any

from joblib.externals import loky

from wordpl.base import stopping
from wordpl.base.system import FROM_TERMINAL
from wordpl.base.workers.calls import Call, Packer, WorkerLostError, run_packed

_IDLE_SECONDS = 300.0
_MARK = "WORDPL_WORKER"
_HELPERS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore"}
_THREADS = [f"{name}_NUM_THREADS" for name in ("WORDPL", "NUMBA", "OMP", "OPENBLAS", "MKL")]

_lock = threading.Lock()
"""The environment is one for all threads."""


class LocalWorkers:
    """Worker processes of this machine. Those of an earlier run are used again."""

    batch_seconds = 0.5

    def __init__(self, count: int) -> None:
        self.n_jobs, self.ended = count, False
        self._packer, self._seen = Packer(), set[BaseProcess]()
        # What loky says of a worker that it replaces is of no use to whoever runs this.
        warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")
        environment = {name: os.environ.get(name, "1") for name in _THREADS}
        environment |= {_MARK: "1", "PYTHONSAFEPATH": "1", "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "")}
        with _starting():
            self._executor = loky.get_reusable_executor(
                count, timeout=_IDLE_SECONDS, initializer=_settle, initargs=(os.getpid(),), env=environment
            )
        self._last: Future[bytes] | None = None

    def submit(self, call: Call) -> Future[bytes]:
        try:
            return self.submit_packed(*self._packer.pack(call))
        except BrokenProcessPool:  # a worker has ended since the last result
            raise WorkerLostError.of(self.ending()) from None

    def submit_packed(self, call: bytes, parts: list[bytes]) -> Future[bytes]:
        """Have a worker run a call. Starts the workers at the first one."""
        with _starting():
            future: Future[bytes] = self._executor.submit(run_packed, call, parts)
            self._last = future
        children = multiprocessing.active_children()
        self._seen |= {child for child in children if _MARK in (getattr(child, "env", None) or ())}
        return future

    def result(self, future: Future[bytes], call: Call) -> Any:
        try:
            return pickle.loads(future.result())  # noqa: S301 - of our own worker
        except BrokenProcessPool:  # which call it was is unknown
            raise WorkerLostError.of(self.ending()) from None

    def end(self) -> None:
        self.ended = True
        # loky's thread fails if the workers are killed while a call waits for it to pass the call on.
        while self._last is not None and not (self._last.running() or self._last.done()):
            time.sleep(0.001)
        self._executor.shutdown(kill_workers=True)

    def ending(self) -> int | None:
        """How the first worker ended that has broken the executor: its exit code, less than 0 for a signal."""
        self.end()
        codes = sorted({child.exitcode for child in self._seen if child.exitcode})
        others = [code for code in codes if code != -signal.SIGKILL]  # loky kills the rest of them
        return next(iter(others + codes), None)


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
