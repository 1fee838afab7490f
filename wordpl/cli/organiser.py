"""What whoever runs a contest does: the records to beat, and what is done for good."""

from __future__ import annotations

import math
import sys
from pathlib import Path
from typing import Annotated

import typer
from typer import Argument, Option

import wordpl
from wordpl.base.checks import percent
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.logs import NOTES

Yes = Annotated[bool, Option("--yes", help="Do not ask for confirmation.")]


def record(
    budgets: Annotated[
        list[str] | None, Argument(help="A record to beat, such as 5=15.6.", metavar="PERCENTILE=BUDGET")
    ] = None,
    margin: Annotated[float | None, Option(help="Entries must beat it by X%.", parser=opt.number(percent))] = None,
    ledger: opt.LedgerFile = opt.LEDGER,
) -> None:
    """Set the records that entries must beat from now on."""
    if not budgets and margin is None:
        raise WordplError("give a record such as 5=15.6, or --margin")
    with wordpl.contest.Ledger(ledger, must_exist=True) as book:
        target = book.set_records(_budgets(budgets or []), None if margin is None else margin / 100)
    shown = ", ".join(f"{100 * q:g}th {budget:g}" for q, budget in target.budgets.items())
    NOTES.info("records for entries from now on: %s; entries must beat them by %g%%", shown, 100 * target.margin)


def clear(
    entry: Annotated[str, Argument(help="The id of the entry, as wordpl contest board shows it.")],
    reason: Annotated[str, Option(help="Why the flag is cleared. The leaderboard shows it.")],
    yes: Yes = False,
    ledger: opt.LedgerFile = opt.LEDGER,
) -> None:
    """Clear the flag of an entry, so that it gets a rank."""
    _ask(ledger, yes, f"this clears the flag of {entry} in {ledger} and ranks it")
    with wordpl.contest.Ledger(ledger, must_exist=True) as book:
        book.clear(book.entry(entry), reason)
    NOTES.info("%s is ranked", entry)


def close(yes: Yes = False, ledger: opt.LedgerFile = opt.LEDGER) -> None:
    """End the contest: publish its secret, and take no more entries."""
    _ask(ledger, yes, f"this publishes the secret of {ledger} and ends running entries")
    with wordpl.contest.Ledger(ledger, must_exist=True) as book:
        typer.echo(f"the contest is closed; its secret: {book.close_contest()}")


def _ask(ledger: Path, yes: bool, what: str) -> None:
    """Ask at the terminal whether to do to a ledger what cannot be undone.

    Raises `WordplError` where there is no ledger, or nobody can be asked, and `Abort` if the answer is no.
    """
    opt.check_there(ledger, kind="contest file")
    if not yes and not sys.stdin.isatty():
        raise WordplError(f"{what}, which cannot be undone; add --yes to confirm")
    if not yes:
        typer.confirm(f"{what}, which cannot be undone. Go on?", abort=True, err=True)


def _budgets(texts: list[str]) -> dict[float, float]:
    """Return the budgets by percentile of texts such as 5=15.6."""
    from wordpl.simulation.statistics import PERCENTILES

    budgets = {}
    for text in texts:
        percent, _, budget = text.partition("=")
        try:
            q, value = float(percent) / 100, float(budget)
        except ValueError:
            q, value = math.nan, math.nan
        if q not in PERCENTILES:
            raise WordplError(f"record {text[:40]!r} is not allowed; 5, 50 or 95, = and a budget are expected: 5=15.6")
        budgets[q] = value
    return budgets
