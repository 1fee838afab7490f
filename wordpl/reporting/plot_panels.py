"""Drawing the panels of a picture of results."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from wordpl.base.defaults import PERCENTILES
from wordpl.reporting.plot_points import LOST, Line, Panel, Point, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Legend = dict[tuple[str, str], Any]
"""The artists that the legend shows, by kind and label."""

_ASIDE = 1.5
"""Curves are moved aside by so many points, so that curves with equal values can all be seen."""


def draw_panel(panel: Panel, log: str, axes: Axes, legend: Legend) -> None:
    """Draw one panel. `log` names the axes that are logarithmic (`x`, `y`, `xy`, `none`), or is `auto`."""
    draw = {"wins": _wins, "budgets": _budgets, "turns": _turns}.get(panel.name, _percentiles)
    draw(axes, panel, log, legend)


def _scale(axes: Axes, axis: Literal["x", "y"], log: str, values: Sequence[float], ends: tuple[float, float]) -> None:
    """Set scale and limits for these values; matplotlib does not see those that are set aside. A linear axis reaches
    from 0 to the second of `ends`, a logarithmic one from a bit below the smallest positive value to the first. `auto`
    is logarithmic for positive values that span two decades, of which a linear axis would show only the largest."""
    spread = min(values, default=0.0) > 0.0 and max(values) >= 100.0 * min(values)
    if not (spread if log == "auto" else axis in log and max(values, default=0.0) > 0.0):
        axes.set(**{f"{axis}lim": (0.0, ends[1] or 1.0)})
        return
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    least = min(value for value in values if value > 0.0)
    low, high = 0.8 * least, max(ends[0], 1.25 * least)
    axes.set(**{f"{axis}scale": "log", f"{axis}lim": (low, high)})
    # Plain numbers at as many ticks as have room.
    ticks: Any = axes.xaxis if axis == "x" else axes.yaxis
    if high < 100.0 * low:
        ticks.set_major_locator(MaxNLocator(5) if high < 5.0 * low else LogLocator(subs=(1.0, 2.0, 5.0)))
    ticks.set_major_formatter("{x:g}")
    ticks.set_minor_formatter(NullFormatter())


def _bars(points: Sequence[Point], top: float = math.inf) -> list[list[float]]:
    """Intervals as matplotlib wants them: how far they reach below and above the values."""
    low = [max(0.0, min(point.y, top) - point.interval[0]) for point in points]
    high = [max(0.0, min(point.interval[1], top) - point.y) for point in points]
    return [low, high]


def _positive(points: Sequence[Point]) -> list[float]:
    """The values and ends of intervals that a logarithmic axis can show."""
    return [value for point in points for value in (point.y, *point.interval) if 0.0 < value < math.inf]


def _budgets(axes: Axes, panel: Panel, log: str, legend: Legend) -> None:
    points = [point for line in panel.lines for point in line.points]
    finite = [*_positive(points), *(point.y for line in panel.known for point in line.points)]
    top = 1.15 * max([*finite, *(line.reach for line in panel.lines)])
    _scale(axes, "y", log, finite, (top, top))
    for i, line in enumerate(panel.lines):
        x = [j + 0.7 * ((i + 0.5) / len(panel.lines) - 0.5) for j in range(len(line.points))]
        _crossings(axes, line, x, top, legend)
    for style, line in zip(("k:", "k--", "k-"), panel.known, strict=False):
        for j, point in enumerate(line.points):
            (artist,) = axes.plot([j - 0.42, j + 0.42], [point.y] * 2, style, linewidth=1.1)
            legend.setdefault(("known", line.label), artist)
    axes.set_xticks(range(len(PERCENTILES)), [f"{q:.0%}" for q in PERCENTILES])
    axes.set_xlim(-0.5, len(PERCENTILES) - 0.5)
    axes.set(title="smallest budget to win this share", xlabel="share of games won", ylabel="budget of a game")
    axes.grid(alpha=0.3, axis="y")
    for place, marker, meaning in (("above", "k^", "not reached: more than this"), ("below", "kv", "at most this")):
        if any(point.place == place for point in points):
            (sign,) = axes.plot([], [], marker, markersize=5, linestyle="none", fillstyle="none")
            legend.setdefault(("sign", meaning), sign)


def _crossings(axes: Axes, line: Line, x: Sequence[float], top: float, legend: Legend) -> None:
    """The budgets of a curve: a point inside its grid, or a triangle at the end of one that does not reach as far. Of a
    budget without an estimate, or of an infinite percentile, the interval alone."""
    look = line.look
    for at, point in zip(x, line.points, strict=True):
        marker = {"below": "v", "above": "^"}.get(point.place, look.marker)
        value = line.reach if point.place == "above" else point.y
        low, high = point.interval[0], min(point.interval[1], top)
        axes.plot([at, at], [max(low, 1e-9), high], "-", color=look.name, alpha=0.5, linewidth=1.5)
        axes.plot([at], [value], marker, color=look.name, markersize=5, linestyle="none")
    (artist,) = axes.plot([], [], look.marker, color=look.name, linestyle=look.dashes)
    legend.setdefault(("curve", line.label), artist)


def _wins(axes: Axes, panel: Panel, log: str, legend: Legend) -> None:
    points = [point for line in panel.lines for point in line.points]
    at = [point.x for point in points]
    _scale(axes, "x", log, at, (1.25 * max(at), 1.05 * max(at)))
    _scale(axes, "y", "none" if log == "auto" else log, _positive(points), (1.1, 1.02))
    for line in panel.lines:
        _curve(axes, line, math.inf, legend)
    for q in PERCENTILES:
        axes.axhline(q, color="grey", linewidth=0.6, linestyle=":")
    axes.set(title="win rate", xlabel="mean budget of a game", ylabel="win rate")
    axes.grid(alpha=0.3)


def _curve(axes: Axes, line: Line, top: float, legend: Legend, **look: Any) -> None:
    """The points of a line with their intervals, joined where they are finite. `top` is where infinity is drawn. On a
    logarithmic axis, a value of 0 is shown by its interval alone."""
    x, y = [point.x for point in line.points], [point.y for point in line.points]
    if axes.get_yscale() == "log":
        y = [value if value > 0.0 else math.nan for value in y]
    look |= {"color": line.look.name}
    (artist,) = axes.plot(x, y, line.look.marker, linestyle=line.look.dashes, markersize=3.5, **look)
    legend.setdefault(("curve", line.label), artist)
    values = [min(point.y, top) for point in line.points]
    axes.errorbar(x, values, _bars(line.points, top), fmt="none", alpha=0.5, capsize=2, zorder=1.9, **look)


def _percentiles(axes: Axes, panel: Panel, log: str, legend: Legend) -> None:
    from matplotlib.transforms import ScaledTranslation

    points = [point for line in panel.lines for point in line.points]
    finite = _positive(points)
    top = 1.25 * max(finite, default=1.0)
    epsilons = [point.x for point in points]
    _scale(axes, "x", log, epsilons, (1.25 * max(epsilons), 1.05 * max(epsilons)))
    _scale(axes, "y", log, finite, (1.2 * top, 1.08 * top))
    for i, line in enumerate(panel.lines):
        step = i * min(_ASIDE, 12.0 / len(panel.lines))
        look: dict[str, Any] = {
            "transform": axes.transData + ScaledTranslation(step / 72.0, 0.0, axes.figure.dpi_scale_trans)
        }
        _curve(axes, line, top, legend, **look)
        losses = [point.x for point in line.points if point.y == math.inf]
        axes.plot(losses, [top] * len(losses), "x", linestyle="none", markersize=5, color=line.look.name, **look)
    axes.set(title=title_of(panel.name), xlabel="epsilon per ask", ylabel="privacy budget")
    if any(math.inf in (point.y, *point.interval) for point in points):
        axes.axhline(top, color="grey", linewidth=0.6, linestyle=":")
        right = axes.get_yaxis_transform()
        axes.text(0.99, top, "∞ (lost)", transform=right, va="bottom", ha="right", color="grey", size=8)
    if all(point.y == math.inf for point in points):
        axes.text(0.5, 0.5, "infinite throughout", transform=axes.transAxes, ha="center", color="grey")
        axes.set_yticks([])
    axes.grid(alpha=0.3)


def _turns(axes: Axes, panel: Panel, log: str, legend: Legend) -> None:
    at = [point.x for point in panel.lines[0].points]
    width = 0.8 / len(panel.lines)
    for i, line in enumerate(panel.lines):
        share = [point.y for point in line.points]
        x = np.array(at) + (i - (len(panel.lines) - 1) / 2) * width
        bars = axes.bar(x, share, width, color=line.look.name, hatch=line.look.hatch, edgecolor="white", linewidth=0)
        legend.setdefault(("curve", line.label), bars)
        axes.errorbar(x, share, _bars(line.points), fmt="none", color="black", linewidth=0.8, alpha=0.6)
    ends = _positive([point for line in panel.lines for point in line.points])
    _scale(axes, "y", "none" if log == "auto" else log, ends, (1.1, min(1.0, 1.05 * max(ends, default=1.0))))
    axes.set_xticks(at, [*map(str, at[:-1]), LOST])
    noisy = any(point.outcome and not point.outcome.task.noiseless for line in panel.lines for point in line.points)
    axes.set(title="turns" if noisy else "turns at epsilon = ∞", xlabel="turns", ylabel="share of games")
    axes.grid(alpha=0.3, axis="y")
