"""What commands import: a person waits for no more than the first screen needs."""

import re
import subprocess
import sys

import pytest

import wordpl
from tests.support.ledgers import enter, finish, started

CODE = """
import sys
from wordpl.cli import main
for line in sys.stdin.read().splitlines():
    sys.argv = ["wordpl", *line.split()]
    try:
        main()
    except SystemExit as stop:
        print("\\nended:", stop.code or 0, *sys.modules, flush=True)
"""
LARGE = {"numba", "scipy", "pandas", "joblib", "pydantic"}
SLOW = LARGE | {"numpy"}
SCREEN = {"numba", "pandas", "scipy"}
TABLE = SCREEN | {"numpy.ma"}
SANDBOX = {f"wordpl.contest.{name}" for name in ("contestant", "sandbox")}
COMMANDS = {
    "--version": (SLOW, "0."),
    "--help": (SLOW, "Usage: "),
    "score Grudy(3)": (LARGE, ""),
    "results results.sqlite": (TABLE, "TwoGuess"),
    "solve crate=..c.. --epsilon inf": (TABLE, "answers remain"),
    "explain 13": (SCREEN, "87.07%"),
    "rank crate --epsilon 12.3": ({"numba"}, "6.746"),
    "solve crate=..c.. --epsilon 13": ({"matplotlib"}, "Asking "),  # the advice needs kernels
    "contest board --ledger contest.sqlite": (SANDBOX, "Mine"),
}
"""What is run, one after another in one process -> what none has imported by then, and what it shows. What a command
needs, those after it may have."""


@pytest.mark.heavy
def test_a_command_imports_no_more_than_it_needs(tmp_path, subtests):
    with started(tmp_path / "contest.sqlite") as ledger:
        finish(ledger, enter(ledger))
    with wordpl.Store(tmp_path / "results.sqlite") as store:
        wordpl.evaluate(wordpl.parse_strategy("TwoGuess(18)"), 10, store=store)
    command, lines = [sys.executable, "-c", CODE], "\n".join(COMMANDS)
    done = subprocess.run(command, input=lines, capture_output=True, text=True, cwd=tmp_path)
    ends = re.findall(r"(.*?)\nended: (\d+) ([^\n]*)\n", done.stdout, re.DOTALL)
    for (line, (unwanted, text)), (out, code, loaded) in zip(COMMANDS.items(), ends, strict=True):
        with subtests.test(line):
            assert text in out and code == ("0" if text else "2")
            assert unwanted.isdisjoint(loaded.split())
    assert done.stderr.count("\n") == 1
