"""What strategies print goes to stderr, so that stdout holds results and nothing else."""

from __future__ import annotations

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

MOST_PRINTED = 1 << 16
"""Characters that the strategies of one process may print in all; what goes beyond is dropped, with a note."""

_lock = threading.Lock()
_left = MOST_PRINTED
_depth = 0
_stdout: TextIO | None = None


def print_for_strategy(text: str) -> None:
    """Write to stderr what a strategy has printed, as long as that is not too much."""
    global _left
    with _lock:
        shown, left = text[:_left], _left
        _left -= len(shown)
    if not left:
        return
    if len(shown) < len(text):
        shown += f"\nwordpl: the strategy prints more than {MOST_PRINTED} characters; the rest is dropped\n"
    with suppress(OSError, ValueError):  # nobody may be listening
        sys.stderr.write(shown)
        sys.stderr.flush()


class _ToStderr(io.TextIOBase):
    """Stands for stdout while a strategy plays."""

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        print_for_strategy(text)
        return len(text)


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send what is printed meanwhile, in any thread, to stderr."""
    global _depth, _stdout
    with _lock:
        if not _depth:
            _stdout, sys.stdout = sys.stdout, _ToStderr()
        _depth += 1
    try:
        yield
    finally:
        with _lock:
            _depth -= 1
            if not _depth and _stdout is not None:
                sys.stdout, _stdout = _stdout, None
