"""A stranger's SQLite file, and what lies beside it, through every door: no other file is touched, nothing hangs."""

import os
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.cli.conftest import Cli, cli, refused  # noqa: F401 - the first is a fixture
from tests.support.forked import run
from tests.support.helpers import SMALL
from tests.web.conftest import ADDRESS
from wordpl import Store, WordplError, make_task, parse_strategy, sweep
from wordpl.contest import Ledger, write_template
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

MAGIC = bytes.fromhex("d9d505f920a163d7")
ENDLESS = "WITH RECURSIVE n(i) AS (VALUES (0) UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("made")
    with Store(folder / "results.sqlite") as store:
        sweep([make_task(parse_strategy(f"TwoGuess({epsilon})"), words=SMALL) for epsilon in (5, 20)], 20, store=store)
    Ledger(folder / "contest.sqlite").close()
    write_template(folder / "mine.py", "wordpl")
    return folder


@pytest.fixture
def folder(made, tmp_path, monkeypatch):
    """The files, in the current folder: SQLite makes a relative name an absolute one."""
    monkeypatch.chdir(tmp_path)
    return shutil.copytree(made, tmp_path, dirs_exist_ok=True)


def crafted_journal(database: Path, victim: Path) -> Path:
    """A journal that SQLite plays back, and then deletes the file that it names. It is of 512 bytes and the name."""
    with database.open("rb") as file:
        file.seek(16)
        page_size = int.from_bytes(file.read(2), "big")
    head = [MAGIC, bytes(8), (database.stat().st_size // page_size).to_bytes(4, "big")]
    head += [(512).to_bytes(4, "big"), page_size.to_bytes(4, "big")]
    name = str(victim).encode()
    tail = [b"\xff" * 4, name, len(name).to_bytes(4, "big"), sum(name).to_bytes(4, "big"), MAGIC]
    journal = database.with_name(f"{database.name}-journal")
    journal.write_bytes(b"".join(head).ljust(512, b"\0") + b"".join(tail))
    return journal


def test_the_crafted_journal_deletes_a_file_where_it_is_believed(folder):
    victim = folder / "victim"
    victim.write_bytes(b"nothing")
    crafted_journal(folder / "results.sqlite", victim)
    with closing(sqlite3.connect("results.sqlite")) as database:
        database.execute("SELECT count(*) FROM tasks")
    assert not victim.exists()


RESULTS: dict[str, tuple[str, ...]] = {
    "results": ("results", "results.sqlite"),
    "provenance": ("results", "results.sqlite", "--provenance"),
    "out": ("results", "results.sqlite", "--out", "out.csv"),
    "merge from": ("results", "results.sqlite", "--out", "good.sqlite"),
    "merge into": ("results", "good.sqlite", "--out", "results.sqlite"),
    "plot": ("plot", "results.sqlite"),
    "report": ("report", "results.sqlite"),
    "compare": ("compare", "--results", "results.sqlite"),
    "watch": ("watch", "TwoGuess(20)", "--results", "results.sqlite"),
    "sweep": ("sweep", "TwoGuess", "-e", "20", "-n", "2", "-j", "1", "--out", "results.sqlite"),
    "score": ("score", "TwoGuess(20)", "-n", "2", "-j", "1", "--out", "results.sqlite"),
    "link": ("results", "link.sqlite"),
}
LEDGERS: dict[str, tuple[str, ...]] = {
    "leaderboard": ("contest", "board", "--ledger", "contest.sqlite"),
    "submit": ("contest", "submit", "mine.py", "--name", "Mine", "--ledger", "contest.sqlite"),
    "audit": ("contest", "audit", "--ledger", "contest.sqlite"),
    "record": ("contest", "record", "5=9", "--ledger", "contest.sqlite"),
}


def beside(name: str, folder: Path) -> None:
    """Make what stands beside the database, or a link to it, that some doors take."""
    shutil.copy(folder / name, folder / "good.sqlite")
    (folder / "link.sqlite").symlink_to(folder / name)


@pytest.mark.parametrize("door", [*RESULTS, *LEDGERS])
def test_no_journal_reaches_another_file(door, folder, cli):  # noqa: F811
    name = "results.sqlite" if door in RESULTS else "contest.sqlite"
    beside(name, folder)
    victim = folder / "victim"
    victim.write_bytes(b"nothing")
    before = (folder / name).read_bytes()
    crafted_journal(folder / name, victim)
    assert "its journal names another file" in refused(cli, *(RESULTS | LEDGERS)[door])
    assert victim.exists()
    assert (folder / name).read_bytes() == before


def test_the_page_believes_no_journal(folder):
    victim = folder / "victim"
    victim.write_bytes(b"nothing")
    crafted_journal(folder / "results.sqlite", victim)
    crafted_journal(folder / "contest.sqlite", victim)
    page = TestClient(
        make_app(Settings(results=(Path("results.sqlite"),), ledger=Path("contest.sqlite"))), base_url=ADDRESS
    )
    for address in ("/api/results/curves", "/api/results/trials.csv?file=results.sqlite", "/api/contest"):
        page.get(address)
    assert victim.exists()


Open = Callable[[Path], object]
DOORS: dict[str, Open] = {
    "read results": lambda folder: Store(folder / "results.sqlite", read_only=True),
    "write results": lambda folder: Store(folder / "results.sqlite"),
    "read ledger": lambda folder: Ledger(folder / "contest.sqlite", read_only=True),
    "write ledger": lambda folder: Ledger(folder / "contest.sqlite"),
}


@pytest.mark.parametrize("target", ["pipe", "/dev/zero", "/dev/tty", "/proc/self/status"])
@pytest.mark.parametrize("door", DOORS)
def test_no_database_is_opened_that_would_be_waited_for(door, target, folder, monkeypatch):
    monkeypatch.setattr(sqlite3, "connect", None)
    path = folder / ("results.sqlite" if "results" in door else "contest.sqlite")
    path.unlink()
    os.mkfifo("pipe")
    path.symlink_to(target)
    with pytest.raises(WordplError, match="it is not a file"):
        DOORS[door](folder)


@pytest.mark.parametrize("ending", ["-journal", "-wal", "-shm"])
@pytest.mark.parametrize("door", DOORS)
def test_what_lies_beside_is_a_file_or_nothing(door, ending, folder):
    name = "results" if "results" in door else "contest"
    odd = folder / f"{name}.sqlite{ending}"
    for make in (lambda: odd.symlink_to("/dev/zero"), lambda: os.mkfifo(odd), lambda: odd.symlink_to(folder / "x")):
        make()
        with pytest.raises(WordplError, match=f"{ending} beside it is not a file"):
            DOORS[door](folder)
        odd.unlink()


FOREIGN = {
    "trigger": f"CREATE TRIGGER t AFTER INSERT ON {{0}} BEGIN SELECT ({ENDLESS}); END",
    "view": f"DROP TABLE {{0}};; CREATE VIEW {{0}} AS {ENDLESS}",
    "table": "CREATE TABLE mine (a)",
    "virtual table": "CREATE VIRTUAL TABLE v USING fts5(a)",
    "generated column": "ALTER TABLE {0} ADD COLUMN g INTEGER GENERATED ALWAYS AS (1) VIRTUAL",
    "index": "CREATE INDEX i ON {0} (trial)",
    "a statement under a name that is there twice": (
        "PRAGMA writable_schema = ON;; INSERT INTO sqlite_master SELECT type, name, tbl_name, rootpage,"  # noqa: S608
        f" 'CREATE TRIGGER t AFTER INSERT ON {{0}} BEGIN SELECT ({ENDLESS}); END'"
        " FROM sqlite_master WHERE name = '{0}'"
    ),
}


@pytest.mark.parametrize("what", FOREIGN)
@pytest.mark.parametrize("door", DOORS)
def test_what_is_not_ours_is_refused_before_anything_is_written(door, what, folder):
    path = folder / ("results.sqlite" if "results" in door else "contest.sqlite")
    with closing(sqlite3.connect(path)) as database, database:
        for statement in FOREIGN[what].format("trials").split(";; "):
            database.execute(statement)
    before = path.read_bytes()
    with pytest.raises(WordplError, match=r"not as expected|cannot be read|can be opened"):
        DOORS[door](folder)
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


@pytest.mark.parametrize("door", DOORS)
def test_what_a_killed_writer_has_left_is_read_and_by_a_writer_mended(door, folder):
    path = folder / ("results.sqlite" if "results" in door else "contest.sqlite")
    journal = path.with_name(f"{path.name}-journal")
    whole = path.read_bytes()
    left_by_a_killed_writer(path)
    before = (path.read_bytes(), journal.read_bytes())
    assert before[0] != whole
    DOORS[door](folder).close()  # type: ignore[attr-defined]
    if "read" in door:
        assert (path.read_bytes(), journal.read_bytes()) == before
    else:
        assert path.read_bytes()[100:] == whole[100:] and not journal.exists()


@pytest.mark.parametrize("write", ["write results", "write ledger"])
def test_a_database_of_another_program_is_not_even_rolled_back(write, folder):
    path = folder / ("results.sqlite" if "results" in write else "contest.sqlite")
    path.unlink()
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("CREATE TABLE recipes (name TEXT)")
    left_by_a_killed_writer(path)
    files = [path, path.with_name(f"{path.name}-journal")]
    before = [file.read_bytes() for file in files]
    with pytest.raises(WordplError, match="is a database, but not "):
        DOORS[write](folder)
    assert [file.read_bytes() for file in files] == before


def test_readers_keep_the_locks_of_their_process(folder):
    """A process loses its locks on a file when it closes the file, whoever took them: so nothing here opens it."""
    path = folder / "results.sqlite"
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        Store(path, read_only=True).close()
        code = f"import sqlite3; sqlite3.connect({str(path)!r}, timeout=0).execute('BEGIN IMMEDIATE')"
        assert "database is locked" in run("list", code=code).stderr
