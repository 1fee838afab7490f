"""What is said on stderr: errors, notes and, if asked, details; all but the errors through the logger `wordpl`."""

from __future__ import annotations

import logging
import time
import warnings
from contextlib import suppress
from typing import Annotated, TextIO

import typer

from wordpl.errors import WordplError

NOTES = logging.getLogger("wordpl")
"""Notes for whoever waits are INFO; what only `--verbose` shows is DEBUG."""

Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print results and errors only: no progress, no notes.")]
Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="Also say on stderr what is done meanwhile, and when.")]
_LONGEST_WORD, _LONGEST_LINE = 300, 2000


class _Stderr(logging.Handler):
    """Says each record on one line of stderr, as it is at that time: a progress bar may stand in its place."""

    def __init__(self) -> None:
        super().__init__()
        self._begun = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if record.levelno == logging.INFO:
            tell(message, "")
        elif record.levelno > logging.INFO:
            tell(message)
        else:
            tell(f"[{time.monotonic() - self._begun:.2f} s] {message}")


def begin() -> None:
    """Show notes and warnings on stderr, until `end`."""
    end()
    NOTES.addHandler(_Stderr())
    NOTES.setLevel(logging.INFO)
    warnings.showwarning = _show_warning


def end() -> None:
    """Leave the logger as a library leaves it: whoever imports it decides what is shown."""
    for handler in [handler for handler in NOTES.handlers if isinstance(handler, _Stderr)]:
        NOTES.removeHandler(handler)
    NOTES.setLevel(logging.NOTSET)


def choose(quiet: bool, verbose: bool) -> None:
    """Show less, or more. Raises `WordplError` for both at once."""
    if quiet and verbose:
        raise WordplError("--quiet and --verbose exclude each other; give one of them")
    NOTES.setLevel(logging.ERROR if quiet else logging.DEBUG if verbose else logging.INFO)


def tell(message: str, prefix: str = "wordpl: ") -> None:
    """One line on stderr, whatever was typed: nothing in it moves the cursor, and it has an end."""
    words = (word if len(word) <= _LONGEST_WORD else f"{word[:80]}...{word[-40:]}" for word in message.split())
    line = "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in " ".join(words))
    with suppress(OSError):
        typer.echo(f"{prefix}{line if len(line) <= _LONGEST_LINE else line[:_LONGEST_LINE] + '...'}", err=True)


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    NOTES.warning("warning: %s", message)
