"""`wordpl results` and `wordpl plot`: look at what a sweep has left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.errors import WordplError
from wordpl.reporting.tables import interval, needed, number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.simulation.store import Store, TaskRow

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
    json: opt.Json = False,
) -> None:
    """List, filter, merge and export the results of a file."""
    from wordpl.simulation.store import Store

    with Store(file, must_exist=True) as store:
        for path in merge or []:
            with Store(path, must_exist=True) as other:
                typer.echo(f"{store.merge(other)} trials added from {path}", err=True)
        if out is not None:
            typer.echo(f"{store.export(out, match, timings)} trials written to {out}", err=True)
        summaries = [_summary(store, task) for task in store.tasks(match)]
    if json:
        print_json(summaries)
        return
    if not summaries:
        raise WordplError(f"{file} has no results" + (f" that match {match!r}" if match else ""))
    if out is None:
        _print(summaries, file)


def plot(
    file: ResultsFile,
    *,
    out: Annotated[Path | None, opt.out("Picture to write; by default named as the results file, with .png.")] = None,
    kind: Annotated[str, opt.choice(opt.PLOTS, "--kind", summary="What to draw")] = "all",
    match: opt.Match = "",
) -> None:
    """Draw the results of a file.

    Percentiles against epsilon, win rate against budget, and turns without noise.
    """
    from wordpl.reporting.plots import draw
    from wordpl.simulation.store import Store

    with Store(file, must_exist=True) as store:
        target = out or file.with_suffix(".png")
        draw(store, target, kind, match)
    typer.echo(f"{target}")


def _summary(store: Store, task: TaskRow) -> dict[str, Any]:
    from wordpl.reporting.plots import outcome
    from wordpl.simulation.evaluation import finite

    found = outcome(store, task)
    figures: dict[str, Any] = {
        "task": task.id,
        "strategy": task.strategy,
        "code": task.code,
        "words": task.words,
        "rule": task.rule,
        "channel": task.channel,
        "seed": task.seed,
        "engine": task.engine,
        "trials": found.trials,
        "win_rate": found.win_rate,
        "win_rate_interval": list(found.win_interval),
    }
    for name, (value, ends) in found.percentiles.items():
        figures[name] = finite(value)
        figures[f"{name}_interval"] = [finite(end) for end in ends]
    return figures


def _print(summaries: list[dict[str, Any]], file: Path) -> None:
    shown = ["strategy", "words", "seed"]
    shown += needed(summaries, shown, ["rule", "channel", "code", "engine", "task"])
    columns = [*shown, "trials", "win rate", "95%", "p05", "95%", "p50", "95%", "p95", "95%"]
    rows = []
    for figures in summaries:
        row = [str(figures[name]) for name in (*shown, "trials")]
        row += [number(figures["win_rate"], 3), interval(figures["win_rate_interval"], 3)]
        for name in ("p05", "p50", "p95"):
            row += [number(figures[name]), interval(figures[f"{name}_interval"])]
        rows.append(row)
    print_table(str(file), columns, rows)
