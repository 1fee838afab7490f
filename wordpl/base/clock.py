"""The clock of a player's thread. It counts CPU time, and stops while numba compiles or loads code.

It does not count wall clock, because what else the machine does must not decide a game. Nor does it count compiling,
because what was compiled before depends on what ran on this machine. numba announces when it takes and frees the lock
that it holds while it compiles or loads (`numba.core.event`).
"""

import logging
import math
import sys
import threading
from collections.abc import Callable
from time import perf_counter, thread_time
from typing import NamedTuple

_LOG = logging.getLogger(__name__)
_WORTH_SAYING = 0.1
"""Seconds in the compiler."""


class Reading(NamedTuple):
    """What the clock of a thread shows, in seconds since some moment in the past."""

    cpu: float
    """CPU time of this thread, and of others as far as they were charged to it (`charge`)."""
    wall: float


class OverrunError(BaseException):
    """The watchdog raises this inside a player's move that has passed its deadline."""


class _Thread(threading.local):
    """What one thread has spent in the compiler, and what others have done for it."""

    holds = 0
    """How many times it holds, or waits for, the compiler's lock."""
    since = Reading(0.0, 0.0)
    compiling = Reading(0.0, 0.0)
    charged = 0.0
    deadline = math.inf


class _Compiling:
    """How long numba has compiled in this process, which it does in one thread at a time, and whom to tell."""

    holds = 0
    since = spent = 0.0
    tell: Callable[[], None] | None = None
    after = 0.0

    def start(self) -> None:
        self.holds += 1
        if self.holds == 1:
            self.since = perf_counter()
        self._tell_if_due()

    def end(self) -> None:
        if not self.holds:  # it had begun before anybody listened
            return
        self._tell_if_due()
        self.holds -= 1
        if not self.holds:
            self.spent += perf_counter() - self.since

    def _tell_if_due(self) -> None:
        if self.tell is not None and self.spent + perf_counter() - self.since >= self.after:
            tell, self.tell = self.tell, None
            tell()


_thread = _Thread()
_compiling = _Compiling()
_watched = False


def read() -> Reading:
    """The clock of the calling thread. Time spent in numba's compiler, or waiting for it, is not on it."""
    if not _watched:
        watch_compiler()
    compiling = _thread.compiling
    return Reading(thread_time() - compiling.cpu + _thread.charged, perf_counter() - compiling.wall)


def charge(seconds: float) -> None:
    """Add CPU time that was used elsewhere for the calling thread's work, such as by the threads of a pool."""
    _thread.charged += seconds


def set_deadline(cpu: float) -> None:
    """Note when the move of the calling thread is overdue, as `read().cpu`; inf between moves."""
    _thread.deadline = cpu


def overrun() -> bool:
    """Whether the calling thread has passed its deadline."""
    return read().cpu > _thread.deadline


def compiling() -> bool:
    """Whether the calling thread is in the compiler, or waits for it."""
    return _thread.holds > 0


def when_compiling(tell: Callable[[], None], after: float = 0.0) -> None:
    """Call `tell` once, when numba has compiled for `after` seconds. Loading compiled code does not count."""
    _compiling.tell, _compiling.after, _compiling.spent = tell, after, 0.0


def watch_compiler() -> None:
    """Have numba tell this clock when it compiles. This does nothing before numba is imported."""
    global _watched
    if _watched or "numba.core.event" not in sys.modules:
        return
    # Waits for the import where another thread is in the middle of it.
    from numba.core import event

    class Listener(event.Listener):
        def on_start(self, event: object) -> None:
            _thread.holds += 1
            if _thread.holds == 1:
                _thread.since = Reading(thread_time(), perf_counter())

        def on_end(self, event: object) -> None:
            if not _thread.holds:  # it had begun before anybody listened
                return
            _thread.holds -= 1
            if not _thread.holds:
                since, spent = _thread.since, _thread.compiling
                cpu, wall = thread_time() - since.cpu, perf_counter() - since.wall
                _thread.compiling = Reading(spent.cpu + cpu, spent.wall + wall)
                if wall > _WORTH_SAYING:
                    _LOG.debug("compiling or loading kernels took %.2f s", wall)

    class Compilation(event.Listener):
        def on_start(self, event: object) -> None:
            _compiling.start()

        def on_end(self, event: object) -> None:
            _compiling.end()

    # Where two threads come here at once, each start and end counts twice, and the sums are the same.
    event.register("numba:compile", Compilation())  # type: ignore[no-untyped-call]
    # This lock is held for compiling and for loading what was compiled before, of which "numba:compile" is not told.
    event.register("numba:compiler_lock", Listener())  # type: ignore[no-untyped-call]
    _watched = True
