"""Who may ask, and what a browser may do with what it gets.

A page of another site can make a browser send requests here, under this server's name (CSRF) or under a name of its own
that it points at this address (DNS rebinding). Both are refused: by the Origin header, and by the Host header. An
address of plain numbers cannot be rebound, so it is always allowed.
"""

from __future__ import annotations

import ipaddress
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordpl.web.problems import problem
from wordpl.web.settings import MAX_TARGET

_ALWAYS = frozenset({"localhost"})

_EMPTY_STYLE = "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='"
"""The hash of nothing: plotly adds a style element without text, and then rules to it, which a policy always allows."""

POLICY = "; ".join(
    (
        "default-src 'none'",
        "script-src 'self'",
        f"style-src 'self' {_EMPTY_STYLE}",
        "img-src 'self' data: blob:",
        "connect-src 'self'",
        "font-src 'self'",
        "manifest-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
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
    """ASGI middleware that refuses foreign requests and puts the security headers on every answer."""

    def __init__(self, app: ASGIApp, hosts: Iterable[str] = ()) -> None:
        self._app = app
        self._hosts = _ALWAYS | {host.lower().rstrip(".") for host in hosts}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers[name] = value
            await send(message)

        refusal = self._refusal(scope)
        if refusal is None:
            await self._app(scope, receive, with_headers)
        else:
            await problem(*refusal)(scope, receive, with_headers)

    def _refusal(self, scope: Scope) -> tuple[int, str] | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._known(host_of(hosts[0])):
            return 421, "This server does not answer under that name; start it with --allow-host NAME if it should."
        if origins and (len(origins) > 1 or not _same(origins[0], hosts[0])):
            return 403, "Requests from another site are refused."
        target = len(scope.get("raw_path") or b"") + len(scope.get("query_string") or b"")
        if target > MAX_TARGET:
            return 414, f"The address is too long; at most {MAX_TARGET} bytes are read."
        return None

    def _known(self, host: str | None) -> bool:
        if host is None:
            return False
        if host in self._hosts:
            return True
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return False
        return True


def host_of(header: str) -> str | None:
    """Return the host of a Host header, without its port; None if it is not well formed."""
    text = header.strip().lower()
    if text.startswith("["):
        host, bracket, rest = text[1:].partition("]")
        if not bracket or "%" in host:
            return None
    else:
        host, colon, port = text.partition(":")
        rest = colon + port
    if rest and not (rest[0] == ":" and rest[1:].isascii() and rest[1:].isdigit()):
        return None
    return host.rstrip(".") or None


def _same(origin: str, host: str) -> bool:
    # The scheme may differ: a proxy in front may speak TLS.
    scheme, separator, rest = origin.strip().lower().partition("://")
    return bool(separator) and scheme in ("http", "https") and rest == host.strip().lower()
