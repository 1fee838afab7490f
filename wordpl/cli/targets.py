"""The kinds of files that commands write. The ending of a name tells the kind, before a command does anything."""

from __future__ import annotations

import importlib.util
import os
from collections.abc import Sequence
from pathlib import Path
from typing import TypeAlias

from wordpl.base.errors import MissingExtraError, WordplError
from wordpl.reporting.tables import CSV, LATEX, MARKDOWN, TABLE
from wordpl.simulation.exports import WRITERS

Kind: TypeAlias = tuple[str, ...]
"""A kind of files that a command writes, by the endings of their names."""
RESULTS = (".sqlite", ".sqlite3", ".db")
GAMES = tuple(WRITERS)
FORMATS = {".csv": CSV, ".md": MARKDOWN, ".tex": LATEX, ".json": "json", ".txt": TABLE}
"""The format of the table in a file, by its ending."""
TABLES = tuple(FORMATS)
PICTURE = (".png", ".svg", ".pdf", ".eps", ".jpg", ".tif", ".webp")
PAGE = (".html", ".htm")
TREE = (".json", ".tree", ".txt")
MODULE = (".py",)


def check_target(target: Path, kinds: Sequence[Kind]) -> None:
    """Raise `WordplError` unless `target` is a name of one of the kinds, in a place where a file can be written."""
    kind = next((kind for kind in kinds if target.suffix.lower() in kind), None)
    if kind is None:
        raise WordplError(f"cannot write {target}: a name that ends in {endings(kinds)} is expected")
    place = target if target.exists() else next(folder for folder in target.absolute().parents if folder.exists())
    if not os.access(place, os.W_OK) or place.is_file() != target.exists():
        raise WordplError(f"cannot write {target}: {place} cannot be written")
    if kind == PICTURE and importlib.util.find_spec("matplotlib") is None:
        raise MissingExtraError("plots need", "plots")


def endings(kinds: Sequence[Kind]) -> str:
    """The endings of names of these kinds, as help lists them."""
    *others, last = dict.fromkeys(ending for kind in kinds for ending in kind)
    return f"{', '.join(others)} or {last}" if others else last
