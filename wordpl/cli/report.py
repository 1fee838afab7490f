"""`wordpl report`: a results file, or a contest, as one page to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.errors import WordplError


def register(app: typer.Typer, section: str) -> None:
    add(app, report, section)


def report(
    file: Annotated[Path | None, typer.Argument(help="A results file, as wordpl sweep writes.", metavar="FILE")] = None,
    *,
    ledger: Annotated[
        Path | None, typer.Option("--ledger", help="Report on this contest's file in place of a results file.")
    ] = None,
    out: Annotated[Path | None, opt.out("Page to write; by default named as the file, with .html.")] = None,
    title: Annotated[str, typer.Option("--title", help="Title of the page; by default the name of the file.")] = "",
    match: Annotated[
        str,
        typer.Option("--match", "-m", help="Only strategies, word lists or entries with this text.", metavar="TEXT"),
    ] = "",
    where: opt.Where = None,
) -> None:
    """Write results as one page that needs no network.

    What was run and how, tables with intervals, curves, why games were lost, and the command to run it again. A browser
    shows it, and prints it.
    """
    from wordpl.contest.ledger import Ledger
    from wordpl.reporting.report import write_report
    from wordpl.simulation.store import Store

    if (file is None) == (ledger is None):
        raise WordplError("report takes a results file, or --ledger FILE, and not both")
    if ledger is not None and where:
        raise WordplError("--where is for results files; --match chooses the entries of a ledger")
    if ledger is not None:
        with Ledger(ledger, read_only=True) as book:
            target = out or ledger.with_suffix(".html")
            write_report(book, target, title=title, match=match)
    elif file is not None:
        with Store(file, read_only=True) as store:
            target = out or file.with_suffix(".html")
            write_report(store, target, title=title, match=match, where=where or ())
    typer.echo(f"{target}")
