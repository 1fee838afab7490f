"""Output of commands on stderr: errors, and through the logger `wordpl` notes and, if asked for, details."""

from __future__ import annotations

import logging
import warnings
from typing import Annotated

import typer
from typer import Option

from wordpl.base.errors import WordplError
from wordpl.base.sanitizing import visible

NOTES = logging.getLogger("wordpl")
"""Notes are INFO; what only `--verbose` shows is DEBUG."""

Quiet = Annotated[bool, Option("--quiet", "-q", help="Print results and errors only: no progress, no notes.")]
Verbose = Annotated[bool, Option("--verbose", "-v", help="Show each step on stderr.")]


class _NotesHandler(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        tell(record.getMessage(), "wordpl: " if record.levelno > logging.INFO else "")


def choose(quiet: bool, verbose: bool) -> None:
    """Show notes and warnings on stderr, less of them, or more. Raises `WordplError` for both at once."""
    if quiet and verbose:
        raise WordplError("use either --quiet or --verbose")
    NOTES.handlers = [_NotesHandler()]
    NOTES.setLevel(logging.ERROR if quiet else logging.DEBUG if verbose else logging.INFO)
    warnings.showwarning = lambda message, *where, **more: NOTES.warning("warning: %s", message)


def tell(message: str, prefix: str = "wordpl: ") -> None:
    """Write one printable line to stderr."""
    typer.echo(f"{prefix}{visible(' '.join(message.split()), None)}", err=True)
