"""Tables of outcomes: the figures of each task, and the budgets at which curves reach the contest's percentiles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import typer

from wordpl.contest.ranking import RECORDS
from wordpl.displays import json_epsilon
from wordpl.model.channel import RandomizedResponse
from wordpl.play.formats import CONTEST
from wordpl.reporting.layout import Column
from wordpl.reporting.tables import estimate, interval, number, print_table, reasons, turns
from wordpl.search.known_budgets import BEST_BUDGETS, BUDGET_BOUNDS
from wordpl.simulation.crossings import Crossing
from wordpl.simulation.evaluation import Evaluation, TrialFigures, finite
from wordpl.simulation.outcomes import Curve, Outcome, curves, evaluated, shared_terms
from wordpl.simulation.selection import Where, why_nothing
from wordpl.simulation.statistics import PERCENTILES
from wordpl.simulation.store import Store, TaskRow
from wordpl.simulation.tasks import channel_name

KNOWN_BUDGETS = {
    "record of the contest": RECORDS,
    "smallest known to wordpl": BEST_BUDGETS,
    "bound of all strategies": BUDGET_BOUNDS,
}
"""What stands beside the budgets of a curve, by win rate, with the contest's words, rule and channel."""
CROSSINGS = "Smallest budget to win 5%, 50% and 95% of games"
_FILES_NAMED = 3
_CONTEST = ("original", "letterwise", channel_name(RandomizedResponse), str(CONTEST))

FIGURES = (
    Column("trials", 3),
    Column("win rate"),
    Column("95%", 2, full_name="95% of win rate"),
    Column("p05", 1),
    Column("95%", 5, full_name="95% of p05"),
    Column("p50", 1),
    Column("95%", 5, full_name="95% of p50"),
    Column("p95", 1),
    Column("95%", 5, full_name="95% of p95"),
    Column("turns", 4),
)
"""The columns of `figures_of`."""


def figures_of(found: TrialFigures) -> list[str]:
    """The figures of some trials, a cell for each of `FIGURES`."""
    cells = [str(found.trials), *estimate(found.win_rate, found.interval)]
    for value, ends in found.percentiles.values():
        cells += estimate(value, ends)
    return [*cells, turns(found)]


def print_outcomes(title: str, found: Sequence[Outcome], notes: Sequence[str] = ()) -> None:
    """Print a row for each outcome: its curve, its epsilon, its figures; and where the curves reach the percentiles.

    What all outcomes have in common follows the title.
    """
    lines = curves(found)
    rows = [[curve.label, epsilon_cell(o), *figures_of(o.figures)] for curve in lines for o in curve.outcomes]
    columns = [Column("strategy", kind="spec"), Column("epsilon"), *FIGURES]
    if not any(row[1] for row in rows):
        columns, rows = [columns[0], *FIGURES], [[row[0], *row[2:]] for row in rows]
    print_table(f"{title}: {shared_terms(found)}", columns, rows, notes)
    if any(curve.crossings for curve in lines):
        typer.echo()
        print_crossings(lines)


def nothing_found(stores: Sequence[Store], match: str, where: Where, nothing: str = "no results") -> str:
    """Return the line of an error: these files have nothing that matches; and what they have, where that helps."""
    files = ", ".join(str(store.path) for store in stores) if len(stores) < _FILES_NAMED else f"{len(stores)} files"
    line = f"{files} {'has' if len(stores) == 1 else 'have'} {nothing}"
    line += f" that {'match' if nothing.endswith('s') else 'matches'} {match!r}" if match else ""
    why = why_nothing([task for store in stores for task in store.tasks(match)], where)
    return f"{line}: {why}" if why else line


def epsilon_cell(outcome: Outcome) -> str:
    """The epsilon for a cell; empty if the strategy has none, or if the label has a schedule of them."""
    epsilon = outcome.task.epsilon
    return "" if epsilon is None or outcome.is_schedule else number(epsilon, 6)


def print_crossings(lines: Sequence[Curve]) -> None:
    """Print the smallest budgets at which curves reach win rates of 5, 50 and 95%, beside those that are known."""
    columns = [Column("strategy", kind="spec")]
    for q in PERCENTILES:
        columns += [Column(f"{q:.0%}"), Column("interval", 1, full_name=f"interval of {q:.0%}")]
    rows, notes = crossing_rows(lines)
    print_table(CROSSINGS, columns, rows, notes)


def crossing_rows(lines: Sequence[Curve]) -> tuple[list[list[str]], list[str]]:
    """The rows of `print_crossings` (a name; a budget and its interval for each percentile), and the notes below."""
    shown = [curve for curve in lines if curve.crossings]
    rows = []
    for curve in shown:
        cells = [(_budget(found, curve), interval(found.interval, 3)) for found in curve.crossings]
        rows.append([curve.label, *(cell for pair in cells for cell in pair)])
    notes = []
    if has_known_budgets(shown):
        rows += [
            [name, *(cell for q in PERCENTILES for cell in (number(known[q], 5), ""))]
            for name, known in KNOWN_BUDGETS.items()
        ]
    if not all(outcome.budget_is_fixed for curve in shown for outcome in curve.noisy):
        notes.append("Where games spend different budgets, their mean is taken, and not a percentile of the scores.")
    notes.append(
        "Budgets are interpolated between epsilons; the ends of their 95% intervals are budgets that were run."
    )
    return rows, notes


def has_known_budgets(lines: Sequence[Curve]) -> bool:
    """Whether all curves are of the contest's words, rule and channel, so that `KNOWN_BUDGETS` compare with them."""
    tasks = [outcome.task for curve in lines for outcome in curve.outcomes]
    return all((task.words, task.rule, task.channel, task.format) == _CONTEST for task in tasks)


def _budget(found: Crossing, curve: Curve) -> str:
    """A crossing for a cell."""
    return crossing_cell(found.place, found.budget, max(outcome.budget for outcome in curve.noisy))


def crossing_cell(place: str, budget: float, largest: float) -> str:
    """A smallest budget for a cell: 13.1; ≤10 if the smallest that was run is enough; >100 if the `largest` is not."""
    if place == "inside":
        return number(budget, 3)
    return f"≤{number(budget, 3)}" if place == "below" else f">{number(largest, 3)}"


def curve_record(curve: Curve) -> dict[str, Any]:
    """A curve as plain JSON values: its label, and its budgets for win rates of 5, 50 and 95%; infinity is None."""
    found = [
        {
            "win_rate": crossing.win_rate,
            "place": crossing.place,
            "budget": finite(crossing.budget),
            "interval": [finite(end) for end in crossing.interval],
        }
        for crossing in curve.crossings
    ]
    return {"label": curve.label, "budgets": found}


def outcome_records(found: Sequence[Outcome]) -> list[dict[str, Any]]:
    """Outcomes as plain JSON values: task, figures, and the curve it lies on (see `curve_record`)."""
    by_task = {outcome.task.id: curve_record(curve) for curve in curves(found) for outcome in curve.outcomes}
    return [outcome_record(outcome) | {"curve": by_task[outcome.task.id]} for outcome in found]


def outcome_record(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain JSON values: the task, and its figures as `TrialFigures.record` gives them."""
    return task_record(outcome.task) | outcome.figures.record()


def task_record(task: TaskRow) -> dict[str, Any]:
    """A task as plain JSON values."""
    return {
        "task": task.id,
        "strategy": task.strategy,
        "code": task.code,
        "epsilon": json_epsilon(task.epsilon),
        "noiseless": task.noiseless,
        "words": task.words,
        "rule": task.rule,
        "channel": task.channel,
        "format": task.format,
        "seed": task.seed,
        "engine": task.engine,
    }


def print_evaluations(evaluations: Sequence[Evaluation]) -> None:
    """Print the table of a sweep: a row for each strategy and epsilon, and the budgets that reach the percentiles."""
    notes = [f"{evaluation.task.strategy!r}: {note}" for evaluation in evaluations for note in reasons(evaluation)]
    limited = evaluations[0].task.setting.format.is_wordle
    what = "number of guesses" if limited else "privacy budget"
    print_outcomes(f"Percentiles of the {what}", evaluated(evaluations), notes)


def sweep_records(evaluations: Sequence[Evaluation]) -> list[dict[str, Any]]:
    """The figures of evaluations as plain JSON values, each with its curve (see `curve_record`)."""
    by_task = {outcome.task.id: curve for curve in curves(evaluated(evaluations)) for outcome in curve.outcomes}
    return [one.summary() | {"curve": curve_record(by_task[one.task.id])} for one in evaluations]
