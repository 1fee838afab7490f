"""What strategies print: it goes to stderr, so that stdout holds results and nothing else, or is kept to be shown."""

import io
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout, suppress
from typing import Any, TextIO

MOST_PRINTED = 1 << 16
"""Characters that the strategies of one process may print in all; what goes beyond is dropped, with a note."""
MOST_KEPT = 2048
"""Bytes kept of what a strategy prints in one move: the first ones."""

_lock = threading.Lock()
_left = MOST_PRINTED
_depth = 0
_stdout: TextIO | None = None


def print_for_strategy(text: str) -> None:
    """Write to stderr what a strategy has printed, as long as that is not too much."""
    global _left
    with _lock:
        head, left = text[:_left], _left
        _left -= len(head)
    if not left:
        return
    if len(head) < len(text):
        head += f"\nwordpl: the strategy prints more than {MOST_PRINTED} characters; the rest is dropped\n"
    with suppress(OSError, ValueError):  # nobody may be listening
        sys.stderr.write(head)
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
        """What was kept, fit to be shown."""
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
