"""The pictures of a report: panels as data, which the page's painter (`web/static/plot.js`) draws in the browser."""

import json
import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from wordpl.base.defaults import PERCENTILES, QUANTILES
from wordpl.reporting.markup import Html, clean, el, join
from wordpl.reporting.outcome_tables import crossing_cell
from wordpl.reporting.plot_points import LOST, Line, Look, Panel, Point, panels_of, title_of
from wordpl.reporting.tables import estimate, interval, number
from wordpl.simulation.outcomes import BudgetCurve

MOST_CURVES = 24
"""More curves than this can hardly be told apart."""

_RATE = {"label": "win rate", "range": [0, 1.02], "ticks": [0, 0.05, 0.25, 0.5, 0.75, 0.95], "format": "percent"}
_SPENT = {"label": "mean budget of a game", "log": "auto"}
_AXES: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "budgets": ("Smallest budget to win a share of games", {**_RATE, "range": [0, 1]}, {**_SPENT, "label": "budget"}),
    "wins": ("Win rate", _SPENT, _RATE),
    "guesses": ("Games of Wordle won within a number of guesses", {"label": "guesses"}, _RATE),
    "turns": ("Turns", {"label": "turns"}, {"label": "share of games", "format": "percent"}),
    **{name: (title_of(name), {"label": "epsilon", "log": "auto"}, {"label": "budget"}) for name in QUANTILES},
}


def result_panels(lines: Sequence[BudgetCurve]) -> list[Panel]:
    """Return the panels of curves: those of `wordpl plot`, and for games of Wordle the share won within each guess."""
    every = [(replace(curve, label=clean(curve.label)), Look(i)) for i, curve in enumerate(lines)]
    guesses = []
    for curve, look in every:
        for outcome in curve.outcomes:
            rates = outcome.win_rates_within.items()
            points = tuple(Point(float(n), *rate, outcome) for n, rate in rates)
            guesses += [Line(curve.label, points, look)] if points else []
    panels = panels_of("all", [(curve, look) for curve, look in every if not curve.is_wordle])
    return [*panels, Panel("guesses", tuple(guesses))] if guesses else panels


def drawn(panels: Sequence[Panel]) -> Html:
    """Return panels as the data of their pictures, with what a reader without scripts sees."""
    pictures = json.dumps([_picture(panel) for panel in panels], ensure_ascii=False, allow_nan=False)
    data = el("script", Html(pictures.replace("<", "\\u003c")), type="application/json", class_="pictures")
    return join([data, el("noscript", el("p", "The pictures need JavaScript. The tables hold all numbers."))])


def _picture(panel: Panel) -> dict[str, Any]:
    title, x, y = _AXES[panel.name]
    kind = "line"
    if panel.name == "turns":
        turns = [point.x for point in panel.lines[0].points]
        kind, x = "bars", {**x, "ticks": [*turns[:-1], [panel.lost, LOST]]}
    series: list[dict[str, Any]] = []
    for line in panel.lines:
        points = [
            {"x": point.x, "y": _value(point.y), "low": _value(point.interval[0])}
            | {"high": _value(point.interval[1]), "title": _in_words(panel, line, point)}
            | ({"mark": "cross"} if point.y == math.inf else {})
            for point in line.points
        ]
        series.append({"label": line.label, "look": line.look.colour, "kind": kind, "mark": True, "points": points})
    for line, dash in zip(panel.known, ("dot", "dash", "solid"), strict=False):
        known = [{"x": point.x, "y": point.y} for point in line.points]
        look = {"name": "text", "dash": dash, "mark": "cross"}
        series.append({"label": line.label, "look": look, "kind": "line", "points": known})
    rules = [{"y": q} for q in PERCENTILES] if y is _RATE else []
    return {"name": panel.name, "title": title, "x": x, "y": y, "series": series, "lines": rules}


def _value(value: float) -> float | str | None:
    return "inf" if value == math.inf else None if math.isnan(value) else float(f"{value:.6g}")


def _in_words(panel: Panel, line: Line, point: Point) -> str:
    if panel.name == "budgets":
        budget = crossing_cell(point.place, point.y, line.reach)
        return f"{line.label}: to win {point.x:.0%}: {budget} {interval(point.interval, 3)}"
    epsilon = point.outcome.task.epsilon if point.outcome else None
    before = line.label if epsilon is None else f"{line.label}, epsilon {number(epsilon, 6)}"
    turn = LOST if point.x == panel.lost else f"on turn {point.x}"
    what = {"wins": "won", "turns": turn, "guesses": f"within {number(point.x)}"}.get(panel.name, panel.name)
    return f"{before}: {what} {' '.join(estimate(point.y, point.interval, is_score=panel.name in QUANTILES))}"
