"""`wordpl win-rate`: its seed, its pictures and what it refuses; `test_every_cell.py` has its numbers."""

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
