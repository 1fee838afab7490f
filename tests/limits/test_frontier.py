"""The frontier: families, measuring with resume, budgets between points; and nothing measured passes the bound."""

import json
import math
from unittest.mock import Mock

import numpy as np
import pandas as pd
import pytest

from experiments import pages
from tests.support.helpers import TINY
from tests.support.refusals import refusal
from wordpl import Ball, Setting, parse_strategy
from wordpl.limits import compute_win_rate, frontier
from wordpl.limits.families import FAMILIES, Family
from wordpl.limits.frontier import FrontierPoint, budgets, measure_frontier
from wordpl.simulation import WIN_RATES, known_bounds, known_errors, known_frontier

PAIR = Family("2 clues", "Renyi(epsilon=({0},{1},))", (2.0, 1.0), (6.0, 9.0))
ONE = Family("1 clue", "Renyi(epsilon=({0},),first_guess=None)", (1.0,), (3.0,))


def points(*pairs: tuple[float, float]) -> list[FrontierPoint]:
    return [FrontierPoint("f", f"at {budget}", budget, win_rate, 0.0) for budget, win_rate in pairs]


@pytest.mark.parametrize("family", FAMILIES, ids=lambda family: family.name)
def test_every_family_makes_strategies_that_spend_the_budget(family):
    for budget in family.budgets:
        fields = vars(parse_strategy(family.at(budget)))
        each = [value for name, value in fields.items() if name.startswith(("epsilon", "budget"))]
        each = each[0] if isinstance(each[0], tuple) else each if len(each) > 1 else each * len(family.weights)
        assert math.fsum(each) == pytest.approx(budget, rel=1e-12)


def test_points_are_win_rates_and_what_is_kept_is_not_measured_again(tmp_path, monkeypatch):
    path, setting = tmp_path / "deep" / "p.jsonl", Setting(TINY, channel=Ball)
    measure_frontier([ONE], Setting(TINY), path)  # a point of another channel
    first = measure_frontier([PAIR], setting, path, ())  # without the budgets between the points
    calls, seen = Mock(side_effect=compute_win_rate), []
    monkeypatch.setattr(frontier, "compute_win_rate", calls)
    found = measure_frontier([ONE, PAIR], setting, path, (), progress=lambda *told: seen.append(told[1:]))
    assert found[PAIR] == first[PAIR] and calls.call_count == 1
    measured = [*found[ONE], *found[PAIR]]
    assert [(point.family, point.budget) for point in measured] == [("1 clue", 3.0), ("2 clues", 6.0), ("2 clues", 9.0)]
    rates = [(compute_win_rate(point.spec, setting).win_rate, 0.0) for point in measured]
    assert [(point.win_rate, point.standard_error) for point in measured] == rates
    assert seen == [(0, 0, 3), (1, 1, 3), (1, 2, 3), (1, 3, 3)]
    assert len(path.read_text().splitlines()) == 4
    measure_frontier([ONE], Setting(TINY, "counted"), path)
    assert calls.call_count == 2, "of another rule"


def test_a_point_is_as_precise_as_its_family_wants_or_more(tmp_path, monkeypatch):
    """The most precise of the points that are kept counts, also where two families meet, and those of another seed are
    others; so a run that is resumed has the points of a fresh one."""
    asked, rates, family = [], [], Family("f", ONE.spec, ONE.weights, ONE.budgets, 0.002)

    def measured(*given, **how):
        asked.append((how["standard_error"], how["seed"]))
        return Mock(win_rate=how["standard_error"], standard_error=how["standard_error"])

    monkeypatch.setattr(frontier, "compute_win_rate", measured)
    for error, seed in ((0.005, 1), (0.001, 1), (0.005, 1), (0.001, 2)):
        how = {"standard_error": error, "seed": seed}
        ((point,),) = measure_frontier([family], Setting(TINY), tmp_path / "p.jsonl", **how).values()
        rates.append(point.win_rate)
    assert asked == [(0.002, 1), (0.001, 1), (0.001, 2)] and rates == [0.002, 0.001, 0.001, 0.001]
    coarse, fine = (Family("f", ONE.spec, ONE.weights, (5.0, 6.0), error) for error in (0.005, 0.001))
    how = {"path": tmp_path / "other.jsonl", "standard_error": 0.01}
    fresh, resumed = (measure_frontier([coarse, fine], Setting(TINY), **how) for _ in range(2))
    assert fresh == resumed and list(fresh) == [coarse, fine]
    assert {point.standard_error for found in fresh.values() for point in found} == {0.001}


@pytest.mark.parametrize("text", ["budget,win_rate", '{"task": "a", "precision": 1, "more": 2}'])
def test_a_file_of_something_else_is_neither_read_nor_written_over(text, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(text)
    assert "p.jsonl holds something other than points" in refusal(measure_frontier, [ONE], Setting(TINY), path)
    assert path.read_text() == text


def test_budgets_at_points_between_and_outside():
    curve = points((10.0, 0.2), (20.0, 0.5), (30.0, 0.8))
    found = budgets(curve, (0.1, 0.2, 0.35, 0.5, 0.8, 0.9))
    assert math.isnan(found[0].budget) and math.isnan(found[5].budget)
    assert [found[at] for at in (1, 3, 4)] == [(10.0, 0.0), (20.0, 0.0), (30.0, 0.0)]
    odds = [math.log(p / (1 - p)) for p in (0.2, 0.35, 0.5)]
    straight = 10 + 10 * (odds[1] - odds[0]) / (odds[2] - odds[0])
    assert abs(found[2].budget - straight) <= found[2].error < 1.0
    at_none = 20.0 - 10.0 * math.log(3) / math.log(1e12 - 1)  # a win rate of 0 counts as one of 1e-12
    assert budgets(points((10.0, 0.0), (20.0, 0.5)), [0.25])[0].budget == pytest.approx(at_none)
    # A larger budget is never worse, and the best point counts.
    found = budgets([*curve, *points((25.0, 0.4), (20.0, 0.1))], (0.5, 0.6))
    assert found[0].budget == pytest.approx(20.0) and found[1].budget > 20.0


def test_exact_families_are_searched_and_errors_cover_the_truth(original, tmp_path):
    """The budgets of TwoGuess, by bisection; those of a coarse grid are within their errors of them."""
    family, rates = Family("f", "TwoGuess(epsilon={budget})", (1.0,), (4.0, 8.0, 14.0, 20.0, 25.0)), (0.01, 0.03, 0.05)
    setting = Setting(original)
    found = measure_frontier([family], setting, tmp_path / "p.jsonl", rates)
    fine = frontier.smallest_budgets(found, rates)["f"]
    coarse = frontier.smallest_budgets({family: found[family][:5]}, rates)["f"]
    for rate, (budget, error), (about, within) in zip(rates, fine, coarse, strict=True):
        least, below = (compute_win_rate(f"TwoGuess({budget + step})", setting).win_rate for step in (2e-5, -2e-5))
        assert below < rate < least and error == 0.0 and abs(about - budget) <= within
    noisy = [FrontierPoint("f", "", *pair, 0.01) for pair in ((10.0, 0.4), (20.0, 0.6))]
    assert budgets(noisy, [0.4])[0].error == pytest.approx(1.96 * 0.01 * 10 / (2 * math.log(1.5)) / 0.24)


def test_families_are_not_mixed_before_they_are_interpolated():
    steep, flat = Family("a", "", (), (10.0, 20.0)), Family("b", "", (), (15.0, 30.0))
    again = Family("b", "", (), (12.0, 13.0))
    curve = [*points((10.0, 0.1), (20.0, 0.5)), *points((15.0, 0.1), (30.0, 0.2)), *points((12.0, 0.3), (13.0, 0.6))]
    measured = {steep: curve[:2], flat: curve[2:4], again: curve[4:]}
    found = frontier.smallest_budgets(measured, (0.1, 0.2, 0.3, 0.6, 0.7))
    assert list(found) == ["a", "b", "best"]
    # 15 is enough for 10% of "b", but 12 is enough for 30%.
    assert [smallest.budget for smallest in found["b"][:4]] == [12.0, 12.0, 12.0, 13.0]
    assert [smallest.budget for smallest in found["best"][:4]] == [10.0, 12.0, 12.0, 13.0]
    assert found["a"][1].budget == pytest.approx(10 + 10 * math.log(9 / 4) / math.log(9))  # in log odds
    assert math.isnan(found["best"][4].budget)


@pytest.mark.heavy
def test_the_committed_frontier_is_that_of_the_committed_points():
    lines = [json.loads(line) for line in pages.POINTS.read_text("utf-8").splitlines()]
    measured: dict[Family, dict[str, FrontierPoint]] = {family: {} for family in FAMILIES}
    for line in sorted(lines, key=lambda line: -line.pop("precision")):
        point = FrontierPoint(**{name: value for name, value in line.items() if name != "task"})
        for family, found in measured.items():
            inside = point.standard_error == 0.0 and family.budgets[0] < point.budget < family.budgets[-1]
            if family.at(point.budget) == point.spec and (inside or point.budget in family.budgets):
                found[point.spec] = point
    curves = frontier.smallest_budgets({family: [*found.values()] for family, found in measured.items()})
    budgets, errors = known_frontier(), known_errors()
    assert list(curves) == list(errors) and "best" in curves
    for name, curve in curves.items():
        expected = np.array([budgets[name], errors[name]]).T
        np.testing.assert_allclose(np.array(curve), expected, rtol=0.0, atol=6e-4, equal_nan=True)


def test_no_strategy_passes_the_bound():
    """All points of the committed table lie above its bound."""
    known = known_frontier()
    families = [*dict.fromkeys(family.name for family in FAMILIES), "best"]
    assert list(known) == [*families, "bound", "bound, 2 clues"]
    table = pd.DataFrame(known)
    for name, bound in known_bounds().items():
        np.testing.assert_array_equal(known[name], bound)
    assert list(WIN_RATES) == [percent / 100 for percent in range(1, 100)]
    for name in families:
        assert (table["best"] <= table[name].fillna(math.inf)).all() and table[name].notna().any()
    assert (table["best"] > table["bound"] + 0.02).all()
    two = table["bound, 2 clues"].dropna()
    assert (two > table["bound"][two.index]).all()
    assert not (two >= table[["2 clues", "TwoGuess", "Fifth"]].min(axis=1)[two.index]).any()
    for percentile, budget in ((0.05, 15.6), (0.5, 36.9), (0.95, 75.0)):
        assert known["best"][WIN_RATES.index(percentile)] < budget
