"""`wordpl serve token`, `tokens` and `revoke`: who may upload to the contest."""

from __future__ import annotations

import dataclasses
from typing import Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.leaderboard import LEDGER, LedgerFile
from wordpl.cli.logs import NOTES
from wordpl.reporting.tables import print_json, print_table

Named = Annotated[str, typer.Argument(help="Whose token: the name in the leaderboard.")]


def register(app: typer.Typer) -> None:
    for command in (token, tokens, revoke):
        add(app, command)


def token(
    name: Named,
    ledger: LedgerFile = LEDGER,
    per_day: Annotated[
        int, typer.Option("--per-day", min=1, max=1000, help="Uploads that it allows in a day (UTC).")
    ] = 3,
) -> None:
    """Make a token, with which NAME may upload strategies.

    It is printed once. The ledger keeps a hash of it, and is made if it is not there.
    """
    from wordpl.contest.tokens import Tokens

    with Tokens(ledger) as book:
        typer.echo(book.make_token(name, per_day))
    NOTES.info("this is %s's token for %s; it is not shown again", name, ledger)


def tokens(ledger: LedgerFile = LEDGER, json: opt.Json = False) -> None:
    """List the tokens, with how many uploads each has made."""
    from wordpl.contest.tokens import Tokens

    with Tokens(ledger, must_exist=True) as book:
        found = book.tokens()
    if json:
        print_json([{k: v for k, v in dataclasses.asdict(one).items() if k != "key"} for one in found])
        return
    rows = [
        [one.name, one.made[:10], str(one.uploads), f"{one.today} of {one.per_day}", (one.revoked or "")[:10]]
        for one in found
    ]
    print_table(f"Tokens of {ledger}", ["name", "made", "uploads", "today", "revoked"], rows)


def revoke(name: Named, ledger: LedgerFile = LEDGER) -> None:
    """Revoke a token.

    What it has waiting is refused; what is being scored goes on.
    """
    from wordpl.contest.tokens import Tokens

    with Tokens(ledger, must_exist=True) as book:
        book.revoke_token(name)
    NOTES.info("the token of %s is revoked", name)
