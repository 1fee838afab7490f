"""Faults outside of the program, each told in one line: a full disk, a damaged file, a signal."""

from __future__ import annotations

import signal
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import typer

from wordpl.base.stopping import stoppable


def explanation(error: Exception) -> str | None:
    """The line about an error of the machine or of a file; None for any other, which is a defect of ours."""
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    if isinstance(error, sqlite3.Error):
        return f"a database cannot be used: {error}"
    if not isinstance(error, OSError):
        return None
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


@contextmanager
def stopping(resume: Callable[[], str] | None = None) -> Iterator[None]:
    """End the command with a line if a signal or a lost worker stops the block.

    Its exit code is 128 plus the signal (130 after Ctrl-C), or 1 for a lost worker.
    `resume` tells what was kept, and how to go on. Without it nothing was kept.
    """
    from wordpl.base.errors import WorkerLostError

    with stoppable() as came:
        try:
            yield
            return
        except KeyboardInterrupt:
            message, code = "stopped", 128 + (came[0] if came else signal.SIGINT)
        except WorkerLostError as error:
            message, code = str(error), 1
        if resume is not None:
            message += f"; {resume()}"
    if came:
        # More signals must not interrupt the clearing up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    typer.echo(f"wordpl: {message}", err=True)
    raise typer.Exit(code)
