"""A user's mistake, and what goes wrong outside of the program: exit code 2, one line on stderr, nothing on stdout. A
defect shows its traceback. Notes on stderr."""

import errno
import io
import os
import shlex
import sqlite3
import sys
from pathlib import Path
from unittest.mock import Mock

import pytest

import wordpl
from tests.cli.conftest import Run, refused
from tests.support.commands import LEAVES
from tests.support.helpers import ASKS_ONCE, SMALL, full_disk
from wordpl import MissingExtraError
from wordpl.base import progress
from wordpl.cli import DEFECT, FAILED, targets
from wordpl.cli.execution import number_of_jobs
from wordpl.cli.targets import PICTURE, TREE, check_target

MISTAKES = """
score TwoGuess(18) --channel fibble | each clue of channel fibble has epsilon inf; write epsilon=inf
sweep TwoGuess() --game unlimited | unlimited games are for people, since a strategy would ask every word at epsilon 0
score TwoGuess() --epsilon 5 | stands in the strategy, as in "Greedy(epsilon=5)"; leave out --epsilon
watch TwoGuess(12) --game-seconds 3 | --game-seconds goes with --sandbox
watch TwoGuess(12) --lost --trial 0-5 | --lost shows one game
sweep Greedy(10) NGuess(2,3) -e 5 | Greedy(10) already has epsilon; remove it there, or give no other values of it
sweep NGuess() --grid n_guesses=2 --grid n_guesses=3 | n_guesses has two grids
rank --after crate=..icc@nan | epsilon 'nan' is not allowed; a number from 0 to 1,000,000, or inf, is expected
score Greedy(10) -n 1e3 | a whole number from 1 to 100,000,000 is expected
contest start --record 6=3 | a record is a number above 0 at percentile 5, 50 or 95
contest start --channel fibble | whose clues have a finite epsilon
contest submit mine.py --name X --ledger none.sqlite | wordpl contest start makes one
score Greedy(10) --first-trial 5 --until-width 0.1 | use either first_trial 5 or until_width
score Greedy(10) --words nyt2022 --answers guesses.txt | either the name of a bundled list or files
compare Greedy(9) Greedy(8) --game "contest (every answer)" | use wordpl score --game contest --every-answer
score Greedy(10) --every-answer -n 5 | --every-answer plays each answer once; leave out --trials, --first-trial and
score mine.py --sandbox --until-width 0.1 | does not go with --until-width
compare TwoGuess(5) | give at least two strategies
compare TwoGuess() NGuess(2) --budget 12 -e 5 | use either --epsilon or --budget
compare TwoGuess(5) NGuess(2,4) --budget 9 | TwoGuess(5) already has epsilon
results guesses.txt --margin 0.1 | go with --compare
results guesses.txt --out t.parquet | t.parquet is for a row of each trial; add --games
score TwoGuess(18) --json --sort p50 | --json prints no table
frontier --seed 2 | --seed go with --measure
rank --order 3 | --criterion renyi
play --channel fibble --epsilon 3 | inf
play --game wordle:6 --channel ball:1 --hard | hard mode needs true clues
play --adversarial --epsilon 13 | exact clues
play --hard | add --epsilon inf
play --daily --date 2026-11-22 | use either --daily or --date
solve --lies 1 --game wordle:9:crate | first row
solve --lies 1 --channel fibble:2 | --lies 1 and --channel fibble:2 both name the channel; leave out one
solve --channel randomized_response:12 --game contest | all clues of channel randomized_response:12 have one epsilon
clue crate haste --count 3 | are for noisy clues; add --epsilon
list NGuess --words nyt2023 | --words lists words, not strategies
solve --lies 1 --epsilon 13 | leave out --epsilon 13, or --lies 1
solve --known ..a.e --has r --hard | hard mode needs your guesses
list -q -v | use either --quiet or --verbose
win-rate --records TwoGuess(5) | or --records
score mine.py --sandbox -o r.sqlite | does not go with --out
"""
"""Command | a part of what it says. What a room refuses in its own words is in its tests."""
ROWS = [row.split(" | ") for row in MISTAKES.strip().splitlines()]


@pytest.mark.parametrize("command", sorted({row.split()[0] for row, _ in ROWS}))
def test_one_line_and_exit_code_2(cli, tmp_path, command, subtests):
    (tmp_path / "guesses.txt").write_text("crate\nhaste\n")
    (tmp_path / "mine.py").write_bytes(ASKS_ONCE)
    for row, said in ROWS:
        if row.split()[0] == command:
            with subtests.test(row):
                assert said in refused(cli, *shlex.split(row))
    assert [*tmp_path.rglob("*.sqlite")] == []


WORDS = ["--answers", "words.txt"]
FILES = ["/dev/zero", "pipe", "folder", "huge", "bytes", "deep", "n" * 5000]
READERS = [
    ["frontier", "--measure", "--family", "1 clue", "--points"],
    ["rank", "--answers"],
    ["tree", "check", *WORDS],
    ["tree", "prove", *WORDS, "-j", "1", "--certificate"],
    ["analyze", "crate", "haste", "--share"],
    ["check"],
    ["results"],
    ["contest", "board", "--ledger"],
]


@pytest.mark.heavy
@pytest.mark.parametrize("before", READERS, ids=" ".join)
def test_a_file_that_cannot_be_read(cli, tmp_path, before, subtests):
    (tmp_path / "words.txt").write_text("bread\ncrate\nhaste\n")
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "folder").mkdir()
    with open(tmp_path / "huge", "wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "bytes").write_bytes(bytes(range(255, 0, -1)) * 40)
    (tmp_path / "deep").write_text("[" * 100_000)
    for file in FILES:
        with subtests.test(file[:12]):
            refused(cli, *before, file)


def test_no_more_workers_than_cores():
    assert [number_of_jobs(jobs) for jobs in (0, 1, 100_000)] == [cores := len(os.sched_getaffinity(0)), 1, cores]


# What goes wrong outside of the program.

OUTSIDE = [
    (OSError(errno.ENOSPC, "No space left on device"), "No space left on device"),
    (OSError(errno.EROFS, "Read-only file system", "there/file"), "there/file: Read-only file system"),
    (MemoryError("Unable to allocate 1.00 TiB"), "out of memory: Unable to allocate"),
    (MemoryError(), "wordpl: out of memory\n"),
    (sqlite3.OperationalError("said by SQLite"), "a database cannot be used: said by SQLite"),
]
DEFECTS = [ZeroDivisionError("division by zero"), UnicodeDecodeError("utf-8", b"\xff", 0, 1, "invalid start byte")]


def test_a_fault_outside_is_one_line_and_a_defect_shows_its_traceback(cli, monkeypatch):
    def raising(error: Exception) -> Run:
        monkeypatch.setattr(wordpl, "strategies", Mock(side_effect=error))
        return cli("list")

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
