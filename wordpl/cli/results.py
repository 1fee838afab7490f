"""`wordpl results` and `wordpl plot`: look at what a sweep has left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.logs import NOTES
from wordpl.errors import WordplError
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from wordpl.simulation.store import Store

ResultsFile = Annotated[Path, typer.Argument(help="A results file, as wordpl sweep writes.", metavar="FILE")]


def register(app: typer.Typer, section: str) -> None:
    add(app, results, section)
    add(app, plot, section)


def results(
    file: ResultsFile,
    *,
    match: opt.Match = "",
    merge: Annotated[
        list[Path] | None,
        typer.Option("--merge", help="Add the trials of another file first; repeatable.", metavar="FILE"),
    ] = None,
    out: Annotated[Path | None, opt.out("Write the trials to this .csv, .json or .parquet.")] = None,
    timings: Annotated[bool, typer.Option("--timings", help="With --out: the time of each trial as well.")] = False,
    provenance: Annotated[
        bool,
        typer.Option("--provenance", help="Show what made the trials, not the results: commands, versions, times."),
    ] = False,
    json: opt.Json = False,
) -> None:
    """List, filter, merge and export the results of a file."""
    from wordpl.reporting.outcome_tables import outcome_records, print_outcomes
    from wordpl.simulation.outcomes import read_outcomes
    from wordpl.simulation.store import Store

    with Store(file, must_exist=True) as store:
        for path in merge or []:
            with Store(path, must_exist=True) as other:
                NOTES.info("%d trials added from %s", store.merge(other), path)
        if out is not None:
            NOTES.info("%d trials written to %s", store.export(out, match, timings), out)
        if provenance:
            _show_runs(store, match, json)
            return
        found = read_outcomes(store, match)
    if json:
        print_json(outcome_records(found))
        return
    if not found:
        raise WordplError(f"{file} has no results" + (f" that match {match!r}" if match else ""))
    if out is None:
        print_outcomes(str(file), found)


def _show_runs(store: Store, match: str, json: bool) -> None:
    """Print the runs that added trials of the matching tasks."""
    from wordpl.reporting.provenance import print_runs, run_records

    tasks = store.tasks(match)
    wanted = {task.id for task in tasks}
    runs = [run for run in store.provenance() if wanted & run.added.keys()]
    if json:
        print_json(run_records(runs))
    elif runs:
        print_runs(str(store.path), runs, tasks)
    else:
        matching = f" that match {match!r}" if match else ""
        raise WordplError(f"{store.path} has no record of what made its results{matching}")


def plot(
    file: ResultsFile,
    *,
    out: Annotated[Path | None, opt.out("Picture to write; by default named as the results file, with .png.")] = None,
    kind: Annotated[str, opt.choice(opt.PLOTS, "--kind", summary="What to draw")] = "all",
    match: opt.Match = "",
) -> None:
    """Draw the results of a file.

    The smallest budgets that win 5, 50 and 95% of games, win rate against budget, percentiles against epsilon, and
    turns without noise.
    """
    from wordpl.reporting.plots import draw
    from wordpl.simulation.store import Store

    with Store(file, must_exist=True) as store:
        target = out or file.with_suffix(".png")
        draw(store, target, kind, match)
    typer.echo(f"{target}")
