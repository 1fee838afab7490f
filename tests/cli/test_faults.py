"""What goes wrong outside of the program is one line and exit code 2, a defect shows its traceback; notes on stderr."""

import errno
import io
import os
import sqlite3
import sys
from pathlib import Path

import pytest

import wordpl
from tests.cli.conftest import Run, refused
from tests.support.commands import LEAVES
from tests.support.helpers import SMALL, full_disk
from wordpl import MissingExtraError
from wordpl.base import progress
from wordpl.cli import DEFECT, FAILED, targets
from wordpl.cli.targets import PICTURE, TREE, check_target

OUTSIDE = [
    (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    (OSError(errno.EROFS, "Read-only file system", "there/file"), "there/file: Read-only file system"),
    (MemoryError("Unable to allocate 1.00 TiB"), "out of memory: Unable to allocate"),
    (MemoryError(), "wordpl: out of memory\n"),
    (sqlite3.OperationalError("said by SQLite"), "a database cannot be used: said by SQLite"),
]
DEFECTS = [ZeroDivisionError("division by zero"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")]


@pytest.fixture
def raising(cli, monkeypatch):
    """Runs a command in which this error comes up."""

    def run(error: Exception) -> object:
        def fail() -> None:
            raise error

        monkeypatch.setattr(wordpl, "strategies", fail)
        return cli("list")

    return run


def test_a_fault_outside_is_one_line_and_a_defect_shows_its_traceback(raising):
    for error, named in OUTSIDE:
        run = raising(error)
        assert (run.code, run.out, run.err.count("\n")) == (FAILED, "", 1)
        assert named in run.err and run.err.startswith("wordpl: ")
    for error in DEFECTS:
        run = raising(error)
        assert (run.code, run.out) == (DEFECT, "")
        assert "Traceback" in run.err and type(error).__name__ in run.err
        assert "please report these lines, the command and what `wordpl doctor` shows" in run.err.splitlines()[-1]


class Full(io.StringIO):
    def write(self, text: str) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("line", ["--help", "score Greedy(10) -n 2 -j 1 --json"])
def test_a_full_stdout_is_an_error(cli, monkeypatch, line):
    monkeypatch.setattr(sys, "stdout", Full())
    run = cli(*line.split())
    assert (run.code, run.err.count("\n")) == (FAILED, 1) and "No space left on device" in run.err


@pytest.mark.heavy
def test_a_full_disk_is_one_line_about_an_export(cli, tmp_path):
    """The rows that are left unread say nothing as the file is closed."""
    with wordpl.Store(tmp_path / "r.sqlite") as store:
        wordpl.sweep([wordpl.make_task("TwoGuess(9)", words=SMALL)], 500, store=store)
    with full_disk(5000):
        done = cli("results", "r.sqlite", "--games", "--out", "out.csv")
    assert done == Run(2, "", "wordpl: cannot write out.csv: File too large\n")


@pytest.mark.parametrize("path", [path for path, one in LEAVES.items() if any("--out" in p.opts for p in one.params)])
def test_another_ending_is_refused_before_the_work(cli, path):
    needed = [one for one in LEAVES[path].params if one.required and "--out" not in one.opts]
    said = refused(cli, *path, *(one.metavar or one.name for one in needed), "--out", "new.xyz")
    assert "cannot write new.xyz: a name that ends in ." in said


@pytest.mark.parametrize("place", ["words.txt/new.tree", "folder.tree", "shut/new.tree"])
def test_a_place_where_nothing_can_be_made(tmp_path, monkeypatch, place):
    monkeypatch.chdir(tmp_path)
    Path("words.txt").touch()
    Path("folder.tree").mkdir()
    Path("shut").mkdir()
    allowed = os.access
    monkeypatch.setattr(os, "access", lambda path, mode: Path(path).name != "shut" and allowed(path, mode))
    check_target(Path("new/folder/t.TREE"), [TREE])
    check_target(Path("words.txt"), [TREE])
    with pytest.raises(ValueError, match="cannot be written"):
        check_target(Path(place), [TREE])


def test_what_a_picture_needs_is_asked_for_before_the_work(monkeypatch, tmp_path):
    monkeypatch.setattr(targets.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(MissingExtraError, match=r"pip install '.\[plots\]'"):
        check_target(tmp_path / "p.png", [PICTURE])


# Notes and progress on stderr: nothing with --quiet, details with --verbose.


def test_quiet_says_nothing_but_results_and_errors(cli, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_BETWEEN_LINES", 0.0)
    given = ["score", "TwoGuess(18)", "-n", "20", "-j", "1", "-o", "r.sqlite"]
    assert "20/20 trials" in cli(*given, "--rule", "counted").err
    quiet = cli(*given, "--quiet")
    assert (quiet.code, quiet.err) == (0, "") and "win rate" in quiet.out
    assert cli("results", "r.sqlite", "--games", "--out", "r.csv", "-q").err == ""
    assert "did you mean 'TwoGuess'" in cli("score", "TooGuess(18)", "-q").err
