"""Tables on a narrow terminal and for programs, and JSON.

What any test of a command prints with --json is held to its schema by `tests/cli/conftest.py`.
"""

import csv
import io
import json
from pathlib import Path

import numpy as np
import pytest

from docs._records import COMMANDS
from tests.cli.conftest import schema_of, valid, written
from tests.support.commands import LEAVES
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
    heading = cli("frontier", "--measure", COLUMNS="60").out.split("──")[0]
    assert "best" in heading and "bound" in heading
    assert cli("frontier", "--measure", "-o", "f.csv", "-o", "f.png").out == ""
    written = json.loads(cli("frontier", "--measure", "--json").out)
    assert list(written) == [*curves, "bound", "bound, 2 clues", *(f"{name}, error" for name in curves)]
    assert list(zip(written["best"], written["best, error"], strict=True)) == list(map(tuple, curve))
    assert Path("f.csv").read_text().startswith("win_rate,1 clue,")


def test_every_command_with_json_has_a_schema():
    with_json = {schema_of(path) for path, one in LEAVES.items() if any("--json" in p.opts for p in one.params)}
    more = {"rank --clues", "results --games --out FILE.json", "results --provenance", "score --sandbox"}
    assert set(COMMANDS) == with_json | more


RARE = {
    "score Greedy(inf) -n 4 -j 1": {"epsilon": "inf", "noiseless": True, "mean_budget": "inf", "p50": None},
    "watch Greedy(inf) --trial 1": {"budget": "inf"},
    f"solve {FIRST}=..... --game wordle:3 --lies 1": {"only": None},
    f"solve {FIRST}=..... {FIRST}=c....": {"answers": []},
    f"analyze {FIRST}=..... {SECOND}=i.... --lies 1": {"solved": False},
}
"""Commands, and what they print where a value is rare."""


@pytest.mark.parametrize(("line", "values"), RARE.items())
def test_a_rare_value(cli, tmp_path, line, values):
    found = json.loads(cli(*line.split(), *written(SMALL, tmp_path), "--json").out)
    assert found == found | values


def test_the_games_of_a_sweep_in_a_file(cli, tmp_path):
    run = ["--epsilon", "5,inf", "--out", "s.sqlite", "--trials", "9", "--jobs", "1", *written(SMALL, tmp_path)]
    assert cli("sweep", "NGuess(1)", "Greedy", *run).code == 0
    assert cli("results", "s.sqlite", "--games", "--out", "t.json", "--timings").code == 0
    rows = valid("results --games --out FILE.json", Path("t.json").read_text())
    assert {row["budget"] for row in rows if row["noiseless"] and row["asks"]} == {"inf"}
