"""Copies of a ledger: they show what was done to it since, and nothing that may be done."""
# ruff: noqa: S608 - these tests write their own statements

import json
import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Cli
from tests.support.audits import SHORT, against, forge, one_line_each, reseed, seal
from tests.support.ledgers import enter, sql
from tests.support.submissions import submission_of
from wordpl.contest import Ledger


def test_everything_of_a_copy_still_stands(made: Path, path: Path, cli: Cli) -> None:
    for copy in ("before Ours.sqlite", "before Rival.sqlite", "after.sqlite"):
        assert against(path, made / copy) == []
    shown = cli("contest", "audit", "--ledger", str(path), "--against", str(made / "before Rival.sqlite"))
    assert (shown.code, shown.out.count("no faults found")) == (0, 4)
    assert against(made / "before Rival.sqlite", made / "before Ours.sqlite") == [], "copies are compared, too"
    shown = cli("contest", "audit", "--ledger", str(made / "before Ours.sqlite"), "--against", str(path), "--json")
    assert shown.code == 1
    assert any("'Rival' is not there any more" in fault for fault in json.loads(shown.out)["against"])


def test_what_may_happen_after_a_copy(path: Path, tmp_path: Path) -> None:
    forge(path, lambda row, answer: replace(row, log=[], proposed=answer))
    copy = tmp_path / "copy.sqlite"
    with Ledger(path) as ledger:
        ledger.publish(copy)
        ledger.clear(ledger.by_key(1), "we looked")
        ledger.set_records({0.05: 3.0})
        enter(ledger, "Third", submission=submission_of("z = 3\n"), stop=SHORT)
        ledger.close_contest()
        ledger.publish(tmp_path / "closed.sqlite")
    assert against(path, copy) == against(path, tmp_path / "closed.sqlite") == []
    sql(path, "UPDATE entries SET cleared = 'it is a friend' WHERE key = 1", "UPDATE contest SET closed = ''")
    with Ledger(path) as ledger:
        enter(ledger, "Late", submission=submission_of("z = 4\n"), stop=SHORT)
    said = "closed in the copy", "entry 4 was added after the contest was closed", "not as it was: another cleared"
    assert all(map(str.__contains__, against(path, tmp_path / "closed.sqlite"), said))


def drop(path: Path) -> None:
    """The first entry, as if it had never been: the second takes its number."""
    with closing(sqlite3.connect(path)) as database, database:
        for table, column in (("trials", "entry"), ("standings", "entry"), ("entries", "key")):
            database.execute(f"DELETE FROM {table} WHERE {column} = 1")
            database.execute(f"UPDATE {table} SET {column} = 1")


def unfinish(path: Path) -> None:
    sql(
        path,
        "DELETE FROM standings",
        "DELETE FROM trials",
        "UPDATE entries SET state = 'running', trials = NULL, secret = NULL, seed = NULL, flag = NULL, finished = ''",
    )


@pytest.mark.parametrize(
    ("forgery", "said"),
    [
        (
            "UPDATE entries SET entered = '2020-01-01T00:00:00+00:00' WHERE key = 1",
            "not as it was: another id, entered",
        ),
        ("UPDATE entries SET author = 'Ann' WHERE key = 1", "'Ours' is not as it was: another id, author"),
        ("UPDATE contest SET secret = '', commitment = 'x'", "the copy is of another contest"),
        ("DELETE FROM entries WHERE key = 2", "'Rival' is not there any more"),
        ("DELETE FROM trials WHERE trial > 5", "'Ours' has other games, from trial 6 on"),
        ("UPDATE standings SET sampled = 1.0", "'Rival' is not as it was: another results digest, standings"),
        (reseed, "'Ours' is not as it was: another id, nonce"),
        (drop, "'Ours' is not as it was: another id, name"),
        (unfinish, "'Rival' is not as it was: another state"),
    ],
)
def test_a_copy_shows_what_was_done_since(forgery: Any, said: str, made: Path, path: Path) -> None:
    sql(path, forgery) if isinstance(forgery, str) else forgery(path)
    seal(path)
    found = against(path, made / "after.sqlite")
    assert any(said in fault for fault in found), found
    one_line_each(found)
