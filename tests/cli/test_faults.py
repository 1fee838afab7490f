"""What goes wrong outside of the program is one line and exit code 2; a defect shows its traceback."""

import errno
import io
import os
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

import wordpl
from tests.support import forked
from tests.support.helpers import SMALL
from wordpl.cli import DEFECT, FAILED, READER_GONE


def sqlite_error(code: int) -> sqlite3.Error:
    error = sqlite3.OperationalError("said by SQLite")
    error.sqlite_errorcode = code
    return error


OUTSIDE = {
    "full disk": (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    "read-only": (OSError(errno.EROFS, "Read-only file system", "there/file"), "there/file: Read-only file system"),
    "long name": (OSError(errno.ENAMETOOLONG, "File name too long", "n" * 5000), "nnn...nnn"),
    "memory": (MemoryError("Unable to allocate 1.00 TiB"), "out of memory: Unable to allocate"),
    "threads": (RuntimeError("can't start new thread"), "ulimit -u"),
    "full database": (sqlite_error(sqlite3.SQLITE_FULL), "said by SQLite"),
    "locked database": (sqlite_error(sqlite3.SQLITE_BUSY), "said by SQLite"),
}
DEFECTS = [
    ZeroDivisionError("division by zero"),
    RecursionError("maximum recursion depth exceeded"),
    OSError(errno.EBADF, "Bad file descriptor"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte"),
    sqlite_error(sqlite3.SQLITE_ERROR),
    sqlite3.ProgrammingError("Cannot operate on a closed database."),
]


@pytest.fixture
def raising(cli, monkeypatch):
    """Runs a command in which this error comes up."""

    def run(error: Exception) -> object:
        def fail() -> None:
            raise error

        monkeypatch.setattr(wordpl, "strategies", fail)
        return cli("list")

    return run


@pytest.mark.parametrize(("error", "named"), OUTSIDE.values(), ids=OUTSIDE)
def test_a_fault_outside_is_one_line(raising, error, named):
    run = raising(error)
    assert (run.code, run.out, run.err.count("\n")) == (FAILED, "", 1)
    assert named in run.err and run.err.startswith("wordpl: ") and len(run.err) < 500


@pytest.mark.parametrize("error", DEFECTS, ids=repr)
def test_a_defect_shows_its_traceback_and_where_it_goes(raising, error):
    run = raising(error)
    assert (run.code, run.out) == (DEFECT, "")
    assert "Traceback" in run.err and type(error).__name__ in run.err
    assert "please report" in run.err.splitlines()[-1]


def test_what_was_typed_cannot_move_the_cursor(cli):
    for arguments in (("score", "\x1b[2J\u202e\u200b()"), ("results", "\x1b[2J\u202e.sqlite")):
        run = cli(*arguments)
        assert (run.code, run.err.count("\n")) == (FAILED, 1)
        assert run.err.removesuffix("\n").isprintable()
    run = cli("list", "a", os.fsdecode(b"\xff"))
    assert (run.code, run.err) == (FAILED, "wordpl: argument 3 is not UTF-8 text\n")


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("line", ["--help", "score Greedy(10) -n 2 -j 1 --json", "new mine.py"])
def test_a_full_stdout_is_an_error(cli, monkeypatch, line):
    monkeypatch.setattr(sys, "stdout", Full())
    run = cli(*line.split())
    assert (run.code, run.err.count("\n")) == (FAILED, 1) and "No space left on device" in run.err


@pytest.mark.heavy
@pytest.mark.parametrize(
    ("redirection", "code", "named"),
    [
        (">/dev/full", FAILED, "cannot write to stdout: No space left on device"),
        (">&-", FAILED, "cannot write to stdout: it is closed"),
        ("2>&-", 0, ""),
        ("<&- >&- 2>&-", FAILED, ""),
        ("| true", READER_GONE, ""),
    ],
)
def test_streams_of_a_process(redirection, code, named, tmp_path):
    wordpl = Path(sys.executable).with_name("wordpl")
    run = subprocess.run(
        ["bash", "-o", "pipefail", "-c", f"'{wordpl}' --help {redirection}"],
        capture_output=True,
        text=True,
        cwd=tmp_path,
    )
    assert run.returncode == code
    assert run.stderr.count("\n") == bool(named) and named in run.stderr


@pytest.mark.heavy
def test_a_stdout_that_has_not_all_characters():
    run = forked.run("clue", "crate", "haste", "--notation", "emoji", env={"PYTHONIOENCODING": "ascii"})
    assert (run.returncode, run.stderr, "?" in run.stdout) == (0, "", False)


@pytest.mark.parametrize(
    ("name", "value", "named"),
    [
        ("WORDPL_NUM_THREADS", "abc", "WORDPL_NUM_THREADS=abc"),
        ("NUMBA_DISABLE_JIT", "yes", "from 0 up"),
        ("OMP_NUM_THREADS", "4,x", "OMP_NUM_THREADS=4,x"),
        ("LOKY_MAX_DEPTH", "1.5", "from 1 up"),
        ("JOBLIB_START_METHOD", "foo", "forkserver"),
        ("OPENBLAS_NUM_THREADS", "9" * 5000, ""),
    ],
)
def test_a_variable_that_a_library_would_fail_at(cli, monkeypatch, name, value, named):
    monkeypatch.setenv(name, value)
    run = cli("clue", "crate", "haste")
    assert (run.code, run.err.count("\n")) == ((FAILED, 1) if named else (0, 0)) and named in run.err


def test_a_cache_that_cannot_be_written_is_named(cli, monkeypatch):
    monkeypatch.setenv("WORDPL_CACHE", "/dev/null/y")
    run = cli("clue", "crate", "haste")
    assert (run.code, run.out, run.err.count("\n")) == (0, "..icc  letterwise\n", 1)
    assert "WORDPL_CACHE=/dev/null/y cannot be written" in run.err


def test_little_memory_is_told_in_one_line(tmp_path):
    limited = f"ulimit -v 250000; exec '{Path(sys.executable).with_name('wordpl')}' "
    run = subprocess.run(["bash", "-c", limited + "score 'TwoGuess(9)' -n 1 -j 1"], capture_output=True, text=True)
    assert (run.returncode, run.stdout, run.stderr.count("\n")) == (FAILED, "", 1)
    assert "244 MiB" in run.stderr and "1024 MiB" in run.stderr
    assert subprocess.run(["bash", "-c", limited + "--help"], capture_output=True).returncode == 0


FULL = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))"
"""No file can grow beyond so many bytes."""


@pytest.mark.heavy
def test_a_full_disk_is_one_line_about_an_export(tmp_path):
    """The rows that are left unread say nothing as the file is closed."""
    with wordpl.Store(tmp_path / "r.sqlite") as store:
        wordpl.sweep([wordpl.make_task("TwoGuess(9)", words=SMALL)], 500, store=store)
    done = forked.run("results", "r.sqlite", "--out", "out.csv", cwd=tmp_path, code=FULL)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "wordpl: cannot write out.csv: File too large\n"
