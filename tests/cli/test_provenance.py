"""The table of the runs that made a results file."""

import shlex
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.helpers import SMALL
from wordpl import Store, make_task, parse_strategy, sweep
from wordpl.reporting.outcome_tables import print_runs
from wordpl.simulation import Run

LISTS = ["--answers", "my words.txt"]


@pytest.fixture(autouse=True)
def _words(tmp_path):
    (tmp_path / "my words.txt").write_text("\n".join(SMALL.answers))


def test_the_commands_can_be_copied_and_run_again(cli):
    games = ["--jobs", "1", *LISTS, "--out", "r.sqlite"]
    commands = [
        ["score", "TwoGuess(epsilon=8)", "--trials", "5", *games],
        ["sweep", "TwoGuess()", "NGuess(2)", "--epsilon", "8,12", "--trials", "7", *games],
    ]
    for command in commands:
        assert cli(*command, "--quiet").code == 0
    assert cli("sweep", "TwoGuess(8)", "--trials", "7", *games).code == 0  # adds nothing
    run = cli("results", "r.sqlite", "--provenance")
    assert (run.code, run.err) == (0, "")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in run.out.splitlines() if line.startswith("│")]
    assert [shlex.split(row[0]) for row in rows] == [["wordpl", *command, "--quiet"] for command in commands]
    assert [row[1:3] for row in rows] == [["5", "1"], ["23", "4"]]
    narrow = cli("results", "r.sqlite", "--provenance", COLUMNS="60").out
    assert max(map(len, narrow.splitlines())) <= 60
    only = cli("results", "r.sqlite", "--provenance", "--where", "family=nguess(*")
    assert "score" not in only.out
    none = cli("results", "r.sqlite", "--provenance", "--where", "family=greedy")
    assert (none.code, none.out) == (2, "")
    assert none.err == "wordpl: r.sqlite has no record of what made its results that match 'family=greedy'\n"


def run_of(path: Path) -> Run:
    with Store(path, command="wordpl score 'A(1)'") as store:
        sweep([make_task(parse_strategy("TwoGuess(8)"), words=SMALL)], 5, store=store)
        return store.provenance()[0]


def test_what_is_shown_of_a_run(tmp_path, capsys):
    run = run_of(tmp_path / "r.sqlite")
    hostile = replace(run, id="2", command="\x1b[2J\n[b]x[/b]" + 9000 * "y", begun="\x1b soon", numpy="9\x07")
    long = replace(run, begun="2026-11-22T00:00:00Z", ended="2026-11-22T03:00:30Z")
    print_runs("r.sqlite", [run, hostile, long])
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x07"} & set(shown)
    assert "\ufffd[2J\ufffd[b]x[/b]yyy" in shown
    assert "180 min" in shown and "2 runs with WORDPL " in shown
    assert len(shown) < 20_000
