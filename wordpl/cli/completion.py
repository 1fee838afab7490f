"""What a shell completes. Nothing here may wait for numpy: a person has pressed Tab."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from pathlib import Path

COMPLETING = "_WORDPL_COMPLETE"
"""The variable by which a shell's script asks for completions (typer's convention)."""


def one_of(names: Sequence[str]) -> Callable[[str], list[str]]:
    """A completer that offers `names`."""

    def offered(incomplete: str) -> list[str]:
        return [name for name in names if name.startswith(incomplete)]

    return offered


def strategy_names(incomplete: str) -> list[str]:
    """The strategies of the library that begin so; read from their files, as importing them takes a second."""
    from wordpl import library

    files = sorted(file for folder in library.__path__ for file in Path(folder).glob("*.py"))
    return sorted(name for file in files for name in _strategies(file) if name.startswith(incomplete))


def _strategies(file: Path) -> list[str]:
    """The public classes of a file that are built upon others: those are strategies, as the tests hold."""
    tree = ast.parse(file.read_text("utf-8"))
    return [node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.bases and node.name[0] != "_"]
