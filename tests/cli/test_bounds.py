"""Every option of every command with values that it cannot take: exit code 2 and one line, at once."""

import os
from pathlib import Path

import pytest

from tests.cli.conftest import refused
from wordpl.cli.execution import number_of_jobs

HUGE, LONG = "9" * 20, "9" * 5000
WORDS = ["--answers", "words.txt"]
VALUES = {
    "score Greedy(10) -n": (HUGE, LONG, "1000000001", "1e3", ""),
    "score Greedy(10) -j": ("-1", "1.5"),
    "score Greedy(10) --until-width": ("0", "nan"),
    "score Greedy(10) --seed": (str(2**256), "1.5"),
    "score Greedy(10) --game-seconds": ("0", "nan"),
    "win-rate NGuess(n_guesses=2,epsilon=7) --sample --standard-error": ("nan", "1e-300", "x"),
    "sweep Greedy() --epsilon": (
        *["", ",", ":", "1:2", "1:2:3:4", "nan", "inf:inf:1", "1:1e9:0.001", "-1", "0"],
        LONG + "x",
    ),
    "sweep NGuess() --grid": ("", "=", "=1", "n guesses=1", "x" * 5000 + "=1"),
    "sweep NGuess() --grid n_guesses=": ("", "x", "1:2", "1:1e9:1", "{}", "nan", LONG, "(" * 900, "0", "1.5"),
    "score": ("NGuess(1001, 1)", "Greedy(nan)", "Greedy(**{})", f"Greedy({'(' * 900})", "", "x" * 5000),
    "contest start --record": ("6=3", "5=-1", "5=inf", "x=5", "5=x"),
    "contest start": ("--margin=100", "--start-seconds=inf"),
    "rank --epsilon": ("nan", "-inf", ""),
    "rank --criterion renyi --order": ("0", "nan"),
    "rank --after": ("", "=", "@", "crate=", "crate=x", "crate=..icc@nan", "crate=..icc@-1"),
    "rank --after crate=": ("." * 100_000, "..icc@" + LONG + "x"),
    "play --seed 1 --trial": (HUGE, "-1"),
    "clue crate": ("x" * 100_000, ""),
    "solve": ("crate=....", "=", "crate=..icc@nan", "x" * 100_000 + "=..icc"),
    "plot none.sqlite --title": ("x" * 1001,),
    "frontier --measure --standard-error 0.1 --family": ("", "x" * 5000),
}
"""How a command begins -> what it cannot take next; tests/test_numbers.py has every number of the library."""
OWN_WORDS = ("score", "sweep", "win-rate", "rank", "play", "solve")


@pytest.fixture
def bad_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("words.txt").write_text("bread\ncrate\nhaste\n")
    Path("mine.py").write_text("class Mine:\n    first_move = next_move = None\n")
    os.mkfifo("pipe")
    Path("folder").mkdir()
    with open("huge", "wb") as file:
        file.truncate(1 << 40)
    Path("bytes").write_bytes(bytes(range(255, 0, -1)) * 40)
    Path("deep").write_text("[" * 100_000)
    Path("short").write_bytes(b"SQLite format 3\0" + b"\0" * 40)


@pytest.mark.parametrize("before", VALUES)
def test_a_value_out_of_bounds(cli, bad_files, before, subtests, tmp_path):
    command, *words = before.split()
    lists = WORDS if command in OWN_WORDS else []
    joined = words.pop() if before.endswith("=") else ""
    for value in VALUES[before]:
        with subtests.test(value[:12]):
            refused(cli, command, *lists, *words, joined + value)
    assert [*tmp_path.rglob("*.sqlite")] == []


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
def test_a_file_that_cannot_be_read(cli, bad_files, before, subtests):
    for file in FILES:
        with subtests.test(file[:12]):
            refused(cli, *before, file)


def test_no_more_workers_than_cores():
    cores = len(os.sched_getaffinity(0))
    assert [number_of_jobs(jobs) for jobs in (0, 1, cores, 100_000)] == [cores, 1, cores, cores]
