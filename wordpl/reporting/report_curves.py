"""The charts of a report on results: the same figures, curves and crossings that its tables have."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from wordpl.reporting.chart import Axis, Chart, Point, Series, axis_of, share_axis
from wordpl.reporting.markup import shown
from wordpl.reporting.outcome_tables import CROSSINGS, KNOWN_BUDGETS, budget_cell, has_known_budgets
from wordpl.reporting.svg import COLOURS, DASHES
from wordpl.reporting.tables import estimate, interval, number
from wordpl.simulation.crossings import Crossing
from wordpl.simulation.outcomes import Curve, Outcome, turn_shares
from wordpl.simulation.statistics import PERCENTILES

MOST_CURVES = COLOURS * DASHES
"""As many curves as colours and dashes tell apart."""


def charts_of(lines: Sequence[Curve]) -> list[Chart]:
    """Return the charts of these curves, at most `MOST_CURVES`: those for which there is something to draw.

    Games of Wordle do not spend a budget at will, so of them there is the share won within each number of guesses.
    """
    contest = [(look, curve) for look, curve in enumerate(lines) if not is_wordle(curve)]
    wordle = [(look, curve) for look, curve in enumerate(lines) if is_wordle(curve)]
    made = [_win_chart(contest), _budget_chart(contest), *_percentile_charts(contest), _turn_chart(contest)]
    return [chart for chart in [*made, _guess_chart(wordle)] if chart is not None]


def is_wordle(curve: Curve) -> bool:
    """Whether the games of a curve are of the format of Wordle, in which a right guess ends them."""
    return curve.outcomes[0].figures.format.is_wordle


Looks = Sequence[tuple[int, Curve]]


def _told(outcome: Outcome, what: str, value: float | None, ends: tuple[float, float]) -> str:
    epsilon = "" if outcome.task.epsilon is None else f"epsilon {number(outcome.task.epsilon, 6)}: "
    return f"{epsilon}{what} {' '.join(estimate(value, ends))}"


def _win_chart(looks: Looks) -> Chart | None:
    series = []
    for look, curve in looks:
        points = tuple(
            Point(
                o.budget,
                o.figures.win_rate,
                *o.figures.interval,
                _told(o, "won", o.figures.win_rate, o.figures.interval),
            )
            for o in curve.noisy
        )
        series += [Series(shown(curve.label), tuple(points), "curve", look)] if points else []
    if not series:
        return None
    x = axis_of("mean budget of a game", [p.x for one in series for p in one.points])
    levels = tuple((q, "") for q in PERCENTILES)
    return Chart("wins", "Win rate by budget", x, share_axis("games won"), tuple(series), levels)


def _budget_chart(looks: Looks) -> Chart | None:
    crossing = [(look, curve) for look, curve in looks if curve.crossings]
    if not crossing:
        return None
    known = KNOWN_BUDGETS if has_known_budgets([curve for _, curve in crossing]) else {}
    run = [outcome.budget for _, curve in crossing for outcome in curve.noisy]
    found = [end for _, curve in crossing for one in curve.crossings for end in (*one.interval, one.budget)]
    found += [budget for by in known.values() for budget in by.values()]
    y = axis_of("budget of a game", [end for end in [*found, *run] if 0.0 < end < math.inf], 1.15)
    series = []
    for i, (look, curve) in enumerate(crossing):
        aside = 0.7 * ((i + 0.5) / len(crossing) - 0.5)
        points = tuple(_crossing(curve, one, at + aside, y) for at, one in enumerate(curve.crossings))
        series.append(Series(shown(curve.label), points, "points", look))
    for i, (name, by) in enumerate(known.items()):
        points = tuple(Point(at, by[q], by[q], by[q], f"{name}: {number(by[q])}") for at, q in enumerate(PERCENTILES))
        series.append(Series(name, points, "level", i, 0.84))
    x = Axis("win rate", -0.5, len(PERCENTILES) - 0.5, tuple((i, f"{q:.0%}") for i, q in enumerate(PERCENTILES)))
    note = "An open triangle stands for a budget that lies outside of those that were run."
    outside = any(one.place != "inside" for _, curve in crossing for one in curve.crossings)
    return Chart("budgets", CROSSINGS, x, y, tuple(series), note=note if outside else "")


def _crossing(curve: Curve, found: Crossing, x: float, y: Axis) -> Point:
    value = found.budget if found.place != "above" else max(outcome.budget for outcome in curve.noisy)
    told = f"to win {found.win_rate:.0%}: {budget_cell(found, curve)} {interval(found.interval, 3)}"
    low, high = max(found.interval[0], y.low), min(found.interval[1], y.high)
    return Point(x, value, low, high, told, "" if found.place == "inside" else found.place)


def _percentile_charts(looks: Looks) -> list[Chart]:
    """Of strategies whose games spend different budgets; for the others a percentile is that budget or infinite."""
    some = [(look, curve) for look, curve in looks if len(curve.noisy) > 1]
    varied = [(look, curve) for look, curve in some if not all(o.budget_is_fixed for o in curve.noisy)]
    found = {o.task.id: o.figures.percentiles for _, curve in varied for o in curve.noisy}
    names = next(iter(found.values()), {})
    return [_percentile_chart(varied, name, {task: one[name] for task, one in found.items()}) for name in names]


def _percentile_chart(looks: Looks, name: str, found: Mapping[str, tuple[float, tuple[float, float]]]) -> Chart:
    """The chart of one percentile, which `found` has by task with its interval."""
    reached = [value for value, _ in found.values() if value < math.inf]
    top = 1.25 * max(reached, default=1.0)
    y = axis_of("privacy budget", [*reached, top])
    series = []
    for look, curve in looks:
        points = []
        for o in curve.noisy:
            value, (low, high) = found[o.task.id]
            told, at = _told(o, name, value, (low, high)), o.task.epsilon or 0.0
            ends = (value, max(low, y.low), min(high, top)) if value < math.inf else (top, top, top)
            points.append(Point(at, *ends, told, "" if value < math.inf else "lost"))
        series.append(Series(shown(curve.label), tuple(points), "curve", look))
    x = axis_of("epsilon of an ask", [p.x for one in series for p in one.points])
    lost = ((top, "∞ (lost)"),) if len(reached) < len(found) else ()
    return Chart(name, f"{int(name[1:])}th percentile of the score", x, y, tuple(series), lost)


def _turn_chart(looks: Looks) -> Chart | None:
    noiseless = [(look, curve, o) for look, curve in looks for o in curve.outcomes if o.task.noiseless]
    if not noiseless:
        return None
    first = min((turn for *_, o in noiseless for turn in o.figures.turns), default=1)
    last = max((turn for *_, o in noiseless for turn in o.figures.turns), default=0)
    turns = range(first, last + 1)
    ticks = [*((float(turn), str(turn)) for turn in turns), (last + 2.0, "lost")]
    width = 0.8 / len(noiseless)
    series = []
    for i, (look, curve, o) in enumerate(noiseless):
        aside = (i - (len(noiseless) - 1) / 2) * width
        shares = turn_shares(o.figures, turns)
        points = tuple(
            Point(at + aside, share, *ends, f"{name}: {' '.join(estimate(share, ends))}")
            for (at, name), (share, ends) in zip(ticks, shares, strict=True)
        )
        series.append(Series(shown(curve.label), points, "bars", look, width))
    x = Axis("turns", first - 0.6, last + 2.6, tuple(ticks))
    y = axis_of("share of games", [p.high for one in series for p in one.points])
    return Chart("turns", "Turns at epsilon = ∞", x, y, tuple(series))


def _guess_chart(looks: Looks) -> Chart | None:
    """The share of games of Wordle that is won within each number of guesses."""
    series = []
    for look, curve in looks:
        for o in curve.outcomes:
            points = []
            for n, (rate, ends) in o.figures.win_rates_within.items():
                points.append(Point(n, rate, *ends, _told(o, f"within {n}", rate, ends)))
            series.append(Series(shown(curve.label), tuple(points), "curve", look))
    if not series:
        return None
    most = max(len(one.points) for one in series)
    every = math.ceil(most / 12)
    x = Axis("guesses", 0.5, most + 0.5, tuple((n, str(n)) for n in range(1, most + 1) if n % every == 0))
    return Chart("guesses", "Games won within a number of guesses", x, share_axis("games won"), tuple(series))
