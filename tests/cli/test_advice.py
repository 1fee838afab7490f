"""Each command that the program advises is one: in a message, a help text, a docstring, a template and the page."""

import ast
import json
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.support.commands import ALL, LEAVES, ROOT, fault
from tests.support.forked import run
from wordpl.contest import limits, sandbox
from wordpl.reporting import tables


def flags(command: Any) -> set[str]:
    return {"--help", "-h", *(flag for param in command.params for flag in (*param.opts, *param.secondary_opts))}


FLAGS = {"--version"}.union(*map(flags, LEAVES.values()))
# The lines of cli/examples.py are run whole, by test_help_examples.py.
SOURCES = [
    path
    for path in sorted((ROOT / "wordpl").rglob("*"))
    if path.suffix in (".py", ".txt", ".js", ".html") and "data" not in path.parts and path.name != "examples.py"
]
_WORD = r"--?[a-z][\w-]*|[A-Z]+\b|\d+|\"[^\"]+\"|[\w/]+\.\w+"
ADVICE = re.compile(rf"wordpl(?: --?[a-z][\w-]*|(?: [a-z][\w-]*)+)(?: (?:{_WORD}))*")
"""`wordpl` with words, and the options, placeholders, numbers and files behind them."""
FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]+")
NO_COMMANDS = {"again", "and", "can", "import", "is", "itself", "need", "never", "proof", "reads", "that"}
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


TEXTS = {path: [*texts(path)] for path in SOURCES}
FOUND = sorted({match[0] for found in TEXTS.values() for text in found for match in ADVICE.finditer(text)})
"""What may be advice."""


def command_of(advice: str) -> tuple[str, ...]:
    """The command that is meant; empty if none is."""
    words = tuple(shlex.split(advice)[1:3])
    return next((path for path in (words, words[:1]) if path in ALL), ())


@pytest.mark.parametrize("advice", FOUND)
def test_a_command_that_is_advised_is_one_and_takes_its_options(advice):
    path = command_of(advice)
    if not path:
        assert advice.split()[1] in NO_COMMANDS | FLAGS
        return
    rest = shlex.split(advice)[1 + len(path) :]
    # After the command, a lower-case word goes on with the sentence.
    end = next((at for at, word in enumerate(rest) if re.fullmatch(r"[a-z]+", word)), len(rest))
    assert fault(shlex.join(["wordpl", *path, *rest[:end]]), whole=False) is None


@pytest.mark.parametrize("path", LEAVES, ids=" ".join)
def test_help_names_options_of_its_own_command(path):
    said = [LEAVES[path].help, *(param.help for param in LEAVES[path].params)]
    assert {flag for text in said for flag in FLAG.findall(text or "")} <= flags(LEAVES[path])


def test_a_message_names_options_that_there_are():
    said = {
        flag
        for path in SOURCES
        if path.suffix == ".py" and path.name != "sandbox.py"
        for text in TEXTS[path]
        for flag in FLAG.findall(text)
    }
    assert said - FLAGS <= FOREIGN


# What `wordpl doctor` advises


@pytest.fixture
def mends(cli, monkeypatch, tmp_path) -> set[str]:
    """What it says where everything that can be missing is."""
    version = metadata.version

    def lacking(name: str) -> str:
        if name in ("numpy", "matplotlib", "pandas", "wordfreq", "distributed", "uvicorn"):
            raise metadata.PackageNotFoundError(name)
        return version(name)

    monkeypatch.setattr(metadata, "version", lacking)
    monkeypatch.setattr(tables, "can_show_frames", lambda: False)
    (tmp_path / "file").touch()
    monkeypatch.setenv("WORDPL_CACHE", str(tmp_path / "file"))
    monkeypatch.setattr(limits, "memory_version", lambda: 0)
    found = set()
    for reason, there in (("", True), ("no /proc", True), ("no user namespaces", True), ("no bubblewrap", False)):
        if reason:
            monkeypatch.setattr(sandbox, "find", mock.Mock(side_effect=sandbox.NoSandboxError(reason)))
        monkeypatch.setattr(shutil, "which", lambda name, there=there: name if there else None)
        found |= {entry["mend"] for entry in json.loads(cli("doctor", "--json").out) if entry["mend"]}
    return found


@pytest.mark.heavy
def test_what_doctor_advises_is_a_command_for_the_shell(mends, monkeypatch, tmp_path):
    monkeypatch.undo()
    seen = set()
    for mend in mends:
        words = shlex.split(mend, comments=True)
        program = words[words[0] == "sudo"]
        seen.add(program)
        subprocess.run(["bash", "-n", "-c", mend], check=True)
        if program == sys.executable:
            assert words[1:4] == ["-m", "pip", "install"]
            extra = re.fullmatch(r"\.(?:\[(\w+)\])?", words[-1])
            assert extra and (extra[1] is None or extra[1] in metadata.metadata("wordpl").get_all("Provides-Extra", []))
        elif program == "export":
            name, value = words[1].split("=")
            env = {name: value.replace("$HOME", str(tmp_path))}
            done = run("doctor", "--json", env=env, check=True)
            fine = {entry["name"] for entry in json.loads(done.stdout) if entry["ok"]}
            assert ("cache" if "CACHE" in name else "terminal") in fine
    assert seen == {"apt-get", "export", "mount", "sysctl", "systemd-run", sys.executable}
