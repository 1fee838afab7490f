"""What a worker process does to be a good one, and what a call that runs in one knows of its run."""

from __future__ import annotations

import ctypes
import functools
import multiprocessing
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from joblib.externals.loky import process_executor
from joblib.externals.loky.backend.process import LokyProcess

from wordpl.system import FROM_TERMINAL

_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class Place:
    """Where a call runs."""

    parent: int
    """The process that started this one as a worker; this one, if it is none."""
    stop_file: Path | None = None
    """Exists once the run is to stop; None if it cannot be told so."""
    worker: str = ""
    """The address of the cluster's worker; empty on the machine of the caller."""


_place: ContextVar[Place | None] = ContextVar("place", default=None)


def place() -> Place:
    """Where the call that runs here runs."""
    return _place.get() or Place(os.getpid())


@contextmanager
def placed(where: Place) -> Iterator[None]:
    """Let `place` return `where` in the block, in a worker that is settled."""
    if os.getpid() != where.parent:
        _settle(where.parent)
    token = _place.set(where)
    try:
        yield
    finally:
        _place.reset(token)


def run_placed(where: Place, function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """The result of a call, which may ask for its `place`."""
    with placed(where):
        return function(*arguments, **keywords)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process as soon as the thread that started it ends, however it ends (Linux).

    `parent` is the process of that thread; if it has ended already, so does this one.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


def exit_code(process: subprocess.Popen[bytes], seconds: float = 5.0) -> int:
    """The exit code of a process, which is killed if it does not end by itself in time."""
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


@functools.cache
def _settle(parent: int) -> None:
    """Make this process, which is not the one that collects the results, a good worker, once."""
    # A pool that was there before may have started this worker without the mask.
    if threading.current_thread() is threading.main_thread():
        for signum in FROM_TERMINAL:
            signal.signal(signum, signal.SIG_IGN)
    # loky measures its workers by psutil, if that is there, which fails where /proc is not.
    process_executor._USE_PSUTIL &= os.path.exists("/proc/self")  # noqa: PTH110
    # Workers and threads must not multiply.
    os.environ.setdefault("WORDPL_NUM_THREADS", "1")
    # A worker of loky's is a child of the process that collects, unless that has died by now. One of dask's never is.
    if os.getppid() == parent or isinstance(multiprocessing.current_process(), LokyProcess):
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    """End this process once its parent has ended."""
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
