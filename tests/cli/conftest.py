"""Running the command line in this process, as its entry point does. What it prints as JSON must be as declared."""

import functools
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import pexpect
import pytest
import typer.main

from tests.support.forked import Forked
from wordpl import WordList
from wordpl.cli import main
from wordpl.cli.logs import NOTES

with pytest.MonkeyPatch.context() as _patch:
    # With it jsonschema reads the grammar of addresses, for two seconds, and here no address is checked.
    _patch.setitem(sys.modules, "rfc3987_syntax", None)
    from jsonschema import Draft202012Validator


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Run]


def written(words: WordList, folder: Path = Path()) -> list[str]:
    """The options that name a list, whose files are written to the folder."""
    for name in ("answers", "guesses"):
        Path(folder, f"{name}.txt").write_text("\n".join(getattr(words, name)))
    return ["--answers", "answers.txt", "--guesses", "guesses.txt"]


def interrupt(command: Forked) -> None:
    """End a command in a terminal by Ctrl-C, as it should end."""
    # One that arrives between the prompt and the read is kept by Python until the next key, so it is pressed again.
    command.screen.send("\x03")
    while command.screen.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=10):
        command.screen.send("\x03")
    assert "Traceback" not in (command.screen.before or "")
    assert command.wait() == 130


def refused(cli: Cli, *arguments: str) -> str:
    """The line of a command that is refused: exit code 2, one line, nothing on stdout."""
    run = cli(*arguments)
    assert (run.code, run.out, run.err.count("\n")) == (2, "", 1), run.err
    assert run.err.startswith("wordpl: ") and "Traceback" not in run.err
    return run.err


@functools.cache
def schemas_and_types() -> Any:
    from docs._records import json_schemas  # which takes a second

    return json_schemas()


def validator(name: str) -> Any:
    schemas, types = schemas_and_types()
    return Draft202012Validator({**schemas[name], "$defs": types})


def valid(name: str, text: str) -> Any:
    """The value of a JSON text, which the schema allows; NaN and Infinity are no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    value = json.loads(text, parse_constant=refuse)
    assert not [f"{fault.json_path}: {fault.message}" for fault in validator(name).iter_errors(value)]
    return value


def schema_of(arguments: tuple[str, ...]) -> str:
    """The name of the schema of what a command prints with --json."""
    if "--provenance" in arguments:
        return "results --provenance"
    if "--clues" in arguments:
        return "rank --clues"
    if "--compare" in arguments:
        return "compare"
    if arguments[0] == "score" and "--sandbox" in arguments:
        return "score --sandbox"
    name = " ".join(arguments[:2]) if arguments[0] == "contest" else arguments[0]
    return "tree build, optimal, prove and check" if name == "tree" else name


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """typer makes all commands anew whenever the command line runs, which a process does once and the tests often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Runs `wordpl` with these arguments and variables in an empty temporary directory.

    The variables are those of the command alone, and so are the ones that it sets: pytest reads some of them itself.
    """
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **variables: str) -> Run:
        monkeypatch.setattr(sys, "argv", ["wordpl", *arguments])
        capsys.readouterr()
        level, handlers = NOTES.level, NOTES.handlers
        with (
            mock.patch.dict(os.environ, variables),
            mock.patch.object(warnings, "showwarning"),
            pytest.raises(SystemExit) as stop,
        ):
            main()
        NOTES.level, NOTES.handlers = level, handlers
        shown = capsys.readouterr()
        if "--json" in arguments and shown.out:
            valid(schema_of(arguments), shown.out)
        return Run(int(stop.value.code or 0), shown.out, shown.err)

    return run


@pytest.fixture
def typed(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """Runs `wordpl` with this text on stdin."""

    def run(text: str | bytes, *arguments: str) -> Run:
        raw = text.encode() if isinstance(text, str) else text
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8"))
        return cli(*arguments)

    return run
