"""What goes wrong outside of the program, on one line: a full disk, a closed stream, a damaged file."""

from __future__ import annotations

import codecs
import errno
import io
import os
import sqlite3
import sys
from contextlib import suppress
from typing import Any, TextIO

from wordpl.storage.sqlite import is_outside_fault

_OUTSIDE = {
    number
    for name in (
        *("EACCES", "EAGAIN", "EBUSY", "EDQUOT", "EEXIST", "EFBIG", "EIO", "EISDIR", "ELOOP", "EMFILE", "EMLINK"),
        *("ENAMETOOLONG", "ENFILE", "ENODEV", "ENOENT", "ENOLCK", "ENOMEM", "ENOSPC", "ENOTDIR", "ENOTEMPTY", "ENXIO"),
        *("EPERM", "EROFS", "ESTALE", "ETIMEDOUT", "ETXTBSY", "EXDEV"),
    )
    if (number := getattr(errno, name, None)) is not None
}
"""Errors of the operating system that no mistake in the program makes, or seldom."""

_IN_ASCII = {
    **{"∞": "inf", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "–": "-", "—": "-", "−": "-", "→": "->", "ε": "epsilon"},
    **{"🟩": "c", "🟨": "i", "⬛": ".", "⬜": "."},
}


_STDOUT = "stdout"


class _Stdout(io.FileIO):
    """Standard output, whose errors say that they are its own."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, _STDOUT) from None


def make_streams_usable() -> None:
    """Open each standard stream that is closed, and let none fail at a character that it cannot show.

    Whatever is opened next would otherwise get the number of the closed stream. A closed stdin reads as empty, what
    goes to a closed stderr is lost, and writing to a closed stdout is an error.
    """
    codecs.register_error("wordpl", _nearest_ascii)
    for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            opened = os.open(os.devnull, flags)
            os.dup2(opened, number)
            if opened != number:
                os.close(opened)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    if sys.stdout is sys.__stdout__ or sys.__stdout__ is None:
        binary = io.BufferedWriter(_Stdout(sys.stdout.fileno(), "w", closefd=False))
        sys.stdout = io.TextIOWrapper(binary, sys.stdout.encoding, line_buffering=sys.stdout.isatty())
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "wordpl"), (sys.stderr, "wordpl")):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            with suppress(io.UnsupportedOperation):  # what has been read from already stays as it is
                reconfigure(errors=errors)


def let_go(stream: TextIO) -> None:
    """Keep Python from complaining at exit about a stream that cannot be written to."""
    try:
        stream.flush()
    except (OSError, ValueError):
        abandon(stream)


def abandon(stream: TextIO) -> None:
    """Send what is still to be written to a stream to nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def explanation(error: Exception) -> str | None:
    """What an error says that comes from outside of the program; None for one that is a defect of ours."""
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    if isinstance(error, sqlite3.Error):
        return f"a database cannot be used: {error}" if is_outside_fault(error) else None
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "no more threads can be started; see ulimit -u"
    if not isinstance(error, OSError):
        return None
    if error.filename == _STDOUT:
        return f"cannot write to stdout: {'it is closed' if error.errno == errno.EBADF else error.strerror}"
    if error.errno not in _OUTSIDE:
        return None
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


def _nearest_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_IN_ASCII.get(character, "?") for character in error.object[error.start : error.end]), error.end
