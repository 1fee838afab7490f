"""`wordpl serve token`, `tokens`, `revoke`, `uploads` and `fetch`: who may upload to the contest, and what came in."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from wordpl.cli import options as opt
from wordpl.cli.commands import add
from wordpl.cli.leaderboard import LEDGER, LedgerFile
from wordpl.cli.logs import NOTES
from wordpl.reporting.tables import print_json, print_table

Named = Annotated[str, typer.Argument(help="Whose token: the name in the leaderboard.")]


def register(app: typer.Typer) -> None:
    for command in (token, tokens, revoke, uploads, fetch):
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


def uploads(
    ledger: LedgerFile = LEDGER,
    count: Annotated[int, typer.Option("--count", "-k", min=1, max=10_000, help="How many to show.")] = 50,
    json: opt.Json = False,
) -> None:
    """List what was uploaded, newest first."""
    from wordpl.contest.queue import Queue

    with Queue(ledger, must_exist=True) as book:
        found = book.items(most=count)
        entries = [None if item.entry is None else book.by_key(item.entry).id for item in found]
    if json:
        told = [dataclasses.asdict(item) | {"entry": entry} for item, entry in zip(found, entries, strict=True)]
        print_json([{k: v for k, v in one.items() if k not in ("key", "token")} for one in told])
        return
    rows = [
        [item.id, item.name, item.file, item.state, str(item.games), entry or "", item.reason]
        for item, entry in zip(found, entries, strict=True)
    ]
    print_table(f"Uploads to {ledger}", ["id", "name", "file", "state", "games", "entry", "remark"], rows)


def fetch(
    upload: Annotated[str, typer.Argument(help="The id of an upload, as wordpl serve uploads shows it.")],
    out: Annotated[Path, opt.out("The file to write.")],
    ledger: LedgerFile = LEDGER,
) -> None:
    """Write an upload to a file, as to replay its games with audit.

    It is a stranger's code: read it, or run it in the sandbox. What was refused is not kept.
    """
    from wordpl.contest.queue import Queue
    from wordpl.storage.files import whole_file

    with Queue(ledger, must_exist=True) as book:
        found = book.upload(book.item(upload))
    with whole_file(out, must_be_new=True) as beside:
        beside.write_bytes(found.content)
    NOTES.info("%s is written to %s: %d bytes, uploaded as %s", upload, out, len(found.content), found.file)
