"""Tables of a results file: the statistics of each task, the budgets of curves, and the runs that made it."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import Annotated

import typer
from typing_extensions import TypedDict

from wordpl.base.checks import several
from wordpl.base.defaults import PERCENTILES
from wordpl.base.displays import cut
from wordpl.base.json_types import Doc, json_of
from wordpl.reporting.layout import TableColumn
from wordpl.reporting.tables import CSV, Number, TableStyle, estimate, interval, number, print_table, reasons
from wordpl.simulation.evaluation import Evaluation
from wordpl.simulation.known_budgets import known_budgets
from wordpl.simulation.outcomes import BudgetCurve, Crossing, curves, shared_terms
from wordpl.simulation.statistics_table import STATISTICS, EvaluationRecord, Statistic
from wordpl.simulation.store import Run, Store
from wordpl.simulation.tasks import TaskFilter

CROSSINGS = "Smallest budget to win 5%, 50% and 95% of games"
_FILES_NAMED, _LONGEST = 3, 2000
_UNDER_BOUND = "<bound"


def shown_statistics() -> list[Statistic]:
    """The statistics that a table of many tasks shows."""
    return [statistic for statistic in STATISTICS if statistic.heading]


def statistic_cells(found: Evaluation) -> list[tuple[str, ...]]:
    """Each statistic of `shown_statistics` for a cell, and its interval for another, if the table shows it. Both are
    empty where it makes no sense."""
    cells: list[tuple[str, ...]] = []
    for statistic in shown_statistics():
        value = statistic.value(found)
        if statistic.interval is not None and not statistic.is_shown(found):
            cells.append(("",) * len(statistic.ranks))
        elif statistic.interval is not None:
            shown = estimate(value, statistic.interval(found), is_score=not statistic.is_share)
            cells.append(shown[: len(statistic.ranks)])
        else:
            cells.append(
                (Number(f"{value:.3f}", value) if isinstance(value, float) else "" if value is None else str(value),)
            )
    return cells


def print_evaluations(evaluations: Sequence[Evaluation], style: TableStyle | None = None, title: str = "") -> None:
    """Print the table of a sweep: a row for each of `evaluations`, and the budgets that win 5%, 50% and 95% of games.

    What all have in common follows the `title`. As CSV the first table stands alone."""
    outcomes = several("evaluations", evaluations)
    lines = curves(outcomes)
    title = title or f"Percentiles of the {'number of guesses' if lines[0].is_wordle else 'privacy budget'}"
    notes = [f"{outcome.task.strategy}: {note}" for outcome in outcomes for note in reasons(outcome)]
    rows = [[curve.label, epsilon_cell(o), *chain(*statistic_cells(o))] for curve in lines for o in curve.outcomes]
    percent = f"{100 * outcomes[0].confidence:g}%"
    columns = [TableColumn("strategy", kind="text"), TableColumn("epsilon")]
    for statistic in shown_statistics():
        rank, *of_interval = statistic.ranks
        name = f"{percent} of {statistic.heading}"
        columns += [TableColumn(statistic.heading, rank)]
        columns += [TableColumn(percent, rank, full_name=name) for rank in of_interval]
    if not any(row[1] for row in rows):
        columns, rows = [columns[0], *columns[2:]], [[row[0], *row[2:]] for row in rows]
    style = style or TableStyle()
    print_table(f"{title}: {shared_terms([outcome.task for outcome in outcomes])}", columns, rows, notes, style)
    if any(curve.crossings for curve in lines) and style.format != CSV:
        typer.echo()
        print_budgets(lines, replace(style, sort=""))


def print_budgets(lines: Sequence[BudgetCurve], style: TableStyle | None = None) -> None:
    """Print the smallest budgets at which the curves `lines` win 5%, 50% and 95% of games, in a `style`.

    Rows for the contest's records, the smallest known budgets and the proved bound follow."""
    columns = [TableColumn("strategy", kind="text")]
    for q in PERCENTILES:
        columns += [TableColumn(f"{q:.0%}"), TableColumn("interval", 1, full_name=f"interval of {q:.0%}")]
    print_table(CROSSINGS, columns, *crossing_rows(lines), style)


def nothing_found(stores: Sequence[Store], where: TaskFilter, nothing: str = "no results") -> str:
    """Return the message that these files have nothing that matches `where`, with what they have, if that helps."""
    files = ", ".join(str(store.path) for store in stores) if len(stores) < _FILES_NAMED else f"{len(stores)} files"
    line = f"{files} {'has' if len(stores) == 1 else 'have'} {nothing}"
    why = where.nothing([task for store in stores for task in store.tasks()])
    return f"{line}: {why}" if why else line


def epsilon_cell(outcome: Evaluation) -> str:
    """The epsilon for a cell; empty if the strategy has none, or if the label has a schedule of them."""
    epsilon = outcome.task.epsilon
    return "" if epsilon is None or outcome.task.is_schedule else number(epsilon, 6)


def crossing_rows(lines: Sequence[BudgetCurve]) -> tuple[list[list[str]], list[str]]:
    """The rows of curves and of known budgets, and the notes. A row is a name, and a budget and interval for each
    percentile."""
    lines = [curve for curve in lines if curve.crossings]
    rows = []
    for curve in lines:
        row, largest = [curve.label], curve.largest_budget
        for crossing in curve.crossings:
            row += [crossing_cell(crossing.place, crossing.budget, largest), interval(crossing.interval, 3)]
        rows.append(row)
    notes = []
    if any(_UNDER_BOUND in row for row in rows):
        notes.append(
            f"{_UNDER_BOUND}: the win rates put the budget under the bound of all strategies, so it is not an estimate."
            " Play more games."
        )
    for name, known in known_budgets(outcome.task for curve in lines for outcome in curve.noisy).items():
        rows.append([name, *(cell for q in PERCENTILES for cell in (number(known[q], 5), ""))])
    places = {one.place for curve in lines for one in curve.crossings}
    if places != {"percentile"}:
        notes.append(
            "Budgets are interpolated between those that were played, from the posterior win rates. The ends of their"
            f" {100 * lines[0].outcomes[0].confidence:g}% intervals are budgets that were played."
        )
    if "percentile" in places:
        notes.append(
            "If the games of an epsilon differ in budget, the table shows the smallest percentile of their scores over"
            " the epsilons, with its interval."
        )
    return rows, notes


def crossing_cell(place: str, budget: float, largest: float) -> str:
    """A smallest budget for a cell: 13.1; ≤10 if the smallest that was run is enough; >100 if the `largest` is not."""
    if place == "under_bound":
        return _UNDER_BOUND
    if place == "above":
        return Number(f">{number(largest, 3)}", largest)
    return Number(f"{'≤' if place == 'below' else ''}{number(budget, 3)}", budget)


class CurveRecord(TypedDict):
    """A strategy over epsilons, all else the same."""

    label: Annotated[str, Doc("Name of the curve: how it differs from the others.")]
    budgets: Annotated[
        list[Crossing], Doc("Smallest budgets for these win rates; empty if fewer than two epsilons were played.")
    ]


class OutcomeRecord(EvaluationRecord):
    """A task with its statistics and its curve."""

    curve: Annotated[CurveRecord, Doc("The curve to which this run belongs.")]


def curve_record(curve: BudgetCurve) -> CurveRecord:
    return {"label": curve.label, "budgets": json_of(curve.crossings)}


def outcome_records(found: Sequence[Evaluation]) -> list[OutcomeRecord]:
    by_task = {outcome.task.id: curve_record(curve) for curve in curves(found) for outcome in curve.outcomes}
    return [{**outcome.summary(), "curve": by_task[outcome.task.id]} for outcome in found]


def run_table(runs: Sequence[Run]) -> tuple[list[TableColumn], list[list[str]]]:
    """Columns and rows of a table of runs: the command of each, what it added, when, and what it was made with."""
    versions = ("wordpl", "engine", "python", "numpy", "scipy", "numba", "platform")
    columns = [TableColumn("command", kind="text"), TableColumn("trials"), TableColumn("tasks", 1)]
    columns += [TableColumn("begun (UTC)", 2), TableColumn("ended", 3)]
    columns += [TableColumn(name, 4, "text") for name in versions]
    rows = [[cut(run.command, _LONGEST), f"{run.trials:,}", f"{len(run.added):,}"] for run in runs]
    for run, row in zip(runs, rows, strict=True):
        row += [run.begun[:16], run.ended[:16], *(str(getattr(run, name)) for name in versions)]
    return columns, rows


def print_runs(title: str, runs: Sequence[Run], style: TableStyle) -> None:
    """Print a row for each of `runs`, under a `title`."""
    print_table(f"{title}: what made it", *run_table(runs), style=style)
