"""The table of the runs that made a results file."""

import csv
import shlex
import sqlite3
from contextlib import closing

import numba

import wordpl
from tests.support.helpers import SMALL


def test_the_commands_can_be_copied_and_run_again(cli, tmp_path):
    (tmp_path / "my words.txt").write_text("\n".join(SMALL.answers))
    games = ["--jobs", "1", "--answers", "my words.txt", "--out", "r.sqlite"]
    commands = [
        ["score", "TwoGuess(epsilon=8)", "--trials", "5", *games],
        ["sweep", "TwoGuess()", "NGuess(2)", "--epsilon", "8,12", "--trials", "7", *games],
    ]
    for command in commands:
        assert cli(*command, "--quiet").code == 0
    assert cli("sweep", "TwoGuess(8)", "--trials", "7", *games).code == 0  # adds nothing
    run = cli("results", "r.sqlite", "--provenance", "--format", "csv")
    assert (run.code, run.err) == (0, "")
    rows = list(csv.reader(run.out.splitlines()))[1:]
    assert [shlex.split(row[0]) for row in rows] == [["wordpl", *command, "--quiet"] for command in commands]
    assert [row[1:3] for row in rows] == [["5", "1"], ["23", "4"]]
    with closing(sqlite3.connect("r.sqlite")) as database, database:
        database.execute("UPDATE runs SET begun = '2026-01-02T03:04:05', ended = '2026-01-03T04:05:06'")
    head, *rows = csv.reader(cli("results", "r.sqlite", "--provenance", "--format", "csv").out.splitlines())
    told = dict(zip(head, rows[0], strict=True))
    assert (told["begun (UTC)"], told["ended"]) == ("2026-01-02T03:04", "2026-01-03T04:05")
    assert (told["numba"], told["wordpl"]) == (numba.__version__, wordpl.__version__)
    only = cli("results", "r.sqlite", "--provenance", "--strategy", "nguess(*")
    assert "score" not in only.out
