"""Which requests are answered, and what a browser may do with the answers.

A page of another site can make a browser send requests here (CSRF). These are refused by their Origin and
Sec-Fetch-Site headers. Starlette's `TrustedHostMiddleware` refuses names that another site points here (DNS rebinding).
"""

from __future__ import annotations

import asyncio
import hashlib
from base64 import b64encode
from contextlib import suppress

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from wordpl.web.bundles import STYLE
from wordpl.web.problems import problem
from wordpl.web.settings import MAX_BODY

_STYLE = b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
POLICY = (
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none';"
    f" script-src 'self'; style-src 'sha256-{_STYLE}'; img-src 'self' data: blob:;"
    " connect-src 'self'; font-src 'self'; manifest-src 'self'"
)
"""The content security policy: nothing from another host, no script that stands in a page, and no style but ours."""

HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
}


class Guard:
    """The outermost ASGI application: refuses other sites and bodies that are too long, and adds headers."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                # A browser asks each time whether one of our own files has changed.
                headers.setdefault("Cache-Control", "no-store" if scope["path"].startswith("/api/") else "no-cache")
                headers.update(HEADERS)
            await send(message)

        try:
            await (_refusal(scope) or self.app)(scope, receive, answer)
        except asyncio.CancelledError:  # the server ends; nothing else cancels a request
            with suppress(RuntimeError):  # it has begun to answer
                await problem(503, "The server is ending.")(scope, receive, answer)


def _refusal(scope: Scope) -> ASGIApp | None:
    headers = Headers(scope=scope)
    if not _is_own(scope, headers):
        return problem(403, "Requests from another site are refused.")
    # Starlette stops reading a body that does not say how long it is.
    if int(headers.get("content-length", "0")) > MAX_BODY:
        return problem(413, f"The body is too long; at most {MAX_BODY:,} bytes are read.")
    return None


def _is_own(scope: Scope, headers: Headers) -> bool:
    """True if a request comes from the page itself, from no page at all, or by a link of another site."""
    # The scheme may differ: a proxy in front may speak TLS.
    own = [f"{scheme}://{headers.get('host', '').lower()}" for scheme in ("http", "https")]
    if any(origin.lower() not in own for origin in headers.getlist("origin")):
        return False
    link = headers.get("sec-fetch-mode") == "navigate" and scope["method"] in ("GET", "HEAD")
    return link or headers.get("sec-fetch-site", "none") in ("none", "same-origin")
