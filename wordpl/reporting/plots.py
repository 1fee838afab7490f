"""Pictures of results: budgets for win rates, win rate against budget, percentiles, turns without noise."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from wordpl.errors import MissingExtraError, WordplError, nearest
from wordpl.reporting.layout import broken, wrapped
from wordpl.reporting.outcome_tables import KNOWN_BUDGETS, has_known_budgets
from wordpl.simulation.outcomes import Curve, curves, read_outcomes, shared_terms, turn_shares
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.store import Store
from wordpl.storage.files import StrPath, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Panel = Callable[["Axes"], None]

_LETTERS_PER_INCH = 14.0
_LEGEND_LINE = 0.19
"""Inches."""
_ASIDE = 1.5
"""Points by which curves are set aside, so that those that lie on each other can all be seen."""


def draw(store: Store, target: StrPath, kind: str = "all", match: str = "") -> None:
    """Draw the tasks of a store whose strategy or word list contains `match` into the picture file `target`.

    `kind` is `budgets` (the smallest that win 5, 50 and 95% of games), `wins` (win rate against mean budget),
    `percentiles` (against epsilon), `turns` (of noiseless games), or `all`, which leaves out the percentiles of
    strategies that spend the same in every game: such a percentile is that budget or infinite. All are drawn with 95%
    intervals. The suffix of `target` determines the format; missing folders are made.

    Raises `WordplError` for an unknown kind, if nothing matches, and if the file cannot be written;
    `MissingExtraError` without matplotlib.
    """
    panels = {"budgets": _budget_panel, "wins": _win_panel, "percentiles": _percentile_panels, "turns": _turn_panel}
    if kind != "all" and kind not in panels:
        raise WordplError(f"unknown plot {kind!r}: {nearest(kind, ['all', *panels])}")
    found = read_outcomes(store, match)
    lines = [_Line(curve, i) for i, curve in enumerate(curves(found))]
    wanted: list[Panel] = []
    for name, make in panels.items():
        if kind == "all" and name == "percentiles":
            wanted += make([line for line in lines if not line.budgets_are_fixed and len(line.curve.noisy) > 1])
        elif kind in ("all", name):
            wanted += make(lines)
    if not wanted:
        raise WordplError(f"{store.path} has nothing to draw" + (f" that matches {match!r}" if match else ""))
    _figure(wanted, target, title=shared_terms(found))


@dataclass(frozen=True)
class _Line:
    """A curve and how it looks, the same in every panel."""

    curve: Curve
    index: int

    @property
    def budgets_are_fixed(self) -> bool:
        return all(outcome.budget_is_fixed for outcome in self.curve.noisy)

    @property
    def colour(self) -> str:
        return f"C{self.index % 10}"

    @property
    def dashes(self) -> str:
        return ("-", "--", ":", "-.")[self.index // 10 % 4]

    @property
    def marker(self) -> str:
        return "osD^v<>Ph*"[self.index // 10 % 10]


def _figure(panels: list[Panel], target: StrPath, size: tuple[float, float] = (5.2, 4.2), title: str = "") -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots need the extra 'plots': pip install 'wordpl[plots]'") from None
    columns = 2 if len(panels) in (2, 4) else min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    for i, panel in enumerate(panels):
        panel(figure.add_subplot(rows, columns, i + 1))
    if title:
        figure.suptitle("\n".join(wrapped(title, round(12 * size[0] * columns))), size=11)
    _legend(figure)
    try:
        with whole_file(target, make_folders=True) as beside:
            figure.savefig(beside, dpi=130)
    except WordplError:
        raise
    except ValueError as error:  # what matplotlib says of a format that it does not know
        raise WordplError(f"cannot write picture {target}: {error}") from None


def _legend(figure: Any) -> None:
    """One legend for all panels, below them. The figure grows by it, so that it takes nothing from the panels."""
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    width, height = figure.get_size_inches()
    room = int(_LETTERS_PER_INCH * width) - 8
    labels = ["\n".join(broken(label, room)) for label in handles]
    longest = max((len(line) for label in labels for line in label.split("\n")), default=1)
    columns = max(1, min(4, len(labels), room // (longest + 8)))
    lines = sum(label.count("\n") + 1 for label in labels)
    figure.set_size_inches(width, height + _LEGEND_LINE * math.ceil(lines / columns))
    figure.legend(list(handles.values()), labels, loc="outside lower center", ncols=columns, fontsize=8)


def _logarithmic(values: Sequence[float]) -> bool:
    """Whether positive values span two decades or more, so that a linear axis would show only the largest."""
    return bool(values) and min(values) > 0.0 and max(values) >= 100.0 * min(values)


def _scale_x(axes: Axes, values: Sequence[float]) -> None:
    """Set scale and limits for these values; matplotlib does not see those that are set aside."""
    if _logarithmic(values):
        axes.set_xscale("log")
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set_xlim(min(values) / 1.25, 1.25 * max(values))
    else:
        axes.set_xlim(0.0, 1.05 * max(values))


def _aside(axes: Axes, at: int, n: int) -> Any:
    """Data coordinates, some points to the right."""
    from matplotlib.transforms import ScaledTranslation

    step = min(_ASIDE, 12.0 / n)
    return axes.transData + ScaledTranslation(at * step / 72.0, 0.0, axes.figure.dpi_scale_trans)


def _bars(values: Sequence[float], intervals: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Intervals as matplotlib wants them: how far they reach below and above the values."""
    low = [max(0.0, value - ends[0]) for value, ends in zip(values, intervals, strict=True)]
    high = [max(0.0, ends[1] - value) for value, ends in zip(values, intervals, strict=True)]
    return [low, high]


def _budget_panel(lines: list[_Line]) -> list[Panel]:
    shown = [line for line in lines if line.curve.crossings]
    if not shown:
        return []
    known = KNOWN_BUDGETS if has_known_budgets([line.curve for line in shown]) else {}
    run = [outcome.budget for line in shown for outcome in line.curve.noisy]
    ends = [end for line in shown for found in line.curve.crossings for end in (*found.interval, found.budget)]
    finite = [end for end in [*ends, *(b for by in known.values() for b in by.values())] if 0.0 < end < math.inf]
    top = 1.15 * max([*finite, *run])

    def panel(axes: Axes) -> None:
        if _logarithmic(finite):
            axes.set_yscale("log")
            axes.yaxis.set_major_formatter("{x:g}")
            axes.set_ylim(0.8 * min(finite), top)
        else:
            axes.set_ylim(0.0, top)
        for i, line in enumerate(shown):
            x = [j + 0.7 * ((i + 0.5) / len(shown) - 0.5) for j in range(len(PERCENTILES))]
            _crossings(axes, line, x, top)
        for style, (name, by) in zip(("k:", "k--", "k-"), known.items(), strict=False):
            for j, q in enumerate(PERCENTILES):
                axes.plot([j - 0.42, j + 0.42], [by[q]] * 2, style, linewidth=1.1, label=name if j == 0 else None)
        axes.set_xticks(range(len(PERCENTILES)), [f"{q:.0%}" for q in PERCENTILES])
        axes.set_xlim(-0.5, len(PERCENTILES) - 0.5)
        axes.set(title="smallest budget to win this share", xlabel="win rate", ylabel="budget of a game")
        axes.grid(alpha=0.3, axis="y")
        if any(found.place == "above" for line in shown for found in line.curve.crossings):
            axes.plot(
                [], [], "k^", markersize=5, linestyle="none", fillstyle="none", label="not reached: more than this"
            )
        if any(found.place == "below" for line in shown for found in line.curve.crossings):
            axes.plot([], [], "kv", markersize=5, linestyle="none", fillstyle="none", label="at most this")

    return [panel]


def _crossings(axes: Axes, line: _Line, x: Sequence[float], top: float) -> None:
    """The budgets of one curve: a point inside its grid, a triangle at the end of a grid that does not reach as far."""
    for i, (at, found) in enumerate(zip(x, line.curve.crossings, strict=True)):
        marker = {"inside": line.marker, "below": "v", "above": "^"}[found.place]
        value = found.budget if found.place != "above" else max(o.budget for o in line.curve.noisy)
        low, high = found.interval[0], min(found.interval[1], top)
        axes.plot([at, at], [max(low, 1e-9), high], "-", color=line.colour, alpha=0.5, linewidth=1.5)
        axes.plot([at], [value], marker, color=line.colour, markersize=5, linestyle="none")
        if i == 0:
            axes.plot([], [], line.marker, color=line.colour, linestyle=line.dashes, label=line.curve.label)


def _win_panel(lines: list[_Line]) -> list[Panel]:
    shown = [line for line in lines if line.curve.noisy]
    if not shown:
        return []

    def panel(axes: Axes) -> None:
        _scale_x(axes, [outcome.budget for line in shown for outcome in line.curve.noisy])
        for line in shown:
            # In order of epsilon: joined in order of mean budget, noise in the budget would look like a dip.
            x = [outcome.budget for outcome in line.curve.noisy]
            y = [outcome.figures.win_rate for outcome in line.curve.noisy]
            bars = _bars(y, [outcome.figures.interval for outcome in line.curve.noisy])
            axes.plot(
                x, y, line.marker, color=line.colour, linestyle=line.dashes, markersize=3.5, label=line.curve.label
            )
            axes.errorbar(x, y, bars, fmt="none", color=line.colour, alpha=0.5, capsize=2)
        for q in PERCENTILES:
            axes.axhline(q, color="grey", linewidth=0.6, linestyle=":")
        axes.set(title="win rate", xlabel="mean budget of a game", ylabel="win rate", ylim=(0, 1.02))
        axes.grid(alpha=0.3)

    return [panel]


def _percentile_panels(lines: list[_Line]) -> list[Panel]:
    shown = [line for line in lines if line.curve.noisy]
    if not shown:
        return []
    noisy = [outcome for line in shown for outcome in line.curve.noisy]

    def panel_of(name: str) -> Panel:
        def panel(axes: Axes) -> None:
            values = [outcome.figures.percentiles[name][0] for outcome in noisy]
            finite = [value for value in values if value < math.inf]
            top = 1.25 * max(finite, default=1.0)
            _scale_x(axes, [outcome.task.epsilon or 0.0 for outcome in noisy])
            for i, line in enumerate(shown):
                _percentile_curve(axes, line, name, top, _aside(axes, i, len(shown)))
            axes.set(title=f"{int(name[1:])}th percentile", xlabel="epsilon per ask", ylabel="privacy budget")
            if _logarithmic(finite):
                axes.set_yscale("log")
                axes.yaxis.set_major_formatter("{x:g}")
                axes.set_ylim(0.8 * min(finite), 1.2 * top)
            else:
                axes.set_ylim(0, 1.08 * top)
            if len(finite) < len(values):
                axes.axhline(top, color="grey", linewidth=0.6, linestyle=":")
                right = axes.get_yaxis_transform()
                axes.text(0.99, top, "∞ (lost)", transform=right, va="bottom", ha="right", color="grey", size=8)
            if not finite:
                axes.text(0.5, 0.5, "infinite throughout", transform=axes.transAxes, ha="center", color="grey")
                axes.set_yticks([])
            axes.grid(alpha=0.3)

        return panel

    return [panel_of(name) for name in ("p05", "p50", "p95")]


def _percentile_curve(axes: Axes, line: _Line, name: str, top: float, transform: Any) -> None:
    """Finite percentiles as a curve; infinite ones, and infinite ends of intervals, on the line at the top."""
    found = [(outcome.task.epsilon or 0.0, *outcome.figures.percentiles[name]) for outcome in line.curve.noisy]
    finite = [(x, value, ends) for x, value, ends in found if value < math.inf]
    lost = [x for x, value, _ in found if value == math.inf]
    x, value = [point[0] for point in finite], [point[1] for point in finite]
    bars = _bars(value, [(low, min(high, top)) for _, _, (low, high) in finite])
    look = {"color": line.colour, "transform": transform}
    axes.plot(
        x, value, line.marker, linestyle=line.dashes, markersize=3.5, linewidth=1.2, label=line.curve.label, **look
    )
    axes.errorbar(x, value, bars, fmt="none", alpha=0.5, capsize=2, **look)
    axes.plot(lost, [top] * len(lost), "x", linestyle="none", markersize=5, **look)


def _turn_panel(lines: list[_Line]) -> list[Panel]:
    noiseless = [(line, outcome) for line in lines for outcome in line.curve.outcomes if outcome.task.noiseless]
    if not noiseless:
        return []
    last = max((turn for _, outcome in noiseless for turn in outcome.figures.turns), default=0)
    first = min((turn for _, outcome in noiseless for turn in outcome.figures.turns), default=1)
    # Those that were lost get a bar of their own, after a gap.
    at = [*range(first, last + 1), last + 2]

    def panel(axes: Axes) -> None:
        width = 0.8 / len(noiseless)
        for i, (line, outcome) in enumerate(noiseless):
            found = turn_shares(outcome.figures, at[:-1])
            share = [value for value, _ in found]
            x = np.array(at) + (i - (len(noiseless) - 1) / 2) * width
            bars = _bars(share, [ends for _, ends in found])
            axes.bar(x, share, width, color=line.colour, alpha=1.0 - 0.15 * (line.index // 10), label=line.curve.label)
            axes.errorbar(x, share, bars, fmt="none", color="black", linewidth=0.8, alpha=0.6)
        axes.set_xticks(at, [*map(str, at[:-1]), "lost"])
        axes.set(title="turns at epsilon = ∞", xlabel="turns", ylabel="share of games")
        axes.grid(alpha=0.3, axis="y")

    return [panel]


def draw_frontier(curves: Mapping[str, Sequence[float]], win_rates: Sequence[float], target: StrPath) -> None:
    """Draw win rate against the smallest budget of each curve into the picture file `target`.

    `curves` has, by name, a budget for each of `win_rates` (0 to 1), NaN where there is none. `bound` is drawn as
    the limit of all strategies; `best` is left out. Raises `WordplError` if the file cannot be written, and
    `MissingExtraError` without matplotlib.
    """

    largest = max((budget for curve in curves.values() for budget in curve if math.isfinite(budget)), default=0.0)

    def panel(axes: Axes) -> None:
        for i, (name, curve) in enumerate(curves.items()):
            if name == "bound":
                axes.plot(curve, win_rates, "k-", linewidth=1.5, label="no strategy can pass")
            elif name != "best":
                ours = name[0].isdigit()
                # A curve that spans few budgets would be lost among the others: it gets a marker at each point.
                finite = [budget for budget in curve if math.isfinite(budget)]
                short = bool(finite) and max(finite) - min(finite) < 0.1 * largest
                style = "D^v"[i % 3] if short else "-" if ours else "--"
                axes.plot(curve, win_rates, style, color=f"C{i % 10}", linewidth=1.2, markersize=5, label=name)
        axes.set_yscale("logit")
        ticks = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
        axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
        axes.set_yticks([], minor=True)
        axes.set_ylim(0.008, 0.993)
        axes.set_xlabel("budget")
        axes.set_ylabel("win rate")
        axes.grid(alpha=0.3)

    _figure([panel], target, (9.0, 6.0))
