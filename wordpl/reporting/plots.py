"""Pictures of results: percentiles against epsilon, win rate against budget, turns without noise."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from wordpl.errors import MissingExtraError, WordplError, nearest
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.store import Store, TaskRow
from wordpl.storage.files import whole_file

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Interval = tuple[float, float]


@dataclass(frozen=True)
class Outcome:
    """The figures of one stored task, for a plot or a table."""

    task: TaskRow
    trials: int
    win_rate: float
    win_interval: Interval
    percentiles: dict[str, tuple[float, Interval]]
    """`p05`, `p50`, `p95` -> value and its interval."""
    budget: float
    """Mean budget of a game."""
    turns: dict[int, int]
    """Won games by turns."""


def outcome(store: Store, task: TaskRow) -> Outcome:
    """Return the figures of one task of a store, which must have at least one trial."""
    trials = store.stored(task.id)
    return Outcome(
        task=task,
        trials=trials.trials,
        win_rate=trials.win_rate,
        win_interval=trials.interval,
        percentiles=trials.percentiles,
        budget=trials.mean_budget,
        turns=trials.turns,
    )


def draw(store: Store, target: str | Path, kind: str = "all", match: str = "") -> None:
    """Draw the tasks of a store whose strategy or word list contains `match` into the picture file `target`.

    `kind` is `percentiles` (against epsilon, with intervals), `wins` (win rate against mean budget), `turns` (of
    noiseless games), or `all`. The suffix of `target` determines the format; missing folders are made.

    Raises `WordplError` for an unknown kind, if nothing matches, and if the file cannot be written;
    `MissingExtraError` without matplotlib.
    """
    panels = {"percentiles": _percentile_panels, "wins": _win_panel, "turns": _turn_panel}
    if kind != "all" and kind not in panels:
        raise WordplError(f"unknown plot {kind!r}: {nearest(kind, ['all', *panels])}")
    outcomes = [outcome(store, task) for task in told_apart(store.tasks(match)) if task.trials]
    chosen = panels if kind == "all" else {kind: panels[kind]}
    wanted = [panel for make in chosen.values() for panel in make(outcomes)]
    if not wanted:
        raise WordplError(f"{store.path} has nothing to draw" + (f" that matches {match!r}" if match else ""))
    _figure(wanted, target)


def told_apart(tasks: list[TaskRow]) -> list[TaskRow]:
    """The tasks, with the code in the name of each family that there is more than one version of."""
    codes: dict[str, set[str]] = defaultdict(set)
    for task in tasks:
        codes[task.family].add(task.code)
    return [
        replace(task, family=f"{task.family} {task.code[:8] or 'of old'}") if len(codes[task.family]) > 1 else task
        for task in tasks
    ]


Panel = Callable[["Axes"], None]


def _figure(panels: list[Panel], target: str | Path, size: tuple[float, float] = (5.2, 4.2)) -> None:
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise MissingExtraError("plots need the extra 'plots': pip install 'wordpl[plots]'") from None
    columns = 2 if len(panels) in (2, 4) else min(3, len(panels))
    rows = math.ceil(len(panels) / columns)
    figure = Figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    for i, panel in enumerate(panels):
        panel(figure.add_subplot(rows, columns, i + 1))
    handles: dict[str, Any] = {}
    for axes in figure.axes:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        list(handles.values()),
        list(handles),
        loc="outside lower center",
        ncols=min(2 if size[0] < 8 else 4, len(handles)),
    )
    try:
        with whole_file(target, make_folders=True) as beside:
            figure.savefig(beside, dpi=130)
    except WordplError:
        raise
    except ValueError as error:  # what matplotlib says of a format that it does not know
        raise WordplError(f"cannot write picture {target}: {error}") from None


def _families(outcomes: list[Outcome]) -> dict[str, list[Outcome]]:
    """Outcomes with a finite epsilon by family, in order of epsilon: one curve each."""
    families: dict[str, list[Outcome]] = defaultdict(list)
    for found in outcomes:
        if found.task.epsilon is not None and math.isfinite(found.task.epsilon):
            families[_label(found.task)].append(found)
    return {name: sorted(curve, key=lambda o: o.task.epsilon or 0.0) for name, curve in families.items()}


def _label(task: TaskRow) -> str:
    return task.family if task.words == "original" else f"{task.family}, {task.words}"


def _colours(outcomes: list[Outcome]) -> dict[str, str]:
    """A colour for each family, the same in every panel."""
    names = sorted({_label(found.task) for found in outcomes})
    return {name: f"C{i % 10}" for i, name in enumerate(names)}


def _percentile_panels(outcomes: list[Outcome]) -> list[Panel]:
    families, colours = _families(outcomes), _colours(outcomes)
    if not families:
        return []

    def panel_of(name: str) -> Panel:
        def panel(axes: Axes) -> None:
            finite = [
                v for curve in families.values() for o in curve for v in (o.percentiles[name][0],) if v < math.inf
            ]
            top = 1.25 * max(finite, default=1.0)
            span = np.ptp([o.task.epsilon or 0.0 for curve in families.values() for o in curve])
            for i, (label, curve) in enumerate(families.items()):
                # Strategies that spend the same lie on one line; set side by side, all can be seen.
                aside = 0.008 * span * (i - (len(families) - 1) / 2)
                _percentile_curve(axes, label, colours[label], curve, name, top, aside)
            axes.set(title=f"{int(name[1:])}th percentile", xlabel="epsilon per ask", ylabel="privacy budget")
            axes.set_ylim(0, 1.08 * top)
            axes.axhline(top, color="grey", linewidth=0.6, linestyle=":")
            axes.annotate(
                "∞ (lost)",
                (0.99, top),
                xycoords=("axes fraction", "data"),
                va="bottom",
                ha="right",
                color="grey",
                size=8,
            )
            axes.grid(alpha=0.3)

        return panel

    return [panel_of(name) for name in ("p05", "p50", "p95")]


def _percentile_curve(
    axes: Axes, label: str, colour: str, curve: list[Outcome], name: str, top: float, aside: float
) -> None:
    finite = [o for o in curve if o.percentiles[name][0] < math.inf]
    lost = [(o.task.epsilon or 0.0) + aside for o in curve if o.percentiles[name][0] == math.inf]
    x = np.array([o.task.epsilon for o in finite], dtype=float) + aside
    value = np.array([o.percentiles[name][0] for o in finite])
    low = np.array([o.percentiles[name][1][0] for o in finite])
    # Infinite ends of an interval, and infinite percentiles, are drawn on the dotted line at the top.
    high = np.minimum([o.percentiles[name][1][1] for o in finite], top)
    axes.plot(x, value, marker="o", markersize=3.5, linewidth=1.2, color=colour, label=label)
    axes.errorbar(x, value, [value - low, high - value], fmt="none", color=colour, alpha=0.5, capsize=2)
    axes.plot(lost, [top] * len(lost), linestyle="none", marker="x", markersize=5, color=colour)


def _win_panel(outcomes: list[Outcome]) -> list[Panel]:
    families, colours = _families(outcomes), _colours(outcomes)
    if not families:
        return []

    def panel(axes: Axes) -> None:
        for label, curve in families.items():
            ordered = sorted(curve, key=lambda o: o.budget)
            x = [o.budget for o in ordered]
            axes.plot(x, [o.win_rate for o in ordered], marker="o", markersize=4, color=colours[label], label=label)
            low, high = zip(*(o.win_interval for o in ordered), strict=True)
            axes.fill_between(x, low, high, color=colours[label], alpha=0.2, linewidth=0)
        for q in PERCENTILES:
            axes.axhline(q, color="grey", linewidth=0.6, linestyle=":")
        axes.set(title="win rate, 95% bands", xlabel="mean budget of a game", ylabel="win rate", ylim=(0, 1.02))
        axes.grid(alpha=0.3)

    return [panel]


def _turn_panel(outcomes: list[Outcome]) -> list[Panel]:
    noiseless = [o for o in outcomes if o.task.noiseless and o.turns]
    if not noiseless:
        return []
    colours = _colours(outcomes)

    def panel(axes: Axes) -> None:
        width = 0.8 / len(noiseless)
        for i, found in enumerate(noiseless):
            turns = np.array(list(found.turns))
            share = np.array(list(found.turns.values())) / found.trials
            offset = (i - (len(noiseless) - 1) / 2) * width
            label = _label(found.task)
            axes.bar(turns + offset, share, width, color=colours[label], label=label)
        axes.set(title="turns at epsilon = ∞", xlabel="turns", ylabel="share of games")
        axes.grid(alpha=0.3, axis="y")

    return [panel]


def draw_frontier(curves: Mapping[str, Sequence[float]], win_rates: Sequence[float], target: str | Path) -> None:
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
