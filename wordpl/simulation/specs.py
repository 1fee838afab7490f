"""Strategies by name or file: from what a user types to a strategy.

`Name(parameter=value, ...)` is one of the library's (`wordpl.play.specs`). `FILE.py:Name(...)`, `FILE.py` and a folder
are the user's own. A class of such a file that is a `wordpl.Strategy` plays in this process, where its win rate can be
exact; for that the file is run here. All others play in a process of their own, as in the contest, and nothing of a
file that does not import wordpl is run here.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.base.files import StrPath
from wordpl.play.specs import StrategySpec, parse_named_spec, read_source, strategies_of_file
from wordpl.play.strategy import Strategy

if TYPE_CHECKING:
    from wordpl.contest.run.file_strategy import FileSpec


def parse_strategy(text: str, contest_files: StrPath | None = None) -> Strategy:
    """Return the strategy that a spec such as `Greedy(epsilon=10)` or `my_strategy.py:Mine()` stands for.

    `contest_files` is a checkout of the contest's repository, for a file that uses what is in it; a file that lies in
    one, in its folder `strategies` for example, needs no other.

    Raises `WordplError` for text that is not a spec, a file that cannot be read, an unknown strategy or parameter (with
    the nearest valid one), a missing parameter, and a value that the strategy refuses.

    >>> parse_strategy("TwoGuess(17.9)")
    TwoGuess(epsilon=17.9)
    """
    return parse_spec(text, contest_files).build()


def parse_spec(text: str, contest_files: StrPath | None = None) -> StrategySpec | FileSpec:
    """Return a parsed spec, which may lack parameters until it is built.

    Raises `WordplError` as `parse_strategy` does, except for missing parameters and refused values.
    """
    path, call = _split(text)
    if not path:
        return parse_named_spec(text)
    source = read_source(Path(path)) if path.endswith(".py") else b""  # a mistake costs no more than it must
    from wordpl.contest.entrant.declarations import Declaration, read_declarations
    from wordpl.contest.run.file_strategy import only_strategy, parse_file_spec

    if not path.endswith(".py"):
        return parse_file_spec(path, call, contest_files)
    declarations = read_declarations(source, path)
    packages = {module.partition(".")[0] for module in declarations.modules}
    # The contest's package of that name is not here, in this process.
    if "wordpl" not in packages or "strategies" in packages:
        return parse_file_spec(path, call, contest_files)
    kinds = strategies_of_file(Path(path))
    strategies = {name: declarations.strategies.get(name, Declaration(None)) for name in kinds}
    if not call or not kinds:
        call = only_strategy(path, strategies)
    kind = kinds.get(call.partition("(")[0].strip())
    if kind is not None and not issubclass(kind, Strategy):
        return parse_file_spec(path, call, contest_files)
    return parse_named_spec(call, kinds, Path(path).name)


def moved_spec(text: str, old: str, new: str) -> str:
    """Return a spec that means in the folder `new` what `text` means in the folder `old`."""
    path, call = _split(text, old)
    if not path:
        return text
    return ":".join(part for part in (moved_path(path, old, new), call) if part)


def moved_path(path: str, old: str, new: str) -> str:
    """Return the path in the folder `new` of what has the path `path` in the folder `old`; an absolute one stays."""
    if Path(path).is_absolute():
        return path
    return os.path.relpath(os.path.join(old, path), new)  # noqa: PTH118 - of text, as typed


def _split(text: str, folder: str = ".") -> tuple[str, str]:
    """The path of a file or folder ("" for neither), and the call after it ("" for none)."""
    text = text.strip()
    if file := re.fullmatch(r"(.*?\.(?:py|ipynb))(?::(.*))?", text, re.DOTALL):
        return file[1], file[2] or ""
    place, _, call = text.partition(":")
    # Unlike a Path, it says no to a name that no file can have.
    if "(" not in place and os.path.isfile(os.path.join(folder, place, "strategy.py")):  # noqa: PTH113, PTH118
        return place, call
    return "", ""
