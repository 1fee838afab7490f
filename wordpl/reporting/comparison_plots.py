"""The picture of a comparison: the difference in each statistic, and that of win rates within each budget."""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from wordpl.base.defaults import POSTERIOR_WIN_RATE
from wordpl.base.displays import cut
from wordpl.base.errors import WordplError, nearest
from wordpl.base.files import StrPath
from wordpl.base.sanitizing import visible
from wordpl.reporting.comparison_tables import comparison_terms
from wordpl.reporting.plot_panels import Legend
from wordpl.reporting.plot_points import Look, title_of
from wordpl.reporting.plots import draw_picture, painted
from wordpl.simulation.comparison import ComparedPair, PairedComparison

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_CURVES = 8
"""With more curves, their bands would hide each other."""
_EDGE = 0.1
"""The distance from the others at which infinite differences are drawn, as a share of the span of the finite ones."""


@dataclass(frozen=True)
class _Series:
    """The pairs of two strategies, in order of epsilon."""

    label: str
    look: Look
    pairs: tuple[ComparedPair, ...]
    x: tuple[float, ...]
    """The epsilon of each, or the place of the series if none has several; one that is at infinity is not drawn."""
    over_epsilons: bool


def draw_comparison(comparison: PairedComparison, target: StrPath) -> None:
    """Draw the differences of `comparison` into the picture file `target`: the first strategy minus the second.

    There is a panel for each statistic, over epsilon if strategies were compared at several epsilons. A difference is
    filled if one of the two is ahead. For up to eight pairs, another panel shows the difference of the win rates within
    each budget, with a confidence band for all budgets together. The suffix of `target` determines the format; missing
    folders are made. Raises the errors of `draw`.
    """
    series = _series(comparison)
    curves = sum(len(pair.curve) > 1 for pair in comparison.pairs)
    # Over epsilons, a curve of one pair among others without says little.
    curved = 0 < curves <= _MOST_CURVES and (not series[0].over_epsilons or curves == len(comparison.pairs))

    panels = [*comparison.rule.statistics, *(["curve"] if curved else [])]
    share = f"{100 * comparison.rule.confidence:g}%"
    title = f"{comparison_terms(comparison)}; {share} intervals; filled: one of the two is ahead"
    draw_picture([partial(_paint, comparison, series, panel) for panel in panels], target, title=title)


def draw_tournament(comparison: PairedComparison, target: StrPath) -> None:
    """Draw who beats whom in `comparison` into the picture file `target`: a heat map for each statistic and round.

    A row and a column stand for a strategy, the best first. The colour is the difference, blue where the strategy
    of the row does better; the letters are those of `PairedComparison.matrix`. The suffix of `target`
    determines the format; missing folders are made. Raises what `draw` does.
    """
    panels = list(itertools.product(comparison.rule.statistics, comparison.rounds))
    most = max(len(part.tasks) for _, part in panels)
    size = 4.2 + 0.42 * most, 2.4 + 0.42 * most
    key = "blue: the row does better; W: it is ahead, L: it is behind, T: level, ?: undecided"
    title = f"{comparison_terms(comparison)}\n{key}"
    draw_picture(
        [partial(_paint_matrix, one_round, statistic) for statistic, one_round in panels], target, size, title=title
    )


def _paint_matrix(comparison: PairedComparison, statistic: str, axes: Axes, legend: Legend) -> None:
    matrix = comparison.matrix(statistic)
    outcomes: list[list[str]] = matrix.to_numpy().tolist()
    values = comparison.matrix(statistic, differences=True).to_numpy()
    better = values if statistic == POSTERIOR_WIN_RATE else -values
    finite = np.abs(values[np.isfinite(values)])
    largest = max(finite, default=0.0) or 1.0
    shown = np.clip(better, -largest, largest)
    # The ends of the colours are left out: a letter on them could not be read.
    image = axes.imshow(shown, cmap="RdBu", vmin=-1.6 * largest, vmax=1.6 * largest, aspect="auto")
    for row, column in itertools.product(range(len(outcomes)), repeat=2):
        axes.text(column, row, outcomes[row][column], ha="center", va="center", size=9)
    places, names = range(len(outcomes)), [f"{i}. {cut(visible(str(name)), 44)}" for i, name in enumerate(matrix, 1)]
    axes.set_xticks(places, [f"{i + 1}" for i in places])
    axes.set_yticks(places, names, size=8)
    is_rate = statistic == POSTERIOR_WIN_RATE
    bar = axes.figure.colorbar(image, ax=axes)
    bar.set_label("row minus column" if is_rate else "column minus row")
    bar.ax.set_ylim(-largest, largest)
    if not finite.any():  # an infinite difference has a colour, but no number on this scale
        bar.set_ticks([0.0])
    axes.set_title(title_of(statistic))


def plot_differences(
    comparison: PairedComparison, statistic: str = POSTERIOR_WIN_RATE, *, ax: Axes | None = None
) -> Figure:
    """Plot the differences of `comparison` in a `statistic`, such as `p05`, or in the win rates within each budget
    (`curve`).

    The plot goes into the axes `ax`, or a new matplotlib figure, which is returned. Raises `WordplError` for a
    statistic that was not compared, and the errors of `plot_evaluations`."""
    statistics = (*comparison.rule.statistics, "curve")
    if statistic not in statistics:
        raise WordplError(f"unknown statistic {statistic!r}: {nearest(statistic, statistics)}")
    return painted(partial(_paint, comparison, _series(comparison), statistic), ax)


def _paint(comparison: PairedComparison, series: Sequence[_Series], statistic: str, axes: Axes, legend: Legend) -> None:
    if statistic == "curve":
        _draw_curves(axes, series, wordle=comparison.tasks[0].format.startswith("wordle"))
    else:
        _draw_differences(axes, series, statistic)
    for line in series:
        legend["curve", line.label] = axes.plot([], [], line.look.marker, color=line.look.name)[0]


def _series(comparison: PairedComparison) -> list[_Series]:
    names = comparison.names
    by_label: dict[str, list[ComparedPair]] = defaultdict(list)
    for pair in comparison.pairs:
        by_label[f"{names[pair.first.id]} minus {names[pair.second.id]}"].append(pair)
    several = any(len(pairs) > 1 for pairs in by_label.values())
    series = []
    for i, (label, pairs) in enumerate(by_label.items()):
        # The epsilon of a pair is that of the strategy whose epsilon varies.
        first, second = [pair.first.epsilon for pair in pairs], [pair.second.epsilon for pair in pairs]
        epsilons = second if len(set(first)) < len(set(second)) or None in first else first
        at_epsilons = [math.inf if epsilon is None else epsilon for epsilon in epsilons]
        points = sorted(zip(at_epsilons if several else [float(i)], pairs, strict=True), key=lambda at: at[0])
        xs, ordered = zip(*points, strict=True)
        series.append(_Series(label, Look(i), ordered, xs, several))
    return series


def _draw_differences(axes: Axes, series: Sequence[_Series], statistic: str) -> None:
    differences = [pair[statistic] for line in series for pair in line.pairs]
    ends = [end for item in differences for end in (*item.interval, item.difference or 0.0)]
    finite = [0.0, *filter(math.isfinite, ends)]
    space = _EDGE * (max(finite) - min(finite)) or 1.0
    edges = min(finite) - space, max(finite) + space
    for line in series:
        values = [math.nan if (value := pair[statistic].difference) is None else value for pair in line.pairs]
        axes.plot(line.x, values, "-", color=line.look.name, linewidth=0.8)
        for at, pair in zip(line.x, line.pairs, strict=True):
            item = pair[statistic]
            if math.isfinite(at) and item.difference is not None:
                low, high, y = (max(edges[0], min(edges[1], end)) for end in (*item.interval, item.difference))
                axes.plot([at, at], [low, high], "-", color=line.look.name, alpha=0.6, linewidth=1.5)
                fill = line.look.name if item.verdict in ("first", "second") else "white"
                axes.plot([at], [y], line.look.marker, color=line.look.name, markerfacecolor=fill, markersize=5)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_ylim(edges[0] - 0.3 * space, edges[1] + 0.3 * space)
    if not any(finite):
        axes.set_yticks([0.0])
    xs = [at for line in series for at in line.x if math.isfinite(at)] or [0.0]
    space = 0.06 * (max(xs) - min(xs)) or 0.6
    axes.set(xlim=(min(xs) - space, max(xs) + space), xlabel="epsilon per ask" if series[0].over_epsilons else "")
    if not series[0].over_epsilons:
        axes.set_xticks([])
    better = "more" if statistic == POSTERIOR_WIN_RATE else "less"
    axes.set(title=title_of(statistic), ylabel=f"difference ({better} is better)")
    if any(math.isinf(item.difference or 0.0) or math.isinf(end) for item in differences for end in item.interval):
        right = axes.get_yaxis_transform()
        for edge, sign in zip(edges, ("-∞", "+∞"), strict=True):
            axes.axhline(edge, color="grey", linewidth=0.6, linestyle=":")
            axes.text(1.005, edge, sign, transform=right, va="center", color="grey", size=8)
    if all(item.difference is None for item in differences):
        axes.text(0.5, 0.6, "reached by neither", transform=axes.transAxes, ha="center", color="grey")
    axes.grid(alpha=0.3, axis="y")


def _draw_curves(axes: Axes, series: Sequence[_Series], wordle: bool) -> None:
    for line in series:
        for curve in (pair.curve for pair in line.pairs if len(pair.curve) > 1):
            budgets = [point["budget"] for point in curve]
            # The last difference holds for all larger budgets.
            x, points = [*budgets, budgets[-1] + 0.05 * np.ptp(budgets)], [*curve, curve[-1]]
            low, high = zip(*(point["interval"] for point in points), strict=True)
            y = [point["difference"] for point in points]
            axes.fill_between(x, low, high, step="post", color=line.look.name, alpha=0.15, linewidth=0)
            axes.step(x, y, where="post", color=line.look.name, linewidth=1.3)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    cost, costs = ("guesses", "number of guesses") if wordle else ("budget", "budget")
    axes.set(title=f"win rate within each {costs}", xlabel=cost, ylabel="difference (more is better)")
    axes.grid(alpha=0.3)
