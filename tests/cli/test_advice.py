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
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.JoinedStr):
            yield "".join(str(part.value) if isinstance(part, ast.Constant) else "X" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def mistake(advice: str) -> str | None:
    """What is wrong with a command that is advised."""
    words = shlex.split(advice)[1:]
    at = next((n for n in (2, 1) if tuple(words[:n]) in ALL), 0)
    if not at:
        return None if words[0] in NO_COMMANDS | FLAGS else "no command"
    # After the command, a lower-case word goes on with the sentence.
    end = next((n for n in range(at, len(words)) if re.fullmatch(r"[a-z]+", words[n])), len(words))
    return fault(shlex.join(["wordpl", *words[:end]]), whole=False)


def test_a_command_or_an_option_that_is_advised_is_one():
    found = {path: [*texts(path)] for path in SOURCES}
    advised = {match[0] for said in found.values() for text in said for match in ADVICE.finditer(text)}
    assert len(advised) > 50
    assert {advice: said for advice in sorted(advised) if (said := mistake(advice))} == {}
    python = [path for path in SOURCES if path.suffix == ".py" and path.name not in ("sandbox.py", "permissions.py")]
    assert {flag for path in python for text in found[path] for flag in FLAG.findall(text)} - FLAGS <= FOREIGN
