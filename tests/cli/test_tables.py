"""Every command's table on a narrow terminal: no line is wider, no word and no number broken."""

import csv
import io
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from tests.cli.conftest import written
from tests.support.helpers import SMALL
from tests.support.ledgers import enter, finish, started
from wordpl import Store, load_words, make_task, parse_strategy, sweep
from wordpl.limits.families import FAMILIES
from wordpl.limits.frontier import SmallestBudget

WIDTH = 60
"""Where something of every table gives way; `tests/reporting/test_tables.py` has tables of all widths."""
LONG = "MaxClueEntropy(n_guesses=3, epsilon={}, monte_carlo=20)"
LISTS = ["--answers", "answers.txt", "--guesses", "guesses.txt"]
FEW = ["--trials", "12", "--jobs", "1", *LISTS]
FIRST, SECOND = SMALL.answers[:2]
COMMANDS = {
    "score": ["score", LONG.format(12.5), *FEW],
    "compare": ["compare", "MaxClueEntropy(n_guesses=3, monte_carlo=20)", "NGuess(2)", "-e", "0.125,12.5,40", *FEW],
    "compare results": ["results", "one.sqlite", "--compare"],
    "results": ["results", "r.sqlite"],
    "rank": ["rank", "-e", "12.3", "--criterion", "renyi", *LISTS],
    "explain": ["explain", "13"],
    "list of one": ["list", "MaxClueEntropy"],
    "score several": ["score", "TwoGuess(18)", LONG.format(12.5), *FEW],
    "solve with lies": ["solve", "--lies", "2", f"{FIRST}=.....", f"{SECOND}=ic...", "--game", "wordle:4", *LISTS],
    "analyze": ["analyze", SECOND, FIRST, "--answer", FIRST, *LISTS],
    "win-rate": ["win-rate", "Renyi((12.5,), orders=(1.5,), first_guess=None)", "TwoGuess(4)", "--jobs", "1", *LISTS],
    "tree": ["tree", "build", *LISTS],
    "contest board": ["contest", "board", "--ledger", "contest.sqlite"],
}
PROSE = ("Provisional board", "a name that", "SHA-256 of ", "Effectively ", "Remaining: ", "Most probable: ")
"""Lines of text around a table, which the terminal wraps, so that they can be copied whole."""
TOKEN = re.compile(r"[\w.+-]*\w")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    written(SMALL, folder)
    specs = [parse_strategy(LONG.format(epsilon)) for epsilon in (0.125, 12.5, 40.0)]
    tasks = [make_task(spec, seed, words=SMALL) for spec in specs for seed in (1, 2)]
    with Store(folder / "r.sqlite") as store:
        sweep(tasks, 12, store=store)
    with Store(folder / "one.sqlite") as store:
        sweep(tasks[::2], 12, store=store)
    with started(folder / "contest.sqlite") as ledger:
        finish(ledger, enter(ledger, "a name that is rather long for a table of this kind"))
    return folder


@pytest.fixture
def files(made, tmp_path):
    shutil.copytree(made, tmp_path, dirs_exist_ok=True)


@pytest.mark.usefixtures("files")
@pytest.mark.parametrize("name", COMMANDS)
def test_tables_fit_the_terminal(cli, name):
    whole = cli(*COMMANDS[name], COLUMNS="100000")
    assert whole.code == 0, whole.err
    texts = {re.sub(r"\d", "9", token) for token in TOKEN.findall(whole.out)}  # times differ from run to run
    run = cli(*COMMANDS[name], COLUMNS=str(WIDTH))
    lines = [
        line for line in run.out.splitlines() if not line.startswith(PROSE) and not re.fullmatch("[0-9a-f]{64}", line)
    ]
    assert all(len(line) <= WIDTH for line in lines), run.out
    seen = re.sub(r"left out: .*", "", run.out, flags=re.DOTALL)
    parts = {re.sub(r"\d", "9", token) for token in TOKEN.findall(seen)}
    assert {part for part in parts - texts if "…" not in part and not _named(part)} == set()


def _named(token: str) -> bool:
    """Whether a word is of the fuller name that a column has where its rows are lines."""
    return token in {"of", "95", "interval"} or bool(re.fullmatch(r"[p.\d]*9+[.\d]*(e-?9+)?", token))


def test_list_and_analyze_give_their_tables_to_programs(cli):
    def rows(*command):
        return list(csv.DictReader(io.StringIO(cli(*command, "--format", "csv").out)))

    names = [row["strategy"].partition("(")[0] for row in rows("list")]
    assert names == [one["name"] for one in json.loads(cli("list", "--json").out)]
    assert [row["word"] for row in rows("list", "--words", "fibble")] == list(load_words("fibble").answers)
    written(SMALL)
    game = ("analyze", SECOND, FIRST, "--answer", FIRST, *LISTS)
    turns = json.loads(cli(*game, "--json").out)["turns"]
    assert [(row["guess"], row["best"]) for row in rows(*game)] == [(turn["guess"], turn["best"]) for turn in turns]
    for row, turn in zip(rows(*game), turns, strict=True):
        assert row["skill"] == ("" if turn["skill"] is None else str(turn["skill"]))
        for name in ("expected_bits", "best_bits", "skill_bits", "actual_bits", "luck_bits"):
            assert float(row[name.replace("_", " ")]) == pytest.approx(turn[name], abs=0.005)
    assert cli(*game, "-o", "game.tex").out == ""
    assert Path("game.tex").read_text().startswith("\\begin{tabular}")


@pytest.mark.parametrize("width", [WIDTH, 260])
def test_the_frontier_keeps_the_best_and_the_bound_longest(cli, width, monkeypatch):
    curve = [SmallestBudget(budget, 0.25 * (budget > 50)) for budget in np.linspace(10, 90, 99).tolist()]
    curves = {family.name: curve for family in FAMILIES} | {"best": curve}
    monkeypatch.setattr("wordpl.limits.measure_frontier", lambda *args, **more: {})
    monkeypatch.setattr("wordpl.limits.smallest_budgets", lambda *args, **more: curves)
    shown = cli("frontier", "--measure", COLUMNS=str(width)).out
    assert all(len(line) <= width for line in shown.splitlines())
    heading = shown.split("──")[0] if "┃" not in shown else shown.split("┡")[0]
    assert "best" in heading and "bound" in heading
    assert ("left out" in shown) == (width < 100)
    assert "± 0.25" in shown
    assert cli("frontier", "--measure", "-o", "f.csv", "-o", "f.png").out == ""
    written = json.loads(cli("frontier", "--measure", "--json").out)
    assert list(written) == [*curves, "bound", "bound, 2 clues", *(f"{name}, error" for name in curves)]
    assert list(zip(written["best"], written["best, error"], strict=True)) == list(map(tuple, curve))
    assert Path("f.csv").read_text().startswith("win_rate,1 clue,")
    assert Path("f.png").read_bytes().startswith(b"\x89PNG")
