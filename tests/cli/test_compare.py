"""`wordpl compare`: pairs of a grid, and what it writes. tests/test_examples.py holds its page to what it prints."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.helpers import SMALL

LISTS = ["--answers", "words.txt", "--jobs", "1"]


@pytest.fixture
def words(tmp_path: Path) -> None:
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))


@pytest.mark.usefixtures("words")
def test_strategies_are_paired_at_each_epsilon(cli: Cli) -> None:
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


@pytest.mark.heavy
@pytest.mark.usefixtures("words")
def test_it_keeps_trials_and_draws(cli: Cli, tmp_path: Path) -> None:
    common = ["compare", "NGuess(1)", "Greedy(20)", "-e", "5,9,inf", "-n", "30", *LISTS]
    run = cli(*common, "--out", "r.sqlite", "--out", "new/r.PNG")
    assert run.code == 0
    assert (tmp_path / "new" / "r.PNG").read_bytes().startswith(b"\x89PNG")
    assert run.out.endswith("results: r.sqlite\nplot: new/r.PNG\n")
    assert json.loads(cli("results", "r.sqlite", "--json").out)[0]["trials"] == 30
    stored = cli("compare", "--results", "r.sqlite", "-o", "s.svg", "--until-settled", "--figure", "p50", "--json")
    assert json.loads(stored.out)["until_settled"]
    assert b"<svg" in (tmp_path / "s.svg").read_bytes()


@pytest.mark.usefixtures("words")
def test_stored_trials_are_not_written_to_another_file(cli: Cli, tmp_path: Path) -> None:
    assert cli("compare", "NGuess(1, 5)", "TwoGuess(5)", "--out", "r.sqlite", "-n", "3", *LISTS).code == 0
    assert "--results plays nothing" in refused(cli, "compare", "--results", "r.sqlite", "--out", "other.sqlite")
    assert not (tmp_path / "other.sqlite").exists()
