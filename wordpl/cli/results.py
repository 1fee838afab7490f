"""`wordpl results`, `plot` and `report`: look at what a sweep has left."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.displays import counted
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.compare import RuleOptions
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import GAMES, PAGE, PICTURE, RESULTS, TABLES
from wordpl.reporting.names import GROUPS, KINDS, LOGS


@dataclass(frozen=True)
class ResultsTable(opt.TableOptions):
    """Options of what is shown of results files, or written."""

    games: Annotated[bool, Option("--games", help="Write a row for each trial to --out, and print no table.")] = False
    timings: Annotated[bool, Option("--timings", help="With --games: also write the time of each trial.")] = False

    def __post_init__(self) -> None:
        alone = [path for path in self.every(GAMES) if path not in self.every(TABLES)]
        if (self.timings or alone) and not self.games:
            raise WordplError(f"{alone[0] if alone else '--timings'} is for a row of each trial; add --games")
        if self.games and (len(self.out or []) != 1 or not self.every(GAMES) or self.format or self.json or self.sort):
            raise WordplError(
                "--games writes a row for each trial to one file, and prints no table: use --games --out"
                f" trials{GAMES[0]}, without --format, --json and --sort"
            )
        super().__post_init__()


def results(
    files: Annotated[list[Path], Argument(help="Results files, shown as if merged.", metavar="FILE")],
    *,
    provenance: Annotated[bool, Option("--provenance", help="Show which commands made the trials.")] = False,
    check: Annotated[
        bool, Option("--check", help="Look for damage, and repair what a command that was stopped has left.")
    ] = False,
    compare: Annotated[
        bool, Option("--compare", help="Compare the strategies on their common games, as wordpl compare does.")
    ] = False,
    compared: RuleOptions,
    tasks: opt.FilterOptions,
    table: Annotated[
        ResultsTable,
        opt.out(
            "Write the table (with --games the trials), draw --compare, or add the trials to a results file",
            *(TABLES, GAMES, RESULTS, PICTURE),
        ),
    ],
) -> None:
    """Show, filter, compare, merge and export the results in files."""
    if check:
        _check(files)
        return
    from wordpl.reporting.outcome_tables import nothing_found, outcome_records, print_runs
    from wordpl.simulation.trials import COLUMNS, SHOWN

    title, where, merged = ", ".join(map(str, files)), tasks.filter(), table.one(RESULTS)
    if merged is not None and where != wordpl.simulation.TaskFilter():
        raise WordplError(f"{merged} gets all trials of the files; to write some of them, use --games --out trials.csv")
    if not compare and (compared != RuleOptions() or table.every(PICTURE)):
        raise WordplError("--all, --statistic, --margin and a picture go with --compare")
    if compare + provenance + table.games > 1:
        raise WordplError("use one of --compare, --provenance and --games")
    with ExitStack() as stack:
        stores = [stack.enter_context(wordpl.Store(file, read_only=True)) for file in files]
        whole = stack.enter_context(wordpl.Store.united(stores))
        if merged is not None:
            target = stack.enter_context(wordpl.Store(merged))
            for store in stores:
                NOTES.info("%s added from %s", counted(target.merge(store), "trial"), store.path)
        if compare:
            pairs = wordpl.simulation.read_pairs(whole, where)
            compared.show(wordpl.simulation.compare_outcomes(pairs, compared.rule(table.confidence)), table)
            return
        if table.games:
            out = table.every(GAMES)[0]
            NOTES.info("%s written to %s", counted(whole.export(out, where, timings=table.timings), "trial"), out)
            return
        if provenance:
            tasks_found = {task.id for task in whole.tasks(where)}
            found: Sequence[Any] = [run for run in whole.provenance() if tasks_found & run.added.keys()]
            nothing = "no record of what made its results"
        else:
            columns = COLUMNS if table.form == "json" else SHOWN
            found, nothing = whole.evaluations(where, table.confidence, columns), "no results"
        if not found and table.form != "json":
            raise WordplError(nothing_found(stores, where, nothing))
    if provenance:
        table.show(lambda: found, partial(print_runs, title, found))
    else:
        table.show(lambda: outcome_records(found), partial(wordpl.reporting.print_evaluations, found, title=title))


def _check(files: list[Path]) -> None:
    for file in files:
        if not file.exists():  # opening it to repair it would make it
            raise WordplError(f"there is no results file {file}")
        with wordpl.Store(file) as store:
            if faults := store.faults():
                raise WordplError(f"{file} is damaged: {faults[0]}")
        typer.echo(f"{file} is sound")


@dataclass(frozen=True)
class StyleOptions:
    """Options of a picture."""

    section = "Look"

    by: Annotated[str | None, opt.choice(GROUPS, "Colour curves by this property")] = None
    log: Annotated[str, opt.choice(LOGS, "Use logarithmic axes", "auto: if they span a factor of 100.")] = "auto"
    title: Annotated[str | None, Option(help="Title of the picture. Default: what all curves have in common.")] = None
    label: Annotated[list[str] | None, Option(help="Name a curve, such as 'NGuess*=two guesses'.")] = None
    size: Annotated[str | None, Option(help="Width and height in inches, such as 8x5.", metavar="SIZE")] = None


def plot(
    files: Annotated[list[Path], Argument(help="Results files, drawn as if merged.", metavar="FILE")],
    *,
    out: Annotated[Path | None, opt.out("Write this picture. Default: the first FILE with .png", PICTURE)] = None,
    kind: Annotated[str, opt.choice(KINDS, "What to draw")] = "all",
    data: Annotated[bool, Option("--data", help="Also write the drawn points to NAME.data.csv.")] = False,
    tasks: opt.FilterOptions,
    look: StyleOptions,
) -> None:
    """Draw the results in one or more files.

    The picture shows the smallest budgets that win 5, 50 and 95% of games, win rate against budget, percentiles against
    epsilon, and the turns of games without noise.
    """
    from wordpl.reporting.plots import read_labels, read_size

    size = None if look.size is None else read_size(look.size)
    style = wordpl.reporting.PlotStyle(look.by, look.log, look.title, read_labels(look.label or []), size)
    target = out or files[0].with_suffix(".png")
    for path in wordpl.draw(files, target, kind, where=tasks.filter(), style=style, data=data):
        typer.echo(path)


def report(
    file: Annotated[Path, Argument(help="A results file, written by wordpl sweep.")],
    *,
    out: Annotated[Path | None, opt.out("Write this page. Default: FILE's name with .html", PAGE)] = None,
    title: Annotated[str, Option(help="Title of the page. Default: the name of the file.")] = "",
    tasks: opt.FilterOptions,
) -> None:
    """Write the results in a file as one HTML page that works offline.

    The page shows what was run and how, tables with intervals, curves, why games were lost, and the command that runs
    it again.
    """
    target = out or file.with_suffix(".html")
    wordpl.write_report(file, target, title=title, where=tasks.filter())
    typer.echo(target)
