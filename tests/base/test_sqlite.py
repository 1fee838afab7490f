"""Our SQLite files: others are refused before anything is written, and what a killed writer leaves is mended."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.conftest import cli, refused  # noqa: F401 - the first is a fixture
from tests.support.forked import run
from tests.support.helpers import SMALL, Sometimes, rows_of
from tests.support.refusals import refusal
from tests.support.runs import changed
from wordpl import Store, make_task
from wordpl.base import sqlite

TASK = make_task(Sometimes(), words=SMALL)
ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with Store(tmp_path / "results.sqlite") as store:
        store.add([(TASK, rows_of(TASK, 0, 20))])
    return store.path


def fails_at_last(store: Store) -> None:
    with store.transaction():
        store.add([(TASK, rows_of(TASK, 20, 25))])
        store._db.execute("SELECT * FROM none")


def test_a_transaction_within_another_is_kept_or_lost_with_it(path):
    with Store(path) as store:
        assert "no such table" in refusal(fails_at_last, store)
        assert store.missing(TASK, 25) == [(20, 25)]
        with store.transaction():
            with closing(sqlite3.connect(path, timeout=0)) as other, pytest.raises(sqlite3.OperationalError):
                other.execute("BEGIN IMMEDIATE")  # nobody else may write from now on
            store.add([(TASK, rows_of(TASK, 20, 25))])
            assert store._db.in_transaction
        assert store.missing(TASK, 25) == [] and not store._db.in_transaction


def test_a_file_that_another_process_makes_meanwhile_is_taken_as_it_is(path, monkeypatch):
    empty, real = [list[str]()], sqlite._declared
    monkeypatch.setattr(sqlite, "_declared", lambda database: empty.pop() if empty else real(database))
    with Store(path) as store:
        assert not empty and store.missing(TASK, 20) == []


FOREIGN = {
    "trigger": f"CREATE TRIGGER t AFTER INSERT ON trials BEGIN SELECT ({ENDLESS}); END",
    "view": f"DROP TABLE trials;; CREATE VIEW trials AS {ENDLESS}",
    "table": "CREATE TABLE mine (a)",
    "generated column": "ALTER TABLE trials ADD COLUMN g INTEGER GENERATED ALWAYS AS (1) VIRTUAL",
    "a statement under a name that is there twice": (
        "PRAGMA writable_schema = ON;; INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage,"  # noqa: S608
        f" 'CREATE TRIGGER t AFTER INSERT ON trials BEGIN SELECT ({ENDLESS}); END'"
        " FROM sqlite_master WHERE name = 'trials'"
    ),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("read_only", [True, False])
def test_what_is_not_ours_is_refused_before_anything_is_written(read_only, what, path):
    changed(path, *FOREIGN[what].split(";; "))
    before = path.read_bytes()
    said = refusal(Store, path, read_only=read_only)
    assert "has other tables than a results file" in said or "is not a results file that can be opened" in said
    assert path.read_bytes() == before


def left_by_a_killed_writer(path: Path) -> None:
    """The file as it is in the middle of a transaction, with its journal."""
    left = path.with_name("left")
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA cache_size = 1")
        writer.execute("BEGIN")
        writer.execute("CREATE TABLE other AS SELECT hex(zeroblob(9000))")
        for ending in ("", "-journal"):
            shutil.copy(f"{path}{ending}", f"{left}{ending}")
        writer.execute("ROLLBACK")
    for ending in ("", "-journal"):
        Path(f"{left}{ending}").replace(f"{path}{ending}")


def in_wal_mode(path: Path) -> None:
    """The file as another program may leave it, which then is killed."""
    code = f"""
import os, sqlite3
database = sqlite3.connect({str(path)!r})
database.execute("PRAGMA journal_mode = WAL")
database.execute("UPDATE runs SET command = command")
database.commit()
os._exit(0)
"""  # noqa: S608
    run("list", code=code)
    assert path.with_name(f"{path.name}-wal").exists()


LEFT = {"was left half written": left_by_a_killed_writer, "is in SQLite's WAL mode": in_wal_mode}


@pytest.mark.parametrize("said", LEFT)
def test_what_is_half_written_is_not_read_and_a_writer_mends_it(said, path, cli):  # noqa: F811
    with Store(path, read_only=True) as store:
        rows = list(store.rows(timings=True))
        assert [store._pragma(name) for name in ("trusted_schema", "cell_size_check")] == [0, 1]
    LEFT[said](path)
    before = path.read_bytes()
    command = f"or wordpl results {path} --check, which repairs it"
    assert (told := refusal(Store, path, read_only=True)).startswith(f"{path} {said}; run its wordpl sweep again")
    assert told.endswith(command)
    assert command in refused(cli, "results", str(path))
    assert path.read_bytes() == before
    assert cli("results", str(path), "--check").out == f"{path} is sound\n"
    with Store(path, read_only=True) as store:
        assert list(store.rows(timings=True)) == rows
    assert [found.name for found in path.parent.iterdir()] == [path.name]


def test_a_check_tells_what_sqlite_finds(path, cli):  # noqa: F811
    declared = "UPDATE sqlite_master SET sql = replace(sql, '{}', '{}')"
    strict, loose = "budget REAL NOT NULL", "budget REAL"
    changed(path, "PRAGMA writable_schema = ON", declared.format(strict, loose))
    changed(path, "UPDATE trials SET budget = NULL WHERE trial = 5")
    changed(path, "PRAGMA writable_schema = ON", declared.format(loose, strict))
    assert refused(cli, "results", str(path), "--check") == f"wordpl: {path} is damaged: NULL value in trials.budget\n"
    path.write_bytes(path.read_bytes()[:-4096] + bytes(4096))
    said = f"wordpl: {path}: database disk image is malformed\n"
    assert refused(cli, "results", str(path), "--check") == said


def test_readers_keep_the_locks_of_their_process(path):
    """A process loses its locks on a file when it closes the file, whoever took them: so nothing here opens it."""
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        Store(path, read_only=True).close()
        code = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
        assert "database is locked" in run("list", code=code).stderr
