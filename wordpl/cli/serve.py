"""`wordpl serve`: the page."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import Annotated

import typer
from typer import Option

import wordpl
from wordpl.base.errors import WordplError
from wordpl.cli.logs import tell

_WILDCARDS = {"0.0.0.0": "127.0.0.1", "::": "::1"}  # noqa: S104
"""Addresses to listen at that stand for all addresses, and one of these."""


def serve(
    *,
    host: Annotated[str, Option(help="Listen at this address, or at all with 0.0.0.0.")] = "127.0.0.1",
    port: Annotated[int, Option(min=0, max=65535, help="Listen at this port; 0 takes any free port.")] = 8000,
    results: Annotated[list[Path] | None, Option(help="Show this results file, even before a sweep makes it.")] = None,
    ledger: Annotated[Path | None, Option(help="Show the contest of this ledger.")] = None,
    how_to_submit: Annotated[str, Option(help="Tell visitors of the contest how to hand in a strategy.")] = "",
    allow_host: Annotated[list[str] | None, Option(help="Also answer browsers that use this name or address.")] = None,
    open_page: Annotated[bool, Option("--open", help="Open the page in a browser.")] = False,
) -> None:
    """Show the page in a browser: play, coach, explore, contest.

    Only this machine can reach the page, unless you give --host. Ctrl-C stops it.
    """
    if ledger is not None and not ledger.is_file():
        raise WordplError(f"there is no ledger {ledger}; wordpl contest start makes one")
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
        how_to_submit=how_to_submit,
        hosts=[here, *(allow_host or [])],
    )
    wordpl.web.serve(listening, page, ready)


def _listen(host: str, port: int) -> socket.socket:
    """A socket that listens, so that a port that is taken is known before anything starts."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
        return socket.create_server(address, family=family, backlog=128, dualstack_ipv6=family == socket.AF_INET6)
    except (OSError, UnicodeError) as error:
        why = f"{getattr(error, 'strerror', None) or error}"
        hosts = "127.0.0.1 and 0.0.0.0 are common hosts, and --port 0 takes any free port"
        raise WordplError(f"cannot listen at {host}, port {port}: {why}; {hosts}") from None
