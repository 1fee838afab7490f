"""What ends a game that would not end by itself, or not soon enough.

A thread watches the thread that plays and sends it a signal, whose handler raises an exception inside the player's
code. So it works in the main thread only, which plays in a worker process and with one job. A game ends because

- it has thought for too long, in CPU time. Its verdict is TIMEOUT, as if the move had ended, for that is a fact about
  the strategy; or
- it has used no CPU for `still_seconds`. It gets no verdict, for how long a sleep takes is no fact about a strategy.

Only Linux tells a thread the CPU time of another one, so no game is ended elsewhere. Native code does not let a handler
run. If it keeps the interpreter's lock, too, the kernel ends a worker after as many seconds of CPU.
"""

from __future__ import annotations

import math
import signal
import threading
import time
from types import FrameType, TracebackType

from wordpl.base import clock, stopping

_TICK_SECONDS = 0.2
_STILL_SECONDS = 60.0
# Less CPU than this in a tick is none.
_NO_CPU_SECONDS = 2e-4
_ON_LINUX = hasattr(time, "pthread_getcpuclockid")
_SIGNAL = signal.SIGVTALRM if _ON_LINUX else 0


def still_seconds(game_seconds: float) -> float:
    """Seconds without CPU after which a game is given up; infinite if its clock is. Also the CPU seconds of a
    rehearsal, and of native code that does not let go."""
    return max(_STILL_SECONDS, 6.0 * game_seconds)


class CutError(KeyboardInterrupt):
    """Raised inside a player's code to end its game without a verdict. Like Ctrl-C, code rarely catches it."""


class Watchdog:
    """Looks after the calling thread in a `with` block, in which it plays games of one task. A worker process may
    itself be ended."""

    def __init__(self, game_seconds: float) -> None:
        self._game_seconds = game_seconds
        self._main = _ON_LINUX and threading.current_thread() is threading.main_thread()
        self._expendable = self._main and stopping.is_worker and math.isfinite(game_seconds)
        self._player = threading.get_ident()
        self._cpu_clock = time.pthread_getcpuclockid(self._player) if self._main else 0
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._look, daemon=True)
        self._game: float | None = None  # CPU time of the thread when the game began; None between games
        self._still: float | None = None  # the game that waits and waits

    def __enter__(self) -> Watchdog:
        if self._main:
            self._before = signal.signal(_SIGNAL, self._cut)
            self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: object, traceback: TracebackType | None) -> None:
        self.end()
        self._closed.set()
        if self._main:
            self._thread.join()
            signal.signal(_SIGNAL, self._before)
        if self._expendable:
            signal.setitimer(signal.ITIMER_PROF, 0.0)

    def begin(self) -> None:
        """A game begins, which may be cut short."""
        self._game = time.thread_time()
        if self._expendable:
            # Not left to the watching thread: native code may keep the lock from now on.
            signal.setitimer(signal.ITIMER_PROF, still_seconds(self._game_seconds))

    def end(self) -> None:
        """What runs now must not be cut short."""
        self._game = None

    def _look(self) -> None:
        # The game and its CPU time at the last tick, and for how many ticks that has stood.
        seen: tuple[float | None, float] = (None, 0.0)
        ticks = 0
        while not self._closed.wait(_TICK_SECONDS):
            game = self._game
            # Of this process without the watching thread, or of the thread that plays if others work here.
            cpu = time.process_time() - time.thread_time() if self._expendable else time.clock_gettime(self._cpu_clock)
            moved = game is None or game != seen[0] or cpu - seen[1] > _NO_CPU_SECONDS
            ticks = 0 if moved else ticks + 1
            seen = game, cpu
            limit = still_seconds(self._game_seconds)
            if ticks * _TICK_SECONDS > limit:
                self._still = game
            overdue = game is not None and time.clock_gettime(self._cpu_clock) - game > self._game_seconds
            if self._still is not None or overdue:
                signal.pthread_kill(self._player, _SIGNAL)
            if self._expendable:
                # Put off as long as this thread gets to run.
                signal.setitimer(signal.ITIMER_PROF, 0.0 if game is None else limit)

    def _cut(self, signum: int, frame: FrameType | None) -> None:
        if self._game is None or clock.compiling():  # the compiler may not survive an exception from nowhere
            return
        if self._still == self._game:
            raise CutError
        if clock.overrun():
            raise clock.OverrunError
