"""A server from its start to its end."""

from __future__ import annotations

import signal
import socket

import uvicorn

from wordpl.web.app import make_app
from wordpl.web.settings import Settings

_MOST_CONNECTIONS = 512
_SECONDS_TO_FINISH = 5


def run(settings: Settings, listening: socket.socket) -> None:
    """Serve on a socket until SIGTERM or Ctrl-C; requests that are being answered have some seconds to finish."""
    config = uvicorn.Config(
        make_app(settings),
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="on",
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_SECONDS_TO_FINISH,
    )
    for ending in (signal.SIGINT, signal.SIGTERM):
        # uvicorn ends well at both, and then sends itself the same signal, which has nothing more to end.
        signal.signal(ending, lambda *_: None)
    uvicorn.Server(config).run(sockets=[listening])
