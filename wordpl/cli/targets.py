"""The kinds of files that commands write. The ending of a name tells the kind, before a command does anything."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wordpl.base.errors import MissingExtraError, WordplError
from wordpl.reporting.tables import CSV, LATEX, MARKDOWN, TABLE
from wordpl.simulation.exports import WRITERS


@dataclass(frozen=True)
class Kind:
    """A kind of files that a command writes."""

    endings: tuple[str, ...]
    needs: tuple[str, str] | None = None
    """A package that writes them, and the extra that installs it."""


RESULTS = Kind((".sqlite", ".sqlite3", ".db"))
GAMES = Kind(tuple(WRITERS))
FORMATS = {".csv": CSV, ".md": MARKDOWN, ".tex": LATEX, ".json": "json", ".txt": TABLE}
"""The format of the table in a file, by its ending."""
TABLES = Kind(tuple(FORMATS))
PICTURE = Kind((".png", ".svg", ".pdf", ".eps", ".jpg", ".tif", ".webp"), ("matplotlib", "plots"))
PAGE = Kind((".html", ".htm"))
TREE = Kind((".json", ".tree", ".txt"))
MODULE = Kind((".py",))


def check_target(target: Path, kinds: Sequence[Kind]) -> None:
    """Raise `WordplError` unless `target` is a name of one of the kinds, in a place where a file can be written."""
    kind = next((kind for kind in kinds if target.suffix.lower() in kind.endings), None)
    if kind is None:
        raise WordplError(f"cannot write {target}: a name that ends in {endings(kinds)} is expected")
    place = target if target.exists() else next(folder for folder in target.absolute().parents if folder.exists())
    if not os.access(place, os.W_OK) or place.is_file() != target.exists():
        raise WordplError(f"cannot write {target}: {place} cannot be written")
    if kind.needs is not None and importlib.util.find_spec(kind.needs[0]) is None:
        raise MissingExtraError(f"{kind.needs[1]} need", kind.needs[1])


def endings(kinds: Sequence[Kind]) -> str:
    """The endings of names of these kinds, as help lists them."""
    *others, last = dict.fromkeys(ending for kind in kinds for ending in kind.endings)
    return f"{', '.join(others)} or {last}" if others else last
