"""The commands, and examples in documents."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer
from typer.exceptions import TyperException

from wordpl.base.errors import WordplError
from wordpl.cli import app

ROOT = Path(__file__).parents[2]


def walk(path: tuple[str, ...], command: Any) -> Iterator[tuple[tuple[str, ...], Any]]:
    yield path, command
    for name in getattr(command, "commands", ()):
        yield from walk((*path, name), command.get_command(None, name))


ALL = dict(walk((), typer.main.get_command(app)))

LEAVES = {path: command for path, command in ALL.items() if not hasattr(command, "commands")}

MADE_UP = re.compile(r"\bX\b|[A-Z]{3,}|…|\.\.\.$")
"""Where a text stands for something else, as in `wordpl contest replay NAME`, its value is not looked at."""
ENDS = {"--help", "--version", "--install-completion", "--show-completion"}


def fault(line: str, whole: bool) -> str | None:
    """What is wrong with a command line; None if nothing is. In a sentence it need not be `whole`."""
    if re.search(r"\w\(", re.sub(r"\"[^\"]*\"|'[^']*'", "", line)):
        return f"{line!r}: a shell takes no parentheses without quotes"
    words, path = shlex.split(line, comments=True)[1:], ()
    while words and path not in LEAVES and not (words[0].startswith("-") or MADE_UP.fullmatch(words[0])):
        path = (*path, words.pop(0))
        if path not in ALL:
            return f"{line!r}: there is no command {path[-1]!r}"
    if not (words or whole) or ENDS & {*words} or MADE_UP.fullmatch(" ".join(words)):
        return None
    try:
        if extra := ALL[path].make_context(" ".join(path), words, resilient_parsing=False).args:
            return f"{line!r}: too many arguments: {extra}"
    except (TyperException, WordplError) as error:
        message = error.format_message() if isinstance(error, TyperException) else str(error)
        # What is left out or made up is no fault in a sentence; an option that does not exist is.
        left_out = "Missing " in message or "requires an argument" in message or MADE_UP.search(line)
        if whole or not left_out or "No such option" in message:
            return f"{line!r}: {message}"
    return None


FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(text: str, *languages: str) -> list[tuple[str, str]]:
    """Language and content of the fenced blocks in one of these languages."""
    return [(language, block) for language, block in FENCE.findall(text) if language in languages]
