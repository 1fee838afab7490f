"""Prints of strategies: they go to stderr, so that stdout holds results and nothing else."""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

_lock = threading.Lock()
_open: list[Any] = []
"""The true stdout, once for each block that is open, in any thread."""


@contextmanager
def prints_to_stderr() -> Iterator[None]:
    """Send what is printed meanwhile, in any thread, to stderr."""
    with _lock:
        _open.append(_open[0] if _open else sys.stdout)
        sys.stdout = sys.stderr
    try:
        yield
    finally:
        with _lock:
            stdout = _open.pop()
            if not _open:
                sys.stdout = stdout
