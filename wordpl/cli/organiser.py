"""What whoever runs a contest does: tokens and uploads, the records to beat, and what is done for good."""

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
from wordpl.cli.targets import UPLOAD
from wordpl.reporting.tables import print_json, print_table

Named = Annotated[str, Argument(help="The owner of the token, as named on the leaderboard.")]
Yes = Annotated[bool, Option("--yes", help="Do not ask for confirmation.")]


def token(
    name: Named,
    ledger: opt.LedgerFile = opt.LEDGER,
    per_day: Annotated[int, Option(min=1, max=1000, help="Allow N uploads a day (UTC).")] = 3,
) -> None:
    """Make a token with which NAME can upload strategies.

    The token is printed only once, because the ledger keeps just its hash. A ledger is made if there is none.
    """
    with wordpl.contest.Queue(ledger) as queue:
        typer.echo(queue.tokens.make(name, per_day))
    NOTES.info("this is %s's token for %s; it is not shown again", name, ledger)


def tokens(ledger: opt.LedgerFile = opt.LEDGER, json: opt.Json = False) -> None:
    """List the tokens, and how many uploads each has made."""
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        rows = queue.tokens.all()
    if json:
        print_json(rows)
        return
    cells = [
        [row.name, row.made[:10], str(row.uploads), f"{row.today} of {row.per_day}", (row.revoked or "")[:10]]
        for row in rows
    ]
    print_table(f"Tokens of {ledger}", ["name", "made", "uploads", "today", "revoked"], cells)


def uploads(
    ledger: opt.LedgerFile = opt.LEDGER,
    count: Annotated[int, Option("--count", "-k", min=1, max=10_000, help="Show at most N uploads.")] = 50,
    json: opt.Json = False,
) -> None:
    """List the uploads, newest first."""
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        items = queue.items(most=count)
    if json:
        print_json(items)
        return
    rows = [[i.id, i.name, i.file, i.state, str(i.games), i.entry or "", i.reason] for i in items]
    print_table(f"Uploads to {ledger}", ["id", "name", "file", "state", "games", "entry", "remark"], rows)


def fetch(
    upload: Annotated[str, Argument(help="The id of an upload, as wordpl contest uploads shows it.")],
    out: Annotated[Path, opt.out("Write this file, a .py or .zip.", UPLOAD)],
    ledger: opt.LedgerFile = opt.LEDGER,
) -> None:
    """Write an upload to a file. An audit that replays its games needs the name with which it was uploaded.

    It is a stranger's code: read it, or run it only in the sandbox. Refused uploads are not kept.
    """
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        item = queue.item(upload)
        content = queue.content(item)
    with wordpl.base.whole_file(out, must_be_new=True) as beside:
        beside.write_bytes(content)
    NOTES.info("%s is written to %s: %d bytes, uploaded as %s", upload, out, len(content), item.file)


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


def revoke(name: Named, yes: Yes = False, ledger: opt.LedgerFile = opt.LEDGER) -> None:
    """Revoke the token of NAME.

    Uploads still waiting are refused; one that is already being scored is finished.
    """
    _ask(ledger, yes, f"this revokes the token of {name} and refuses its waiting uploads")
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        queue.tokens.revoke(name)
    NOTES.info("the token of %s is revoked", name)


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
