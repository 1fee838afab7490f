"""A server from its start to its end."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.base.errors import MissingExtraError, WordplError, one_line
from wordpl.base.files import StrPath
from wordpl.base.stopping import ENDINGS
from wordpl.web.settings import MAX_CONNECTIONS, MAX_HEAD, Settings

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

_SECONDS_TO_FINISH = 5


def make_page(
    *,
    results: Iterable[StrPath] = (),
    ledger: StrPath | None = None,
    how_to_submit: str = "",
    hosts: Iterable[str] = (),
) -> ASGIApp:
    """Return the page as an ASGI application, for an ASGI server of one's own.

    `results` are results files to show, `ledger` is the contest's to show, and `how_to_submit` is what its organiser
    says of handing in a strategy. `hosts` are the names and addresses, beside localhost, 127.0.0.1 and [::1], under
    which browsers reach the page; `*.example.org` stands for all names that end so. The application has to be at the
    root of its host, in one process, with the lifespan protocol on. Raises `MissingExtraError` without the extra
    `web`, and `WordplError` for a host with another `*`.
    """
    try:
        from wordpl.web.app import make_app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("fastapi", "starlette", "pydantic"):
            raise
        raise MissingExtraError("the page needs", "web") from None
    names = frozenset(hosts)
    if odd := [name for name in names if "*" in name.removeprefix("*.")]:
        raise WordplError(f"host {one_line(odd[0], 100)!r} has a * that is not at its start, as in *.example.org")
    files, book = tuple(map(Path, results)), None if ledger is None else Path(ledger)
    return make_app(Settings(files, book, how_to_submit, names))


def serve(listening: socket.socket, page: ASGIApp, ready: Callable[[], object] = lambda: None) -> None:
    """Serve `page`, made by `make_page`, on the socket `listening` until SIGTERM, SIGHUP or Ctrl-C; call it in the main
    thread.

    `ready` is called once it answers. At the end, requests that are being answered have five seconds. Raises
    `MissingExtraError` without the extra `web`.
    """
    try:
        import uvicorn
    except ModuleNotFoundError:
        raise MissingExtraError("the page needs", "web") from None

    class SignalledServer(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            # uvicorn's own would end without the application's end at a second Ctrl-C, with a traceback.
            self.should_exit = True

    config = uvicorn.Config(
        page,
        http="h11",
        h11_max_incomplete_event_size=MAX_HEAD,
        limit_concurrency=MAX_CONNECTIONS,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    server = SignalledServer(config)
    for ending in ENDINGS:
        # For SIGHUP, and for those that come when the server has ended and has taken its own handlers away.
        if signal.getsignal(ending) is not signal.SIG_IGN:
            signal.signal(ending, server.handle_exit)
    if listening.family != socket.AF_UNIX:
        # asyncio does so only where the protocol of the socket is not 0. Else a reply in two parts waits 40 ms.
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    server.run(sockets=[listening])
