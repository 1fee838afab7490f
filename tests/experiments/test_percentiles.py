"""The experiment behind `make run`: what it prints is what its results file holds."""

from __future__ import annotations

from pathlib import Path

import pytest

import wordpl
from experiments import percentiles
from experiments.percentiles import Duel, Grid
from wordpl.reporting.outcome_tables import print_outcomes

SPECS = {"MaxClueEntropy": "TwoGuess({})", "NGuess": "NGuess(1, {})", "Greedy": "NGuess(2, {})"}


@pytest.mark.heavy
def test_its_table_is_that_of_its_results_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The duels play more trials of some of the tasks."""
    monkeypatch.setattr(percentiles, "SMALL", Grid("small", (2,), (7.8, 13.0, 32.0), 20))
    monkeypatch.setattr(percentiles, "DUELS", (Duel("5th", 2, 7.8), Duel("50th", 2, 13.0), Duel("95th", 2, 32.0)))
    monkeypatch.setattr(percentiles, "DUEL_TRIALS", 60)
    monkeypatch.setattr(percentiles, "spec", lambda name, _, e: wordpl.parse_strategy(SPECS[name].format(e)))
    percentiles.main(jobs=1, out=tmp_path)
    printed = capsys.readouterr().out
    with wordpl.Store(tmp_path / "small.sqlite", read_only=True) as store:
        print_outcomes("results", wordpl.simulation.read_outcomes(store))
    there = capsys.readouterr().out
    rows = [{line for line in text.splitlines() if "Guess(" in line} for text in (printed, there)]
    assert rows[0] == rows[1] and len(rows[0]) > 9 and any(" 60 " in row for row in rows[0])
