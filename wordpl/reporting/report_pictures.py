"""The pictures of a report: the panels of `wordpl plot`, each an SVG element in which a point says its figures."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING
from xml.etree import ElementTree

from wordpl.reporting.markup import Html, clean, el, free_text, join, trusted
from wordpl.reporting.outcome_tables import crossing_cell
from wordpl.reporting.plot_panels import Legend, draw_panel
from wordpl.reporting.plot_points import LOST, Labelled, Line, Look, Panel, Point, panels_of
from wordpl.reporting.plots import drawing
from wordpl.reporting.tables import estimate, interval, number
from wordpl.simulation.outcomes import BudgetCurve

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MOST_CURVES = 24
"""More curves can hardly be told apart."""
_SVG = "http://www.w3.org/2000/svg"


def result_panels(lines: Sequence[BudgetCurve]) -> list[Panel]:
    """Return the panels of curves: those of `wordpl plot`, and for games of Wordle the share won within each guess."""
    every = [Labelled(curve, clean(curve.label), Look(i)) for i, curve in enumerate(lines)]
    guesses = []
    for item in every:
        for outcome in item.curve.outcomes:
            rates = outcome.figures.win_rates_within.items()
            points = tuple(Point(float(n), *rate, outcome) for n, rate in rates)
            guesses += [Line(item.label, points, item.look)] if points else []
    panels = panels_of("all", [item for item in every if item.spends])
    return [*panels, Panel("guesses", tuple(guesses))] if guesses else panels


def drawn(panels: Sequence[Panel]) -> Html:
    """Return panels with one legend for all of them. Raises `MissingExtraError` without matplotlib."""
    legend: Legend = {}
    figures = []
    looks: dict[str, int] = {}
    with drawing() as make_figure:
        for panel in panels:
            figure = make_figure(figsize=(4.8, 3.6), layout="constrained")
            axes = figure.add_subplot()
            draw_panel(axes, panel, "auto", legend)
            title = axes.get_title()
            axes.set_title("")
            looks |= {line.label: line.look.colour for line in panel.lines}
            picture = _svg(figure, panel.name, panel, role="img", aria_label=f"{title}; the numbers are in the tables")
            caption = el("figcaption", el("h3", f"{title[0].upper()}{title[1:]}"))
            figures.append(el("figure", caption, picture, data_panel=panel.name))
        keys = []
        for (kind, label), handle in sorted(legend.items(), key=lambda entry: looks.get(entry[0][1], math.inf)):
            figure = make_figure(figsize=(0.5, 0.22))
            figure.legend([handle], [""], loc="center", frameon=False, borderpad=0.0, handletextpad=0.0)
            key = el("span", _svg(figure, label, aria_hidden="true"), free_text(label), class_="key")
            keys.append(el("li", key, data_look=looks[label] if kind == "curve" else None))
    return join([el("ul", *keys, class_="legend", aria_label="Curves"), el("div", *figures, class_="charts")])


def _svg(figure: Figure, salt: str, panel: Panel | None = None, **attributes: str) -> Html:
    """Return a figure as an element that can stand beside others, which have other texts as `salt` of their ids. What
    belongs to a line of the panel has its look as an attribute, and its points have their figures as titles."""
    from matplotlib import rc_context

    with rc_context({"svg.fonttype": "none", "svg.hashsalt": salt}), io.StringIO() as file:
        figure.savefig(file, format="svg", metadata={"Date": None})
        root = ElementTree.fromstring(file.getvalue())  # noqa: S314
    for part in root.findall(f"{{{_SVG}}}metadata"):
        root.remove(part)
    for group in root.iter(f"{{{_SVG}}}g"):
        id = re.fullmatch(r"line-(\d+)-([\d.]*)", group.attrib.pop("id", ""))
        if id is None or panel is None:
            continue
        line = panel.lines[int(id[1])]
        group.set("data-look", str(line.look.colour))
        markers = [*group.iter(f"{{{_SVG}}}use")] or [group]
        for marker, place in zip(markers, filter(None, id[2].split(".")), strict=False):
            ElementTree.SubElement(marker, f"{{{_SVG}}}title").text = _in_words(panel, line, line.points[int(place)])
    for key, value in attributes.items():
        root.set(key.replace("_", "-"), value)
    ElementTree.register_namespace("", _SVG)
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    return trusted(ElementTree.tostring(root, "unicode"))


def _in_words(panel: Panel, line: Line, point: Point) -> str:
    if panel.name == "budgets":
        budget = crossing_cell(point.place, point.y, line.reach)
        return f"{line.label}: to win {point.x:.0%}: {budget} {interval(point.interval, 3)}"
    epsilon = point.outcome.task.epsilon if point.outcome else None
    before = line.label if epsilon is None else f"{line.label}, epsilon {number(epsilon, 6)}"
    x = point.x if isinstance(point.x, str) else number(point.x)
    turn = x if x == LOST else f"on turn {x}"
    what = {"wins": "won", "turns": turn, "guesses": f"within {x}", "within": f"within {x}"}.get(panel.name, panel.name)
    return f"{before}: {what} {' '.join(estimate(point.y, point.interval))}"
