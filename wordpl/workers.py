"""Worker processes, and how a run with them is stopped or comes to grief.

Ctrl-C reaches every process of a terminal, so workers are started with SIGINT blocked: it is this process that decides.
The workers of a run that has been asked to stop notice a file between two pieces of work.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import re
import secrets
import signal
import sys
import tempfile
import threading
import time
import warnings
from collections.abc import Callable, Collection, Generator, Iterable, Iterator
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from pathlib import Path
from types import FrameType
from typing import Any

import joblib
from joblib.externals.loky.backend.process import LokyProcess

from wordpl.errors import WordplError

# Workers that have not noticed a stop by then are killed. They notice it within a second, but for native code.
_GRACE_SECONDS = 5.0
_AGAIN_SECONDS = 0.05
_PR_SET_PDEATHSIG = 1


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""


class Stop:
    """Whether a run is to end. As a signal handler: the first signal asks for the end, the second raises.

    `tell` is called at the first signal. With `at_once` the first signal raises `KeyboardInterrupt`. Once it has been
    raised, further signals do nothing, so that they do not disturb the clearing up.
    """

    def __init__(self, tell: Callable[[], None] | None = None, *, at_once: bool = False) -> None:
        self._tell, self._at_once = tell, at_once
        self._raised = self._held = self._due = False
        self._timer: threading.Timer | None = None
        self.signum: int | None = None
        """The signal that asked for the end."""
        self.ending = False
        """Whether no more work is to begin."""
        self.file = _unused_file()
        """The path of a file that exists once no more work is to begin; None if no file can be made."""

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        if self._raised:
            return
        if self._at_once or self.signum is not None:
            self.signum = self.signum or signum
            self._due = True
            self._raise_if_due()
            return
        self.signum = signum
        self.end()
        self._send(_GRACE_SECONDS, signum)
        if self._tell is not None:
            self._tell()

    def _send(self, seconds: float, signum: int) -> None:
        """Send the signal to this process later."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(seconds, os.kill, (os.getpid(), signum))
        self._timer.daemon = True
        self._timer.start()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raise after the block instead of inside it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._raise_if_due()

    def _raise_if_due(self) -> None:
        if self._due and not self._held:
            self._raised, self._due = True, False
            raise KeyboardInterrupt

    def swallowed(self, error: sys.UnraisableHookArgs) -> bool:
        """Whether `error` is the interruption, which came where Python can raise nothing; then it comes once more.

        So do those that come while native code, such as numba's compiler, calls back.
        """
        if not self._raised or self.signum is None or not issubclass(error.exc_type, KeyboardInterrupt):
            return False
        self._raised = False
        self._send(_AGAIN_SECONDS, self.signum)  # at once, it would come in here
        return True

    def end(self) -> None:
        """Have no more work begin, here or in a worker."""
        self.ending = True
        if self.file is not None:
            with suppress(OSError):  # then the workers finish what they have
                self.file.touch(0o600)

    def close(self) -> None:
        """Remove what this has made."""
        self._raised = True
        if self._timer is not None:
            self._timer.cancel()
        if self.file is not None:
            with suppress(OSError):
                self.file.unlink()


def _unused_file() -> Path | None:
    try:
        return Path(tempfile.gettempdir()) / f"wordpl-stop-{os.getpid()}-{secrets.token_hex(8)}"
    except OSError:  # no directory that can be written
        return None


_current: Stop | None = None


@contextmanager
def stoppable(
    tell: Callable[[], None] | None = None,
    *,
    signals: Collection[signal.Signals] = (signal.SIGINT,),
    at_once: bool = False,
) -> Iterator[Stop]:
    """Let signals stop the run in the block, as `Stop` says. Within another such block, the outer one decides.

    Only the main thread hears signals; in another one the block runs to its end.
    """
    global _current
    main = threading.current_thread() is threading.main_thread()
    if main and _current is not None:
        yield _current
        return
    stop = Stop(tell, at_once=at_once)
    before = {}
    show = sys.unraisablehook
    try:
        if main:
            _current = stop
            sys.unraisablehook = lambda error: None if stop.swallowed(error) else show(error)
            # One that is ignored stays so: a shell starts what runs in the background without Ctrl-C.
            heard = [signum for signum in signals if signal.getsignal(signum) is not signal.SIG_IGN]
            before = {signum: signal.signal(signum, stop) for signum in heard}
        yield stop
    finally:
        stop.close()
        for signum, handler in before.items():
            signal.signal(signum, handler)
        if main:
            sys.unraisablehook = show
            _current = None


@contextmanager
def make_pool(jobs: int, **options: Any) -> Iterator[joblib.Parallel]:
    """A pool of joblib's, of the backend that `joblib.parallel_config` sets. Raises `WordplError` for one that cannot.

    Errors of the block that say that a worker is gone become `WorkerLostError`.
    """
    if jobs == 0:
        raise WordplError("jobs 0 is not allowed; a number of workers is expected, or -1 for one per core")
    try:
        pool = joblib.Parallel(n_jobs=jobs, **options)
    except ValueError:
        raise WordplError(
            "the backend that joblib is set to does not return results as they come; loky, threading and dask do"
        ) from None
    try:
        with pool:
            yield pool
    except BrokenProcessPool as error:
        raise WorkerLostError(_how_lost(str(error))) from None


def _how_lost(text: str) -> str:
    """What became of a worker, by loky's message about it."""
    ends = dict.fromkeys(re.findall(r"\b(SIG[A-Z]+|EXIT\(\d+\))", text))
    said = f"a worker process ended ({', '.join(ends) or 'how is unknown'})"
    if "SIGKILL" in ends:
        return f"{said}, probably because memory ran out; fewer workers (--jobs) need less"
    if ends.keys() & {"SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"}:
        return f"{said}: native code crashed, perhaps code that a strategy uses"
    return said


def start(pool: joblib.Parallel, stop: Stop, calls: Iterable[Any]) -> Generator[Any]:
    """The results of `calls` (`joblib.delayed`), from workers that hear no Ctrl-C, however early it comes.

    They inherit the mask of the thread that starts them. What stops this process waits until they are started, for a
    worker that is half started would be forgotten.
    """
    if pool.n_jobs != 1:
        # Starting the first worker would start this process of Python's too, which unblocks SIGINT when it is done.
        resource_tracker.ensure_running()
    results = None
    try:
        with stop.held():
            blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
            try:
                results = pool((_in_worker, (os.getpid(), *call), {}) for call in calls)
            finally:
                signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        yield from results
    except BaseException:
        if pool.n_jobs != 1:
            _kill_workers()
        raise
    finally:
        if results is not None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # that results are left unused
                results.close()


def _kill_workers() -> None:
    """End the workers of a run that is given up. joblib would, too, but it first takes away what a new worker reads."""
    for child in multiprocessing.active_children():
        if isinstance(child, LokyProcess) and child.pid is not None:
            with suppress(ProcessLookupError):
                os.kill(child.pid, signal.SIGKILL)


def run_in_order(jobs: int, calls: Iterable[Any]) -> Iterator[Any]:
    """The results of `calls` (`joblib.delayed`) in their order, from `jobs` processes; 1 is this one.

    Raises `WorkerLostError` if a worker is lost.
    """
    yield from _run(jobs, calls, "generator")


def run_unordered(jobs: int, calls: Iterable[Any]) -> Iterator[Any]:
    """Run calls (`joblib.delayed`) in `jobs` processes, and give each result as soon as it is there; 1 is this process.

    One Ctrl-C ends the run at once, with `KeyboardInterrupt`. Raises `WorkerLostError` if a worker is lost.
    """
    yield from _run(jobs, calls, "generator_unordered")


def _run(jobs: int, calls: Iterable[Any], return_as: str) -> Iterator[Any]:
    with stoppable(at_once=True) as stop, make_pool(jobs, batch_size=1, return_as=return_as) as pool:
        yield from start(pool, stop, calls)


def _in_worker(parent: int, function: Callable[..., Any], arguments: tuple[Any, ...], named: dict[str, Any]) -> Any:
    if os.getpid() != parent:
        settle_as_worker(parent)
    return function(*arguments, **named)


def die_with_parent(parent: int) -> None:
    """Have the kernel kill this process as soon as the thread that started it ends, however it ends (Linux).

    `parent` is the process of that thread; if it has ended already, so does this one.
    """
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
    if os.getppid() != parent:
        os._exit(1)


_settled = False


def settle_as_worker(parent: int) -> None:
    """Make this process, which is not the one that collects the results, a good worker."""
    global _settled
    if _settled:
        return
    _settled = True
    # A pool that was there before may have started this worker without the mask.
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    # Workers and threads must not multiply.
    os.environ.setdefault("WORDPL_NUM_THREADS", "1")
    # A worker of loky's is a child of the process that collects, unless that has died by now. One of dask's never is.
    if os.getppid() == parent or isinstance(multiprocessing.current_process(), LokyProcess):
        threading.Thread(target=_end_with, args=(parent,), daemon=True).start()


def _end_with(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1.0)
    os._exit(1)
