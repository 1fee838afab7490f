"""`wordpl win-rate`: what it prints."""

import json

import pytest

import wordpl
from tests.cli.conftest import refused, written
from tests.support.helpers import TINY
from wordpl import Setting, parse_strategy


@pytest.fixture
def tiny(tmp_path):
    return [*written(TINY, tmp_path), "--jobs", "1"]


@pytest.mark.heavy
def test_strategies_are_a_list_in_their_order(cli, tiny):
    specs = ["Renyi(epsilon=(6, 4))", "NGuess(2, 4)", "TwoGuess(9)"]
    for options, rule in (([], "letterwise"), (["--rule", "counted"], "counted")):
        expected = [wordpl.limits.compute_win_rate(parse_strategy(spec), Setting(TINY, rule)) for spec in specs]
        shown = json.loads(cli("win-rate", *specs, *tiny, *options, "--json").out)
        for row, found in zip(shown, expected, strict=True):
            figures = row["strategy"], row["win_rate"], row["histories"]
            assert figures == (found.strategy, found.win_rate, found.histories)
            assert row["win_rate_interval"] == [found.win_rate] * 2
    table = cli("win-rate", *specs, *tiny, *options).out
    assert all(f"{row.win_rate:.6f}" in table for row in expected) and "exact" in table


@pytest.mark.heavy
def test_an_estimate_shows_its_interval(cli, tiny):
    arguments = ["win-rate", "NGuess(2, 4)", *tiny, "--sample", "--standard-error", "0.1", "--seed", "3"]
    (shown,) = json.loads(cli(*arguments, "--confidence", "0.9", "--json").out)
    expected = wordpl.limits.compute_win_rate(
        parse_strategy("NGuess(2, 4)"), Setting(TINY), exact=False, standard_error=0.1, seed=3
    )
    assert not shown["exact"]
    assert (shown["win_rate"], shown["standard_error"]) == (expected.win_rate, expected.standard_error)
    assert shown["win_rate_interval"] == list(expected.interval(0.9))


def test_a_curve_over_epsilons_as_json_and_picture(cli, tiny, tmp_path):
    command = ["win-rate", "TwoGuess()", "NGuess(2, 4)", "-e", "4,9", *tiny]
    expected = wordpl.limits.win_rates(["TwoGuess()", "NGuess(2, 4)"], [4, 9], words=TINY)
    rows = json.loads(cli(*command, "--out", "new/curve.png", "--json").out)
    assert [(row["strategy"], row["epsilon"], row["budget"], row["win_rate"]) for row in rows] == list(
        zip(*(expected[name] for name in ("strategy", "epsilon", "budget", "win_rate")), strict=True)
    )
    assert (tmp_path / "new" / "curve.png").read_bytes().startswith(b"\x89PNG")
    assert "already has epsilon" in refused(cli, "win-rate", "TwoGuess(4)", "-e", "4,9")
