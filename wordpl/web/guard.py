"""Which requests are answered, and what a browser may do with the answers.

A page of another site can make a browser send requests here (CSRF). These are refused by their Origin and
Sec-Fetch-Site headers. Starlette's `TrustedHostMiddleware` refuses names that another site points here (DNS rebinding).
"""

from __future__ import annotations

import asyncio
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import MAX_BODY_SIZE_SCOPE_KEY
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordpl.web.problems import problem
from wordpl.web.settings import BODY_SECONDS, MAX_BODY

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
    """The outermost ASGI application: refuses requests of other sites, bounds the time of a body, and adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        answer = _Answer(scope, send)
        try:
            app = self.app if _is_own(scope) else problem(403, "Requests from another site are refused.")
            await app(scope, _Body(receive), answer)
        except asyncio.CancelledError:  # the server ends; nothing else cancels a request
            with suppress(RuntimeError):  # it has begun to answer
                await problem(503, "The server is ending.", headers={"Retry-After": "5"})(scope, receive, answer)


def _is_own(scope: Scope) -> bool:
    """Whether a request comes from the page itself, from no page at all, or by a link of another site."""
    headers = Headers(scope=scope)
    # The scheme may differ: a proxy in front may speak TLS.
    own = [f"{scheme}://{headers.get('host', '').lower()}" for scheme in ("http", "https")]
    if any(origin.lower() not in own for origin in headers.getlist("origin")):
        return False
    link = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in ("GET", "HEAD")
    return link or headers.get("sec-fetch-site", "none") in ("none", "same-origin")


class _Body:
    """Where a request comes from: its body has `BODY_SECONDS` from the moment at which it is first asked for."""

    def __init__(self, receive: Receive) -> None:
        self._receive = receive
        self._deadline: float | None = None
        self._complete = False

    async def __call__(self) -> Message:
        if self._complete:  # to learn that the client has gone
            return await self._receive()
        self._deadline = self._deadline or asyncio.get_running_loop().time() + BODY_SECONDS
        try:
            async with asyncio.timeout_at(self._deadline):
                message = await self._receive()
        except TimeoutError:
            late = f"The body took too long; it has to come within {BODY_SECONDS:g} seconds"
            raise HTTPException(408, late, {"Connection": "close"}) from None
        self._complete = not message.get("more_body", False)
        return message


class _Answer:
    """Where an answer goes: adds the headers, and says the bound to a body that is too long."""

    def __init__(self, scope: Scope, send: Send) -> None:
        self._scope, self._send = scope, send
        self._body: bytes | None = None
        """Instead of the one that is sent."""

    async def __call__(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            if message["status"] == 413:  # in Starlette's own words, which do not say the bound
                most = self._scope.get(MAX_BODY_SIZE_SCOPE_KEY, MAX_BODY)
                told = problem(413, f"The body is too long; at most {most} bytes are read.")
                message["headers"], self._body = told.raw_headers, bytes(told.body)
            headers = MutableHeaders(scope=message)
            # A browser asks each time whether one of our own files has changed.
            headers.setdefault("Cache-Control", "no-store" if self._scope["path"].startswith("/api/") else "no-cache")
            headers.update(HEADERS)
        elif self._body is not None and message["type"] == "http.response.body":
            message["body"] = self._body
        await self._send(message)
