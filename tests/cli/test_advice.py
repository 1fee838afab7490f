"""Each command that the program advises is one: in a message, a help text, a docstring, a template and the page."""

import ast
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.support.commands import ALL, LEAVES, ROOT, fault


def flags(command: Any) -> set[str]:
    return {"--help", "-h", *(flag for param in command.params for flag in (*param.opts, *param.secondary_opts))}


FLAGS = {"--version"}.union(*map(flags, LEAVES.values()))
# The examples in cli/index.py are run whole, by test_help_examples.py.
SOURCES = [
    path
    for path in sorted((ROOT / "wordpl").rglob("*"))
    if path.suffix in (".py", ".txt", ".js", ".html") and "data" not in path.parts and path.name != "index.py"
]
_WORD = r"--?[a-z][\w-]*|[A-Z]+\b|\d+|\"[^\"]+\"|[\w/]+\.\w+"
ADVICE = re.compile(rf"wordpl(?: --?[a-z][\w-]*|(?: [a-z][\w-]*)+)(?: (?:{_WORD}))*")
"""`wordpl` with words, and the options, placeholders, numbers and files behind them."""
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
NO_COMMANDS = {
    "again", "and", "can", "import", "is", "itself", "made", "need", "never", "proof", "reads", "that", "writes",
}  # fmt: skip
"""What follows the name of the program where it is a subject, or a file's first line."""
FOREIGN = {"--force-reinstall", "--user", "--scope"}
"""Options of pip and systemd-run."""


def texts(path: Path) -> Iterator[str]:
    """The texts of a file: of Python its string literals, with an X for each value that is put in."""
    if path.suffix != ".py":
        yield path.read_text("utf-8")
        return
    waiting: list[ast.AST] = [ast.parse(path.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value
        else:
            waiting += ast.iter_child_nodes(node)


def command_of(advice: str) -> tuple[str, ...]:
    """The command that is meant; empty if none is."""
    words = tuple(shlex.split(advice)[1:3])
    return next((path for path in (words, words[:1]) if path in ALL), ())


def mistake(advice: str) -> str | None:
    """What is wrong with a command that is advised."""
    path = command_of(advice)
    if not path:
        return None if advice.split()[1] in NO_COMMANDS | FLAGS else "no command"
    rest = shlex.split(advice)[1 + len(path) :]
    # After the command, a lower-case word goes on with the sentence.
    end = next((at for at, word in enumerate(rest) if re.fullmatch(r"[a-z]+", word)), len(rest))
    return fault(shlex.join(["wordpl", *path, *rest[:end]]), whole=False)


def test_a_command_or_an_option_that_is_advised_is_one():
    found = {path: [*texts(path)] for path in SOURCES}
    advised = {match[0] for said in found.values() for text in said for match in ADVICE.finditer(text)}
    assert len(advised) > 50
    assert {advice: said for advice in sorted(advised) if (said := mistake(advice))} == {}
    python = [path for path in SOURCES if path.suffix == ".py" and path.name not in ("sandbox.py", "permissions.py")]
    assert {flag for path in python for text in found[path] for flag in FLAG.findall(text)} - FLAGS <= FOREIGN
