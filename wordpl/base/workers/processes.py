"""Worker processes of this machine, from loky's executor: how they start, how they are stopped, how they ended."""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import signal
import threading
import time
import warnings
from collections.abc import Iterator
from concurrent.futures import Future
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from multiprocessing.process import BaseProcess

from joblib.externals import loky

from wordpl.base.system import FROM_TERMINAL
from wordpl.base.workers import stopping
from wordpl.base.workers.calls import run_packed
from wordpl.base.workers.stopping import CUT

_PR_SET_PDEATHSIG = 1
_IDLE_SECONDS = 300.0
_MARK = "WORDPL_WORKER"
_HELPERS = {"PYTHONSAFEPATH": "1", "PYTHONWARNINGS": "ignore"}
_THREADS = [f"{name}_NUM_THREADS" for name in ("WORDPL", "NUMBA", "OMP", "OPENBLAS", "MKL")]

_lock = threading.Lock()
"""The environment is one for all threads."""


class Processes:
    """The worker processes of this process. Those of an earlier run are used again."""

    def __init__(self, count: int) -> None:
        # What loky says of a worker that it replaces is of no use to whoever runs this.
        warnings.filterwarnings("ignore", module=r"joblib\.externals\.loky")
        environment = {name: os.environ.get(name, "1") for name in _THREADS}
        environment |= {_MARK: "1", "PYTHONSAFEPATH": "1", "PYTHONWARNINGS": os.environ.get("PYTHONWARNINGS", "")}
        with _starting():
            self._executor = loky.get_reusable_executor(
                count,
                timeout=_IDLE_SECONDS,
                initializer=_settle,
                initargs=(os.getpid(),),
                env=environment,
            )
        self._seen: set[BaseProcess] = set()
        self._last: Future[bytes] | None = None

    def submit(self, call: bytes, parts: list[bytes]) -> Future[bytes]:
        """Have a worker run a call. Starts the workers at the first one."""
        with _starting():
            future: Future[bytes] = self._executor.submit(run_packed, call, parts)
            self._last = future
        self._seen |= set(_children())
        return future

    def cut(self) -> None:
        """End the games that are being played; the workers return what is finished of their batches."""
        for child in _children() if CUT else ():
            with suppress(ProcessLookupError):
                os.kill(child.pid or 0, CUT)

    def end(self) -> None:
        """End the workers now."""
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


def _children() -> list[BaseProcess]:
    """The workers of this process."""
    return [child for child in multiprocessing.active_children() if _MARK in (getattr(child, "env", None) or ())]


@contextmanager
def _starting() -> Iterator[None]:
    """Have the processes that the block starts hear no signal of their terminal, however early, and none to cut. Keep
    the current folder off the path of those that are Python's, loky's helpers too, and what the helpers warn of."""
    with _lock:
        before = {name: os.environ.get(name) for name in _HELPERS}
        os.environ.update(_HELPERS)
        # Starting the first worker would start this process of Python's too, which unblocks SIGINT when it is done.
        resource_tracker.ensure_running()
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, [*FROM_TERMINAL, *([CUT] if CUT else [])])
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
    if CUT:
        signal.signal(CUT, lambda *_: None)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [CUT])
    threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process as soon as the thread that started it ends, however it ends (Linux).

    `parent` is the process of that thread; if it has ended already, so does this one.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)
