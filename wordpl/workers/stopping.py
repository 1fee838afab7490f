"""How a run is asked to stop: the first Ctrl-C begins no more work, the second ends it now.

Ctrl-C reaches every process of a terminal, so workers are started with SIGINT blocked: it is this process that decides.
The workers of a run that has been asked to stop notice a file between two pieces of work.
"""

from __future__ import annotations

import os
import secrets
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import FrameType

# Workers that have not noticed a stop by then are killed. They notice it within a second, but for native code.
_GRACE_SECONDS = 5.0
_AGAIN_SECONDS = 0.05


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
        self.file: Path | None = None
        """The path of a file that exists once no more work is to begin; None if no file can be made."""
        with suppress(OSError):  # no directory that can be written
            self.file = Path(tempfile.gettempdir(), f"wordpl-stop-{os.getpid()}-{secrets.token_hex(8)}")

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
        """Whether `error` is the interruption, raised where Python cannot (native code calls back); it comes again."""
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
            signums = [signum for signum in signals if signal.getsignal(signum) is not signal.SIG_IGN]
            before = {signum: signal.signal(signum, stop) for signum in signums}
        yield stop
    finally:
        stop.close()
        for signum, handler in before.items():
            signal.signal(signum, handler)
        if main:
            sys.unraisablehook = show
            _current = None
