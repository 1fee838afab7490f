"""The picture of a comparison: the difference of each figure, and that of win rates within each budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wordpl.errors import MissingExtraError, WordplError
from wordpl.reporting.comparison_tables import strategy_names
from wordpl.reporting.layout import broken
from wordpl.simulation.comparison import WIN_RATE, ComparedPair, Difference, PairedComparison
from wordpl.storage.files import StrPath, whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_PANEL = (5.2, 4.0)
_LEGEND_LINE = 0.2
"""Inches."""
_MOST_CURVES = 8
"""More curves with their bands would hide each other."""
_EDGE = 0.1
"""How far from the others infinite differences are drawn, as a share of the span of the finite ones."""


@dataclass(frozen=True)
class _Series:
    """The pairs of two strategies, in order of epsilon."""

    label: str
    index: int
    pairs: tuple[ComparedPair, ...]

    @property
    def colour(self) -> str:
        return f"C{self.index % 10}"

    @property
    def marker(self) -> str:
        return "osD^v<>Ph*"[self.index // 10 % 10]


def draw_comparison(comparison: PairedComparison, target: StrPath) -> None:
    """Draw the differences of a comparison into the picture file `target`, each the first strategy less the second.

    There is a panel for each figure, over epsilons where strategies were compared at several of them; a difference is
    filled if one of the two is surely ahead. For up to eight pairs another panel shows the difference of the win rates
    within each budget, with a band that holds all budgets at once. The suffix of `target` determines the format;
    missing folders are made. Raises `WordplError` if the file cannot be written, and `MissingExtraError` without
    matplotlib.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots need the extra 'plots': pip install 'wordpl[plots]'") from None
    series = _series(comparison)
    curves = [one for one in series for pair in one.pairs if len(pair.curve.budgets) > 1]
    panels = [*comparison.rule.figures, *(["curve"] if 0 < len(curves) <= _MOST_CURVES else [])]
    columns = 2 if len(panels) in (2, 4) else min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    labels = ["\n".join(broken(one.label, round(13 * _PANEL[0] * columns))) for one in series]
    legend = _LEGEND_LINE * (sum(label.count("\n") + 1 for label in labels) + 1)
    # TeX, if a user's settings have turned it on, would read names as markup.
    with rc_context({"text.usetex": False}):
        figure = Figure(figsize=(_PANEL[0] * columns, _PANEL[1] * rows + legend), layout="constrained")
        for at, panel in enumerate(panels):
            axes = figure.add_subplot(rows, columns, at + 1)
            if panel == "curve":
                _draw_curves(axes, series, wordle=comparison.tasks[0].format != "contest")
            else:
                _draw_figure(axes, series, panel)
        handles = [axes.plot([], [], one.marker, color=one.colour)[0] for one in series]
        for text in figure.legend(handles, labels, loc="outside lower left", fontsize=8).get_texts():
            text.set_parse_math(False)
        try:
            with whole_file(target, make_folders=True) as beside:
                figure.savefig(beside, dpi=130)
        except WordplError:
            raise
        except ValueError as error:  # what matplotlib says of a format that it does not know
            raise WordplError(f"cannot write picture {target}: {error}") from None


def _series(comparison: PairedComparison) -> list[_Series]:
    names = strategy_names(comparison)
    found: dict[str, list[ComparedPair]] = {}
    for pair in comparison.pairs:
        found.setdefault(f"{names[pair.first.id]} minus {names[pair.second.id]}", []).append(pair)
    return [_Series(label, at, tuple(sorted(pairs, key=_epsilon))) for at, (label, pairs) in enumerate(found.items())]


def _epsilon(pair: ComparedPair) -> float:
    """The epsilon that a pair is drawn at: the first strategy's, or that of the second where the first has none."""
    found = pair.first.epsilon if pair.first.epsilon is not None else pair.second.epsilon
    return math.inf if found is None else found


def _places(series: Sequence[_Series]) -> list[list[float]] | None:
    """Where the pairs are drawn: at their epsilons; None if each pair has a place of its own.

    An epsilon of a strategy that does not vary says nothing, so the one that does is taken.
    """
    if not any(len(one.pairs) > 1 for one in series):
        return None
    found = []
    for one in series:
        seconds = {pair.second.epsilon for pair in one.pairs}
        firsts = {pair.first.epsilon for pair in one.pairs}
        by = [pair.second.epsilon if len(firsts) < len(seconds) else pair.first.epsilon for pair in one.pairs]
        found.append([math.inf if epsilon is None else epsilon for epsilon in by])
    return found


def _draw_figure(axes: Axes, series: Sequence[_Series], figure: str) -> None:
    differences = [pair[figure] for one in series for pair in one.pairs]
    ends = [end for one in differences for end in (*one.interval, one.difference or 0.0)]
    finite = [0.0, *filter(math.isfinite, ends)]
    space = _EDGE * (max(finite) - min(finite)) or 1.0
    edges = min(finite) - space, max(finite) + space
    places = _places(series)
    for one in series:
        x = places[one.index] if places is not None else [float(one.index)] * len(one.pairs)
        for at, pair in zip(x, one.pairs, strict=True):
            if math.isfinite(at):
                _draw_difference(axes, at, pair[figure], one, edges)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    axes.set_ylim(edges[0] - 0.3 * space, edges[1] + 0.3 * space)
    if not any(finite):
        axes.set_yticks([0.0])
    if places is None:
        axes.set_xticks(range(len(series)), [""] * len(series))
        axes.set_xlim(-0.6, len(series) - 0.4)
    else:
        axes.set_xlabel("epsilon per ask")
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
    axes.plot([at, at], [low, high], "-", color=one.colour, alpha=0.6, linewidth=1.5)
    fill = one.colour if found.verdict in ("first", "second") else "white"
    axes.plot([at], [value], one.marker, color=one.colour, markerfacecolor=fill, markersize=5)


def _draw_curves(axes: Axes, series: Sequence[_Series], wordle: bool) -> None:
    for one in series:
        for pair in one.pairs:
            curve = pair.curve
            if len(curve.budgets) > 1:
                axes.fill_between(
                    curve.budgets, curve.low, curve.high, step="post", color=one.colour, alpha=0.15, linewidth=0
                )
                axes.step(curve.budgets, curve.differences, where="post", color=one.colour, linewidth=1.3)
    axes.axhline(0.0, color="grey", linewidth=0.8)
    cost = "guesses" if wordle else "budget"
    axes.set(title=f"win rate within each {'number of guesses' if wordle else 'budget'}", xlabel=cost)
    axes.set_ylabel("difference (more is better)")
    axes.grid(alpha=0.3)
