"""The experiment behind `make run`: what it prints is what its results file holds."""

from pathlib import Path

import pytest

import wordpl
from experiments import percentiles
from experiments.percentiles import Duel, Grid
from wordpl.simulation import read_outcomes

SPECS = {"MaxClueEntropy": "TwoGuess({})", "NGuess": "NGuess(1, {})", "Greedy": "NGuess(2, {})"}
EPSILONS = 7.8, 13.0, 32.0


@pytest.mark.heavy
def test_its_tables_are_those_of_its_results_file(tmp_path, monkeypatch, capsys):
    """The duels play more trials of some of the tasks."""
    duels = zip(("5th", "50th", "95th"), EPSILONS, strict=True)
    monkeypatch.setattr(percentiles, "SMALL", Grid("small", (2,), EPSILONS, 20, 60))
    monkeypatch.setattr(percentiles, "DUELS", tuple(Duel(name, 2, epsilon) for name, epsilon in duels))
    monkeypatch.setattr(percentiles, "spec", lambda name, _, e: wordpl.parse_strategy(SPECS[name].format(e)))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.chdir(tmp_path)
    tables, printed, print_table = {}, list[str](), wordpl.print_table

    def noted(title, columns, rows, notes):
        tables[title] = rows
        print_table(title, columns, rows, notes)

    monkeypatch.setattr(wordpl, "print_table", noted)
    for _ in range(2):
        percentiles.main(jobs=1, out=Path("results"))
        printed.append(capsys.readouterr().out)
    first, again = printed
    assert again.startswith("nothing had to be played")
    assert again.partition("drawing")[2] == first.partition("drawing")[2]
    with wordpl.Store(tmp_path / "results" / "small.sqlite", read_only=True) as store:
        outcomes = read_outcomes(store)
    places = {
        str(wordpl.parse_strategy(spec.format(e))): [f"{name}(2)", f"{e:g}"]
        for name, spec in SPECS.items()
        for e in EPSILONS
    }
    for outcome in outcomes:
        (cells,) = (row[2:] for row in tables["Percentiles of the budget"] if row[:2] == places[outcome.task.strategy])
        assert float(cells[0].rstrip("%")) == pytest.approx(100 * outcome.posterior_win_rate, abs=0.051)
        assert [float(cell.replace("∞", "inf")) for cell in cells[2:]] == [
            value for value, _ in outcome.percentiles.values()
        ]
    assert (tmp_path / "results" / "small.png").read_bytes().startswith(b"\x89PNG")
