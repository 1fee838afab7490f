"""The data beside a picture: what is drawn, and what the tables say."""

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from tests.support.helpers import SMALL, Sometimes
from wordpl import Store, Task, WordplError, draw, make_task, parse_strategy, sweep
from wordpl.reporting.outcome_tables import outcome_records
from wordpl.reporting.plot_points import COLUMNS, MARKERS
from wordpl.simulation import read_outcomes, win_interval

SPECS = [f"{name}{epsilon})" for name in ("TwoGuess(", "NGuess(2, ") for epsilon in (4, 12, 40)] + ["NGuess(9, inf)"]


def tasks(*seeds: int, **terms: Any) -> list[Task]:
    specs = [parse_strategy(spec) for spec in SPECS]
    return [make_task(spec, seed, words=SMALL, **terms) for seed in seeds for spec in (*specs, Sometimes())]


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    with Store(tmp_path_factory.mktemp("data") / "results.sqlite") as made:
        sweep(tasks(1), 40, store=made)
        yield made


def data_of(store: Store | list[Store], folder: Path, kind: str = "all", **more: Any) -> list[dict[str, str]]:
    picture, data = draw(store, folder / "p.svg", kind, data=True, **more)
    assert (picture, data) == (folder / "p.svg", folder / "p.data.csv")
    with data.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert rows and list(rows[0]) == list(COLUMNS)
    return rows


def number(text: str) -> float | None:
    """A cell as JSON has it."""
    return None if text in ("", "inf") else float(text)


@pytest.mark.heavy
def test_the_data_are_the_figures_of_results(store, tmp_path):
    rows = data_of(store, tmp_path)
    records = {one["task"]: one for one in json.loads(json.dumps(outcome_records(read_outcomes(store))))}
    panels = {row["panel"] for row in rows}
    assert panels == {"budgets", "wins", "turns"}, "the percentiles of fixed budgets are left out"
    rows += data_of(store, tmp_path, "percentiles")
    for row in rows:
        if row["panel"] == "budgets":
            record = next(one for one in records.values() if one["curve"]["label"] == row["curve"])
            (found,) = (one for one in record["curve"]["budgets"] if one["win_rate"] == float(row["x"]))
            assert (row["place"], number(row["y"])) == (found["place"], found["budget"])
            assert [number(row["low"]), number(row["high"])] == found["interval"]
            continue
        record = records[row["task"]]
        assert (row["curve"], row["epsilon"]) == (record["curve"]["label"], str(record["epsilon"]))
        if row["panel"] == "wins":
            assert [number(row[name]) for name in "xy"] == [record["mean_budget"], record["win_rate"]]
            assert [number(row["low"]), number(row["high"])] == record["win_rate_interval"]
        elif row["panel"] == "turns":
            lost = record["trials"] - record["wins"]
            count = lost if row["x"] == "lost" else record["turns"].get(row["x"], 0)
            assert float(row["y"]) == count / record["trials"]
            assert (float(row["low"]), float(row["high"])) == win_interval(count, record["trials"])
        else:
            assert [number(row["x"]), number(row["y"])] == [record["epsilon"], record[row["panel"]]]
            assert [number(row["low"]), number(row["high"])] == record[f"{row['panel']}_interval"]
    noisy = {one["task"] for one in records.values() if not one["noiseless"]}
    for panel in ("wins", "p05", "p50", "p95"):
        assert {row["task"] for row in rows if row["panel"] == panel} == noisy
    shares = [float(row["y"]) for row in rows if row["panel"] == "turns"]
    assert math.isclose(sum(shares), 1.0)


def test_the_data_are_what_is_drawn(store, tmp_path, figures):
    for kind in ("wins", "percentiles"):
        rows = data_of(store, tmp_path, kind)
        finite = {(float(row["x"]), float(row["y"])) for row in rows if row["y"] != "inf"}
        figure = figures.pop()
        lines = [line for axes in figure.axes for line in axes.lines if line.get_marker() in tuple(MARKERS)]
        assert {point for line in lines for point in zip(*line.get_data(), strict=True)} == finite


def test_a_picture_that_cannot_be_written_leaves_no_data(store, tmp_path):
    with pytest.raises(WordplError, match="cannot write picture"):
        draw(store, tmp_path / "p.nosuchformat", data=True)
    (tmp_path / "q.data.csv").mkdir()
    with pytest.raises(WordplError, match="cannot write"):
        draw(store, tmp_path / "q.png", "wins", data=True)
    assert {path.name for path in tmp_path.iterdir()} == {"q.data.csv"}


@pytest.mark.heavy
def test_games_of_wordle_are_drawn_by_their_guesses_alone(tmp_path):
    with Store(tmp_path / "r.sqlite") as made:
        sweep([make_task(parse_strategy("Greedy(inf)"), words=SMALL, format="wordle:6")], 20, store=made)
        rows = data_of(made, tmp_path)
        assert {row["panel"] for row in rows} == {"turns"}
        assert math.isclose(sum(float(row["y"]) for row in rows), 1.0)
        for kind in ("budgets", "wins", "percentiles"):
            with pytest.raises(WordplError, match=f"games of Wordle have no budgets to draw for '{kind}'; 'turns'"):
                draw(made, tmp_path / "none.png", kind)
        sweep(tasks(1), 20, store=made)
        rows = data_of(made, tmp_path)
        assert {row["curve"] for row in rows if row["panel"] == "wins"} == {
            f"{name}, contest" for name in ("NGuess(n_guesses=2)", "Sometimes()", "TwoGuess()")
        }
