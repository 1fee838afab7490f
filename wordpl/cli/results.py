"""`wordpl results` and `wordpl plot`: look at what a sweep has left."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import PICTURE, POINTS, TRIALS, check_target
from wordpl.errors import WordplError
from wordpl.reporting.tables import print_json

if TYPE_CHECKING:
    from collections.abc import Sequence


ResultsFile = Annotated[Path, typer.Argument(help="A results file, as wordpl sweep writes.", metavar="FILE")]


def results(
    file: ResultsFile,
    *,
    match: opt.Match = "",
    where: opt.Where = None,
    merge: Annotated[
        list[Path] | None, typer.Option(help="Add the trials of another file first; repeatable.", metavar="FILE")
    ] = None,
    out: Annotated[Path | None, opt.out("Write the trials to this .csv, .json or .parquet.", TRIALS)] = None,
    timings: Annotated[bool, typer.Option("--timings", help="With --out: the time of each trial as well.")] = False,
    provenance: Annotated[
        bool,
        typer.Option("--provenance", help="Show what made the trials, not the results: commands, versions, times."),
    ] = False,
    json: opt.Json = False,
) -> None:
    """List, filter, merge and export the results of a file."""
    from wordpl.reporting.outcome_tables import nothing_found, outcome_records, print_outcomes
    from wordpl.simulation.selection import parse_where

    parse_where(where or ())  # before anything is merged
    with wordpl.Store(file, must_exist=True) as store:
        for path in merge or []:
            with wordpl.Store(path, must_exist=True) as other:
                NOTES.info("%d trials added from %s", store.merge(other), path)
        if out is not None:
            NOTES.info("%d trials written to %s", store.export(out, match, timings, where or ()), out)
        if provenance:
            _show_runs(store, match, where or (), json)
            return
        found = wordpl.read_outcomes(store, match, where or ())
        if not found and not json:
            raise WordplError(nothing_found([store], match, where or ()))
    if json:
        print_json(outcome_records(found))
        return
    if out is None:
        print_outcomes(str(file), found)


def _show_runs(store: wordpl.Store, match: str, where: Sequence[str], json: bool) -> None:
    """Print the runs that added trials of the matching tasks."""
    from wordpl.reporting.provenance import print_runs, run_records

    tasks = store.tasks(match, where)
    wanted = {task.id for task in tasks}
    runs = [run for run in store.provenance() if wanted & run.added.keys()]
    if json:
        print_json(run_records(runs))
    elif runs:
        print_runs(str(store.path), runs)
    else:
        asked = [repr(text) for text in (*([match] if match else []), *where)]
        matching = f" that match {', '.join(asked)}" if asked else ""
        raise WordplError(f"{store.path} has no record of what made its results{matching}")


@dataclass(frozen=True)
class StyleOptions(opt.Options):
    """How a picture looks."""

    section = opt.LOOK

    by: Annotated[
        str | None,
        opt.choice(opt.GROUPS, "--by", summary="Give curves with the same of this one colour"),
    ] = None
    log: Annotated[
        str,
        opt.choice(opt.LOGS, "--log", summary="Logarithmic axes", note="auto: those whose values span two decades."),
    ] = "auto"
    title: Annotated[str | None, typer.Option(help="Title; by default what all curves have in common.")] = None
    x_label: Annotated[str | None, typer.Option(help="Label of the x axis, for one --kind.")] = None
    y_label: Annotated[str | None, typer.Option(help="Label of the y axis, for one --kind.")] = None
    label: Annotated[
        list[str] | None,
        typer.Option(help="Name of a curve, as 'NGuess*=two guesses'; repeatable.", metavar="CURVE=TEXT"),
    ] = None


def plot(
    files: Annotated[
        list[Path], typer.Argument(help="Results files, drawn as if they were merged; none is changed.", metavar="FILE")
    ],
    *,
    out: Annotated[
        Path | None, opt.out("Picture to write; by default named as the first file, with .png.", PICTURE)
    ] = None,
    kind: Annotated[str, opt.choice(opt.PLOTS, "--kind", summary="What to draw")] = "all",
    match: opt.Match = "",
    where: opt.Where = None,
    data: Annotated[
        bool, typer.Option("--data", help="Write what is drawn beside the picture as well, to NAME.data.csv.")
    ] = False,
    look: StyleOptions,
) -> None:
    """Draw the results of files.

    The smallest budgets that win 5, 50 and 95% of games, win rate against budget, percentiles against epsilon, and
    turns without noise.
    """
    from wordpl.reporting.plots import read_labels

    style = wordpl.PlotStyle(look.by, look.log, look.title, look.x_label, look.y_label, read_labels(look.label or []))
    with ExitStack() as opened:
        stores = [opened.enter_context(wordpl.Store(file, read_only=True)) for file in files]
        target = out or files[0].with_suffix(".png")
        check_target(target, [PICTURE], files)
        if data:
            check_target(target.with_suffix(".data.csv"), [POINTS], files)
        for written in wordpl.draw(stores, target, kind, match, where=where or (), style=style, data=data):
            typer.echo(f"{written}")
