"""How figures are put on a screen."""

from __future__ import annotations

import json
import math
import sys
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import typer
from rich.console import Console
from rich.table import Table

if TYPE_CHECKING:
    from wordpl.simulation.evaluation import Evaluation


def console() -> Console:
    """Standard output, text as it is; never narrower than a table needs when it goes to a file or a pipe.

    Without `emoji=False` rich would draw `:crown:` in a contestant's text as a crown, even where markup is escaped.
    """
    return Console(highlight=False, markup=False, emoji=False, width=None if sys.stdout.isatty() else 200)


def print_json(value: Any) -> None:
    """One JSON value on stdout."""
    typer.echo(json.dumps(value, indent=2, allow_nan=False))


def print_table(title: str, columns: list[str], rows: list[list[str]], notes: list[str] | None = None) -> None:
    """A table; the first column is text, the others are figures. Everything is shown as it is, never as markup."""
    table = Table(title=title, title_justify="left")
    for i, column in enumerate(columns):
        table.add_column(column, justify="left" if i == 0 else "right", overflow="fold")
    for row in rows:
        table.add_row(*row)
    screen = console()
    screen.print(table)
    for note in notes or []:
        screen.print(note, soft_wrap=True)


def number(value: float | None, digits: int = 4) -> str:
    """A figure in `digits` significant digits; infinity, or its JSON None, as ∞."""
    if value is None or math.isinf(value):
        return "∞"
    return f"{value:.{digits}g}"


def interval(ends: tuple[float | None, float | None] | list[float | None], digits: int = 4) -> str:
    """An interval, as [12, 13]."""
    return f"[{number(ends[0], digits)}, {number(ends[1], digits)}]"


def needed(rows: Sequence[Mapping[str, Any]], shown: Sequence[str], more: Sequence[str]) -> list[str]:
    """Those of the columns `more` that have to be shown so that no two rows look the same, the first that help."""
    picked: list[str] = []
    for name in more:
        groups: dict[tuple[Any, ...], set[Any]] = defaultdict(set)
        for row in rows:
            groups[tuple(row[column] for column in (*shown, *picked))].add(row[name])
        if any(len(values) > 1 for values in groups.values()):
            picked.append(name)
    return picked


def print_evaluations(evaluations: list[Evaluation], where: str) -> None:
    """The table of a sweep: a row for each strategy and epsilon."""
    named = [{"strategy": repr(one.task.strategy), "code": one.task.strategy.code} for one in evaluations]
    more = needed(named, ["strategy"], ["code"])
    columns = ["strategy", *more, "trials", "win rate", "95%", "p05", "95%", "p50", "95%", "p95", "95%", "turns"]
    rows = []
    for evaluation, names in zip(evaluations, named, strict=True):
        row = [*(names[name] for name in ("strategy", *more)), str(evaluation.trials)]
        row += [number(evaluation.win_rate, 3), interval(evaluation.interval, 3)]
        for q in (0.05, 0.5, 0.95):
            row += [number(evaluation.percentile(q)), interval(evaluation.percentile_interval(q))]
        rows.append([*row, turns(evaluation)])
    notes = [f"{evaluation.task.strategy!r}: {note}" for evaluation in evaluations for note in reasons(evaluation)]
    print_table(f"Percentiles of the privacy budget ({where})", columns, rows, notes)


def reasons(evaluation: Evaluation) -> list[str]:
    """Why trials were lost by anything but a wrong proposal."""
    return [f"{n} trials lost: {reason}" for reason, n in evaluation.commonest_reasons]


def turns(evaluation: Evaluation) -> str:
    """Mean turns of the won games, for a cell."""
    mean = evaluation.mean_turns
    return "" if mean is None else f"{mean:.4f}"
