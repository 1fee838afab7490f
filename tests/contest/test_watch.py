"""Watching games of submissions: in the sandbox and out of it the games of `score`, and those of a ledger."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.support.helpers import SMALL
from tests.support.ledgers import enter
from tests.support.submissions import SUBMISSION, submission_of
from wordpl import Setting
from wordpl.contest import Ledger, StopRule, play_entry
from wordpl.contest.cage import sandbox

pytestmark = pytest.mark.heavy
SETTING = Setting(SMALL, "counted")


def test_a_game_of_a_finished_entry_is_watched_and_compared(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "answers.txt").write_text("\n".join(SMALL.answers))
    (tmp_path / "guesses.txt").write_text("\n".join(SMALL.guesses))
    (tmp_path / "honest.py").write_text(SUBMISSION)
    stop = StopRule(first=20, step=10, max_trials=20)
    with Ledger(tmp_path / "l.sqlite") as book:
        submission = submission_of(SUBMISSION)
        entry = enter(book, "Mine", submission=submission, setting=SETTING, stop=stop)
        words = ["--answers", "answers.txt", "--guesses", "guesses.txt", "--sandbox"]
        given = ["watch", "honest.py", "--ledger", "l.sqlite", "--entry", entry.id, "--trial", "5", *words]
        assert "is running, so its seed is secret" in cli(*given).err
        play_entry(book, entry, submission, SETTING, launcher=sandbox.find())
    run = cli(*given)
    assert (run.code, run.err) == (0, "")
    assert run.out.splitlines()[-1] == f"This is the game in entry {entry.id} in l.sqlite."
    with Ledger("l.sqlite", read_only=True) as book:
        lost = [row.trial for row in book.rows(book.entry(entry.id)) if row.verdict != "WIN"]
    for first, expected in ((0, lost[0]), (lost[0] + 1, lost[1])):
        found = cli(*given[:7], str(first), *words, "--lost")
        assert f"trial {expected} of seed" in found.out and found.code == 0
    assert "no game of entry" in cli(*given[:7], "20", *words, "--lost").err
    for trial in ("20", str(2**64 - 1)):
        assert "it has trials 0 to 19" in cli(*given[:7], trial, *words).err
    assert "other words than original" in cli(*given[:8]).err
    with closing(sqlite3.connect("l.sqlite")) as file, file:
        file.execute("UPDATE trials SET log = replace(log, '9.0', '8.5') WHERE trial = 5")
    run = cli(*given)
    assert run.code == 1 and "at 8.5 in the log and" in run.err
    (tmp_path / "honest.py").write_text(SUBMISSION + "\n")
    assert "was made from another file or call" in cli(*given).err
