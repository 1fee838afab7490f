"""What commands write to. `--out` is checked here, for all commands and before they do anything.

A name must end as the command's files do. A file that is there is replaced only by one of its own kind, which its first
bytes tell, and never if the same command reads it.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from wordpl.errors import MissingExtraError, WordplError
from wordpl.storage.files import reason

_HEAD_BYTES = 1024
_TYPED_FILE = re.compile(r"(.+\.(?:py|toml))(?::.*)?", re.DOTALL)
"""A file that an argument names within a text: a study, or that of a spec."""


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
_TREE_LINES, _JPEG, _POSTSCRIPT, _TIFF = "# wordpl tree ", "\xff\xd8\xff", "%!PS", r"II\*\0|MM\0\*"

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
TREE = Kind("a tree", {".json": r'\{\s*"format": \d+,\s*"rule":', ".tree": _TREE_LINES, ".txt": _TREE_LINES})
WORDS = Kind("a word list", {".txt": r"[a-z]{5}\n"})
BOARD = Kind("a leaderboard", {".md": "###? ", ".html": _HTML, ".csv": r"name,id,|strategy;p05|\n", ".json": r"\["})
LEDGER_COPY = Kind("a copy of the ledger", {".sqlite": _SQLITE}, must_be_new=True)
RECEIPT = Kind("a receipt", {".json": r'\{\s*"wordpl_receipt"'})
UPLOAD = Kind("an upload", {".py": "", ".zip": ""}, must_be_new=True)
MODULE = Kind("a Python module", {".py": ""})
"""Which may be there already is for `export` to say."""


def check_target(target: Path, kinds: Sequence[Kind], sources: Sequence[Path] = ()) -> None:
    """Raise `WordplError` unless a command that reads `sources` may write a file of one of `kinds` to `target`.

    A pipe or a device may have any name: nothing in it is replaced. Missing folders are made by the command.
    """
    try:
        kind = _kind_to_write(target, kinds, sources)
    except (OSError, ValueError) as error:
        raise WordplError(f"cannot write {target}: {reason(error)}") from None
    if kind is not None and kind.needs is not None and importlib.util.find_spec(kind.needs[0]) is None:
        raise MissingExtraError(f"{kind.needs[1]} need", kind.needs[1])


def sources_of(arguments: Mapping[str, Any]) -> Iterator[Path]:
    """The files that the values of a command's arguments name: paths, and the files of specs and studies."""
    for value in arguments.values():
        for item in value if isinstance(value, (list, tuple)) else [value]:
            if isinstance(item, Path):
                yield item
            elif isinstance(item, str) and (match := _TYPED_FILE.fullmatch(item)):
                yield Path(match[1])


def _kind_to_write(target: Path, kinds: Sequence[Kind], sources: Sequence[Path]) -> Kind | None:
    """The kind of file that the name tells; None for a pipe or a device. Raises `ValueError` with what is wrong."""
    exists = target.exists()
    if exists and any(source.exists() and source.samefile(target) for source in sources):
        raise ValueError("this command reads it; name another file")
    if exists and not target.is_file() and not target.is_dir():
        return None
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
