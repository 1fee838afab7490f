"""The picture in the README: how much budget a win rate costs, who holds the records, and what nobody can pass.

`python -m experiments.frontier` draws `experiments/tables/records.png` from `wordpl/simulation/data/frontier.csv`
(`wordpl frontier --measure`) and from `records.csv` (`python -m experiments.records measure`) and `converse.csv`
(`python -m experiments.converse table`). The picture file holds a digest of these tables, which the test suite compares
with the tables as they are.

`python -m experiments.frontier rekey` goes before `wordpl frontier --measure` when code has changed that cannot have
changed the games. Points belong to the code that measured them, and would all be measured again. It measures one point
of each family anew, and if that is the same, all points of the family are given to the present code.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd
import typer

from experiments import machines, pages
from wordpl import Setting, load_words, make_task
from wordpl.limits import Family, measure_frontier
from wordpl.simulation import RECORDS

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

FRONTIER = Path(str(resources.files("wordpl"))) / "simulation" / "data" / "frontier.csv"
SOURCES = (FRONTIER, pages.TABLES / "records.csv", pages.TABLES / "converse.csv")
COLUMNS = ("percentile", "strategy", "budget")
PICTURE = pages.TABLES / "records.png"
PUBLISHED = ("TwoGuess", "NGuess", "MaxClueEntropy")
HOLDERS = ("G3", "D95")
"""The strategies that hold the contest's records."""

# Okabe and Ito's palette: told apart by all kinds of colour vision, and in grey.
BLACK, BLUE, VERMILION, GREY, DARK_GREY = "#000000", "#0072B2", "#D55E00", "#999999", "#555555"
TICKS = (0.01, 0.05, 0.25, 0.50, 0.75, 0.95, 0.99)
NEAR: dict[str, Any] = {"textcoords": "offset points"}

app = typer.Typer(add_completion=False)


@app.callback(invoke_without_command=True)
def main(context: typer.Context) -> None:
    """Draw the picture."""
    if context.invoked_subcommand is not None:
        return
    figure = draw(*map(pd.read_csv, SOURCES))
    figure.savefig(PICTURE, dpi=160, metadata={"Description": sources_digest()})
    typer.echo(f"wrote {PICTURE}")


@app.command()
def rekey(points: Path = pages.POINTS, jobs: int = 1) -> None:
    """Give the measured points to the present code, if it measures one of each family alike."""
    old = [json.loads(line) for line in points.read_text("utf-8").splitlines()]
    kept: list[str] = []
    for name in dict.fromkeys(line["family"] for line in old):
        lines = [line for line in old if line["family"] == name]
        if same(max(lines, key=lambda line: line["precision"]), points.with_suffix(".sample"), jobs):
            kept += [json.dumps(line | {"task": make_task(line["spec"], seed=1).id}) for line in lines]
            typer.echo(f"{name}: {len(lines)} points are those of the present code")
        else:
            typer.echo(f"{name}: wordpl frontier --measure will measure it anew")
    pages.write_text(points, "".join(f"{line}\n" for line in kept))
    points.with_suffix(".sample").unlink()


def same(old: dict[str, Any], path: Path, jobs: int) -> bool:
    """Return whether a point that is measured anew, and kept in the file at `path`, is the `old` one."""
    family = Family(old["family"], old["spec"], (1.0,), (old["budget"],))
    (new,) = measure_frontier(
        [family], Setting(load_words("original")), path, (), standard_error=old["precision"], jobs=jobs
    )[family]
    return all(math.isclose(old[key], getattr(new, key), abs_tol=1e-9) for key in ("win_rate", "standard_error"))


def sources_digest() -> str:
    """Digest of the tables that the picture shows."""
    return hashlib.sha256(b"".join(path.read_bytes() for path in SOURCES)).hexdigest()


def draw(frontier: pd.DataFrame, records: pd.DataFrame, bounds: pd.DataFrame) -> Figure:
    """Return the picture. Letters are large, because a phone shows it at a quarter of its width."""
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    with rc_context({"font.size": 16, "axes.linewidth": 1.2}):
        figure = Figure(figsize=(10, 6.6), layout="constrained")
        axes = figure.add_subplot()
        _curves(axes, frontier)
        lowest = dict(zip(bounds["win rate"], bounds["any strategy"], strict=True))
        for percentile, strategy, budget in zip(*(records[name].tolist() for name in COLUMNS), strict=True):
            _record(axes, percentile, strategy, budget, lowest[percentile])
        budget_axes(axes, 107)
    return figure


def budget_axes(axes: Axes, largest: float) -> None:
    """Set axes for win rates against budgets up to the `largest`."""
    axes.set_yscale("logit")
    axes.set_yticks(TICKS, [f"{tick:.0%}" for tick in TICKS])
    axes.set_yticks([], minor=True)
    axes.set(xlim=(0, largest), ylim=(0.008, 0.992), xlabel="privacy budget", ylabel="games won")
    axes.spines[["top", "right"]].set_visible(False)


def impossible(axes: Axes, rates: Sequence[float], bound: Sequence[float]) -> None:
    """Shade the budgets below the `bound` at each of these win rates."""
    axes.fill_betweenx(rates, 0, bound, color="#D9D9D9", linewidth=0)
    axes.plot(bound, rates, color=BLACK, linewidth=3)


def _curves(axes: Axes, frontier: pd.DataFrame) -> None:
    rate, best = frontier["win_rate"], frontier["best"]
    impossible(axes, rate.tolist(), frontier["bound"].tolist())
    axes.text(2.5, 0.83, "impossible\nfor any strategy", weight="bold", va="center")
    for name in PUBLISHED:
        axes.plot(frontier[name], rate, color=GREY, linewidth=1.5, linestyle=(0, (4, 2)))
    for name in HOLDERS:
        axes.plot(frontier[name], rate, color=VERMILION, linewidth=2.5)
        sampled = frontier[frontier["win_rate"].isin(TICKS) & (frontier[f"{name}, error"] > 0)]
        axes.errorbar(sampled[name], sampled["win_rate"], xerr=sampled[f"{name}, error"], fmt="none", color=VERMILION)
    axes.text(89, 0.962, "G3, D95", color=VERMILION, va="center")
    axes.text(104, 0.79, "published\nstrategies", color=DARK_GREY, ha="right", va="center")
    axes.plot(best, rate, color=BLUE, linewidth=4, solid_capstyle="round")
    axes.text(82, 0.987, "best known", color=BLUE, weight="bold", ha="right", va="center")


def _record(axes: Axes, percentile: float, strategy: str, budget: float, lowest: float) -> None:
    """Our record, the one before it, and the distance to the bound, on the line of a percentile."""
    from matplotlib.patheffects import withStroke

    before = RECORDS[percentile]
    axes.plot([lowest, before], [percentile] * 2, ":", color=DARK_GREY, linewidth=2)
    axes.plot(before, percentile, "o", markersize=12, markeredgewidth=2.5, color=VERMILION, fillstyle="none")
    axes.plot(budget, percentile, "D", markersize=12, color=BLUE, markeredgecolor="white", zorder=3)
    # A lower bound is rounded down, so that it stays one.
    shown = math.floor(10 * lowest) / 10
    axes.annotate(f"{shown}", (lowest, percentile), xytext=(-8, 0), ha="right", va="center", **NEAR)
    texts = ((f"{strategy} {budget:g}", -6, BLUE, "bold"), (f"list: {before:g}", -26, VERMILION, "normal"))
    for text, below, colour, weight in texts:
        label = axes.annotate(text, (before, percentile), xytext=(18, below), color=colour, weight=weight, **NEAR)
        label.set_path_effects([withStroke(linewidth=4, foreground="white")])


if __name__ == "__main__":
    machines.run(app)
