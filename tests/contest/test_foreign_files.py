"""Ledgers that no wordpl has written, and ledgers that cannot be written to.

Whatever stands in one is told in one line, and is not believed. To read one changes nothing, and makes no file.
"""
# ruff: noqa: S608 - these tests write their own statements

import re
import shutil
import sqlite3
import subprocess
import sys
import tracemalloc
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.support.audits import columns, everything, one_line_each
from tests.support.forked import run
from tests.support.ledgers import enter, finish, sql
from wordpl.contest.ledger.reader import SCHEMA
from wordpl.contest.ledger.writer import Ledger


def test_a_schema_that_cannot_be_parsed_is_one_line(path: Path, cli: Cli) -> None:
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute("UPDATE sqlite_master SET sql = 'CREATE TABLE entries (' WHERE name = 'entries'")
    shown = cli("contest", "board", "--ledger", str(path))
    assert (shown.code, shown.err.count("\n"), shown.out) == (2, 1, "")
    shown = cli("contest", "audit", "--ledger", str(path))
    assert (shown.code, shown.err, len(shown.out.splitlines())) == (1, "", 2)


def test_a_cell_too_large_is_one_line_and_is_not_read(path: Path) -> None:
    sql(path, "UPDATE trials SET log = hex(zeroblob(20000000)) WHERE entry = 1 AND trial = 7")
    tracemalloc.start()
    found = everything(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert any("too big" in fault for fault in found["1"])
    assert found["2"] == []
    one_line_each(found["1"])
    assert peak < 16e6


nasty = st.one_of(
    st.none(),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(),
    st.binary(max_size=20),
    st.text(max_size=20),
    st.sampled_from(["", "[]", "{}", "[[]]", "null", "1e999", "NaN", "[" * 5000, "9" * 5000, '{"a": 1}', "0x1", "-1"]),
    st.sampled_from(['[["salet", 9.0, -1]]', '[["salet", "9", 0]]', '[["salet", 9.0, 1e3]]', "finished", "running"]),
    st.sampled_from(["Name(", "f(x)", "0" * 64, "\u202e", "a\nb", "\x1b[31m", '{"budgets": {"5": 1}, "margin": 2}']),
    st.just('[["salet", 1' + "0" * 400 + ", 0]]"),
)


@pytest.fixture(scope="module")
def loose(made: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A ledger whose tables take anything; `sealed` makes it look like any other again."""
    path = Path(shutil.copy(made / "contest.sqlite", tmp_path_factory.mktemp("loose")))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.execute(
            "UPDATE sqlite_master SET sql = replace(replace(sql, ' NOT NULL', ''), ' CHECK (one = 1)', '')"
        )
    return path


def sealed(path: Path) -> None:
    with closing(sqlite3.connect(":memory:")) as fresh:
        fresh.executescript(SCHEMA)
        made = fresh.execute("SELECT sql, name FROM sqlite_master WHERE type = 'table'").fetchall()
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("PRAGMA writable_schema = ON")
        database.executemany("UPDATE sqlite_master SET sql = ? WHERE name = ?", made)


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(place=st.sampled_from(list(columns())), value=nasty)
def test_no_cell_makes_a_traceback(
    place: tuple[str, str], value: object, loose: Path, tmp_path_factory: pytest.TempPathFactory, cli: Cli
) -> None:
    table, column = place
    path = Path(shutil.copy(loose, tmp_path_factory.mktemp("fuzz") / "contest.sqlite"))
    try:
        with closing(sqlite3.connect(path)) as database, database:
            where = f"rowid = (SELECT max(rowid) FROM {table})" if table in ("contest", "entries") else "1"
            where = "entry = 2 AND trial = 1" if table == "trials" else where
            where = "entry = 2 AND percentile = 0.5" if table == "standings" else where
            database.execute(f"UPDATE {table} SET {column} = ? WHERE {where}", (value,))
    except (sqlite3.IntegrityError, UnicodeEncodeError, OverflowError):
        return
    sealed(path)
    shown = cli("contest", "audit", "--ledger", str(path))
    assert shown.code in (0, 1) and shown.err == ""
    one_line_each(shown.out.splitlines())
    if table in ("entries", "trials", "standings"):  # of Rival: the audit of the other one goes on
        assert re.search("Ours: finished, 12 trials.*no faults found", shown.out)
    shown = cli("contest", "board", "--errors", "--ledger", str(path))
    assert shown.code in (0, 2) and shown.err.count("\n") == (shown.code == 2)
    one_line_each([*shown.out.splitlines(), *shown.err.splitlines()])


def left_whole(path: Path) -> None:
    """As every finished transaction leaves it."""


def left_in_wal_mode(path: Path) -> None:
    """Somebody has opened it with a tool that prefers this mode. Its readers make files beside it."""
    database = sqlite3.connect(path)
    assert database.execute("PRAGMA journal_mode = WAL").fetchone() == ("wal",)
    database.close()


def left_with_a_log(path: Path) -> None:
    """The same, and its writer was killed: its last transaction is in the log, not in the file."""
    left_in_wal_mode(path)
    code = "import os, sqlite3, sys; d = sqlite3.connect(sys.argv[1], isolation_level=None);"
    code += "d.execute('PRAGMA wal_autocheckpoint = 0'); d.execute('BEGIN'); d.execute('ANALYZE');"
    code += "d.execute('DROP TABLE sqlite_stat1'); d.execute('COMMIT'); os._exit(9)"
    assert subprocess.run([sys.executable, "-c", code, str(path)]).returncode == 9
    assert path.with_name(f"{path.name}-wal").stat().st_size > 0


STATES = [left_whole, left_in_wal_mode, left_with_a_log]


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("plain") / "contest.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, enter(ledger))
    return path


def folder_with(plain: Path, tmp_path: Path, leave: Callable[[Path], None]) -> Path:
    folder = tmp_path / "published"
    folder.mkdir()
    path = Path(shutil.copy(plain, folder))
    leave(path)
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    return folder


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


# Root may write anything, whatever the modes say, unless it has no capabilities left: capset(2), version 3.
WEAK = "import ctypes; assert ctypes.CDLL(None).capset(bytes.fromhex('22050820') + bytes(4), bytes(24)) == 0"


@pytest.mark.parametrize("leave", STATES)
def test_reading_changes_nothing_and_takes_no_right_to_write(
    plain: Path, tmp_path: Path, leave: Callable[[Path], None]
) -> None:
    folder = folder_with(plain, tmp_path, leave)
    before = state(folder)
    touched = run(cwd=tmp_path, code=f"{WEAK}\nopen({str(folder / 'file')!r}, 'w')")
    assert "PermissionError" in touched.stderr
    for words, code in (("board --out copy.sqlite", 0), ("board --json", 0), ("audit", 1)):
        command = ["contest", *words.split()]
        done = run(*command, "--ledger", folder / plain.name, cwd=tmp_path, code=WEAK)
        assert done.returncode == code, done.stderr  # the games of these tests follow from no seed
        assert "Mine" in done.stdout and "Other" not in done.stdout
    assert "ledger: no faults found" in done.stdout
    assert state(folder) == before
    with Ledger(tmp_path / "copy.sqlite", read_only=True) as ledger:
        assert ledger.damage() == []
        assert [entry.name for entry in ledger.entries()] == ["Mine"]
