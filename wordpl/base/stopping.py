"""Stopping a run by a signal, but not in the middle of its bookkeeping."""

from __future__ import annotations

import signal
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from types import FrameType

FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""The signals that a terminal sends to all its processes: of Ctrl-C, and of its own end."""
ENDINGS = (*FROM_TERMINAL, signal.SIGTERM)
"""The signals that ask a command to end."""


class Stop:
    """A signal handler that raises `KeyboardInterrupt`: at once, or after the block that holds it."""

    def __init__(self) -> None:
        self.signum: int | None = None
        """The first signal that asked for the end."""
        self._held = self._due = False

    def __call__(self, signum: int, frame: FrameType | None) -> None:
        self.signum, self._due = self.signum or signum, True
        self._raise_if_due()

    @contextmanager
    def held(self) -> Iterator[None]:
        """Raise after the block, not inside it."""
        self._held = True
        try:
            yield
        finally:
            self._held = False
        self._raise_if_due()

    def _raise_if_due(self) -> None:
        if self._due and not self._held:
            self._due = False
            raise KeyboardInterrupt


@contextmanager
def stoppable(*, signals: Collection[signal.Signals] = (signal.SIGINT,)) -> Iterator[Stop]:
    """Let signals stop the run in the block. Within another such block, the outer one decides.

    Only the main thread hears signals; in another one the block runs to its end.
    """
    if threading.current_thread() is not threading.main_thread():
        yield Stop()
        return
    outer = next((handler for signum in ENDINGS if isinstance(handler := signal.getsignal(signum), Stop)), None)
    if outer is not None:
        yield outer
        return
    # One that is ignored stays so: a shell starts what runs in the background without Ctrl-C.
    heard = [signum for signum in signals if signal.getsignal(signum) is not signal.SIG_IGN]
    stop = Stop()
    before = {signum: signal.signal(signum, stop) for signum in heard}
    try:
        yield stop
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
