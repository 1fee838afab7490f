"""`wordpl results` and `wordpl plot`: look at what a sweep has left."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wordpl.cli import options as opt
from wordpl.errors import WordplError
from wordpl.reporting.tables import interval, needed, number, print_json, print_table

if TYPE_CHECKING:
    from wordpl.simulation.store import Store, TaskRow

ResultsFile = Annotated[Path, typer.Argument(help="A results file, as wordpl sweep makes.")]
Match = Annotated[str, typer.Option("--match", "-m", help="Only strategies or word lists that contain this text.")]


def register(app: typer.Typer) -> None:
    app.command()(results)
    app.command()(plot)


def results(
    file: ResultsFile,
    match: Match = "",
    merge: Annotated[list[Path] | None, typer.Option("--merge", help="Add the trials of another file first.")] = None,
    export: Annotated[
        Path | None, typer.Option("--export", help="Write the trials to a .csv, .json or .parquet.")
    ] = None,
    timings: Annotated[bool, typer.Option("--timings", help="Export the time each trial took as well.")] = False,
    json: opt.Json = False,
) -> None:
    """List what a results file holds; filter, merge and export it."""
    from wordpl.simulation.store import Store

    with Store(file, must_exist=True) as store:
        for path in merge or []:
            with Store(path, must_exist=True) as other:
                typer.echo(f"{store.merge(other)} trials added from {path}", err=True)
        if export is not None:
            typer.echo(f"{store.export(export, match, timings)} trials written to {export}", err=True)
        summaries = [_summary(store, task) for task in store.tasks(match)]
    if json:
        print_json(summaries)
        return
    if not summaries:
        raise WordplError(f"{file} has no results" + (f" that match {match!r}" if match else ""))
    if export is None:
        _print(summaries, file)


def plot(
    file: ResultsFile,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="Picture to write; FILE.png unless told.")] = None,
    kind: Annotated[str, typer.Option("--kind", "-k", help="all, percentiles, wins or turns.")] = "all",
    match: Match = "",
) -> None:
    """Draw percentiles against epsilon, win rate against budget, and turns without noise."""
    from wordpl.reporting.plots import draw
    from wordpl.simulation.store import Store

    target = out or file.with_suffix(".png")
    with Store(file, must_exist=True) as store:
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
