"""`wordpl frontier`: one family on the contest's lists, its files, and bad options."""

from __future__ import annotations

import json

import pytest


@pytest.mark.heavy
def test_command(cli, tmp_path):
    kept, out, plot = tmp_path / "p.jsonl", tmp_path / "f.csv", tmp_path / "f.png"
    options = ["--points", str(kept), "--family", "1 clue", "--no-bound", "--jobs", "1"]
    result = cli("frontier", *options, "--out", str(out), "--out", str(plot), "--json")
    curves = json.loads(result.out)
    assert list(curves) == ["1 clue", "best"]
    assert curves["1 clue"] == curves["best"]
    # One clue: TwoGuess wins 5.02% at 17.9.
    assert curves["best"][4] == pytest.approx(17.8, abs=0.1)
    assert curves["best"][9] is None
    assert out.read_text().startswith("win_rate,1 clue,best\n")
    assert plot.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--family", "6 clues"], "unknown family '6 clues'"),
        (["--standard-error", "2", "--family", "1 clue"], "standard"),
    ],
)
def test_bad_options(cli, tmp_path, options, said):
    result = cli("frontier", "--points", str(tmp_path / "p.jsonl"), *options)
    assert result.code == 2
    assert said in result.err
    assert "\n" not in result.err.strip()
