"""Files that SQLite may open: a path is looked at before, while other processes may write to it."""

import os
import sqlite3
from pathlib import Path

import pytest

from wordpl.storage.sqlite import check_file


def test_a_file_that_is_missing_or_empty_or_has_content_passes(tmp_path):
    path = tmp_path / "new.sqlite"
    check_file(path)
    path.touch()
    check_file(path)
    path.write_bytes(b"x")
    check_file(path)


def test_a_file_that_another_process_begins_meanwhile_passes(tmp_path, monkeypatch):
    path = tmp_path / "new.sqlite"
    path.touch()
    opened = os.open

    def begun(*given):
        path.write_bytes(b"SQLite format 3")
        return opened(*given)

    monkeypatch.setattr("wordpl.storage.sqlite.os.open", begun)
    check_file(path)
    assert path.stat().st_size


@pytest.mark.parametrize(("name", "told"), [("/proc/version", "a stream"), ("/dev/null", "not a file")])
def test_what_is_no_file_is_refused(name, told):
    with pytest.raises(sqlite3.DatabaseError, match=told):
        check_file(Path(name))


def test_a_pipe_is_refused_at_once(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(sqlite3.DatabaseError, match="not a file"):
        check_file(tmp_path / "pipe")
