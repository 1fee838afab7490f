"""`wordpl compare`: pairs of a grid, and what it writes. tests/test_examples.py holds its page to what it prints."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import refused
from tests.support.helpers import SMALL

LISTS = ["--answers", "words.txt", "--jobs", "1"]


@pytest.fixture(autouse=True)
def _words(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))


def test_strategies_are_paired_at_each_epsilon(cli):
    """One that has its own epsilon meets all; itself, where the grid has that epsilon, it does not meet."""
    specs = ["NGuess(1)", "TwoGuess()", "NGuess(1, 5)"]
    run = cli("compare", *specs, "-e", "5,9", "-n", "20", "--figure", "posterior_win_rate", *LISTS, "--json")
    pairs = json.loads(run.out)["pairs"]
    shown = [(pair["first"]["strategy"], pair["second"]["strategy"]) for pair in pairs]
    one, two = "NGuess(n_guesses=1, epsilon={})", "TwoGuess(epsilon={})"
    assert shown == [
        (one.format("5.0"), two.format("5.0")),
        (one.format("9.0"), two.format("9.0")),
        (one.format("9.0"), one.format("5.0")),
        (two.format("9.0"), one.format("5.0")),
    ]


MINE = """
class Mine:
    def __init__(self, epsilon=9.0):
        self.epsilon = epsilon

    def first_move(self):
        return "{word}", self.epsilon

    def next_move(self, guess, epsilon, clues):
        return "{word}", 0
"""


@pytest.mark.heavy
@pytest.mark.parametrize("source", [MINE, f"import wordpl\n{MINE}"], ids=["contest", "with wordpl"])
def test_the_default_of_a_file_counts_unless_a_grid_is_given(cli, tmp_path, source):
    (tmp_path / "mine.py").write_text(source.format(word=SMALL.answers[0]))
    specs, few = ["mine.py", "TwoGuess(18)"], ["-n", "2", *LISTS, "--json"]
    (pair,) = json.loads(cli("compare", *specs, *few).out)["pairs"]
    assert (pair["first"]["epsilon"], pair["second"]["epsilon"]) in [(9.0, 18.0), (None, 18.0)]
    on_grid = json.loads(cli("compare", "mine.py:Mine", specs[1], "-e", "5,7", *few).out)["pairs"]
    assert [pair["first"]["epsilon"] for pair in on_grid] == [5.0, 7.0]
    assert len(json.loads(cli("sweep", *specs, "TwoGuess", *few).out)) == 12
    assert len(json.loads(cli("sweep", *specs, "TwoGuess", "-e", "5,7", *few).out)) == 5


@pytest.mark.heavy
def test_it_keeps_trials_and_draws(cli, tmp_path):
    common = ["compare", "NGuess(1)", "Greedy(20)", "-e", "5,9,inf", "-n", "30", *LISTS]
    run = cli(*common, "--out", "r.sqlite", "--out", "new/r.PNG")
    assert run.code == 0
    assert (tmp_path / "new" / "r.PNG").read_bytes().startswith(b"\x89PNG")
    assert run.out.endswith("results: r.sqlite\nplot: new/r.PNG\n")
    assert json.loads(cli("results", "r.sqlite", "--json").out)[0]["trials"] == 30
    stored = cli("compare", "--results", "r.sqlite", "-o", "s.svg", "--until-settled", "--figure", "p50", "--json")
    assert json.loads(stored.out)["until_settled"]
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


def test_stored_trials_are_not_written_to_another_file(cli, tmp_path):
    assert cli("compare", "NGuess(1, 5)", "TwoGuess(5)", "--out", "r.sqlite", "-n", "3", *LISTS).code == 0
    assert "--results plays nothing" in refused(cli, "compare", "--results", "r.sqlite", "--out", "other.sqlite")
    assert not (tmp_path / "other.sqlite").exists()
