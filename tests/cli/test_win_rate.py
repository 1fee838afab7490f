"""`wordpl win-rate`: what it prints, and what it refuses."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

import wordpl
import wordpl.cli.win_rate
from tests.cli.conftest import Cli
from tests.helpers import ORIGINAL, TINY
from wordpl import Policy, Setting, parse_strategy, setting_identity

KEYS = {
    "name",
    "strategy",
    "budget",
    "win_rate",
    "win_rate_interval",
    "confidence",
    "standard_error",
    "method",
    "exact",
    "histories",
    "seconds",
}
WORD = TINY.guesses[0]


@pytest.fixture
def tiny(tmp_path: Path) -> list[str]:
    """Options for a short list."""
    (tmp_path / "answers.txt").write_text("\n".join(TINY.answers) + "\n")
    (tmp_path / "guesses.txt").write_text("\n".join(TINY.guesses) + "\n")
    return ["--answers", "answers.txt", "--guesses", "guesses.txt", "--jobs", "1"]


def test_one_strategy_is_one_object(cli: Cli, tiny: list[str]) -> None:
    run = cli("win-rate", "Renyi(epsilon=(6, 4))", *tiny, "--json")
    shown = json.loads(run.out)
    expected = wordpl.compute_win_rate(parse_strategy("Renyi(epsilon=(6, 4))"), Setting(TINY))
    assert (run.code, run.err) == (0, "")
    assert shown.keys() == KEYS
    assert (shown["name"], shown["strategy"], shown["budget"]) == ("Renyi", expected.strategy, 10.0)
    assert (shown["win_rate"], shown["exact"], shown["standard_error"]) == (expected.win_rate, True, 0.0)
    assert shown["win_rate_interval"] == [expected.win_rate] * 2
    assert shown["histories"] == expected.histories == 243
    assert shown["method"] == "all histories"


def test_several_are_a_list_in_their_order(cli: Cli, tiny: list[str]) -> None:
    specs = ["TwoGuess(5)", "NGuess(2, 4)", "TwoGuess(9)"]
    shown = json.loads(cli("win-rate", *specs, *tiny, "--json").out)
    assert [row["strategy"] for row in shown] == [repr(parse_strategy(spec)) for spec in specs]
    assert [row["win_rate"] for row in shown] == [
        wordpl.compute_win_rate(parse_strategy(spec), Setting(TINY)).win_rate for spec in specs
    ]


def test_options_of_the_setting_count(cli: Cli, tiny: list[str]) -> None:
    rates = [
        json.loads(cli("win-rate", "NGuess(2, 5)", *tiny, *more, "--json").out)["win_rate"]
        for more in ([], ["--rule", "counted"], ["--rule", "letterwise"])
    ]
    settings = [Setting(TINY), Setting(TINY, "counted"), Setting(TINY)]
    assert rates == [wordpl.compute_win_rate(parse_strategy("NGuess(2, 5)"), setting).win_rate for setting in settings]


def test_the_table_has_the_digits(cli: Cli, tiny: list[str]) -> None:
    run = cli("win-rate", "TwoGuess(5)", *tiny)
    rate = wordpl.compute_win_rate(parse_strategy("TwoGuess(5)"), Setting(TINY)).win_rate
    assert run.code == 0
    assert all(part in run.out for part in ("TwoGuess(epsilon=5.0)", f"{rate:.6f}", "exact"))


@pytest.mark.heavy
def test_an_estimate_shows_its_interval(cli: Cli, tiny: list[str]) -> None:
    arguments = ["win-rate", "Greedy(5, n_guesses=2)", *tiny, "--sample", "--standard-error", "0.02", "--seed", "3"]
    shown = json.loads(cli(*arguments, "--json").out)
    expected = wordpl.compute_win_rate(
        parse_strategy("Greedy(5, n_guesses=2)"), Setting(TINY), exact=False, standard_error=0.02, seed=3
    )
    assert not shown["exact"]
    assert (shown["win_rate"], shown["standard_error"]) == (expected.win_rate, expected.standard_error)
    assert shown["win_rate_interval"] == list(expected.interval(0.99))
    assert shown["confidence"] == 0.99
    text = cli(*arguments).out
    assert f"{expected.win_rate:.4f}" in text
    assert f"{expected.interval()[0]:.4f} to {expected.interval()[1]:.4f}" in " ".join(text.split())


def test_exact_if_told(cli: Cli, tiny: list[str]) -> None:
    sampled, exact = (
        json.loads(cli("win-rate", "TwoGuess(5)", *tiny, flag, "--standard-error", "0.05", "--json").out)
        for flag in ("--sample", "--exact")
    )
    assert exact["exact"]
    assert sampled["method"] != exact["method"]


ORDINARY = ["win-rate", "MaxClueEntropy(4, inf, monte_carlo=None)", "--rule", "counted"]


def test_ordinary_wordle(cli: Cli, tiny: list[str]) -> None:
    run = cli(*ORDINARY, *tiny)
    assert run.code == 0
    assert "1.000000" in run.out


def test_ordinary_wordle_as_json(cli: Cli, tiny: list[str]) -> None:
    shown = json.loads(cli(*ORDINARY, *tiny, "--json").out)
    assert (shown["win_rate"], shown["budget"]) == (pytest.approx(1.0), "inf")


def test_records_have_their_percentiles(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    """With other strategies in their place, for time."""
    cheap = [(5, "TwoGuess(17.9)"), (50, "TwoGuess(30)"), (95, "TwoGuess(60)")]
    monkeypatch.setattr(wordpl.cli.win_rate, "RECORDS", cheap)
    shown = json.loads(cli("win-rate", "--records", "--jobs", "1", "--json").out)
    assert [row["percentile"] for row in shown] == [5, 50, 95]
    assert all(row.keys() == KEYS | {"percentile"} for row in shown)
    assert [row["budget"] for row in shown] == [17.9, 30.0, 60.0]
    assert round(shown[0]["win_rate"], 4) == 0.0502


def test_records_are_strategies() -> None:
    found = wordpl.cli.win_rate.RECORDS
    assert [percentile for percentile, _ in found] == [5, 50, 95]
    assert [repr(parse_strategy(spec)) for _, spec in found] == ["Fifth()", "Median()", "NinetyFifth()"]


MISTAKES: list[tuple[list[str], str]] = [
    ([], "--records"),
    (["--records", "TwoGuess(5)"], "one of the two"),
    (["TwoGess(5)"], "'TwoGuess'"),
    (["TwoGuess()"], "epsilon"),
    (["TwoGuess(-5)"], "above 0"),
    (["TwoGuess(5)", "TwoGess(5)"], "'TwoGuess'"),
    (["TwoGuess(5)", "Renyi(epsilon=())"], "empty"),
    (["Renyi(epsilon=(5, -1))"], "above 0"),
    (["Renyi(epsilon=(5, 4), orders=(1,))"], "2 asks"),
    (["Renyi(epsilon=(5, 4), orders=(1, 30))"], "0.1 to 20, or inf"),
    (["TwoGuess(5, first_guess='zzzzz')"], "zzzzz"),
    (["BayesianGreedy(5, 0.9)", "--exact"], "randomness of its own"),
    (["TwoGuess(5)", "--standard-error", "0"], "between 0 and 1"),
    (["TwoGuess(5)", "--standard-error", "nan"], "between 0 and 1"),
    (["TwoGuess(5)", "--standard-error", "little"], "--standard-error"),
    (["TwoGuess(5)", "--sample", "--seed", "-1"], "from 0 to"),
    (["TwoGuess(5)", "--jobs", "-1"], "from 0 up"),
    (["TwoGuess(5)", "--rule", "count"], "'counted'"),
    (["TwoGuess(5)", "--channel", "fible"], "'fibble'"),
    (["TwoGuess(5)", "--channel", "fibble"], "inf"),
    (["TwoGuess(5)", "--words", "orignal"], "'original'"),
    (["TwoGuess(5)", "--answers", "missing.txt"], "missing.txt"),
    (["FromTable(path='missing.json')"], "missing.json"),
    (["FromTable(path=3)"], "path"),
    (["Fifth(budget=-1)"], "budget"),
    (["Fifth(budget=nan)"], "literal"),
    (["Fifth()", "--words", "nyt2022"], "made for words 'original', not 'nyt2022'"),
    (["Fifth()", "--rule", "counted"], "made for rule"),
    (["Fifth()", "--channel", "fibble"], "made for channel"),
]


def refused(cli: Cli, *arguments: str) -> str:
    run = cli(*arguments)
    assert run.code == 2
    assert run.out == ""
    assert run.err.count("\n") == 1
    assert run.err.startswith("wordpl: ")
    assert "Traceback" not in run.err
    return run.err


@pytest.mark.parametrize(("arguments", "named"), MISTAKES, ids=[" ".join(a) or "nothing" for a, _ in MISTAKES])
def test_one_line_and_exit_code_2(cli: Cli, arguments: list[str], named: str) -> None:
    assert named in refused(cli, "win-rate", *arguments)


@pytest.mark.parametrize("spec", ["MaxClueEntropy(2, 9)", "MaxClueEntropy(2, 9, monte_carlo=None, jitter=0.1)"])
def test_published_entropy_cannot_be_exact(cli: Cli, tiny: list[str], spec: str) -> None:
    assert "randomness of its own" in refused(cli, "win-rate", spec, *tiny, "--exact")


# Tables, through every command that plays one


def table(path: Path, **change: Any) -> None:
    made_for = setting_identity(Setting(ORIGINAL))
    Policy(14.3, 2, {(): ("trace", 10.0), (0,): ("soily", 4.3)}, made_for=made_for).save(path)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))


MADE_FOR = setting_identity(Setting(ORIGINAL))
TABLES: dict[str, tuple[dict[str, Any], str]] = {
    "format": ({"format": 1}, "format 1"),
    "other lists": ({"made_for": {**MADE_FOR, "words": "0"}}, "made for words"),
    "other rule": ({"made_for": {**MADE_FOR, "rule": "counted"}}, "made for rule"),
    "other channel": ({"made_for": {**MADE_FOR, "channel": "fibble"}}, "made for channel"),
    "other engine": ({"made_for": {**MADE_FOR, "engine": 0}}, "made for engine"),
    "made by two lines": ({"made_for": {}, "made_by": "one\ntwo"}, "one two"),
    "no moves": ({"moves": {}}, "no first move"),
    "unknown word": ({"moves": {"": ["zzzzz", 5.0]}}, "zzzzz"),
    "nan": ({"moves": {"": ["trace", math.nan]}}, "nan"),
    "negative": ({"moves": {"": ["trace", -5.0]}}, "-5"),
    "over the budget": ({"moves": {"": ["trace", 15.0]}}, "over its budget"),
    "wrong type": ({"moves": [["trace", 5.0]]}, "x.json"),
    "budget null": ({"budget": None}, "x.json"),
}


@pytest.mark.parametrize("command", ["score", "win-rate", "sweep"])
@pytest.mark.parametrize(("change", "named"), TABLES.values(), ids=TABLES)
def test_bad_tables(cli: Cli, tmp_path: Path, command: str, change: dict[str, Any], named: str) -> None:
    table(tmp_path / "x.json", **change)
    assert named in refused(cli, command, 'FromTable(path="x.json")')


@pytest.mark.parametrize("command", ["score", "win-rate"])
@pytest.mark.parametrize("left", [0, 1, 40, 300])
def test_tables_cut_short(cli: Cli, tmp_path: Path, command: str, left: int) -> None:
    table(tmp_path / "x.json")
    (tmp_path / "x.json").write_text((tmp_path / "x.json").read_text()[:left])
    assert "x.json" in refused(cli, command, 'FromTable(path="x.json")')


def test_a_good_table_is_played(cli: Cli, tmp_path: Path, tiny: list[str]) -> None:
    policy = Policy(9.0, 2, {(): (WORD, 5.0)}, budget_fractions=((0.0, 0.5),), made_for=setting_identity(Setting(TINY)))
    policy.save(tmp_path / "x.json")
    shown = json.loads(cli("win-rate", 'FromTable(path="x.json")', *tiny, "--json").out)
    assert (shown["budget"], shown["exact"]) == (9.0, True)
    assert cli("score", 'FromTable(path="x.json")', *tiny, "--trials", "10").code == 0
