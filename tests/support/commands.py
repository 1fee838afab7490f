"""The commands, a terminal for them, and examples in documents."""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from wordpl.cli import app

ROOT = Path(__file__).parents[2]

EXAMPLE = re.search(r"```python\n(.*?)```", (ROOT / "CONTRIBUTING.md").read_text("utf-8"), re.DOTALL)[1]  # type: ignore[index]


def walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name in getattr(command, "commands", ()):
        yield from walk((*path, name), command.get_command(None, name))


ALL = dict(walk((), typer.main.get_command(app)))

LEAVES = {path: command for path, command in ALL.items() if not hasattr(command, "commands")}


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, *languages: str) -> list[tuple[str, str]]:
    """Language and content of the fenced blocks in one of these languages."""
    return [(language, block) for language, block in FENCE.findall(text) if language in languages]
