"""Faults outside of the program, each told in one line: a full disk, a closed stream, a damaged file, a signal."""

from __future__ import annotations

import codecs
import errno
import io
import os
import signal
import sqlite3
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TextIO

import typer

from wordpl.base.errors import WordplError, one_line
from wordpl.base.sqlite import is_outside_fault
from wordpl.base.system import ENDINGS
from wordpl.cli.logs import tell

_DEFECTS = {None, errno.EBADF, errno.EFAULT, errno.EINVAL, errno.ENOTTY, errno.ESPIPE, errno.ECHILD, errno.ESRCH}
"""Errors of the operating system that only a defect of the program causes."""

_IN_ASCII = {
    **{"∞": "inf", "…": "...", "×": "x", "≤": "<=", "≥": ">=", "–": "-", "—": "-", "−": "-", "→": "->", "ε": "epsilon"},
    **{"🟩": "c", "🟨": "i", "⬛": ".", "⬜": "."},
}
_STDOUT = "stdout"


class _Stdout(io.FileIO):
    """Standard output, whose errors name it."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            raise OSError(error.errno, error.strerror, _STDOUT) from None


class _Stderr(io.FileIO):
    """Standard error, which drops what cannot be written: a terminal may be closed during a run."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            return len(data)


def make_streams_usable() -> None:
    """Open each standard stream that is closed, or the next file would get its number. Replace characters that a stream
    cannot show.

    A closed stdin reads as empty, a closed stderr drops what is written, and writing to a closed stdout is an error.
    """
    codecs.register_error("wordpl", _nearest_ascii)
    for number, name, flags in ((0, "stdin", os.O_RDONLY), (1, "stdout", os.O_RDONLY), (2, "stderr", os.O_WRONLY)):
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, flags)
            os.dup2(descriptor, number)
            if descriptor != number:
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, "w" if number else "r", encoding="utf-8", closefd=False))
    for name, kind in (("stdout", _Stdout), ("stderr", _Stderr)):
        stream = getattr(sys, name)
        if getattr(sys, f"__{name}__") in (stream, None):
            binary = io.BufferedWriter(kind(stream.fileno(), "w", closefd=False))
            setattr(sys, name, io.TextIOWrapper(binary, stream.encoding, line_buffering=stream.line_buffering))
    for stream, errors in ((sys.stdin, "replace"), (sys.stdout, "wordpl"), (sys.stderr, "wordpl")):
        if isinstance(stream, io.TextIOWrapper):
            with suppress(io.UnsupportedOperation):  # what has been read from already stays as it is
                stream.reconfigure(errors=errors)


def let_go(stream: TextIO) -> None:
    """Flush a stream now, since Python complains at exit if it cannot."""
    try:
        stream.flush()
    except (OSError, ValueError):
        abandon(stream)


def abandon(stream: TextIO) -> None:
    """Discard what a stream has not written yet."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def explanation(error: Exception) -> str | None:
    """The line about an error that comes from outside of the program; None for a defect of ours."""
    if isinstance(error, MemoryError):
        return f"out of memory: {error}" if str(error) else "out of memory"
    if isinstance(error, sqlite3.Error):
        return f"a database cannot be used: {error}" if is_outside_fault(error) else None
    if isinstance(error, RuntimeError) and "can't start new thread" in str(error):
        return "no more threads can be started; raise the limit that ulimit -u shows"
    if not isinstance(error, OSError):
        return None
    if error.filename == _STDOUT:
        return f"cannot write to stdout: {'it is closed' if error.errno == errno.EBADF else error.strerror}"
    if error.errno in _DEFECTS:
        return None
    return f"{error.filename}: {error.strerror}" if error.filename is not None else error.strerror


@contextmanager
def stopping(resume: Callable[[], str] | None = None) -> Iterator[None]:
    """End the command with a line if a signal or a lost worker stops the block.

    Its exit code is 128 plus the signal (130 after Ctrl-C), or 1 for a lost worker.
    `resume` tells what was kept, and how to go on. Without it nothing was kept.
    """
    from wordpl.base.stopping import stoppable
    from wordpl.base.workers.processes import WorkerLostError

    with stoppable(signals=ENDINGS) as stop:
        try:
            yield
            return
        except KeyboardInterrupt:
            message, code = "stopped", 128 + (stop.signum or signal.SIGINT)
        except WorkerLostError as error:
            message, code = str(error), 1
        if resume is not None:
            message += f"; {resume()}"
    if stop.signum is not None:
        # More signals must not interrupt the clearing up.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
    typer.echo(f"wordpl: {message}", err=True)
    raise typer.Exit(code)


def _nearest_ascii(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return "".join(_IN_ASCII.get(character, "?") for character in error.object[error.start : error.end]), error.end


# The environment

_FROM_0 = ("NUMBA_DEBUG", "NUMBA_DISABLE_JIT", "NUMBA_OPT")
_FROM_1 = ("LOKY_MAX_CPU_COUNT", "LOKY_MAX_DEPTH", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "OMP_NUM_THREADS")
_WHOLE_NUMBERS = dict.fromkeys(_FROM_0, 0) | dict.fromkeys((*_FROM_1, "OPENBLAS_NUM_THREADS", "WORDPL_NUM_THREADS"), 1)
"""Name -> smallest value."""
_LEAST_MEMORY = 1 << 30
"""Bytes of addresses, of which most are never touched."""
_START_METHODS = ("fork", "forkserver", "loky", "loky_init_main", "spawn")


def check_environment() -> None:
    """Warn of a cache that cannot be written. Raises `WordplError` for a variable whose value a library cannot use."""
    for name, minimum in _WHOLE_NUMBERS.items():
        # OMP_NUM_THREADS takes a number for each level of nesting.
        for text in os.environ.get(name, "").split(","):
            if text and not (text.strip().isdecimal() and int(text.strip()[:20]) >= minimum):
                raise _refused(name, f"a whole number from {minimum} up")
    if os.environ.get("JOBLIB_START_METHOD", "loky") not in ("", *_START_METHODS):
        raise _refused("JOBLIB_START_METHOD", f"one of {', '.join(_START_METHODS)}")
    # Pictures go to files, so the user's backend does not matter.
    os.environ["MPLBACKEND"] = "agg"
    if os.environ.get("WORDPL_CACHE") and not can_be_written(Path(os.environ["WORDPL_CACHE"])):
        tell(f"warning: the cache {_shown('WORDPL_CACHE')} cannot be written; its content is made anew in each run")


def check_memory() -> None:
    """Raise `WordplError` if this process may use too little memory to load the libraries: OpenBLAS would then wait for
    ever, and LLVM would end the process."""
    try:
        import resource
    except ImportError:  # on Windows nobody sets such a limit
        return
    most, _ = resource.getrlimit(resource.RLIMIT_AS)
    if most != resource.RLIM_INFINITY and most < _LEAST_MEMORY:
        least = _LEAST_MEMORY >> 20
        raise WordplError(f"this process may use {most >> 20} MiB of virtual memory (ulimit -v); it needs {least} MiB")


def can_be_written(folder: Path) -> bool:
    place = folder.absolute()
    while not os.path.lexists(place):
        place = place.parent
    return place.is_dir() and os.access(place, os.W_OK | os.X_OK)


def _refused(name: str, allowed: str) -> WordplError:
    return WordplError(f"the environment variable {_shown(name)} is not allowed; {allowed} is expected")


def _shown(name: str) -> str:
    return f"{name}={one_line(os.environ[name], 60)}"
