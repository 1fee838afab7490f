"""Files are read up to a bound and written whole: a write that fails leaves the earlier file, and nothing beside it.

Of our SQLite files, others are refused before anything is written, and what a killed writer leaves is mended.
"""

import os
import re
import shutil
import sqlite3
import stat
from collections.abc import Callable
from contextlib import closing, suppress
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import wordpl
from tests.cli.conftest import cli, refused  # noqa: F401 - the first is a fixture
from tests.support.forked import run
from tests.support.helpers import SMALL, TINY, Sometimes, full_disk, rows_of
from tests.support.refusals import refusal
from tests.support.runs import changed
from wordpl import Setting, Store, WordplError, make_task, parse_strategy
from wordpl.base import sqlite
from wordpl.base.files import MAX_BYTES, read_file, read_text, whole_file, write_text
from wordpl.cli.options import FormatOptions
from wordpl.contest import Exported, write_export
from wordpl.limits import setting_identity
from wordpl.reporting.plots import draw
from wordpl.reporting.tables import print_table
from wordpl.wordle import Heuristic, build_tree

TREE = build_tree(SMALL, Heuristic("greedy"))
POLICY = wordpl.limits.Policy(
    9.0, 2, {(): (TINY.guesses[0], 5.0)}, budget_fractions=((0.0, 0.5),), made_for=setting_identity(Setting(TINY))
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("store") / "results.sqlite") as made:
        for epsilon in (5, 10):
            task = make_task(parse_strategy(f"Greedy({epsilon})"), words=SMALL)
            made.add([(task, rows_of(task, 0, 40))])
        yield made


TABLE = partial(print_table, "", ["name"], [["n" * 300]], ())
Write = Callable[[Path, Store], object]
WRITERS: dict[str, tuple[str, Write]] = {
    "tree as text": ("a.tree", lambda path, _: TREE.save(path)),
    "policy": ("a.json", lambda path, _: POLICY.save(path)),
    "results as CSV": ("a.csv", lambda path, store: store.export(path)),
    "results as Parquet": ("a.parquet", lambda path, store: store.export(path)),
    "plot": ("a.png", lambda path, store: draw(store, path, "wins")),
    "table": ("a.tex", lambda path, _: FormatOptions(out=[path]).show(dict, TABLE)),
    "export": ("a.py", lambda path, _: write_export(Exported("x = 1\n" * 99, 1.0), path, force=path.exists())),
}


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "write"), WRITERS.values(), ids=WRITERS)
def test_a_write_that_fails_leaves_the_old_file_if_any_and_nothing_else(tmp_path, store, name, write):
    target = tmp_path / name
    with full_disk(), pytest.raises(WordplError, match=f"cannot write .*{name}: .*File too large"):
        write(target, store)
    assert names(tmp_path) == []
    target.write_text("old")
    target.chmod(0o640)
    with full_disk(), pytest.raises(WordplError, match=f"cannot write .*{name}: .*File too large"):
        write(target, store)
    assert target.read_text() == "old"
    write(target, store)
    assert names(tmp_path) == [name] and len(target.read_bytes()) > 100
    assert stat.S_IMODE(target.stat().st_mode) == 0o640


@settings(max_examples=8)
@given(st.text(max_size=50), st.sampled_from([0o600, 0o644, 0o755]))
def test_what_is_written_is_read(tmp_path_factory, text, mode):
    path = tmp_path_factory.mktemp("files") / "a.txt"
    write_text(path, "old")
    path.chmod(mode)
    write_text(path, text)
    assert read_file(path, "text") == text.encode()
    assert stat.S_IMODE(path.stat().st_mode) == mode
    assert read_file(path, "text", len(text.encode())) == text.encode(), "a file may be as large as the bound"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert read_text(path, "text") == text


def test_a_block_that_raises_leaves_everything_as_it_was(tmp_path):
    (tmp_path / "old").write_text("old")
    for name in ("old", "fresh"):
        with suppress(KeyboardInterrupt), whole_file(tmp_path / name) as beside:
            beside.write_text("half")
            raise KeyboardInterrupt
    assert {path.name: path.read_text() for path in tmp_path.iterdir()} == {"old": "old"}


def test_missing_folders_are_made_links_followed_and_other_files_left(tmp_path, monkeypatch):
    write_text(tmp_path / "b" / "c" / "a", "text", must_be_new=True)
    write_text(tmp_path / "b" / "a", "text")
    assert (tmp_path / "b" / "a").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "full").symlink_to("/dev/full")
    said = dict.fromkeys(("pipe", "full", "."), "it is a folder, a pipe or a device")
    for target, why in (said | {"b/a/c": "", "n" * 300: ""}).items():
        assert re.match(f"cannot write .*: {why}", refusal(write_text, tmp_path / target, "text"))
    assert names(tmp_path) == ["b", "full", "pipe"]
    (tmp_path / "link").symlink_to("real")
    with whole_file(tmp_path / "b" / "a.png") as beside:
        assert (beside.parent, beside.suffix, beside.name[:8]) == (tmp_path / "b", ".png", ".wordpl-")
    before = os.umask(0o027)
    try:
        write_text(tmp_path / "real", "old")
    finally:
        os.umask(before)
    assert stat.S_IMODE((tmp_path / "real").stat().st_mode) == 0o640
    write_text(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "real").read_text() == "new"
    assert "there already" in refusal(write_text, tmp_path / "real", "newer", must_be_new=True)
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    assert "Permission denied" in refusal(write_text, tmp_path / "real", "newer")
    assert (tmp_path / "real").read_text() == "new"


@pytest.mark.parametrize("name", ["/dev/zero", "/dev/full", "pipe", ".", "missing", "n" * 300, "\0", "large", "latin"])
def test_what_is_no_readable_file_is_refused_at_once(tmp_path, name, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("pipe")
    with open("large", "wb") as file:
        file.truncate(1 << 40)
    Path("latin").write_bytes(b"\na\xe4")
    with pytest.raises(WordplError, match="cannot read list ") as error:
        read_text(name, "list", 1 << 20)
    expected = {
        "large": "larger than 1 MiB",
        "latin": "line 2: not UTF-8",
        "pipe": "is a pipe",
        "/dev/zero": "or a device",
    }
    assert expected.get(name, "") in str(error.value)
    assert MAX_BYTES == 64 * 1024**2
    if name == "large":
        assert "it is larger than 64 MiB" in refusal(read_file, name, "list")


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
