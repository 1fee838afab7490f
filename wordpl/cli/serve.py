"""`wordpl serve`: the page; and `token`, `tokens`, `revoke`, `uploads` and `fetch`: its uploads to the contest."""

from __future__ import annotations

import dataclasses
import errno
import os
import socket
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.commands import CommandGroup, add, flat, make_app
from wordpl.cli.contest import LEDGER, LedgerFile
from wordpl.cli.logs import NOTES, tell
from wordpl.cli.targets import UPLOAD
from wordpl.reporting.tables import print_json, print_table
from wordpl.web.settings import UPLOAD_GAME_SECONDS, UPLOAD_HOURS

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at that stand for all addresses, and one of these."""


def serve(
    ctx: typer.Context,
    *,
    host: Annotated[str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8000,
    results: Annotated[list[Path] | None, typer.Option(help="A results file to show.")] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger of the contest to show.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Take submissions into the ledger.")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that score, at most one a core.")] = 1,
    upload_hours: Annotated[
        float, typer.Option(help="Wall clock in which an upload is scored; it is resumed once.", parser=opt.POSITIVE)
    ] = UPLOAD_HOURS,
    upload_game_seconds: Annotated[
        float, typer.Option(help="Wall clock of a game of an upload.", parser=opt.POSITIVE)
    ] = UPLOAD_GAME_SECONDS,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name or address under which browsers reach it.")
    ] = None,
    open_page: Annotated[bool, typer.Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the page in a browser: play, coach, explore, contest.

    It is served to this machine alone until --host says otherwise. Ctrl-C ends it.
    """
    if ctx.invoked_subcommand is not None:
        return
    if accept and ledger is None:
        raise WordplError("--accept needs the ledger that takes the submissions; name it with --ledger FILE")
    if missing := [path for path in results or [] if not path.is_file()]:
        raise WordplError(f"there is no results file {missing[0]}")
    if ledger is not None and not accept and not ledger.is_file():
        raise WordplError(f"there is no ledger {ledger}; submit makes one, and --accept does, too")
    listening = _listen(host, port)
    here = _WILDCARDS.get(host, host)
    here = f"[{here}]" if ":" in here else here
    address = f"http://{here}:{listening.getsockname()[1]}/"
    elsewhere = " and at every address of this machine" if host in _WILDCARDS else ""

    def ready() -> None:
        tell(f"the page is at {address}{elsewhere} (Ctrl-C ends it)")
        if open_page:
            typer.launch(address)

    page = wordpl.web.make_page(
        results=results or [],
        ledger=ledger,
        accept=accept,
        workers=opt.number_of_jobs(workers),
        upload_hours=upload_hours,
        upload_game_seconds=upload_game_seconds,
        hosts=[here, *(allow_host or [])],
    )
    wordpl.web.serve(listening, page, ready)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is known before anything starts."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (socket.gaierror, UnicodeError):
        raise WordplError(f"{host!r} is not an address of this machine; 127.0.0.1 or 0.0.0.0 is common") from None
    try:
        return socket.create_server(address, family=family, backlog=128, dualstack_ipv6=family == socket.AF_INET6)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WordplError(f"port {port} is taken; name another one with --port N, or --port 0 for any") from None
        raise WordplError(f"cannot listen at {host}, port {port}: {os.strerror(error.errno or 0)}") from None


# Who may upload to the contest, and what came in

Named = Annotated[str, typer.Argument(help="Whose token: the name in the leaderboard.")]


def token(
    name: Named,
    ledger: LedgerFile = LEDGER,
    per_day: Annotated[int, typer.Option(min=1, max=1000, help="Uploads that it allows in a day (UTC).")] = 3,
) -> None:
    """Make a token, with which NAME may upload strategies.

    It is printed once. The ledger keeps a hash of it, and is made if it is not there.
    """
    with wordpl.contest.Queue(ledger) as queue:
        typer.echo(queue.tokens.make(name, per_day))
    NOTES.info("this is %s's token for %s; it is not shown again", name, ledger)


def tokens(ledger: LedgerFile = LEDGER, json: opt.Json = False) -> None:
    """List the tokens, with how many uploads each has made."""
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        rows = queue.tokens.all()
    if json:
        print_json(list(map(dataclasses.asdict, rows)))
        return
    cells = [
        [row.name, row.made[:10], str(row.uploads), f"{row.today} of {row.per_day}", (row.revoked or "")[:10]]
        for row in rows
    ]
    print_table(f"Tokens of {ledger}", ["name", "made", "uploads", "today", "revoked"], cells)


def revoke(name: Named, ledger: LedgerFile = LEDGER) -> None:
    """Revoke a token.

    Uploads still waiting are refused; one that is already being scored is finished.
    """
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        queue.tokens.revoke(name)
    NOTES.info("the token of %s is revoked", name)


def uploads(
    ledger: LedgerFile = LEDGER,
    count: Annotated[int, typer.Option("--count", "-k", min=1, max=10_000, help="How many to show.")] = 50,
    json: opt.Json = False,
) -> None:
    """List what was uploaded, newest first."""
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        items = queue.items(most=count)
    if json:
        print_json(list(map(dataclasses.asdict, items)))
        return
    rows = [[i.id, i.name, i.file, i.state, str(i.games), i.entry or "", i.reason] for i in items]
    print_table(f"Uploads to {ledger}", ["id", "name", "file", "state", "games", "entry", "remark"], rows)


def fetch(
    upload: Annotated[str, typer.Argument(help="The id of an upload, as wordpl serve uploads shows it.")],
    out: Annotated[Path, opt.out("The file to write: a .py or .zip.", UPLOAD)],
    ledger: LedgerFile = LEDGER,
) -> None:
    """Write an upload to a file, as to replay its games with audit.

    It is a stranger's code: read it, or run it in the sandbox. What was refused is not kept.
    """
    with wordpl.contest.Queue(ledger, must_exist=True) as queue:
        source = queue.upload(queue.item(upload))
    with wordpl.base.whole_file(out, must_be_new=True) as beside:
        beside.write_bytes(source.content)
    NOTES.info("%s is written to %s: %d bytes, uploaded as %s", upload, out, len(source.content), source.file)


app = make_app("serve", serve.__doc__ or "")
app.callback(cls=CommandGroup)(flat(serve))
for command in (token, tokens, revoke, uploads, fetch):
    add(app, command)
