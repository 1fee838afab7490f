"""Pictures of results: budgets for win rates, win rate against budget, percentiles, turns without noise."""

from __future__ import annotations

import io
import math
import re
import textwrap
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordpl.base.checks import instance, several
from wordpl.base.defaults import QUANTILES
from wordpl.base.displays import cut
from wordpl.base.errors import MissingExtraError, WordplError, nearest, one_line
from wordpl.base.files import StrPath, whole_file
from wordpl.base.sanitizing import visible, visible_lines
from wordpl.reporting.names import GROUPS, KINDS, LOGS
from wordpl.reporting.outcome_tables import nothing_found
from wordpl.reporting.plot_panels import Legend, draw_panel
from wordpl.reporting.plot_points import MARKERS, Line, Look, Panel, Point, Styled, panels_of, write_points
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.outcomes import BudgetCurve, curves, read_outcomes, shared_terms
from wordpl.simulation.store import Stores, opened
from wordpl.simulation.tasks import ALL_TASKS, TaskFilter, matches
from wordpl.simulation.trials import SHOWN

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

PANELS = ("budgets", "wins", *QUANTILES, "turns")

_LETTERS_PER_INCH = 14.0
_LEGEND_LINE_INCHES = 0.19
_LEGEND_LETTERS = 400
_NAMES_SHOWN = 8


@dataclass(frozen=True, repr=False)
class PlotStyle:
    """The look of a picture of results. Texts are never read as markup. Raises `WordplError` for an unknown `by` or
    `log`, and a `size` out of range."""

    by: str | None = None
    """The property by which curves are coloured, one of `GROUPS`. By default each curve has its own colour."""
    log: str = "auto"
    """The logarithmic axes: `x`, `y`, `xy` or `none`. `auto`: axes that span a factor of 100 or more."""
    title: str | None = None
    """The title. None shows what all curves have in common; an empty text shows no title."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """Maps labels of curves, which may contain `*` and `?`, to the names that the legend shows."""
    size: tuple[float, float] | None = None
    """Width and height of the picture in inches, 1 to 100 each; by default it grows with its panels and its legend."""

    def __post_init__(self) -> None:
        for name, value, choices in (("by", self.by, (None, *GROUPS)), ("log", self.log, LOGS)):
            if value not in choices:
                names = [choice for choice in choices if choice]
                raise WordplError(f"unknown {name} {one_line(repr(value), 40)}: {nearest(str(value), names)}")
        if self.size is not None and not all(1.0 <= side <= 100.0 for side in self.size):
            raise WordplError(f"size {self.size} is not allowed; width and height of 1 to 100 inches are expected")


def read_labels(texts: Iterable[str]) -> dict[str, str]:
    """Return labels for curves as they are typed, `CURVE=LABEL`; an equals sign in brackets belongs to the curve.

    >>> read_labels(["NGuess(n_guesses=2)=two guesses"])
    {'NGuess(n_guesses=2)': 'two guesses'}
    """
    labels = {}
    for text in texts:
        signs = (i for i, letter in enumerate(text[:_LEGEND_LETTERS]) if letter == "=")
        at = next((i for i in signs if text.count("(", 0, i) <= text.count(")", 0, i) or ")" not in text[i:]), 0)
        curve, label = text[:at].strip(), text[at + 1 :].strip()
        if not curve or not label:
            raise WordplError(f"label {one_line(repr(text), 60)} is not CURVE=LABEL, such as 'NGuess*=two guesses'")
        labels[curve] = label
    return labels


def read_size(text: str) -> tuple[float, float]:
    """Return width and height as they are typed, `8x5`.

    >>> read_size("8x5")
    (8.0, 5.0)
    """
    width, _, height = text.lower().partition("x")
    try:
        return float(width), float(height)
    except ValueError:
        raise WordplError(f"size {one_line(text, 40)!r} is not WIDTHxHEIGHT in inches, such as 8x5") from None


def draw(
    store: Stores,
    target: StrPath,
    kind: str = "all",
    *,
    where: TaskFilter = ALL_TASKS,
    style: PlotStyle | None = None,
    data: bool = False,
) -> list[Path]:
    """Draw the tasks of `store`, a results file or its path, that meet `where` into the picture file `target`.

    `kind` is `budgets` (the smallest that win 5, 50 and 95% of games), `wins` (win rate against mean budget),
    `percentiles` (against epsilon), `turns` (of noiseless games, and of all games of Wordle), or `all`. `all` leaves
    out the percentiles of strategies that spend the same in every game, because they are that budget or infinite. All
    points have 95% intervals. `style` says how the picture looks. Several files are drawn as one. `where` is that of
    `read_outcomes`. The suffix of `target` determines the format (PNG without one); missing folders are made.

    With `data`, the points and the ends of their intervals are also written to a file `NAME.data.csv` beside the
    picture. Returns the files that were written. Raises `WordplError` for an unknown kind, if nothing matches, and if
    the file cannot be written; `MissingExtraError` without matplotlib.
    """
    style = PlotStyle() if style is None else style
    if kind not in KINDS:
        raise WordplError(f"unknown plot {one_line(repr(kind), 40)}: {nearest(str(kind), KINDS)}")
    with opened(store) as stores:
        outcomes = read_outcomes(stores, where, columns=SHOWN)
        panels = panels_of(kind, _styled(outcomes, style))
        if not panels:
            raise WordplError(nothing_found(stores, where, "nothing to draw"))

    beside = Path(target).parent / f"{Path(target).stem}.data.csv" if data else None
    title = shared_terms([outcome.task for outcome in outcomes]) if style.title is None else style.title
    with ExitStack() as files:
        if beside is not None:
            write_points(files.enter_context(whole_file(beside)), panels)
        draw_picture([partial(draw_panel, panel, style.log) for panel in panels], target, title=title, size=style.size)
    return [Path(target)] if beside is None else [Path(target), beside]


Painter = Callable[["Axes", Legend], None]


def _styled(outcomes: Sequence[Evaluation], style: PlotStyle) -> list[Styled]:
    """The curves of outcomes with their labels and looks; those of one group stand together."""
    lines = sorted(curves(outcomes), key=lambda curve: natural(curve.label))
    labels = [curve.label for curve in lines]
    for pattern, text in list(style.labels.items())[::-1]:  # the first that matches holds
        matching = [i for i, curve in enumerate(lines) if matches(curve.label, pattern)]
        if lines and not matching:
            few = [cut(curve.label, 60) for curve in lines[:_NAMES_SHOWN]]
            raise WordplError(f"no curve is called {one_line(repr(pattern), 60)}: {nearest(pattern, few)}")
        for i in matching:
            labels[i] = text
    named = [replace(curve, label=label) for curve, label in zip(lines, labels, strict=True)]
    return _grouped(named, style.by) if style.by else [(curve, Look(i)) for i, curve in enumerate(named)]


def _grouped(curves: Sequence[BudgetCurve], by: str) -> list[Styled]:
    """Curves by a property: each value has a colour, and curves of one colour have different markers."""
    groups: dict[str, list[BudgetCurve]] = defaultdict(list)
    for curve in curves:
        groups[str(getattr(curve.outcomes[0].task, by))].append(curve)
    ordered = [groups[value] for value in sorted(groups, key=natural)]
    return [(curve, Look(colour, place)) for colour, group in enumerate(ordered) for place, curve in enumerate(group)]


def natural(text: str) -> list[Any]:
    """For sorting texts with numbers in them as people do: seed 2 before seed 10."""
    return [float(part) if i % 2 else part for i, part in enumerate(re.split(r"([0-9]{1,18}(?:\.[0-9]+)?)", text))]


@contextmanager
def drawing() -> Iterator[type[Figure]]:
    """Yield matplotlib's `Figure`, for a block that draws. Raises `MissingExtraError` without matplotlib."""
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots need", "plots") from None
    # TeX and mathematics would read names as markup.
    with rc_context({"text.usetex": False, "text.parse_math": False}), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing")  # of a letter that no font here has
        yield Figure


def draw_picture(
    painters: Sequence[Painter],
    target: StrPath,
    panel: tuple[float, float] = (5.2, 4.2),
    title: str = "",
    size: tuple[float, float] | None = None,
) -> None:
    """Draw a picture into a file, of a `size` in inches, or else with so much for each `panel`."""
    columns = 2 if len(painters) in (2, 4) else min(3, len(painters))
    rows = math.ceil(len(painters) / columns)
    with drawing() as make_figure:
        figure = make_figure(figsize=size or (panel[0] * columns, panel[1] * rows), layout="constrained")
        legend: Legend = {}
        for i, paint in enumerate(painters):
            paint(figure.add_subplot(rows, columns, i + 1), legend)
        if title:
            width = round(12 * figure.get_figwidth())
            lines = "\n".join(textwrap.fill(part, width) for part in visible_lines(title).split("\n"))
            figure.suptitle(lines, size=11)
        if legend:
            _legend(figure, legend)
        if size is not None:
            figure.set_size_inches(size)
        with whole_file(target) as picture:
            drawn = io.BytesIO()  # in memory, because matplotlib's writers have errors of their own on a full disk
            try:
                figure.savefig(drawn, dpi=130, format=Path(target).suffix[1:] or "png")
            except ValueError as error:  # what matplotlib says of a format that it does not know
                raise WordplError(f"cannot write picture {target}: {one_line(str(error))}") from None
            picture.write_bytes(drawn.getvalue())


def _legend(figure: Figure, entries: Legend) -> None:
    """One legend for all panels, below them. The figure grows by it, so that it takes nothing from the panels."""
    width, height = figure.get_size_inches()
    room = int(_LETTERS_PER_INCH * width) - 8
    labels = [textwrap.fill(cut(visible(label), _LEGEND_LETTERS), room) for _, label in entries]
    longest = max((len(line) for label in labels for line in label.split("\n")), default=1)
    columns = max(1, min(4, len(labels), (room + 8) // (longest + 8)))
    lines = sum(label.count("\n") + 1 for label in labels)
    figure.set_size_inches(width, height + _LEGEND_LINE_INCHES * math.ceil(lines / columns))
    _named(figure.legend, entries, labels, loc="outside lower center", ncols=columns)


def _named(add: Callable[..., Any], entries: Legend, labels: Sequence[str], **place: Any) -> None:
    """Add a legend. Its texts are set afterwards: matplotlib leaves out a label that begins with an underscore."""
    box = add(list(entries.values()), ["." for _ in labels], fontsize=8, **place)
    for text, label in zip(box.get_texts(), labels, strict=True):
        text.set_text(label)


def plot_evaluations(evaluations: Sequence[Evaluation], panel: str = "wins", *, ax: Axes | None = None) -> Figure:
    """Plot `evaluations`, from `sweep` or `read_outcomes`, into the axes `ax` or a new figure, and return the figure.

    `panel` is `budgets` (the smallest that win 5, 50 and 95% of games), `wins` (share of games won against mean
    budget), `p05`, `p50` or `p95` (the percentile against epsilon), or `turns` (of games without noise, and of Wordle).
    Raises `WordplError` for another panel and if there is nothing to plot, `MissingExtraError` without matplotlib.
    """
    if panel not in PANELS:
        raise WordplError(f"unknown panel {one_line(repr(panel), 40)}: {nearest(str(panel), PANELS)}")
    given = [instance("evaluations", one, Evaluation) for one in several("evaluations", evaluations)]
    lines = _styled([one for one in given if one.trials], PlotStyle())
    panels = panels_of("percentiles" if panel in QUANTILES else panel, lines)
    for found in panels:
        if found.name == panel:
            return painted(partial(draw_panel, found, "auto"), ax)
    raise WordplError(f"these evaluations have nothing to plot as {panel}")


def painted(paint: Painter, ax: Axes | None) -> Figure:
    """Paint into the axes, or those of a new figure, and return the figure."""
    with drawing() as make_figure:
        axes = make_figure(layout="constrained").add_subplot() if ax is None else ax
        legend: Legend = {}
        paint(axes, legend)
        _named(axes.legend, legend, [cut(visible(label), _LEGEND_LETTERS) for _, label in legend])
        return axes.figure.figure


def draw_win_rates(frame: pd.DataFrame, target: StrPath) -> None:
    """Draw win rate against budget into the picture file `target`, a line for each curve, with intervals.

    `frame` has a row for each point, with the columns curve, budget, win_rate, low and high, as
    `wordpl.limits.win_rates` returns it. The suffix of `target` determines the format; missing folders are made. Raises
    `WordplError` if no budget is finite, and what `draw` does.
    """
    lines = []
    for i, (name, rows) in enumerate(frame[np.isfinite(frame["budget"])].groupby("curve", sort=False)):
        columns = (rows[column].tolist() for column in ("budget", "win_rate", "low", "high"))
        points = tuple(Point(x, y, (low, high)) for x, y, low, high in sorted(zip(*columns, strict=True)))
        lines.append(Line(str(name), points, Look(i)))
    if not lines:
        raise WordplError("nothing to draw: no strategy has a finite budget")
    draw_picture([partial(draw_panel, Panel("wins", tuple(lines)), "auto")], target, (7.0, 5.0))


def plot_frontier(
    curves: Mapping[str, Sequence[float]], win_rates: Sequence[float], *, ax: Axes | None = None
) -> Figure:
    """Plot win rate against the smallest budget of each curve into the axes `ax` or a new figure, and return the
    figure.

    `curves` maps a name to a budget for each of `win_rates` (0 to 1), NaN if there is none. The curve `bound` is drawn
    as the limit of all strategies; `best` is left out.
    """
    return painted(partial(_paint_frontier, curves, win_rates), ax)


def draw_frontier(curves: Mapping[str, Sequence[float]], win_rates: Sequence[float], target: StrPath) -> None:
    """Draw the picture of `plot_frontier`, with its `curves` over `win_rates` (0 to 1), into the picture file `target`.
    Raises the errors of `draw`."""
    draw_picture([partial(_paint_frontier, curves, win_rates)], target, (9.0, 6.0))


def _paint_frontier(
    curves: Mapping[str, Sequence[float]], win_rates: Sequence[float], axes: Axes, legend: Legend
) -> None:
    for i, (name, curve) in enumerate(curves.items()):
        if name == "bound":
            (legend["bound", "no strategy can pass"],) = axes.plot(curve, win_rates, "k-", linewidth=1.5)
        elif name.startswith("bound"):  # at few win rates
            (legend["bound", f"{name}: none can pass"],) = axes.plot(curve, win_rates, "k|", markersize=9)
        elif name != "best":
            # A marker at each point, for a curve that spans few budgets would be lost among the others.
            look: dict[str, Any] = {"color": f"C{i % 10}", "linewidth": 1.2, "markersize": 3}
            style = f"{MARKERS[i % 10]}{'-' if name[0].isdigit() else '--'}"
            (legend["curve", name],) = axes.plot(curve, win_rates, style, **look)
    axes.set_yscale("logit")
    ticks = (0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99)
    axes.set_yticks(ticks, [f"{tick:.0%}" for tick in ticks])
    axes.set_yticks([], minor=True)
    axes.set(ylim=(0.008, 0.993), xlabel="budget", ylabel="win rate")
    axes.grid(alpha=0.3)
