"""Signals that ask a command to end."""

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

FROM_TERMINAL = (signal.SIGINT, signal.SIGHUP)
"""The signals that a terminal sends to all its processes: of Ctrl-C, and of its own end."""
ENDINGS = (*FROM_TERMINAL, signal.SIGTERM)


@contextmanager
def stoppable() -> Iterator[list[int]]:
    """Let each of `ENDINGS` raise `KeyboardInterrupt` in the block, which gets the list of those that came.

    One that is ignored stays so: a shell starts what runs in the background without Ctrl-C.
    """
    came: list[int] = []

    def stop(signum: int, frame: FrameType | None) -> None:
        came.append(signum)
        raise KeyboardInterrupt

    heard = [signum for signum in ENDINGS if signal.getsignal(signum) is not signal.SIG_IGN]
    before = {signum: signal.signal(signum, stop) for signum in heard}
    try:
        yield came
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)
