"""What commands import, in processes of their own: a person waits for no more than the first screen needs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import wordpl
from tests.contest.test_ledger import enter, finish
from tests.helpers import Sometimes
from wordpl.contest.ledger.writer import Ledger
from wordpl.simulation.sweep import useful_jobs

CODE = """
import sys
from wordpl.cli import main
sys.argv = ["wordpl", *sys.argv[1:]]
try:
    main()
finally:
    print("loaded:", *sys.modules)
"""
SLOW = {"numpy", "numba", "scipy", "pandas", "joblib", "prompt_toolkit"}
SCREEN = {"numba", "pandas", "matplotlib", "scipy.stats"}
CAGE = {f"wordpl.contest.cage.{name}" for name in ("cgroup", "contestant_process", "payload", "sandbox", "seccomp")}
COMMANDS = {
    "--version": (SLOW | {"pydantic"}, "0."),
    "--help": (SLOW, "Usage: "),
    "entropy crate --epsilon 12.3": ({"numba"}, "6.746"),
    "solve crate=..c.. --epsilon 13": (SCREEN, "Most probable"),
    "solve crate=..c.. --epsilon inf": (SCREEN, "answers remain"),
    "leaderboard --ledger contest.sqlite": (CAGE, "Mine"),
    "COMPLETE wordpl score M": (SLOW, "MaxClueEntropy"),
    "COMPLETE wordpl score X --rule ": (SLOW, "counted"),
}


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_imports_no_more_than_it_needs(command: str, tmp_path: Path) -> None:
    arguments, variables = command.split(), {}
    if command.startswith("COMPLETE "):
        typed = command.removeprefix("COMPLETE ")
        variables = {"_WORDPL_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(typed.count(" "))}
        arguments = []
    if "leaderboard" in arguments:
        with Ledger(tmp_path / "contest.sqlite") as ledger:
            finish(ledger, enter(ledger))
    unwanted, shown = COMMANDS[command]
    done = subprocess.run(
        [sys.executable, "-c", CODE, *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        env=os.environ | variables,
    )
    out, _, loaded = done.stdout.rpartition("loaded: ")
    assert (done.returncode, done.stderr) == (0, "")
    assert shown in out
    assert unwanted.isdisjoint(loaded.split())


MISTAKES = """
score Grudy(3)
score TwoGuess(-1)
score TwoGuess(3,x=4)
score nofile.py
score TwoGuess(3) --trials many
score TwoGuess(3) --answers missing.txt
score TwoGuess(3) --game wordl:3
sweep nostudy.toml
sweep TwoGuess() --grid tre=1,2
compare Grudy() TwoGuess()
win-rate Grudy()
export Grudy() --out a.py
try nofile.py
results none.sqlite
watch TwoGuess(3) --results none.sqlite
leaderboard --ledger none.sqlite
audit --ledger none.sqlite
frontier --family x
tree check nowhere.tree
"""


def test_a_mistake_is_told_before_anything_large_is_imported(tmp_path: Path, subtests: pytest.Subtests) -> None:
    for line in MISTAKES.strip().splitlines():
        with subtests.test(line):
            command = [sys.executable, "-c", CODE, *line.split()]
            done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path)
            assert (done.returncode, done.stderr.count("\n")) == (2, 1)
            assert {"pydantic", "numba", "scipy", "pandas", "joblib"}.isdisjoint(done.stdout.split())


def test_a_short_run_of_ours_starts_no_workers() -> None:
    """Workers take longer to start than it takes; a strategy that is not the library's is not tried here."""
    task = wordpl.make_task(wordpl.parse_strategy("TwoGuess(18)"))
    assert useful_jobs([task], 100, 2) == 1
    assert useful_jobs([task], 10**8, 2) == 2
    assert useful_jobs([wordpl.make_task(Sometimes())], 1, 2) == 2
