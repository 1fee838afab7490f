"""`wordpl try`: the games of a submission without a ledger, in the sandbox or, if it is trusted, without."""

from __future__ import annotations

import json
from pathlib import Path

from tests.cli.conftest import Cli

SUBMISSION = """
class Mine:
    def first_move(self):
        return "crate", 20.0

    def next_move(self, guess, epsilon, clues):
        return "crate" if clues == "ccccc" else "stale", 0
"""
TIMES = {"seconds", "wall_seconds", "slowest_move", "seconds_per_move"}


def test_the_sandbox_changes_no_figure_and_nothing_is_written(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(SUBMISSION)
    options = ["--trials", "12", "--seed", "3", "--jobs", "1"]
    boxed, trusted = (json.loads(cli("try", "mine.py", *options, "--json", *how).out) for how in ([], ["--trusted"]))
    assert (boxed["trusted"], trusted["trusted"]) == (False, True)
    assert boxed["ranked"] is trusted["ranked"] is False
    assert boxed["trials"] == 12 and boxed["errors"] == boxed["timeouts"] == 0
    same = boxed.keys() - TIMES - {"trusted"}
    assert {name: boxed[name] for name in same} == {name: trusted[name] for name in same}
    shown = cli("try", "mine.py", *options, "--trusted").out
    assert "not ranked: the seed is known (trusted, no sandbox)" in " ".join(shown.split())
    assert not (tmp_path / "results").exists()


def test_score_takes_strategies_only(cli: Cli) -> None:
    run = cli("score", "mine.py", "--trusted")
    assert (run.code, run.out) == (2, "")
    assert "--trusted" in run.err
