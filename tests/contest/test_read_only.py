"""Reading a ledger that cannot be written to: nothing beside it is created or changed, however it was left."""

from __future__ import annotations

import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.forked import run
from tests.support.ledgers import enter, finish
from wordpl.contest.ledger.writer import Ledger


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
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("made") / "contest.sqlite"
    with Ledger(path) as ledger:
        finish(ledger, enter(ledger))
    return path


def folder_with(made: Path, tmp_path: Path, leave: Callable[[Path], None]) -> Path:
    folder = tmp_path / "published"
    folder.mkdir()
    path = Path(shutil.copy(made, folder))
    leave(path)
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    return folder


def state(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {file.name: (file.read_bytes(), file.stat().st_mtime_ns) for file in folder.iterdir()}


# Root may write anything, whatever the modes say, unless it has no capabilities left: capset(2), version 3.
WEAK = "import ctypes; assert ctypes.CDLL(None).capset(bytes.fromhex('22050820') + bytes(4), bytes(24)) == 0"


@pytest.mark.heavy
@pytest.mark.parametrize("leave", STATES)
def test_reading_changes_nothing_and_takes_no_right_to_write(
    made: Path, tmp_path: Path, leave: Callable[[Path], None]
) -> None:
    folder = folder_with(made, tmp_path, leave)
    before = state(folder)
    touched = run(cwd=tmp_path, code=f"{WEAK}\nopen({str(folder / 'file')!r}, 'w')")
    assert "PermissionError" in touched.stderr
    for words, code in (("board --out copy.sqlite", 0), ("board --json", 0), ("audit", 1)):
        command = ["contest", *words.split()]
        done = run(*command, "--ledger", folder / made.name, cwd=tmp_path, code=WEAK)
        assert done.returncode == code, done.stderr  # the games of these tests follow from no seed
        assert "Mine" in done.stdout and "Other" not in done.stdout
    assert "ledger: no faults found" in done.stdout
    assert state(folder) == before
    with Ledger(tmp_path / "copy.sqlite", read_only=True) as ledger:
        assert ledger.damage() == []
        assert [entry.name for entry in ledger.entries()] == ["Mine"]
