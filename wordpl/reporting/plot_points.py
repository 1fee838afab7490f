"""The content of a picture of results: its panels, their lines, and the points of these with their intervals.

The pictures (`wordpl.reporting.plots`) draw these points and no others, and the table of data beside a picture holds
them.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from wordpl.base.defaults import PERCENTILES, QUANTILES
from wordpl.base.sanitizing import write_csv
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.known_budgets import known_budgets
from wordpl.simulation.outcomes import BudgetCurve, turn_shares

COLUMNS = ("panel", "curve", "task", "epsilon", "x", "y", "low", "high", "place")

MARKERS = "osDPh*p<>d"
"""The markers of curves. Triangles that point up or down are for budgets that are not on the grid."""
LOST = "lost"
_NO_INTERVAL = (math.nan, math.nan)


@dataclass(frozen=True)
class Look:
    """The look of a curve, the same in every panel."""

    colour: int = 0
    """Curves of one group have one colour."""
    place: int = 0
    """The number of the curve among those of its colour."""

    @property
    def name(self) -> str:
        return f"C{self.colour % 10}"

    @property
    def dashes(self) -> str:
        return ("-", "--", ":", "-.")[(self.colour // 10 + self.place) % 4]

    @property
    def marker(self) -> str:
        return MARKERS[(self.colour // 10 + self.place) % 10]

    @property
    def hatch(self) -> str:
        """The hatch of a bar."""
        return ("", "///", "...", "xxx", "\\\\\\")[(self.colour // 10 + self.place) % 5]


def title_of(statistic: str) -> str:
    """The title of a panel for a statistic that is compared or drawn, such as `p05`."""
    return statistic.replace("_", " ") if statistic not in QUANTILES else f"{int(statistic[1:])}th percentile"


Styled: TypeAlias = tuple[BudgetCurve, Look]
"""A curve, whose label is its name in the picture."""


@dataclass(frozen=True, eq=False)
class Point:
    """A point and the ends of its 95% interval, which are NaN where there is none."""

    x: float
    y: float
    """Infinite for a percentile or a budget that is not reached, NaN for a budget of which there is no estimate."""
    interval: tuple[float, float] = _NO_INTERVAL
    outcome: Evaluation | None = None
    """The trials it is of; None for a budget, which comes of a whole curve."""
    place: str = ""
    """For a budget: as `Crossing.place`."""


@dataclass(frozen=True)
class Line:
    """The points of a curve in one panel."""

    label: str
    points: tuple[Point, ...]
    look: Look = Look()
    reach: float = math.inf
    """The largest mean budget that was run."""


@dataclass(frozen=True)
class Panel:
    """A panel and what is in it."""

    name: str
    """`budgets`, `wins`, `p05`, `p50`, `p95` or `turns`; in a report also `guesses`."""
    lines: tuple[Line, ...]
    known: tuple[Line, ...] = ()
    """Known budgets, for comparison."""
    lost: float = math.nan
    """The x of the games that were lost, in the panel of turns: after a gap."""


def panels_of(kind: str, curves: Sequence[Styled]) -> list[Panel]:
    """The panels of a kind of picture."""
    spending = [(curve, look) for curve, look in curves if not curve.is_wordle]
    panels = _budgets(spending) if kind in ("all", "budgets") else []
    panels += _wins(spending) if kind in ("all", "wins") else []
    if kind == "all":
        varying = [(curve, look) for curve, look in spending if not all(o.budget_is_fixed for o in curve.noisy)]
        panels += _percentiles([(curve, look) for curve, look in varying if len(curve.noisy) > 1])
    elif kind == "percentiles":
        panels += _percentiles(spending)
    return panels + (_turns(curves) if kind in ("all", "turns") else [])


def _budgets(curves: Sequence[Styled]) -> list[Panel]:
    """The smallest budgets that win 5, 50 and 95% of games: x is the share, y the budget."""
    crossing = [(curve, look) for curve, look in curves if curve.crossings]
    lines = []
    for curve, look in crossing:
        points = (Point(c.win_rate, c.budget, c.interval, place=c.place) for c in curve.crossings)
        lines.append(Line(curve.label, tuple(points), look, curve.largest_budget))
    known = known_budgets(o.task for curve, _ in crossing for o in curve.noisy)
    beside = [Line(name, tuple(Point(q, by[q]) for q in PERCENTILES)) for name, by in known.items()]
    return [Panel("budgets", tuple(lines), tuple(beside))] if lines else []


def _wins(curves: Sequence[Styled]) -> list[Panel]:
    """The win rate against the mean budget of a game, in order of epsilon. Joined in order of mean budget, noise in the
    budget would look like a dip."""

    lines = []
    for curve, look in curves:
        points = tuple(Point(o.mean_budget, o.win_rate, o.interval, o) for o in curve.noisy)
        lines += [Line(curve.label, points, look)] if points else []
    return [Panel("wins", tuple(lines))] if lines else []


def _percentiles(curves: Sequence[Styled]) -> list[Panel]:
    """The percentiles of the scores against epsilon, a panel for each."""

    def points(curve: BudgetCurve, name: str) -> tuple[Point, ...]:
        return tuple(Point(o.task.epsilon or 0.0, *o.percentiles[name], o) for o in curve.noisy)

    noisy = [(curve, look) for curve, look in curves if curve.noisy]
    lines = {name: tuple(Line(curve.label, points(curve, name), look) for curve, look in noisy) for name in QUANTILES}
    return [Panel(name, lines[name]) for name in QUANTILES] if noisy else []


def _turns(curves: Sequence[Styled]) -> list[Panel]:
    """The share of games won on each turn, and of those lost: without noise, and of all games of Wordle."""
    turned = [(c.label, look, [o for o in c.outcomes if o.task.noiseless or c.is_wordle]) for c, look in curves]
    every = [outcome for _, _, outcomes in turned for outcome in outcomes]
    won = [turn for outcome in every for turn in outcome.turns]
    first, last = min(won, default=1), max(won, default=0)
    lines = []
    for name, look, outcomes in turned:
        for outcome in outcomes:
            shares = turn_shares(outcome, range(first, last + 1))
            at = [*range(first, last + 1), last + 2]
            points = [Point(x, share, ends, outcome) for x, (share, ends) in zip(at, shares, strict=True)]
            label = name if len(outcomes) == 1 else f"{name}, epsilon {outcome.task.epsilon}"
            lines.append(Line(label, tuple(points), look))
    return [Panel("turns", tuple(lines), lost=last + 2)] if lines else []


def write_points(path: Path, panels: Iterable[Panel]) -> None:
    """Write the points of panels as .csv: a row for each, with the columns of `COLUMNS`."""
    rows: list[Sequence[object]] = [COLUMNS]
    for panel in panels:
        for line in (*panel.lines, *panel.known):
            for point in line.points:
                task = ("", "") if point.outcome is None else (point.outcome.task.id, point.outcome.task.epsilon)
                cells = ["" if math.isnan(value) else value for value in (point.y, *point.interval)]
                x = LOST if point.x == panel.lost else point.x
                rows.append([panel.name, line.label, *task, x, *cells, point.place])
    with path.open("w", newline="", encoding="utf-8") as file:
        write_csv(file, rows)
