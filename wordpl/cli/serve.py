"""`wordpl serve`: the page."""

from __future__ import annotations

import errno
import os
import socket
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli import options as opt
from wordpl.cli.logs import tell
from wordpl.web.settings import UPLOAD_GAME_SECONDS, UPLOAD_HOURS

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at that stand for all addresses, and one of these."""


def serve(
    *,
    host: Annotated[str, Option(help="Listen at this address, or at all with 0.0.0.0.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Listen at this port; 0 takes any free port.")] = 8000,
    results: Annotated[list[Path] | None, Option(help="Show this results file, even before a sweep makes it.")] = None,
    ledger: Annotated[Path | None, Option(help="Show the contest of this ledger.")] = None,
    accept: Annotated[bool, Option("--accept", help="Accept uploads of strategies into the ledger.")] = False,
    workers: Annotated[int, Option(min=1, max=64, help="Score uploads in N processes, at most one per core.")] = 1,
    upload_hours: Annotated[
        float, Option(help="Stop an upload after X hours of real time, and resume it once.", parser=opt.POSITIVE)
    ] = UPLOAD_HOURS,
    upload_game_seconds: Annotated[
        float, Option(help="Stop a game of an upload after X seconds of real time.", parser=opt.POSITIVE)
    ] = UPLOAD_GAME_SECONDS,
    allow_host: Annotated[list[str] | None, Option(help="Also answer browsers that use this name or address.")] = None,
    open_page: Annotated[bool, Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the page in a browser: play, coach, explore, contest.

    Only this machine can reach the page, unless you give --host. Ctrl-C stops it.
    """
    if accept and ledger is None:
        raise WordplError("--accept needs a ledger for the uploads; name it with --ledger FILE")
    if ledger is not None and not accept and not ledger.is_file():
        raise WordplError(f"there is no ledger {ledger}; wordpl contest submit makes one, and so does --accept")
    listening = _listen(host, port)
    here = _WILDCARDS.get(host, host)
    here = f"[{here}]" if ":" in here else here
    address = f"http://{here}:{listening.getsockname()[1]}/"
    elsewhere = " and at every address of this machine" if host in _WILDCARDS else ""

    def ready() -> None:
        tell(f"the page is at {address}{elsewhere} (Ctrl-C stops it)")
        for path in results or []:
            if not path.exists():
                tell(f"there is no results file {path} yet; the page shows it once a sweep has made it")
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
        raise WordplError(f"{host!r} is not an address of this machine; 127.0.0.1 and 0.0.0.0 are common") from None
    try:
        return socket.create_server(address, family=family, backlog=128, dualstack_ipv6=family == socket.AF_INET6)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            raise WordplError(f"port {port} is taken; choose another with --port N, or let --port 0 find one") from None
        raise WordplError(f"cannot listen at {host}, port {port}: {os.strerror(error.errno or 0)}") from None
