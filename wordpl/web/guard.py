"""Who may ask, and what a browser may do with what it gets.

A page of another site can make a browser send requests here, under this server's name (CSRF) or under a name of its own
that it points at this address (DNS rebinding). Both are refused: by the Origin and Sec-Fetch-Site headers, and by the
Host header. An address of plain numbers cannot be rebound, so it is always allowed.
"""

from __future__ import annotations

import asyncio
import ipaddress
import logging
import re
from collections.abc import Iterable
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.middleware.body_limit import MAX_BODY_SIZE_SCOPE_KEY
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordpl.web.problems import problem
from wordpl.web.settings import MAX_BODY, MAX_TARGET

LOG = logging.getLogger("wordpl.web")
_HOST = re.compile(r"(\[(?P<ip6>[^]%]*:[^]%]*)\]|(?P<name>[^[:]*))(:[0-9]+)?")

POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    " script-src 'self'; style-src 'self'; img-src 'self' data: blob:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'"
)
"""The content security policy: nothing from another host, no script that stands in a page."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """The outermost ASGI application: refuses foreign requests, and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str]) -> None:
        self.app = app
        self._hosts = {"localhost"} | {host.lower().rstrip(".") for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self.app(scope, receive, send)
        elif scope["type"] == "http":
            await self._answer(scope, receive, _Answer(scope, send))
        else:
            await send({"type": "websocket.close"})

    async def _answer(self, scope: Scope, receive: Receive, answer: _Answer) -> None:
        try:
            await (self._refusal(scope) or self.app)(scope, receive, answer)
        except asyncio.CancelledError:  # nothing else cancels a request
            await answer.close(problem(503, "The server is ending.", headers={"Retry-After": "5"}), receive)
        except Exception as error:
            LOG.error("a defect of wordpl, at %s %.200s", scope["method"], scope["path"], exc_info=error)
            await answer.close(problem(500, "The server has failed at this; the fault is not yours."), receive)

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._known(host_of(hosts[0])):
            name = "This server does not answer under that name; start it with --allow-host NAME if it should."
            return problem(421, name)
        # The scheme may differ: a proxy in front may speak TLS.
        own_origins = [f"{scheme}://{hosts[0].strip().lower()}" for scheme in ("http", "https")]
        same_origin = len(origins) < 2 and all(origin.strip().lower() in own_origins for origin in origins)
        # A link from another site to a page may be followed.
        link = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in ("GET", "HEAD")
        if not same_origin or not (link or headers.get("sec-fetch-site", "none") in ("none", "same-origin")):
            return problem(403, "Requests from another site are refused.")
        target = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
        if target > MAX_TARGET:
            return problem(414, f"The address is too long; at most {MAX_TARGET} bytes are read.")
        if "transfer-encoding" in headers and "content-length" in headers:
            # A proxy in front may go by the other one, and see other requests than this server.
            message = "The length of the body is told in two ways; leave Content-Length or Transfer-Encoding out."
            return problem(400, message, headers={"Connection": "close"})
        if headers.get("content-encoding", "identity").strip().lower() != "identity":
            return problem(415, "Compressed bodies are not read; send it as it is.")
        return None

    def _known(self, host: str | None) -> bool:
        with suppress(ValueError):
            return host is not None and (host in self._hosts or bool(ipaddress.ip_address(host)))
        return False


class _Answer:
    """Where an answer goes: adds the headers, and knows how far it is."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send = scope, send
        self._too_long: Response | None = None
        self._started = self._complete = False

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == 413:  # in Starlette's own words, which do not say the bound
                most = self._scope.get(MAX_BODY_SIZE_SCOPE_KEY, MAX_BODY)
                self._too_long = problem(413, f"The body is too long; at most {most} bytes are read.")
                message["headers"] = self._too_long.raw_headers
            self._started = True
            headers = MutableHeaders(scope=message)
            # Of our own files, a browser asks each time whether one has changed.
            headers.setdefault("Cache-Control", "no-store" if self._scope["path"].startswith("/api/") else "no-cache")
            headers.update(HEADERS)
        elif message["type"] == "http.response.body":
            self._complete = not message.get("more_body", False)
            if self._too_long is not None:
                message["body"] = self._too_long.body
        await self._send(message)

    async def close(self, otherwise: Response, receive: Receive) -> None:
        """End the answer where it is, or answer `otherwise` if it has not begun."""
        if not self._started:
            await otherwise(self._scope, receive, self)
        elif not self._complete:
            # One that was to be longer cannot be ended well: then the connection is closed.
            with suppress(Exception):
                await self({"type": "http.response.body", "body": b"", "more_body": False})


def host_of(header: str) -> str | None:
    """Return the host of a Host header, without its port; None if it is not well formed."""
    match = _HOST.fullmatch(header.strip().lower())
    return match and ((match["ip6"] or match["name"]).removesuffix(".") or None)
