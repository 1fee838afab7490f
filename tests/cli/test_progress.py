"""Commands that take long say how far they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.helpers import TINY
from wordpl.progress import Progress

COMMANDS = {
    "score": ["score", "Greedy(9)", "-n", "30", "-j", "1"],
    "sweep": ["sweep", "Greedy()", "--epsilon", "5,9", "-n", "30", "-j", "1", "--out", "r.sqlite"],
    "exact win rate": ["win-rate", "NGuess(n_guesses=2, epsilon=5)", "-j", "1"],
    "sampled win rate": [
        "win-rate",
        "NGuess(n_guesses=2, epsilon=5)",
        "--sample",
        "--standard-error",
        "0.1",
        "-j",
        "1",
    ],
    "win rate of games": ["win-rate", "MaxClueEntropy(2, 5, monte_carlo=9)", "--standard-error", "0.1", "-j", "1"],
    "optimal tree": ["tree", "optimal"],
    "tree of the least worst case": ["tree", "optimal", "--minimize", "worst"],
    "proof": ["tree", "prove", "-j", "1"],
    "export": ["export", "Fifth()", "--out", "fifth.py"],
}
MODULES = ("runs", "win_rate", "tree", "contest")


@pytest.mark.parametrize("command", COMMANDS)
def test_long_commands_tell_how_far_they_are(
    command: str, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[tuple[int, int]] = []

    @contextmanager
    def shown(unit: str = "trials") -> Iterator[Progress]:
        yield lambda what, new, done, total: told.append((done, total))

    for module in MODULES:
        monkeypatch.setattr(import_module(f"wordpl.cli.{module}"), "show_progress", shown)
    words = []
    if command != "export":
        (tmp_path / "answers.txt").write_text("\n".join(TINY.answers))
        (tmp_path / "guesses.txt").write_text("\n".join(TINY.guesses))
        words = ["--answers", "answers.txt", "--guesses", "guesses.txt"]
    done = cli(*COMMANDS[command], *words)
    assert done.code == 0, done.err
    assert all(0 <= finished <= total for finished, total in told)
    finished, total = told[-1]
    # Openers are told of before they are tried, and the first that keeps to the least worst case ends the search.
    assert finished >= (0 if command == "tree of the least worst case" else total - 1)
    assert total > 1
