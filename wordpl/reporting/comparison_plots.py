"""The picture of a comparison: the difference of each figure, and that of win rates within each budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wordpl.errors import MissingExtraError, WordplError
from wordpl.reporting.comparison_tables import comparison_terms, strategy_names
from wordpl.reporting.plot_panels import Legend
from wordpl.reporting.plot_points import Look
from wordpl.reporting.plots import Painter, draw_figure
from wordpl.simulation.comparison import WIN_RATE, ComparedPair, Difference, PairedComparison
from wordpl.storage.files import StrPath

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_CURVES = 8
"""More curves with their bands would hide each other."""
_EDGE = 0.1
"""How far from the others infinite differences are drawn, as a share of the span of the finite ones."""


@dataclass(frozen=True)
class _Series:
    """The pairs of two strategies, in order of epsilon."""

    label: str
    look: Look
    pairs: tuple[ComparedPair, ...]
    x: tuple[float, ...]
    """Where each is drawn; one that is at infinity is not."""
    over_epsilons: bool
    """Whether that is at its epsilon; else each series has a place of its own."""


def draw_comparison(comparison: PairedComparison, target: StrPath) -> None:
    """Draw the differences of a comparison into the picture file `target`, each the first strategy less the second.

    There is a panel for each figure, over epsilons where strategies were compared at several of them; a difference is
    filled if one of the two is surely ahead. For up to eight pairs another panel shows the difference of the win rates
    within each budget, with a band that holds all budgets at once. The suffix of `target` determines the format;
    missing folders are made. Raises `WordplError` if the file cannot be written, and `MissingExtraError` without
    matplotlib.
    """
    check_target(target)
    series = _series(comparison)
    curves = [one for one in series for pair in one.pairs if len(pair.curve.budgets) > 1]
    # Over epsilons, a curve of one pair among others without says little.
    curved = bool(curves) and (not series[0].over_epsilons or len(curves) == len(comparison.pairs))

    def painter(figure: str) -> Painter:
        def paint(axes: Axes, legend: Legend) -> None:
            if figure == "curve":
                _draw_curves(axes, series, wordle=comparison.tasks[0].format != "contest")
            else:
                _draw_figure(axes, series, figure)
            for one in series:
                legend["curve", one.label] = axes.plot([], [], one.look.marker, color=one.look.name)[0]

        return paint

    panels = [*comparison.rule.figures, *(["curve"] if curved and len(curves) <= _MOST_CURVES else [])]
    share = f"{100 * comparison.rule.confidence:g}%"
    title = f"{comparison_terms(comparison)}; {share} intervals; filled: one of the two is surely ahead"
    draw_figure([painter(panel) for panel in panels], target, title=title)


def check_target(target: StrPath) -> None:
    """Raise what keeps a picture from being drawn before anything is played for it, as `draw_comparison` does."""
    try:
        from matplotlib.backend_bases import FigureCanvasBase
    except ImportError:
        raise MissingExtraError("plots need the extra 'plots': pip install 'wordpl[plots]'") from None
    known = FigureCanvasBase.get_supported_filetypes()
    if Path(target).suffix[1:].lower() not in known:
        raise WordplError(
            f"cannot write picture {target}: a name that ends in .{', .'.join(sorted(known))} is expected"
        )


def _series(comparison: PairedComparison) -> list[_Series]:
    names = strategy_names(comparison)
    found: dict[str, list[ComparedPair]] = {}
    for pair in comparison.pairs:
        found.setdefault(f"{names[pair.first.id]} minus {names[pair.second.id]}", []).append(pair)
    several = any(len(pairs) > 1 for pairs in found.values())
    series = []
    for at, (label, pairs) in enumerate(found.items()):
        placed = sorted(zip(_epsilons(pairs) if several else [float(at)], pairs, strict=True), key=lambda one: one[0])
        series.append(_Series(label, Look(at), tuple(pair for _, pair in placed), tuple(x for x, _ in placed), several))
    return series


def _epsilons(pairs: Sequence[ComparedPair]) -> list[float]:
    """The epsilon at which to draw each pair: that of the strategy whose epsilon varies; infinite without one."""
    first, second = (
        [task.epsilon for task in tasks] for tasks in zip(*((p.first, p.second) for p in pairs), strict=True)
    )
    chosen = second if len(set(first)) < len(set(second)) or None in first else first
    return [math.inf if epsilon is None else epsilon for epsilon in chosen]


def _draw_figure(axes: Axes, series: Sequence[_Series], figure: str) -> None:
    differences = [pair[figure] for one in series for pair in one.pairs]
    ends = [end for one in differences for end in (*one.interval, one.difference or 0.0)]
    finite = [0.0, *filter(math.isfinite, ends)]
    space = _EDGE * (max(finite) - min(finite)) or 1.0
    edges = min(finite) - space, max(finite) + space
    for one in series:
        shown = [(at, pair[figure].difference) for at, pair in zip(one.x, one.pairs, strict=True)]
        joined = [(at, value) for at, value in shown if value is not None and math.isfinite(value + at)]
        axes.plot([at for at, _ in joined], [value for _, value in joined], "-", color=one.look.name, linewidth=0.8)
        for at, pair in zip(one.x, one.pairs, strict=True):
            if math.isfinite(at):
                _draw_difference(axes, at, pair[figure], one, edges)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_ylim(edges[0] - 0.3 * space, edges[1] + 0.3 * space)
    if not any(finite):
        axes.set_yticks([0.0])
    drawn = [at for one in series for at in one.x if math.isfinite(at)] or [0.0]
    space = 0.06 * (max(drawn) - min(drawn)) or 0.6
    axes.set_xlim(min(drawn) - space, max(drawn) + space)
    if series[0].over_epsilons:
        axes.set_xlabel("epsilon per ask")
    else:
        axes.set_xticks([])
    win_rate = figure == WIN_RATE
    title = "win rate, by posterior" if win_rate else f"{int(figure[1:])}th percentile"
    axes.set(title=title, ylabel=f"difference ({'more' if win_rate else 'less'} is better)")
    if any(math.isinf(one.difference or 0.0) or math.isinf(end) for one in differences for end in one.interval):
        right = axes.get_yaxis_transform()
        for edge, sign in zip(edges, ("-∞", "+∞"), strict=True):
            axes.axhline(edge, color="grey", linewidth=0.6, linestyle=":")
            axes.text(1.005, edge, sign, transform=right, va="center", color="grey", size=8)
    if all(one.difference is None for one in differences):
        axes.text(0.5, 0.6, "reached by neither", transform=axes.transAxes, ha="center", color="grey")
    axes.grid(alpha=0.3, axis="y")


def _draw_difference(axes: Axes, at: float, found: Difference, one: _Series, edges: tuple[float, float]) -> None:
    if found.difference is None:
        return
    low, high, value = (max(edges[0], min(edges[1], end)) for end in (*found.interval, found.difference))
    axes.plot([at, at], [low, high], "-", color=one.look.name, alpha=0.6, linewidth=1.5)
    fill = one.look.name if found.verdict in ("first", "second") else "white"
    axes.plot([at], [value], one.look.marker, color=one.look.name, markerfacecolor=fill, markersize=5)


def _draw_curves(axes: Axes, series: Sequence[_Series], wordle: bool) -> None:
    for one in series:
        for pair in one.pairs:
            curve = pair.curve
            if len(curve.budgets) < 2:
                continue
            # The last difference holds for all larger budgets.
            x = np.append(curve.budgets, curve.budgets[-1] + 0.05 * np.ptp(curve.budgets))
            low, high, y = (np.append(v, v[-1]) for v in (curve.low, curve.high, curve.differences))
            axes.fill_between(x, low, high, step="post", color=one.look.name, alpha=0.15, linewidth=0)
            axes.step(x, y, where="post", color=one.look.name, linewidth=1.3)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    cost = "guesses" if wordle else "budget"
    axes.set(title=f"win rate within each {'number of guesses' if wordle else 'budget'}", xlabel=cost)
    axes.set_ylabel("difference (more is better)")
    axes.grid(alpha=0.3)
