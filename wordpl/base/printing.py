"""Prints of strategies: they go to stderr, so that stdout holds results and nothing else, or are kept to be shown."""

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from typing import Any

MOST_KEPT = 2048
"""Bytes kept of the prints of one move: the first ones."""

_lock = threading.Lock()
_open: list[Any] = []
"""The true stdout, once for each block that sends prints to stderr."""


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


class Kept(io.BytesIO):
    """Keeps the first bytes that are written."""

    lost = 0

    def write(self, data: Any, /) -> int:
        content = bytes(data)
        room = MOST_KEPT - self.tell()
        super().write(content[:room])
        self.lost += max(0, len(content) - room)
        return len(content)

    def text(self) -> str:
        """The text that was kept, fit to be shown."""
        return printable(self.getvalue().decode("utf-8", "replace"), self.lost)


def printable(text: str, lost: int = 0) -> str:
    """Return text that moves no cursor, and says how many bytes of it are not there."""
    lines = text.expandtabs().strip("\r\n").splitlines()
    lines = ["".join(letter if letter.isprintable() else "?" for letter in line) for line in lines]
    return "\n".join([*lines, f"({lost} more bytes)"] if lost else lines)


@contextmanager
def prints_kept() -> Iterator[Kept]:
    """Keep what is printed in the block, in place of showing it."""
    sink = Kept()
    stream = io.TextIOWrapper(sink, encoding="utf-8", errors="backslashreplace", write_through=True)
    with redirect_stdout(stream), redirect_stderr(stream):
        yield sink
    stream.detach()
