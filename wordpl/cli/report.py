"""`wordpl report`: a results file, or a contest, as one page to hand on."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.targets import PAGE, check_target
from wordpl.errors import WordplError


def report(
    file: Annotated[Path | None, typer.Argument(help="A results file, as wordpl sweep writes.")] = None,
    *,
    ledger: Annotated[
        Path | None, typer.Option(help="Report on this contest's file in place of a results file.")
    ] = None,
    out: Annotated[Path | None, opt.out("Page to write; by default named as the file, with .html.", PAGE)] = None,
    title: Annotated[str, typer.Option(help="Title of the page; by default the name of the file.")] = "",
    match: Annotated[
        str, typer.Option("--match", "-m", help="Only strategies, word lists or entries with this text.")
    ] = "",
    where: opt.Where = None,
) -> None:
    """Write results as one page that needs no network.

    What was run and how, tables with intervals, curves, why games were lost, and the command to run it again. A browser
    shows it, and prints it.
    """
    source = file or ledger
    if source is None or (file is not None and ledger is not None):
        raise WordplError("report takes a results file, or --ledger FILE, and not both")
    if ledger is not None and where:
        raise WordplError("--where is for results files; --match chooses the entries of a ledger")
    reader = wordpl.Ledger(source, read_only=True) if file is None else wordpl.Store(source, read_only=True)
    with reader as opened:
        target = out or source.with_suffix(".html")
        check_target(target, [PAGE], [source])
        wordpl.write_report(opened, target, title=title, match=match, where=where or ())
    typer.echo(f"{target}")
