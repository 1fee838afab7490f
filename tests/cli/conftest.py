"""Running the command line in this process, as its entry point does."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pexpect
import pytest
import typer.main

from wordpl.cli import main


@dataclass(frozen=True)
class Run:
    """What a command did."""

    code: int
    out: str
    err: str


Cli = Callable[..., Run]


def interrupt(child: pexpect.spawn[str]) -> None:
    """End a command in a terminal by Ctrl-C, as it should end."""
    # One that arrives between the prompt and the read is kept by Python until the next key, so it is pressed again.
    child.sendcontrol("c")
    while child.expect([pexpect.EOF, pexpect.TIMEOUT], timeout=2):
        child.sendcontrol("c")
    child.close()
    assert "Traceback" not in (child.before or "")
    assert child.exitstatus == 130


@pytest.fixture(scope="session", autouse=True)
def commands_made_once() -> Iterator[None]:
    """typer makes all commands anew whenever the command line runs, which a process does once and the tests often."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(typer.main, "get_command", functools.cache(typer.main.get_command))
        yield


@pytest.fixture
def cli(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Cli:
    """Runs `wordpl` with these arguments in an empty temporary directory."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str) -> Run:
        monkeypatch.setattr(sys, "argv", ["wordpl", *arguments])
        capsys.readouterr()
        with pytest.raises(SystemExit) as stop:
            main()
        shown = capsys.readouterr()
        return Run(int(stop.value.code or 0), shown.out, shown.err)

    return run
