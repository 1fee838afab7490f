"""The charts of a report on results: the points that `wordpl plot` draws, and the same figures in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wordpl.reporting.chart import Axis, Chart, Place, Point, Series, axis_of, share_axis
from wordpl.reporting.markup import shown
from wordpl.reporting.outcome_tables import CROSSINGS, crossing_cell
from wordpl.reporting.plot_points import (
    Labelled,
    Line,
    Look,
    Panel,
    budget_panels,
    percentile_panels,
    turn_panels,
    win_panels,
)
from wordpl.reporting.svg import COLOURS, DASHES
from wordpl.reporting.tables import estimate, interval, number
from wordpl.simulation.outcomes import Curve, Outcome
from wordpl.simulation.statistics import PERCENTILES

MOST_CURVES = COLOURS * DASHES
"""As many curves as colours and dashes tell apart."""
_PLACES: dict[str, Place] = {"inside": "", "below": "below", "above": "above"}


def charts_of(lines: Sequence[Curve]) -> list[Chart]:
    """Return the charts of these curves, at most `MOST_CURVES`: those for which there is something to draw.

    Percentiles are drawn of strategies whose games spend different budgets; for the others such a percentile is that
    budget or infinite. Of games of Wordle there is the share won within each number of guesses.
    """
    every = [Labelled(curve, shown(curve.label), Look(i)) for i, curve in enumerate(lines)]
    contest = [one for one in every if one.spends]
    varied = [one for one in contest if len(one.curve.noisy) > 1 and not one.budgets_are_fixed]
    made = [_win_chart(panel) for panel in win_panels(contest)]
    made += [_budget_chart(panel) for panel in budget_panels(contest)]
    made += [_percentile_chart(panel) for panel in percentile_panels(varied)]
    made += [_turn_chart(panel) for panel in turn_panels(contest)]
    return made + _guess_charts([one for one in every if not one.spends])


def _told(outcome: Outcome | None, what: str, value: float | None, ends: tuple[float, float]) -> str:
    epsilon = None if outcome is None else outcome.task.epsilon
    before = "" if epsilon is None else f"epsilon {number(epsilon, 6)}: "
    return f"{before}{what} {' '.join(estimate(value, ends))}"


def _win_chart(panel: Panel) -> Chart:
    series = []
    for line in panel.lines:
        points = [Point(float(p.x), p.y, *p.interval, _told(p.outcome, "won", p.y, p.interval)) for p in line.points]
        series.append(Series(line.label, tuple(points), "curve", line.look.colour))
    x = axis_of("mean budget of a game", [p.x for one in series for p in one.points])
    levels = tuple((q, "") for q in PERCENTILES)
    return Chart(panel.name, "Win rate by budget", x, share_axis("games won"), tuple(series), levels)


def _budget_chart(panel: Panel) -> Chart:
    drawn = [p for line in (*panel.lines, *panel.known) for p in line.points]
    ends = [end for p in drawn for end in (p.y, *p.interval)] + [line.reach for line in panel.lines]
    y = axis_of("budget of a game", [end for end in ends if 0.0 < end < math.inf], 1.15)
    series = []
    for i, line in enumerate(panel.lines):
        aside = 0.7 * ((i + 0.5) / len(panel.lines) - 0.5)
        series.append(Series(line.label, _crossings(line, aside, y), "points", line.look.colour))
    for i, line in enumerate(panel.known):
        points = [Point(at, p.y, p.y, p.y, f"{line.label}: {number(p.y)}") for at, p in enumerate(line.points)]
        series.append(Series(line.label, tuple(points), "level", i, 0.84))
    x = Axis("win rate", -0.5, len(PERCENTILES) - 0.5, tuple((i, f"{q:.0%}") for i, q in enumerate(PERCENTILES)))
    note = "An open triangle stands for a budget that lies outside of those that were run."
    outside = any(p.place for one in series for p in one.points)
    return Chart(panel.name, CROSSINGS, x, y, tuple(series), note=note if outside else "")


def _crossings(line: Line, aside: float, y: Axis) -> tuple[Point, ...]:
    points = []
    for at, p in enumerate(line.points):
        told = f"to win {p.x:.0%}: {crossing_cell(p.place, p.y, line.reach)} {interval(p.interval, 3)}"
        ends = (max(p.interval[0], y.low), min(p.interval[1], y.high))
        points.append(Point(at + aside, min(p.y, line.reach), *ends, told, _PLACES[p.place]))
    return tuple(points)


def _percentile_chart(panel: Panel) -> Chart:
    drawn = [p for line in panel.lines for p in line.points]
    reached = [p.y for p in drawn if p.y < math.inf]
    top = 1.25 * max(reached, default=1.0)
    y = axis_of("privacy budget", [*reached, top])
    series = []
    for line in panel.lines:
        points = []
        for p in line.points:
            lost = math.isinf(p.y)
            ends = (top, top, top) if lost else (p.y, max(p.interval[0], y.low), min(p.interval[1], top))
            told = _told(p.outcome, panel.name, p.y, p.interval)
            points.append(Point(float(p.x), *ends, told, "lost" if lost else ""))
        series.append(Series(line.label, tuple(points), "curve", line.look.colour))
    x = axis_of("epsilon of an ask", [p.x for one in series for p in one.points])
    lines = ((top, "∞ (lost)"),) if len(reached) < len(drawn) else ()
    return Chart(panel.name, f"{int(panel.name[1:])}th percentile of the score", x, y, tuple(series), lines)


def _turn_chart(panel: Panel) -> Chart:
    turns = [int(p.x) for p in panel.lines[0].points[:-1]]
    first, last = min(turns, default=1), max(turns, default=0)
    ticks = (*((float(turn), str(turn)) for turn in turns), (last + 2.0, "lost"))
    width = 0.8 / len(panel.lines)
    series = []
    for i, line in enumerate(panel.lines):
        aside = (i - (len(panel.lines) - 1) / 2) * width
        points = [
            Point(at + aside, p.y, *p.interval, f"{name}: {' '.join(estimate(p.y, p.interval))}")
            for (at, name), p in zip(ticks, line.points, strict=True)
        ]
        series.append(Series(line.label, tuple(points), "bars", line.look.colour, width))
    y = axis_of("share of games", [p.high for one in series for p in one.points])
    x = Axis("turns", first - 0.6, last + 2.6, ticks)
    return Chart(panel.name, "Turns at epsilon = ∞", x, y, tuple(series))


def _guess_charts(lines: Sequence[Labelled]) -> list[Chart]:
    """The share of games of Wordle that is won within each number of guesses."""
    series = []
    for line in lines:
        for outcome in line.curve.outcomes:
            found = outcome.figures.win_rates_within.items()
            points = [Point(n, rate, *ends, _told(outcome, f"within {n}", rate, ends)) for n, (rate, ends) in found]
            series.append(Series(line.label, tuple(points), "curve", line.look.colour))
    if not series:
        return []
    most = max(len(one.points) for one in series)
    every = math.ceil(most / 12)
    x = Axis("guesses", 0.5, most + 0.5, tuple((n, str(n)) for n in range(1, most + 1) if n % every == 0))
    title = "Games of Wordle won within a number of guesses"
    return [Chart("guesses", title, x, share_axis("games won"), tuple(series))]
