"""`wordpl compare`: pairs of a grid, and what it writes. tests/test_examples.py holds its page to what it prints."""

import json

import pytest

from tests.support.helpers import SMALL

LISTS = ["--answers", "words.txt", "--jobs", "1"]


@pytest.fixture(autouse=True)
def _words(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))


def test_strategies_are_paired_at_each_epsilon(cli):
    """One that has its own epsilon meets all; itself, where the grid has that epsilon, it does not meet."""
    specs = ["NGuess(1)", "TwoGuess()", "NGuess(1, 5)"]
    rule = ["--statistic", "posterior_win_rate", "--margin", "0.05", "--confidence", "0.9", "--seed", "3"]
    told = json.loads(cli("compare", *specs, "-e", "5,9", "-n", "20", *rule, *LISTS, "--json").out)
    assert (told["statistics"], told["margin"], told["error"]) == (["posterior_win_rate"], 0.05, 0.1)
    pairs = told["pairs"]
    assert {(str(pair["first"]["seed"]), pair["trials"]) for pair in pairs} == {("3", 20)}
    shown = [(pair["first"]["strategy"], pair["second"]["strategy"]) for pair in pairs]
    ones, twos = ([f"{call}epsilon={e})" for e in (5.0, 9.0)] for call in ("NGuess(n_guesses=1, ", "TwoGuess("))
    assert shown == [(ones[0], twos[0]), (ones[1], twos[1]), (ones[1], ones[0]), (twos[1], ones[0])]


MINE = f"""
class Mine:
    def __init__(self, epsilon=9.0): self.move = {SMALL.answers[0]!r}, epsilon
    def first_move(self): return self.move
    def next_move(self, *turn): return {SMALL.answers[0]!r}, 0
"""


@pytest.mark.heavy
def test_the_default_of_a_file_counts_unless_a_grid_is_given(cli, tmp_path):
    (tmp_path / "mine.py").write_text(MINE)
    specs, few = ["mine.py", "TwoGuess(18)"], ["-n", "2", *LISTS, "--json"]
    (pair,) = json.loads(cli("compare", *specs, *few).out)["pairs"]
    assert pair["second"]["epsilon"] == 18.0
    on_grid = json.loads(cli("compare", "mine.py:Mine", specs[1], "-e", "5,7", *few).out)["pairs"]
    assert [pair["first"]["epsilon"] for pair in on_grid] == [5.0, 7.0]
    assert len(json.loads(cli("sweep", *specs, "TwoGuess", "-e", "5,7", *few).out)) == 5


@pytest.mark.heavy
def test_it_keeps_trials_and_draws(cli, tmp_path):
    common = ["compare", "NGuess(1)", "Greedy(20)", "-e", "5,9,inf", "-n", "30", *LISTS]
    run = cli(*common, "--out", "r.sqlite", "--out", "new/r.PNG")
    assert run.code == 0
    assert (tmp_path / "new" / "r.PNG").read_bytes().startswith(b"\x89PNG")
    assert run.out.endswith("results: r.sqlite\nplot: new/r.PNG\n")
    assert json.loads(cli("results", "r.sqlite", "--json").out)[0]["trials"] == 30
    run = cli(*common, "--out", "r.sqlite", "--format", "csv")  # never in what programs read
    assert (run.out.count("r.sqlite"), run.err.count("results: r.sqlite\n")) == (0, 1)
    rule = ["--statistic", "p50", "--margin", "0.5", "--confidence", "0.9"]
    stored = json.loads(cli("results", "r.sqlite", "--compare", "-o", "s.svg", *rule, "--json").out)
    assert (stored["statistics"], stored["margin"], stored["error"]) == (["p50"], 0.5, pytest.approx(0.1))
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


@pytest.mark.heavy
def test_a_tournament_at_equal_budgets(cli, tmp_path):
    command = ["compare", "--all", "TwoGuess()", "NGuess(2)", "NGuess(3)", "--budget", "12,18", "-n", "40", *LISTS]
    found = json.loads(cli(*command, "--out", "new/t.png", "--json").out)
    assert (found["statistics"], found["corrected_for"]) == (["posterior_win_rate"], 6)
    assert {(one["round"], one["budget"]) for one in found["ranking"]} == {(1, 12.0), (2, 18.0)}
    assert [(pair["first"]["epsilon"], pair["second"]["epsilon"]) for pair in found["pairs"]] == [
        *((12.0, 6.0), (12.0, 4.0), (6.0, 4.0)),
        *((18.0, 9.0), (18.0, 6.0), (9.0, 6.0)),
    ]
    assert (tmp_path / "new" / "t.png").read_bytes().startswith(b"\x89PNG")


def test_a_tournament_of_stored_trials(cli):
    specs = ["TwoGuess(9)", "NGuess(2, 4)", "NGuess(3, 3)"]
    played = cli("compare", "--all", *specs, "-n", "60", "--out", "r.sqlite", *LISTS)
    assert cli("results", "r.sqlite", "--compare", "--all").out == played.out.removesuffix("results: r.sqlite\n")
