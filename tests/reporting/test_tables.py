"""How figures are put on a screen."""

from __future__ import annotations

import itertools
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import SMALL, Scripted, Sometimes
from wordpl import evaluate, from_contest, parse_strategy
from wordpl.reporting.tables import interval, needed, number, print_evaluations, reasons, turns

COLUMNS = ("a", "b", "c", "d")
ROWS = st.lists(st.fixed_dictionaries({name: st.integers(0, 1) for name in COLUMNS}), max_size=6)


@pytest.mark.parametrize(
    ("value", "digits", "shown"),
    [
        (None, 4, "∞"),
        (math.inf, 4, "∞"),
        (0.0, 4, "0"),
        (12.34567, 4, "12.35"),
        (-0.98765, 2, "-0.99"),
        (1e-9, 3, "1e-09"),
    ],
)
def test_a_figure(value: float | None, digits: int, shown: str) -> None:
    assert number(value, digits) == shown


def test_an_interval() -> None:
    assert interval((12.0, 13.04321)) == "[12, 13.04]"
    assert interval([0.5, None], 1) == "[0.5, ∞]"


@given(ROWS)
def test_the_columns_that_are_needed_tell_rows_apart(rows: list[dict[str, Any]]) -> None:
    picked = needed(rows, ["a"], ["b", "c", "d"])
    assert picked == [name for name in ("b", "c", "d") if name in picked], "in their order"
    for one, other in itertools.combinations(rows, 2):
        assert (one == other) == all(one[name] == other[name] for name in ("a", *picked))
    for name in picked:  # it tells two rows apart that look the same by those before it
        before = ("a", *picked[: picked.index(name)])
        assert any(
            one[name] != other[name] and all(one[column] == other[column] for column in before)
            for one, other in itertools.combinations(rows, 2)
        )


def test_a_table_of_evaluations_has_each_figure_in_its_place(capsys: pytest.CaptureFixture[str]) -> None:
    found = [evaluate(parse_strategy("Greedy(6)"), 60, words=SMALL), evaluate(Sometimes(), 60, words=SMALL)]
    print_evaluations(found, "small")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].strip() == "Percentiles of the privacy budget (small)"
    rows = [[cell.strip() for cell in line.strip("│").split("│")] for line in lines if line.startswith("│")]
    for row, one in zip(rows, found, strict=True):
        percentiles = [
            cell
            for q in (0.05, 0.5, 0.95)
            for cell in (number(one.percentile(q)), interval(one.percentile_interval(q)))
        ]
        assert row[:4] == [repr(one.task.strategy), "60", number(one.win_rate, 3), interval(one.interval, 3)]
        assert row[4:] == [*percentiles, turns(one)]
    assert len({row[2] for row in rows}) == 2
    assert [line for line in lines if "trials lost" in line] == [f"Sometimes(): {note}" for note in reasons(found[1])]
    assert len(reasons(found[1])) == 3


def test_turns_are_those_of_won_games() -> None:
    found = evaluate(parse_strategy("Greedy(6)"), 60, words=SMALL)
    won = found.frame["verdict"] == "WIN"
    assert 0 < won.sum() < 60
    assert turns(found) == f"{found.frame['turns'][won].mean():.4f}"
    assert turns(evaluate(from_contest(Scripted()), 3, words=SMALL)) == "", "no game was won"
