"""The picture of `experiments.percentiles`: what a budget wins, and from which epsilon on a percentile is reached."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.frontier import BLUE, DARK_GREY, NEAR, VERMILION, budget_axes, impossible
from wordpl.base import whole_file
from wordpl.simulation import RECORDS, WIN_RATES, BudgetCurve, known_frontier

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

COLOURS = (BLUE, "#009E73", "#AA4499")
DASHES = ((0, (3, 1)), "-", (0, (1, 1)))
Looks = Mapping[str, dict[str, Any]]
"""The colour and the dashes of each curve, by its label."""
_APART = 0.35
"""The distance between labels, in logits."""


def save(curves: Sequence[BudgetCurve], path: Path) -> None:
    """Write the picture of some curves, whose labels are such as `NGuess(2)`, to a PNG file."""
    with whole_file(path) as beside:
        draw(curves).savefig(beside, dpi=130, format="png")


def draw(curves: Sequence[BudgetCurve]) -> Figure:
    """Return the picture: at the left win rate against budget, at the right percentiles by epsilon."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    parts = {curve.label: curve.label.rstrip(")").split("(") for curve in curves}
    families, clues = ([*dict.fromkeys(names)] for names in zip(*parts.values(), strict=True))
    looks = {
        label: {"color": COLOURS[families.index(family)], "linestyle": DASHES[clues.index(n)]}
        for label, (family, n) in parts.items()
    }
    with rc_context({"font.size": 16, "axes.linewidth": 1.2}):
        figure = Figure(figsize=(18, 7.6), layout="constrained")
        left, right = figure.subplots(1, 2, width_ratios=(10, 7))
        _win_rates(left, curves, looks)
        _percentiles(right, curves, looks)
    return figure


def _win_rates(axes: Axes, curves: Sequence[BudgetCurve], looks: Looks) -> None:
    """Posterior win rates against budgets, the records, and what no strategy can do. Labels are at the curves' ends."""
    impossible(axes, WIN_RATES, known_frontier()["bound"])
    axes.text(2.5, 0.85, "impossible\nfor any\nstrategy", weight="bold", va="center")
    budget_axes(axes, 1.38 * max(curve.outcomes[-1].mean_budget for curve in curves))
    for percentile, budget in RECORDS.items():
        axes.plot(budget, percentile, "o", markersize=12, markeredgewidth=2.5, color=VERMILION, fillstyle="none")
        right = percentile < min(RECORDS, key=lambda q: abs(q - 0.5))
        place: dict[str, Any] = {"xytext": (32, 0), "va": "center"} if right else {"xytext": (-4, 11), "ha": "center"}
        text = f"record{' ' if right else chr(10)}{budget:g}"
        axes.annotate(text, (budget, percentile), color=VERMILION, size=14, linespacing=1, **place, **NEAR)
    for curve in curves:
        budgets = [outcome.mean_budget for outcome in curve.outcomes]
        rates = [outcome.posterior_win_rate for outcome in curve.outcomes]
        axes.plot(budgets, rates, linewidth=2.5, **looks[curve.label])
    by_end = sorted(curves, key=lambda curve: curve.outcomes[-1].posterior_win_rate)
    for curve, rate in zip(by_end, _apart([c.outcomes[-1].posterior_win_rate for c in by_end]), strict=True):
        end, colour = (curve.outcomes[-1].mean_budget, rate), looks[curve.label]["color"]
        axes.annotate(_name(curve), end, xytext=(8, 0), va="center", color=colour, size=14, **NEAR)


def _name(curve: BudgetCurve) -> str:
    return curve.label.replace("(", ", ").replace(")", " clues")


def _apart(rates: Sequence[float]) -> list[float]:
    """Rising win rates, moved apart as far as labels of a line need."""
    ends = np.clip(rates, 0.012, 0.988)
    steps = _APART * np.arange(len(rates))
    heights = np.log(ends / (1.0 - ends)) - steps
    up, down = np.maximum.accumulate(heights), np.minimum.accumulate(heights[::-1])[::-1]
    return (1.0 / (1.0 + np.exp(-(up + down) / 2.0 - steps))).tolist()  # type: ignore[no-any-return]


def _percentiles(axes: Axes, curves: Sequence[BudgetCurve], looks: Looks) -> None:
    """A line for each percentile of each strategy, from the smallest epsilon at which it is finite, with its budget."""
    names: list[str] = []
    heights: list[float] = []
    largest = max(outcome.task.epsilon or 0.0 for curve in curves for outcome in curve.outcomes)
    for i, curve in enumerate(curves):
        colour = looks[curve.label]["color"]
        axes.text(0.0, 4 * i, _name(curve), color=colour, weight="bold", va="center", size=14)
        for j, name in enumerate(curve.outcomes[0].percentiles, 1):
            names, heights = [*names, name], [*heights, 4 * i + j]
            values = [(outcome.task.epsilon or 0.0, outcome.percentiles[name][0]) for outcome in curve.outcomes]
            reached = [(epsilon, budget) for epsilon, budget in values if math.isfinite(budget)]
            if reached:
                (first, budget), *_ = reached
                axes.plot(
                    [epsilon for epsilon, _ in reached], [4 * i + j] * len(reached), "-o", color=colour, linewidth=3
                )
                axes.annotate(
                    f"{budget:.3g}", (first, 4 * i + j), xytext=(-10, 0), ha="right", va="center", size=14, **NEAR
                )
            else:
                axes.text(largest, 4 * i + j, "not reached", color=DARK_GREY, ha="right", va="center", size=13)
    axes.set_yticks(heights, names, size=13, color=DARK_GREY)
    axes.tick_params(axis="y", length=0)
    axes.set(xlim=(0, 1.04 * largest), ylim=(4 * len(curves) - 0.4, -0.8), xlabel="epsilon of a clue")
    axes.set_title("Percentiles: from which epsilon on they are\nreached, and the budget there", size=16, loc="left")
    axes.spines[["top", "right", "left"]].set_visible(False)
