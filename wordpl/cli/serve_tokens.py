"""`wordpl serve token`, `tokens`, `revoke`, `uploads` and `fetch`: who may upload to the contest, and what came in."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Annotated

import typer
from typing_extensions import TypedDict

import wordpl
from wordpl.cli import options as opt
from wordpl.cli.leaderboard import LEDGER, LedgerFile
from wordpl.cli.logs import NOTES
from wordpl.cli.targets import UPLOAD
from wordpl.records import Doc
from wordpl.reporting.tables import print_json, print_table

Named = Annotated[str, typer.Argument(help="Whose token: the name in the leaderboard.")]


class TokenRecord(TypedDict):
    """A token, without its secret."""

    name: Annotated[str, Doc("Whose token: the name in the leaderboard.")]
    per_day: Annotated[int, Doc("Uploads that it allows in a day (UTC).")]
    made: Annotated[str, Doc("When it was made, in UTC.")]
    revoked: Annotated[str | None, Doc("When it was revoked; null if it is valid.")]
    uploads: Annotated[int, Doc("All its uploads.")]
    today: Annotated[int, Doc("Its uploads of today.")]


def token(
    name: Named,
    ledger: LedgerFile = LEDGER,
    per_day: Annotated[int, typer.Option(min=1, max=1000, help="Uploads that it allows in a day (UTC).")] = 3,
) -> None:
    """Make a token, with which NAME may upload strategies.

    It is printed once. The ledger keeps a hash of it, and is made if it is not there.
    """
    with wordpl.Queue(ledger) as queue:
        typer.echo(queue.tokens.make(name, per_day))
    NOTES.info("this is %s's token for %s; it is not shown again", name, ledger)


def tokens(ledger: LedgerFile = LEDGER, json: opt.Json = False) -> None:
    """List the tokens, with how many uploads each has made."""
    with wordpl.Queue(ledger, must_exist=True) as queue:
        rows = queue.tokens.all()
    if json:
        print_json([{k: v for k, v in dataclasses.asdict(row).items() if k != "key"} for row in rows])
        return
    cells = [
        [row.name, row.made[:10], str(row.uploads), f"{row.today} of {row.per_day}", (row.revoked or "")[:10]]
        for row in rows
    ]
    print_table(f"Tokens of {ledger}", ["name", "made", "uploads", "today", "revoked"], cells)


def revoke(name: Named, ledger: LedgerFile = LEDGER) -> None:
    """Revoke a token.

    What it has waiting is refused; what is being scored goes on.
    """
    with wordpl.Queue(ledger, must_exist=True) as queue:
        queue.tokens.revoke(name)
    NOTES.info("the token of %s is revoked", name)


def uploads(
    ledger: LedgerFile = LEDGER,
    count: Annotated[int, typer.Option("--count", "-k", min=1, max=10_000, help="How many to show.")] = 50,
    json: opt.Json = False,
) -> None:
    """List what was uploaded, newest first."""
    with wordpl.Queue(ledger, must_exist=True) as queue:
        items = queue.items(most=count)
    if json:
        records = map(dataclasses.asdict, items)
        print_json([{k: v for k, v in record.items() if k not in ("key", "token")} for record in records])
        return
    rows = [
        [item.id, item.name, item.file, item.state, str(item.games), item.entry or "", item.reason] for item in items
    ]
    print_table(f"Uploads to {ledger}", ["id", "name", "file", "state", "games", "entry", "remark"], rows)


def fetch(
    upload: Annotated[str, typer.Argument(help="The id of an upload, as wordpl serve uploads shows it.")],
    out: Annotated[Path, opt.out("The file to write: a .py or .zip.", UPLOAD)],
    ledger: LedgerFile = LEDGER,
) -> None:
    """Write an upload to a file, as to replay its games with audit.

    It is a stranger's code: read it, or run it in the sandbox. What was refused is not kept.
    """
    with wordpl.Queue(ledger, must_exist=True) as queue:
        source = queue.upload(queue.item(upload))
    with wordpl.whole_file(out, must_be_new=True) as beside:
        beside.write_bytes(source.content)
    NOTES.info("%s is written to %s: %d bytes, uploaded as %s", upload, out, len(source.content), source.file)
