"""What a strategy needs of the contest's own repository, when it lies in a checkout of it.

A strategy may know the contest's `valid.txt` by line numbers, and import modules that lie beside it. Sources are
searched as text, never parsed: they may be a stranger's.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from pathlib import Path

from wordpl.errors import WordplError
from wordpl.model.words import WordList
from wordpl.storage.files import StrPath

VARIABLE = "WORDPL_CONTEST_FILES"
LISTS = ("valid.txt", "answers.txt")
_LARGEST = 1 << 20
_MOST_FILES = 1000
_MODULE = re.compile(rb"\bstrategies\.(\w+)")
_FROM = re.compile(rb"^[ \t]*from[ \t]+(?:strategies|\.)[ \t]+import[ \t]+(\([^)]*\)|[^\n]*)", re.MULTILINE)
_RELATIVE = re.compile(rb"^[ \t]*from[ \t]+\.(\w+)", re.MULTILINE)
_READS_VALID = re.compile(rb"""valid\.txt["']""")

Reader = Callable[[Path], bytes]
"""Reads a plain file, of at most some size; raises `WordplError`."""


def find_checkout(file: Path, named: StrPath | None = None) -> Path | None:
    """The checkout that a strategy file belongs to; None if there is none.

    That is the folder `named`, or the one in the variable WORDPL_CONTEST_FILES, or the file's own folder or the one
    above it, if the contest's two word lists are there. Raises `WordplError` if they are not where a name says.
    """
    given = os.fspath(named) if named is not None else os.environ.get(VARIABLE, "")
    if given:
        if not _has_lists(Path(given)):
            raise WordplError(f"{given!r} is not a checkout of the contest; a folder with {' and '.join(LISTS)} is")
        return Path(given)
    return next((folder for folder in (file.parent, file.parent / "..") if _has_lists(folder)), None)


def read_companions(checkout: Path, main: str, sources: Mapping[str, bytes], read: Reader) -> dict[str, bytes]:
    """Relative path -> content of the files in a checkout that `sources` use, directly or not.

    These are modules of `strategies` by their names, and small files by theirs, in the checkout itself or its folder
    `strategies`. `main` is the file that holds the strategy, which is no companion of its own.
    """
    offered = _offered(checkout)
    found: dict[str, bytes] = {}
    waiting = list(sources.values())
    while waiting:
        source = waiting.pop()
        modules = {f"strategies/{name.decode('ascii', 'replace')}.py" for name in _modules(source)}
        for name in sorted(offered - found.keys()):
            data = not name.endswith(".py") and _mentions(source, Path(name).name)
            own = name in (main, f"strategies/{main}") or name.removeprefix("strategies/") in sources
            if not own and (data or name in modules):
                found[name] = read(checkout / name)
                if name.endswith(".py"):
                    waiting.append(found[name])
    return dict(sorted(found.items()))


def reads_valid(files: Mapping[str, bytes]) -> bool:
    """Whether any of these sources names `valid.txt` in quotes: then its moves may depend on the order of the words."""
    return any(_READS_VALID.search(content) for name, content in files.items() if name.endswith(".py"))


def check_lists(companions: Mapping[str, bytes], place: str, words: WordList) -> None:
    """Raise `WordplError` unless the lists among the companions have the words of `words`, in whatever order."""
    for name, expected in zip(LISTS, (words.guesses, words.answers), strict=True):
        if name in companions:
            there = set(companions[name].decode("utf-8", "replace").split())
            differ = len(there ^ set(expected))
            if differ:
                raise WordplError(
                    f"{name} of {place} is another list than {words.name}: {differ:,} words are in one of the two only"
                )


def _has_lists(folder: Path) -> bool:
    return all((folder / name).is_file() for name in LISTS)


def _offered(checkout: Path) -> set[str]:
    found = set()
    for prefix in ("", "strategies/"):
        try:
            with os.scandir(checkout / prefix) as entries:
                for i, entry in enumerate(entries):
                    plain = (
                        entry.is_file(follow_symlinks=False) and entry.stat(follow_symlinks=False).st_size <= _LARGEST
                    )
                    if plain and i < _MOST_FILES:
                        found.add(f"{prefix}{entry.name}")
        except OSError:
            continue
    return found


def _modules(source: bytes) -> set[bytes]:
    found = set(_MODULE.findall(source)) | set(_RELATIVE.findall(source))
    for names in _FROM.findall(source):
        found |= set(re.findall(rb"\w+", names))
    return found


def _mentions(source: bytes, name: str) -> bool:
    """Whether a source has the name at the end of a text in quotes."""
    written = os.fsencode(name)
    return written + b'"' in source or written + b"'" in source
