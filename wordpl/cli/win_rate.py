"""`wordpl win-rate` and `frontier`: exact win rates, and the smallest budget for each."""

from __future__ import annotations

import itertools
import math
from dataclasses import asdict, dataclass, replace
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from functools import partial
from pathlib import Path
from typing import Annotated, NotRequired, cast

from typer import Argument, Option
from typing_extensions import TypedDict

import wordpl
from wordpl.base.defaults import FRONTIER_ERROR, RECORD_ERROR, WIN_RATE_ERROR
from wordpl.base.displays import finite, json_epsilon
from wordpl.base.errors import WordplError
from wordpl.base.json_types import Doc, Interval, JsonEpsilon, Spec
from wordpl.cli import execution
from wordpl.cli import options as opt
from wordpl.cli.runs import on_grids
from wordpl.cli.targets import PICTURE, TABLES
from wordpl.limits.families import FAMILIES
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import CSV, TABLE, Number, Pair, TableStyle, number, print_table

_FAMILY_NAMES = list(dict.fromkeys(family.name for family in FAMILIES))
_POINTS = Path("results/frontier.jsonl")
_ERRORS = f"Stop at this standard error. Default: {WIN_RATE_ERROR}; with --records {RECORD_ERROR}."
MEASURE_TIME = "45 minutes of CPU time"
_SHOWN = (1, 5, 10, 25, 50, 75, 90, 95, 99)
RECORD_HOLDERS = {"Fifth()": 5, "Median()": 50, "NinetyFifth()": 95}
"""The strategies that hold our records, and the percentile that each is for."""


def win_rate(
    strategies: Annotated[
        list[str] | None, Argument(help='Strategies, such as "NGuess(2, 7.8)". See wordpl list.', metavar="STRATEGY")
    ] = None,
    *,
    epsilon: opt.EpsilonGrid = None,
    records: Annotated[bool, Option("--records", help="Show the three strategies that hold our records.")] = False,
    exact: Annotated[
        bool | None,
        Option("--exact/--sample", help="Go through all sequences of clues, or draw some. Default: the faster."),
    ] = None,
    standard_error: Annotated[float | None, Option(help=_ERRORS, parser=opt.WIDTH)] = None,
    seed: opt.Seed = 1,
    jobs: opt.Jobs = 0,
    cluster: opt.Cluster = None,
    game: opt.GameOptions,
    table: Annotated[
        opt.TableOptions, opt.out("Draw the win rates against the budget, or write the table", PICTURE, TABLES)
    ],
) -> None:
    """Compute the win rate of strategies, exactly or with an interval.

    It is exact for one or two clues, and for three if that is not slower than an estimate. Each game counts as the
    probability, given its clues, that the proposed word is right. Strategies without an epsilon are computed at each
    --epsilon. An estimate first says on stderr how many CPU seconds it will take: for four clues up to two minutes.
    """
    if records == bool(strategies):
        raise WordplError('give either strategies, such as "NGuess(2, 7.8)", or --records')
    terms, confidence = game.terms(), table.confidence
    # All of them before the first is run: a mistake in the last should not cost the time of the others.
    configs = itertools.chain(*on_grids(strategies or list(RECORD_HOLDERS), epsilon))
    tasks = [wordpl.make_task(strategy, **terms) for strategy in configs]
    rows: list[WinRateRecord] = []
    workers = execution.number_of_jobs(jobs)
    percentiles = iter(RECORD_HOLDERS.values())
    error = (RECORD_ERROR if records else WIN_RATE_ERROR) if standard_error is None else standard_error
    compute = partial(wordpl.limits.compute_win_rate, exact=exact, standard_error=error, seed=seed, jobs=workers)
    with execution.on_cluster(cluster):
        for task in tasks:
            with wordpl.show_progress("parts") as progress:
                rate = compute(task.strategy, task.setting, progress=progress)
            facts = asdict(rate) | {
                "name": rate.strategy.partition("(")[0],
                "epsilon": None if task.epsilon is None else json_epsilon(task.epsilon),
                "budget": json_epsilon(rate.budget),
                "win_rate_interval": rate.interval(confidence),
                "confidence": confidence,
            }
            if records:
                facts["percentile"] = percentile = next(percentiles)
                known, at = wordpl.simulation.known_frontier(), wordpl.simulation.WIN_RATES.index(percentile / 100)
                facts["bound"], facts["two_clue_bound"] = known["bound"][at], json_epsilon(known["bound, 2 clues"][at])
            keys = [key for key in WinRateRecord.__annotations__ if facts.get(key) is not None]
            rows.append(cast(WinRateRecord, {key: facts[key] for key in keys}))
    curves = [task.row.curve for task in tasks]
    for path in table.every(PICTURE):
        import pandas as pd

        frame = pd.DataFrame(rows).assign(curve=curves).astype({"budget": float})
        frame[["low", "high"]] = frame["win_rate_interval"].tolist()
        wordpl.reporting.draw_win_rates(frame, path)
    table.show(lambda: rows, partial(_print, rows, [] if epsilon is None else curves))


class WinRateRecord(TypedDict):
    """The win rate of a strategy."""

    percentile: NotRequired[Annotated[int, Doc("Which record it holds, 5, 50 or 95; only with `--records`.")]]
    name: Annotated[str, Doc("Name of the strategy.")]
    strategy: Spec
    epsilon: NotRequired[Annotated[JsonEpsilon, Doc("Budget per ask, the mean of a schedule; if it has one.")]]
    budget: Annotated[JsonEpsilon, Doc("Mean budget of a game.")]
    win_rate: Annotated[float, Doc("Win rate, exact or estimated.")]
    win_rate_interval: Annotated[Interval, Doc("Its interval; twice the same number if exact.")]
    confidence: Annotated[float, Doc("Confidence of the interval.")]
    standard_error: Annotated[float, Doc("Standard error of the estimate; 0 if exact.")]
    method: Annotated[str, Doc("Method of computation.")]
    exact: Annotated[bool, Doc("True if every possible history was enumerated.")]
    histories: Annotated[int, Doc("Number of histories that were enumerated or drawn.")]
    bound: NotRequired[Annotated[float, Doc("Budget below which no strategy wins that often; only with `--records`.")]]
    two_clue_bound: NotRequired[Annotated[JsonEpsilon, Doc("The same for at most two clues; only with `--records`.")]]
    seconds: Annotated[float, Doc("Seconds that it took.")]


def _print(rows: list[WinRateRecord], curves: list[str], style: TableStyle) -> None:
    """Print the win rates; `curves` are the names of the strategies without their epsilons, for a grid."""
    confidence = f"{100 * rows[0]['confidence']:g}%"
    columns = [TableColumn("strategy", kind="text"), TableColumn("budget", 1), TableColumn("win rate")]
    columns.append(TableColumn(confidence, 2, full_name=f"{confidence} interval"))
    columns += [TableColumn("by", 5, "text"), TableColumn("histories", 6), TableColumn("seconds", 7)]
    if curves:
        columns.insert(1, TableColumn("epsilon"))
    bounds = "bound" in rows[0]
    if bounds:
        columns[-3:-3] = [TableColumn("no strategy below", 3), TableColumn("no 2 clues below", 4)]
    cells = []
    for at, row in enumerate(rows):
        places = 6 if row["exact"] else 4
        rate, *ends = (Number(f"{value:.{places}f}", value) for value in (row["win_rate"], *row["win_rate_interval"]))
        interval = "exact" if row["exact"] and style.format == TABLE else Pair(*ends)
        budget, histories, seconds = number(float(row["budget"]), 6), f"{row['histories']:,}", f"{row['seconds']:.1f}"
        none_below = [number(float(row[key]), 6) for key in ("bound", "two_clue_bound")] if bounds else []
        epsilon = number(float(row["epsilon"])) if "epsilon" in row else ""
        names = [curves[at], epsilon] if curves else [row["strategy"]]
        cells.append([*names, budget, rate, interval, *none_below, row["method"], histories, seconds])
    print_table("Win rates", columns, cells, style=style)


@dataclass(frozen=True)
class MeasureOptions:
    """Options of a frontier that is measured."""

    section = "With --measure"

    measure: Annotated[bool, Option("--measure", help=f"Measure the budgets anew; this takes {MEASURE_TIME}.")] = False
    points: Annotated[Path, Option(help="Keep measured points in this file, and do not measure them again.")] = _POINTS
    family: Annotated[list[str] | None, opt.choice(_FAMILY_NAMES, "Measure only this family")] = None
    standard_error: Annotated[float, Option(help="Stop at this standard error.", parser=opt.WIDTH)] = FRONTIER_ERROR
    seed: opt.Seed = 1
    jobs: opt.Jobs = 0
    cluster: opt.Cluster = None

    def __post_init__(self) -> None:
        if not self.measure and replace(self, measure=True, jobs=0, cluster=None) != MeasureOptions(measure=True):
            raise WordplError("--points, --family, --standard-error and --seed go with --measure")

    def budgets(self) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
        """Measure the smallest budgets for each win rate, by name of family, and their errors."""
        families = [kind for kind in FAMILIES if not self.family or kind.name in self.family]
        setting = wordpl.Setting(wordpl.load_words("original"))
        with (
            execution.stopping(f"the points so far are in {self.points}"),
            execution.on_cluster(self.cluster),
            wordpl.show_progress("points") as progress,
        ):
            measured = wordpl.limits.measure_frontier(
                families,
                setting,
                self.points,
                standard_error=self.standard_error,
                seed=self.seed,
                jobs=execution.number_of_jobs(self.jobs),
                progress=progress,
            )
        found = wordpl.limits.smallest_budgets(measured)
        budgets = {name: [smallest.budget for smallest in curve] for name, curve in found.items()}
        errors = {name: [smallest.error for smallest in curve] for name, curve in found.items()}
        return budgets | wordpl.simulation.known_bounds(), errors


def frontier(
    *,
    measurement: MeasureOptions,
    table: Annotated[opt.FormatOptions, opt.out("Draw the budgets, or write the table", PICTURE, TABLES)],
) -> None:
    """Show the smallest known budget for each win rate, beside the bound.

    For win rates from 1% to 99% you see the smallest budget known for each number of clues, the published strategies at
    their best parameters, our records, and the bounds for any strategy and for two clues. Budgets with ± are
    interpolated between samples, and ± is half of a 95% interval. The others are exact.

    The budgets come with wordpl. To measure them anew, give --measure; to resume a measurement that was stopped, give
    the same command again.
    """
    from wordpl.simulation.known_budgets import ERROR  # with NumPy, which help does not need

    shipped = wordpl.simulation.known_frontier(), wordpl.simulation.known_errors()
    curves, errors = measurement.budgets() if measurement.measure else shipped
    for path in table.every(PICTURE):
        wordpl.reporting.draw_frontier(curves, wordpl.simulation.WIN_RATES, path)
    whole = curves | {f"{name}{ERROR}": column for name, column in errors.items()}
    table.show(
        lambda: {name: list(map(finite, column)) for name, column in whole.items()},
        partial(_print_frontier, curves, errors, whole),
    )


def _print_frontier(
    curves: dict[str, list[float]], errors: dict[str, list[float]], whole: dict[str, list[float]], style: TableStyle
) -> None:
    """Print some of the budgets, or as CSV the `whole` table, with the errors in columns of their own."""
    if style.format == CSV:
        columns = {"win_rate": wordpl.simulation.WIN_RATES, **whole}
        rows = [["" if math.isnan(x) else f"{x:.3f}" for x in row] for row in zip(*columns.values(), strict=True)]
        print_table("", list(columns), rows, style=style)
        return
    exact = [0.0] * len(wordpl.simulation.WIN_RATES)
    rows = [[_cell(name, c[n - 1], errors.get(name, exact)[n - 1]) for name, c in curves.items()] for n in _SHOWN]
    lines = [[f"{n}%", *row] for n, row in zip(_SHOWN, rows, strict=True)]
    heads = [TableColumn(name, 1 if name in ("best", "bound") else 2) for name in curves]
    notes = ["±: half of a 95% interval of what is sampled and interpolated; the rest is exact"]
    print_table("Smallest budget for each win rate", [TableColumn("win rate"), *heads], lines, notes, style)


def _cell(curve: str, budget: float, error: float) -> str:
    """A budget, rounded up, or down if it is a bound, so that both are true; with its error if it has one."""
    if math.isnan(budget):
        return ""
    rounding = ROUND_FLOOR if curve.startswith("bound") else ROUND_CEILING
    rounded = number(float(Context(4, rounding).create_decimal(repr(float(budget)))))
    return f"{rounded} ± {number(error, 2)}" if error else rounded
