"""What commands write to stderr: errors, and through the logger `wordpl` notes and, if asked for, details."""

from __future__ import annotations

import logging
import time
import warnings
from typing import Annotated

import typer
from typer import Option

from wordpl.base.displays import printable
from wordpl.base.errors import WordplError

NOTES = logging.getLogger("wordpl")
"""Notes are INFO; what only `--verbose` shows is DEBUG."""
_OTHERS = logging.lastResort or logging.NullHandler()
"""Shows what other libraries log. Their warnings are for programmers."""

Quiet = Annotated[bool, Option("--quiet", "-q", help="Print results and errors only: no progress, no notes.")]
Verbose = Annotated[bool, Option("--verbose", "-v", help="Show each step and its time on stderr.")]
_LONGEST_WORD, _LONGEST_LINE = 300, 2000


class _NotesHandler(logging.Handler):
    """Writes each record as one line to `sys.stderr`, which a progress bar replaces for a time."""

    def __init__(self) -> None:
        super().__init__()
        self._start = time.monotonic()

    def emit(self, record: logging.LogRecord) -> None:
        time_since = f"[{time.monotonic() - self._start:.2f} s] " if record.levelno < logging.INFO else ""
        tell(time_since + record.getMessage(), "" if record.levelno == logging.INFO else "wordpl: ")


def begin() -> None:
    """Show notes and warnings on stderr, until `end`."""
    end()
    NOTES.addHandler(_NotesHandler())
    NOTES.setLevel(logging.INFO)
    _OTHERS.setLevel(logging.ERROR)
    # Python warns of odd code in a spec, and we refuse it with a message of our own.
    warnings.simplefilter("ignore", SyntaxWarning)
    warnings.showwarning = lambda message, *where, **more: NOTES.warning("warning: %s", message)


def end() -> None:
    """Leave the logger as a library should: its importer decides what is shown."""
    NOTES.handlers = [handler for handler in NOTES.handlers if not isinstance(handler, _NotesHandler)]
    NOTES.setLevel(logging.NOTSET)
    _OTHERS.setLevel(logging.WARNING)


def choose(quiet: bool, verbose: bool) -> None:
    """Show less, or more. Raises `WordplError` for both at once."""
    if quiet and verbose:
        raise WordplError("use either --quiet or --verbose")
    NOTES.setLevel(logging.ERROR if quiet else logging.DEBUG if verbose else logging.INFO)


def tell(message: str, prefix: str = "wordpl: ", longest: int = _LONGEST_LINE) -> None:
    """Write one printable line to stderr. One of more than `longest` characters loses its middle, not its end, which
    says what is allowed."""
    words = (word if len(word) <= _LONGEST_WORD else f"{word[:80]}...{word[-40:]}" for word in message.split())
    line = printable(" ".join(words))
    if len(line) > longest:
        line = f"{line[: longest // 2]}...{line[-longest // 2 :]}"
    typer.echo(f"{prefix}{line}", err=True)
