"""JSON: what commands print where a value is rare, such as an infinite one, and the schemas of all commands.

What any test of a command prints with --json is held to its schema by `tests/cli/conftest.py`.
"""

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from docs._records import COMMANDS
from tests.cli.conftest import schema_of, schemas_and_types, valid, validator
from tests.support.commands import LEAVES
from tests.support.helpers import SMALL

LISTS = ["--answers", "words.txt"]
RUN = ["--jobs", "1", *LISTS, "--json"]


@pytest.fixture(autouse=True)
def _words(tmp_path):
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))


def test_every_command_with_json_has_a_schema():
    with_json = {schema_of(path) for path, one in LEAVES.items() if any("--json" in p.opts for p in one.params)}
    more = {"rank --clues", "results --games --out FILE.json", "results --provenance", "score --sandbox"}
    assert set(COMMANDS) == with_json | more


def test_every_schema_is_one_and_allows_nothing_else():
    schemas, types = schemas_and_types()
    Draft202012Validator.check_schema({"$defs": {**types, **schemas}})
    one = {"guess": "crate", "answer": "haste", "rule": "letterwise", "clue": "..icc", "code": 17}
    assert not list(validator("clue").iter_errors(one))
    for wrong in ({**one, "more": 1}, {**one, "code": "17"}, {key: one[key] for key in one if key != "clue"}):
        assert list(validator("clue").iter_errors(wrong))


WORD, OTHER = SMALL.answers[:2]
RARE = {
    "score Greedy(inf) -n 4 -j 1": {"epsilon": "inf", "noiseless": True, "mean_budget": "inf", "p50": None},
    "watch Greedy(inf) --trial 1": {"budget": "inf"},
    f"solve {WORD}=..... --game wordle:3 --lies 1": {"only": None},
    f"solve {WORD}=..... {WORD}=c....": {"answers": []},
    f"analyze {WORD}=..... {OTHER}=i.... --lies 1": {"solved": False},
}
"""Commands, and what they print where a value is rare."""


@pytest.mark.parametrize(("line", "values"), RARE.items())
def test_a_rare_value(cli, line, values):
    found = json.loads(cli(*line.split(), *LISTS, "--json").out)
    assert found == found | values


def test_a_sweep_its_file_and_its_comparison(cli):
    specs = ["NGuess(n_guesses=1)", "Greedy", "--epsilon", "5,20,inf", "--out", "s.sqlite", "--trials", "30"]
    swept = json.loads(cli("sweep", *specs, *RUN).out)
    stored = json.loads(cli("results", "s.sqlite", "--json").out)
    by_task = {one["task"]: one for one in stored}
    assert [by_task[one["task"]] for one in swept] == swept, "the file says what the sweep has said"
    assert cli("results", "s.sqlite", "--games", "--out", "t.json", "--timings").code == 0
    rows = valid("results --games --out FILE.json", Path("t.json").read_text())
    assert {row["budget"] for row in rows if row["noiseless"] and row["asks"]} == {"inf"}
    (run,) = json.loads(cli("results", "s.sqlite", "--provenance", "--json").out)
    assert run["added"] == {one["task"]: 30 for one in stored}
    pairs = json.loads(cli("results", "s.sqlite", "--compare", "--json").out)["pairs"]
    differences = [one["difference"] for pair in pairs for one in pair["differences"]]
    assert None in differences and {"inf", "-inf"} & set(differences)
