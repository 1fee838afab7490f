"""`wordpl serve`: the page."""

from __future__ import annotations

import errno
import socket
from pathlib import Path
from typing import Annotated

import typer

import wordpl
from wordpl.cli.commands import Group, add, flat, make_app
from wordpl.cli.logs import tell
from wordpl.cli.options import number_of_jobs
from wordpl.cli.serve_tokens import fetch, revoke, token, tokens, uploads
from wordpl.errors import WordplError
from wordpl.web.settings import UPLOAD_GAME_SECONDS, UPLOAD_HOURS

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at that stand for all addresses, and one of these."""


def serve(
    ctx: typer.Context,
    *,
    host: Annotated[
        str, typer.Option(help="Address to listen at; 0.0.0.0 for all of this machine.", metavar="ADDRESS")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 for any free one.")] = 8000,
    results: Annotated[
        list[Path] | None, typer.Option(help="A results file to show; repeatable.", metavar="FILE")
    ] = None,
    ledger: Annotated[Path | None, typer.Option(help="The ledger of the contest to show.")] = None,
    accept: Annotated[bool, typer.Option("--accept", help="Take submissions into the ledger.")] = False,
    workers: Annotated[int, typer.Option(min=1, max=64, help="Processes that score, at most one a core.")] = 1,
    upload_hours: Annotated[
        float,
        typer.Option(
            help="Wall clock in which an upload is scored; it is resumed once, after what waits.", metavar="HOURS"
        ),
    ] = UPLOAD_HOURS,
    upload_game_seconds: Annotated[
        float, typer.Option(help="Wall clock of each game of an upload.", metavar="SECONDS")
    ] = UPLOAD_GAME_SECONDS,
    allow_host: Annotated[
        list[str] | None, typer.Option(help="A name under which browsers reach the server; repeatable.", metavar="NAME")
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
    for path in results or []:
        if not path.is_file():
            raise WordplError(f"there is no results file {path}")
    if ledger is not None and not accept and not ledger.is_file():
        raise WordplError(f"there is no ledger {ledger}; submit makes one, and --accept does, too")
    listening = _listen(host, port)
    here = _WILDCARDS.get(host, host)
    address = f"http://{f'[{here}]' if ':' in here else here}:{listening.getsockname()[1]}/"
    elsewhere = " and at every address of this machine" if host in _WILDCARDS else ""

    def ready() -> None:
        tell(f"the page is at {address}{elsewhere} (Ctrl-C ends it)")
        if open_page:
            typer.launch(address)

    wordpl.serve(
        listening,
        results=results or [],
        ledger=ledger,
        accept=accept,
        workers=number_of_jobs(workers),
        upload_hours=upload_hours,
        upload_game_seconds=upload_game_seconds,
        hosts=allow_host or [],
        ready=ready,
    )


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is known before anything starts."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
    except (socket.gaierror, UnicodeError):
        raise WordplError(f"{host!r} is not an address of this machine; 127.0.0.1 or 0.0.0.0 is common") from None
    listening = socket.socket(family, kind, protocol)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(128)
    except OSError as error:
        listening.close()
        if error.errno == errno.EADDRINUSE:
            raise WordplError(f"port {port} is taken; name another one with --port N, or --port 0 for any") from None
        raise WordplError(f"cannot listen at {host}, port {port}: {error.strerror}") from None
    return listening


app = make_app("serve", serve.__doc__ or "")
app.callback(cls=Group)(flat(serve))
for command in (token, tokens, revoke, uploads, fetch):
    add(app, command, command.__name__)
