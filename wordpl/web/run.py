"""A server from its start to its end."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wordpl.errors import MissingExtraError
from wordpl.storage.files import StrPath
from wordpl.web.settings import Settings

if TYPE_CHECKING:
    from starlette.types import ASGIApp

_SECONDS_TO_FINISH = 5


def make_page(
    *,
    results: Iterable[StrPath] = (),
    ledger: StrPath | None = None,
    accept: bool = False,
    workers: int = 1,
    hosts: Iterable[str] = (),
) -> ASGIApp:
    """Return the page as an ASGI application, for an ASGI server of one's own.

    `results` are results files to show, `ledger` is the contest's to show; with `accept` it takes submissions, which
    `workers` processes score. `hosts` are the names, beside localhost and plain addresses, under which browsers reach
    the page. The application has to be at the root of its host, in one process, with the lifespan protocol on. Raises
    `MissingExtraError` without the extra `web`.
    """
    try:
        from wordpl.web.app import make_app
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] not in ("fastapi", "plotly", "starlette", "pydantic"):
            raise
        raise _missing(error) from None
    shown = tuple(Path(path) for path in results)
    return make_app(Settings(shown, None if ledger is None else Path(ledger), accept, workers, frozenset(hosts)))


def serve(
    listening: socket.socket,
    *,
    results: Iterable[StrPath] = (),
    ledger: StrPath | None = None,
    accept: bool = False,
    workers: int = 1,
    hosts: Iterable[str] = (),
    ready: Callable[[], object] = lambda: None,
) -> None:
    """Serve the page on a socket that listens until SIGTERM or Ctrl-C; call it in the main thread.

    `ready` is called once it answers; the rest is as for `make_page`. At the end, event streams are ended at once, and
    requests that are being answered have five seconds. Raises `MissingExtraError` without the extra `web`.
    """
    page = make_page(results=results, ledger=ledger, accept=accept, workers=workers, hosts=hosts)
    try:
        import uvicorn
    except ModuleNotFoundError as error:
        raise _missing(error) from None
    from wordpl.web.connections import Connection

    class Server(uvicorn.Server):
        async def startup(self, sockets: list[socket.socket] | None = None) -> None:
            await super().startup(sockets)
            ready()

        async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
            page.state.guard.end()  # type: ignore[attr-defined]
            await super().shutdown(sockets)

    config = uvicorn.Config(
        page,
        http=Connection,
        ws="none",
        log_level="error",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    for ending in (signal.SIGINT, signal.SIGTERM):
        # uvicorn ends well at both, and then sends itself the same signal, which has nothing more to end.
        signal.signal(ending, lambda *_: None)
    Server(config).run(sockets=[listening])


def _missing(error: ModuleNotFoundError) -> MissingExtraError:
    return MissingExtraError(f"the page needs {error.name}; install it with: pip install 'wordpl[web]'")
