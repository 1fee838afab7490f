"""Checks of `--out`, the same for all commands, before they do anything.

The name must end as the command's files do. An existing file is replaced only if its first bytes are those of such a
file, and never if the same command reads it.

A stream is `-` (standard output), a pipe or a device. It gets the file once that is whole: of the kind that the name of
the stream says, or else of the first kind that help names. If the file goes to stdout, what is printed goes to stderr.
"""

from __future__ import annotations

import importlib.util
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, contextmanager, nullcontext, redirect_stdout, suppress
from dataclasses import dataclass
from io import FileIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import typer

from wordpl.base.errors import MissingExtraError, WordplError
from wordpl.base.files import reason
from wordpl.base.system import NO_WAITING

_HEAD_BYTES = 1024
_STREAMS = {"-": 1, "/dev/stdout": 1, "/dev/stderr": 2}
_TYPED_FILE = re.compile(r"(.+\.py)(?::.*)?", re.DOTALL)
"""The file that a spec names."""


@dataclass(frozen=True)
class Kind:
    """A kind of files that a command writes."""

    name: str
    beginnings: Mapping[str, str]
    """Ending of the name -> how such a file begins, as a regular expression."""
    must_be_new: bool = False
    """Whether no file is replaced, not even one of this kind."""
    needs: tuple[str, str] | None = None
    """A package that writes them, and the extra that installs it."""


_SQLITE, _HTML = r"SQLite format 3\0", "<!DOCTYPE html>"
_JPEG, _POSTSCRIPT, _TIFF = "\xff\xd8\xff", "%!PS", r"II\*\0|MM\0\*"
_TREE = r'# wordpl tree |\S+ [BGY]{3,8}1\s|\{\s*"format": \d+,\s*"rule":|\{\s*"guess":'

RESULTS = Kind("a results file", dict.fromkeys((".sqlite", ".sqlite3", ".db"), _SQLITE))
TRIALS = Kind("a table of trials", {".csv": "id,strategy,", ".json": r"\[", ".parquet": "PAR1"})
BUDGETS = Kind("a table of budgets", {".csv": "win_rate,"})
POINTS = Kind("a table of points", {".csv": "panel,curve,"})
PICTURE = Kind(
    "a picture",
    {
        **{".png": "\x89PNG", ".svg": r"<\?xml|<svg", ".pdf": "%PDF", ".eps": _POSTSCRIPT, ".ps": _POSTSCRIPT},
        **{".jpg": _JPEG, ".jpeg": _JPEG, ".tif": _TIFF, ".tiff": _TIFF, ".webp": "RIFF"},
    },
    needs=("matplotlib", "plots"),
)
PAGE = Kind("a page", {".html": _HTML, ".htm": _HTML})
TREE = Kind("a tree", dict.fromkeys((".json", ".tree", ".txt"), _TREE))
WORDS = Kind("a word list", {".txt": r"[a-z]{5}\n"})
BOARD = Kind("a leaderboard", {".md": "###? ", ".html": _HTML, ".csv": r"name,id,|strategy;p05|\n", ".json": r"\["})
LEDGER_COPY = Kind("a copy of the ledger", {".sqlite": _SQLITE}, must_be_new=True)
MODULE = Kind("a Python module", {".py": ""})
"""Which may be there already is for `export` to say."""


def check_target(target: Path, kinds: Sequence[Kind], sources: Sequence[Path] = ()) -> None:
    """Raise `WordplError` unless a command that reads `sources` may write a file of one of `kinds` to `target`.

    Missing folders are made by the command.
    """
    try:
        kind = _kind_to_write(target, kinds, sources)
    except (OSError, ValueError) as error:
        raise WordplError(f"cannot write {target}: {reason(error)}") from None
    if kind.needs is not None and importlib.util.find_spec(kind.needs[0]) is None:
        raise MissingExtraError(f"{kind.needs[1]} need", kind.needs[1])


@contextmanager
def writable(target: Path, kinds: Sequence[Kind], sources: Sequence[Path]) -> Iterator[Path]:
    """Give the block the file to write for `--out`: `target`, or a temporary one that is then sent to a stream.

    Raises what `check_target` raises, and `WordplError` if more than one file is written for a stream.
    """
    if not _is_stream(target):
        check_target(target, kinds, sources)
        yield target
        return
    endings = [ending for kind in kinds for ending in kind.beginnings]
    ending = target.suffix.lower() if target.suffix.lower() in endings else endings[0]
    with TemporaryDirectory(prefix="wordpl-for-a-stream-") as folder, ExitStack() as stack:
        beside = Path(folder, f"out{ending}")
        check_target(beside, kinds)
        stream = stack.enter_context(_opened(target))
        if stream is sys.stdout.buffer:
            stack.enter_context(redirect_stdout(sys.stderr))
        try:
            yield beside
        except typer.Exit:  # it has told something by its exit code
            _send(beside, target, stream)
            raise
        _send(beside, target, stream)


def sources_of(arguments: Mapping[str, Any]) -> Iterator[Path]:
    """The files that the values of a command's arguments name: paths, and the files of specs."""
    for value in arguments.values():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, Path):
                yield item
            elif isinstance(item, str) and (match := _TYPED_FILE.fullmatch(item)):
                yield Path(match[1])


def _is_stream(target: Path) -> bool:
    with suppress(OSError, ValueError):  # `check_target` refuses a name that no file can have
        return _descriptor(target) is not None or (target.exists() and not target.is_file() and not target.is_dir())
    return False


def _descriptor(target: Path) -> int | None:
    """The number of the open file that a name stands for, if any."""
    if str(target) in _STREAMS:
        return _STREAMS[str(target)]
    is_number = str(target.parent) in ("/dev/fd", "/proc/self/fd") and target.name.isdecimal()
    return int(target.name) if is_number else None


def _opened(target: Path) -> AbstractContextManager[BinaryIO | FileIO]:
    number = _descriptor(target)
    if number == 1:
        return nullcontext(sys.stdout.buffer)
    try:
        # Opening a pipe must not wait for a reader; writing may.
        descriptor = os.open(target, os.O_WRONLY | NO_WAITING) if number is None else os.dup(number)
        os.set_blocking(descriptor, True)
        return FileIO(descriptor, "w")  # without a buffer, which would be left over where writing fails
    except OSError as error:
        raise WordplError(f"cannot write {target}: {reason(error)}") from None


def _send(beside: Path, target: Path, stream: BinaryIO | FileIO) -> None:
    """Send what a command has written to an open stream."""
    others = [path.name for path in beside.parent.iterdir() if path != beside]
    if others:
        raise WordplError(f"{others[0]} cannot go to {target} as well; give --out the name of a file")
    content = memoryview(beside.read_bytes() if beside.exists() else b"")
    try:
        while content:
            content = content[stream.write(content) :]
        stream.flush()
    except OSError as error:
        if not isinstance(stream, FileIO):  # standard output, whose errors say so
            raise
        raise WordplError(f"cannot write {target}: {reason(error)}") from None


def _kind_to_write(target: Path, kinds: Sequence[Kind], sources: Sequence[Path]) -> Kind:
    """The kind of file that the name tells. Raises `ValueError` with what is wrong."""
    exists = target.exists()
    if exists and any(source.exists() and source.samefile(target) for source in sources):
        raise ValueError("this command reads it; name another file")
    if exists and not target.is_file() and not target.is_dir():
        raise ValueError("it is a pipe or a device, not a file")
    suffix = target.suffix.lower()
    kind = next((kind for kind in kinds if suffix in kind.beginnings), None)
    if kind is None:
        *others, last = dict.fromkeys(ending for kind in kinds for ending in kind.beginnings)
        endings = f"{', '.join(others)} or {last}" if others else last
        raise ValueError(f"a name that ends in {endings} is expected")
    folder = Path(os.path.realpath(target)).parent
    while not os.path.lexists(folder):
        folder = folder.parent
    if exists:
        with target.open("rb") as file:
            head = file.read(_HEAD_BYTES).decode("latin-1")
        if kind.must_be_new:
            raise ValueError("it is there already; name another file")
        if head and not re.match(kind.beginnings[suffix], head):
            raise ValueError(f"it is there already, and is not {kind.name}; name another file")
    elif not folder.is_dir():
        raise ValueError(f"{folder} is not a folder")
    if not (os.access(target, os.W_OK) if exists else os.access(folder, os.W_OK | os.X_OK)):
        raise ValueError("Permission denied")
    return kind
