"""How a run is asked to stop. One Ctrl-C ends it, but not in the middle of its bookkeeping.

Ctrl-C reaches every process of a terminal. Workers are started with SIGINT blocked, so that only this process reacts.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType

from wordpl.base.system import ENDINGS

_AGAIN_SECONDS = 0.05
is_worker = False
"""Whether this process is a worker, which may be ended without harm to the one that collects the results."""


class Stop:
    """A signal handler. The first signal raises `KeyboardInterrupt`, unless a block holds it; later ones do nothing."""

    def __init__(self) -> None:
        self.signum: int | None = None
        """The signal that asked for the end."""
        self._held = self._raised = False

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        self.signum = self.signum or signum
        self._raise_if_due()

    @contextmanager
    def held(self, hold: bool = True) -> Iterator[None]:
        """Raise after the block, not inside it. With `hold` false, raise inside it even if an outer block holds."""
        before, self._held = self._held, hold
        try:
            self._raise_if_due()
            yield
        finally:
            self._held = before
        self._raise_if_due()

    def _raise_if_due(self) -> None:
        if self.signum is not None and not self._held and not self._raised:
            self._raised = True
            raise KeyboardInterrupt

    def swallowed(self, error: sys.UnraisableHookArgs) -> bool:
        """Whether `error` is our interruption, dropped because native code called back. It is raised again later."""
        if not self._raised or self.signum is None or not issubclass(error.exc_type, KeyboardInterrupt):
            return False
        self._raised = False
        held, self._held = self._held, True  # while the thread starts: it would be lost in here
        threading.Thread(target=self._signal_again, args=(self.signum,), daemon=True).start()
        self._held = held
        return True

    def _signal_again(self, signum: int) -> None:
        time.sleep(_AGAIN_SECONDS)
        while not self._raised:
            os.kill(os.getpid(), signum)
            time.sleep(_AGAIN_SECONDS)


@contextmanager
def stoppable(*, signals: Collection[signal.Signals] = (signal.SIGINT,)) -> Iterator[Stop]:
    """Let signals stop the run in the block, as `Stop` says. Within another such block, the outer one decides.

    Only the main thread hears signals; in another one the block runs to its end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Stop()
        return
    outer = next((handler for signum in ENDINGS if isinstance(handler := signal.getsignal(signum), Stop)), None)
    if outer is not None:
        yield outer
        return
    stop, show, before = Stop(), sys.unraisablehook, {}
    try:
        sys.unraisablehook = lambda error: None if stop.swallowed(error) else show(error)
        # One that is ignored stays so: a shell starts what runs in the background without Ctrl-C.
        signums = [signum for signum in signals if signal.getsignal(signum) is not signal.SIG_IGN]
        before = {signum: signal.signal(signum, stop) for signum in signums}
        yield stop
    finally:
        stop._raised = True  # nothing any more
        for signum, handler in before.items():
            signal.signal(signum, handler)
        sys.unraisablehook = show


_mask = threading.local()


def _hold_signals() -> None:
    """A signal that reaches a forked process before Python has set it up would be lost."""
    _mask.before = signal.pthread_sigmask(signal.SIG_BLOCK, ENDINGS)


def _release_signals() -> None:
    signal.pthread_sigmask(signal.SIG_SETMASK, _mask.before)


def _settle_child() -> None:
    """Let signals end a process that a strategy forks, as a pool ends its own."""
    for signum in ENDINGS:
        if isinstance(signal.getsignal(signum), Stop):
            signal.signal(signum, signal.SIG_DFL)
    _release_signals()


os.register_at_fork(before=_hold_signals, after_in_parent=_release_signals, after_in_child=_settle_child)
