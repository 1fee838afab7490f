"""Tables on a narrow terminal, and for programs."""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import written
from tests.support.helpers import SMALL
from wordpl import load_words
from wordpl.limits.families import FAMILIES
from wordpl.limits.frontier import SmallestBudget

FIRST, SECOND = SMALL.answers[:2]
NARROW = {
    "rank": "-e 12.3 --criterion renyi",
    "explain": "--channel ball:1 6",
    "list": "MaxClueEntropy",
    "solve": f"--lies 2 {FIRST}=..... {SECOND}=ic... --game wordle:4",
    "analyze": f"{SECOND} {FIRST} --answer {FIRST}",
    "win-rate": "Renyi((12.5,),orders=(1.5,),first_guess=None) TwoGuess(4) -j 1",
    "score": "MaxClueEntropy(n_guesses=3,epsilon=12.5,monte_carlo=20) -n 12 -j 1",
    "tree": "build",
}
PROSE = ("Remaining: ", "Most probable: ", "Closest: ")
"""Lines of text around a table, which the terminal wraps, so that they can be copied whole."""


@pytest.mark.parametrize("command", NARROW)
def test_what_is_shown_fits_60_columns(cli, tmp_path, command):
    """`tests/reporting/test_tables.py` has tables of all widths, and what gives way."""
    words = [] if command in ("explain", "list") else written(SMALL, tmp_path)
    run = cli(command, *NARROW[command].split(), *words, COLUMNS="60")
    assert run.code == 0, run.err
    assert [line for line in run.out.splitlines() if len(line) > 60 and not line.startswith(PROSE)] == []


def test_list_gives_its_tables_to_programs(cli):
    def rows(*command):
        return list(csv.DictReader(io.StringIO(cli(*command, "--format", "csv").out)))

    names = [row["strategy"].partition("(")[0] for row in rows("list")]
    assert names == [one["name"] for one in json.loads(cli("list", "--json").out)]
    words = load_words("fibble")
    assert [row["word"] for row in rows("list", "--words", "fibble")] == list(words.answers)
    assert cli("list", "--words", "fibble", "--every-guess").out.split() == list(words.guesses)


def test_the_frontier_keeps_the_best_and_the_bound_longest(cli, monkeypatch):
    curve = [SmallestBudget(budget, 0.25 * (budget > 50)) for budget in np.linspace(10, 90, 99).tolist()]
    curves = {family.name: curve for family in FAMILIES} | {"best": curve}
    monkeypatch.setattr("wordpl.limits.measure_frontier", lambda *args, **more: {})
    monkeypatch.setattr("wordpl.limits.smallest_budgets", lambda *args, **more: curves)
    for width in (60, 260):
        shown = cli("frontier", "--measure", COLUMNS=str(width)).out
        assert all(len(line) <= width for line in shown.splitlines()) and "± 0.25" in shown
        heading = shown.split("──")[0] if "┃" not in shown else shown.split("┡")[0]
        assert "best" in heading and "bound" in heading and ("left out" in shown) == (width < 100)
    assert cli("frontier", "--measure", "-o", "f.csv", "-o", "f.png").out == ""
    written = json.loads(cli("frontier", "--measure", "--json").out)
    assert list(written) == [*curves, "bound", "bound, 2 clues", *(f"{name}, error" for name in curves)]
    assert list(zip(written["best"], written["best, error"], strict=True)) == list(map(tuple, curve))
    assert Path("f.csv").read_text().startswith("win_rate,1 clue,")
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")
