"""The table of the runs that made a results file."""

import shlex
from dataclasses import replace

import pytest

from tests.support.helpers import SMALL
from wordpl import Store, make_task, sweep
from wordpl.reporting.outcome_tables import print_runs

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
    only = cli("results", "r.sqlite", "--provenance", "--strategy", "nguess(*")
    assert "score" not in only.out


def test_what_is_shown_of_a_run(tmp_path, capsys):
    with Store(tmp_path / "r.sqlite") as store:
        sweep([make_task("TwoGuess(8)", words=SMALL)], 5, store=store)
        (run,) = store.provenance()
    hostile = replace(run, id="2", command="\x1b[2J\n[b]x[/b]" + 9000 * "y", begun="\x1b soon", numpy="9\x07")
    print_runs("r.sqlite", [run, hostile])
    shown = capsys.readouterr().out
    assert not {"\x1b", "\x07"} & set(shown)
    assert "\ufffd[2J\ufffd[b]x[/b]yyy" in shown
    assert len(shown) < 20_000
