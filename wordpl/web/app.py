"""The application: routes, limits and files put together."""

from __future__ import annotations

import gc
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from pkgutil import iter_modules
from threading import Thread
from typing import Any
from urllib.parse import unquote

from anyio import to_thread
from fastapi import APIRouter, FastAPI, Request
from starlette.middleware.gzip import GZipMiddleware
from starlette.middleware.trustedhost import TrustedHostMiddleware
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp

import wordpl
from wordpl.model.clues import clue_matrix
from wordpl.model.posterior import Posterior
from wordpl.model.words import load_words
from wordpl.scoring.warmup import prepare
from wordpl.web import api, problems
from wordpl.web.bundles import BUNDLE, MODULES, STATIC, STYLE, Files, bundle
from wordpl.web.games import NewGame
from wordpl.web.guard import Guard
from wordpl.web.record_holders import record_holders
from wordpl.web.result_files import ResultFiles
from wordpl.web.server import Here, Server
from wordpl.web.settings import MAX_BODY, THREADS, Settings

LOG = logging.getLogger("wordpl.web")
TABS = ("play", "coach", "explore", "analyze", "results", "contest")
ROUTERS = tuple(import_module(f"{api.__name__}.{module.name}").router for module in iter_modules(api.__path__))
"""Routers of all files of the package `api`."""

ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": problems.Problem, "description": "What is wrong with the request"},
}

_PICTURES = ("channel", "frontier", "clues", "matrix")
"""The views of the tab Explore, the first of which it shows where the address names none."""
_FIRST_CALLS = {
    "play": "/api/play/records",
    "results": "/api/results",
    "explore/channel": "/api/channel/capacity?length=5&channel=randomized_response",
    "explore/frontier": "/api/frontier",
    "contest": "/api/frontier",
}
"""First calls of views as they open. A browser makes them while the script comes."""


class Application(FastAPI):
    """The application, with its guard around all of it: what answers a body that is too long, and a defect, too."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return what answers requests. Starlette calls it once."""
        hosts = ["localhost", "127.0.0.1", "[::1]", *self.state.server.settings.hosts]
        compressed = GZipMiddleware(super().build_middleware_stack(), compresslevel=6)
        return Guard(TrustedHostMiddleware(compressed, hosts, www_redirect=False))

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API. An error is JSON, whatever the type of the answer would have been."""
        description = super().openapi()
        for operation in (operation for path in description["paths"].values() for operation in path.values()):
            for status in ERRORS:
                error = operation["responses"][status]
                error["content"] = {"application/json": next(iter(error["content"].values()))}
        return description


def make_app(settings: Settings) -> Application:
    server = Server(settings, ResultFiles(settings.results))

    def begin() -> None:
        warm()
        server.compiled = True

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # FastAPI makes its routes when they are first asked for, and turns warnings off meanwhile. Two threads must not
        # do that at once, and the one that loads compiled code does it, too.
        app.openapi()
        prepare_first_requests()
        to_thread.current_default_thread_limiter().total_tokens = THREADS
        Thread(target=begin, name="warm-up", daemon=True).start()  # a daemon does not keep the server from ending
        yield

    app = Application(
        title="wordpl",
        version=wordpl.__version__,
        summary="Wordle under differential privacy: play, get help, explore, analyze, and compete.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        max_body_size=MAX_BODY,
        responses=ERRORS,
        exception_handlers={**problems.HANDLERS, 404: _nothing},
    )
    app.state.server = server
    for router in ROUTERS:
        app.include_router(router)
    app.include_router(_pages())
    app.mount("/static", Files(directory=STATIC))
    return app


def prepare_first_requests() -> None:
    """Make what the first visitors wait for: the scripts of all views, and the clues of WORDPL."""
    for tab in ("", *TABS):
        for view in _PICTURES if tab == "explore" else ("",):
            bundle(_modules(tab, view))
    clue_matrix(load_words())


def warm() -> None:
    """Compile kernels, or load them, and load tables while the server already answers."""
    try:
        record_holders()
        clue_matrix(load_words("nyt2023"), "counted")  # of ordinary Wordle
        for noiseless in (False, True):
            prepare(Posterior(load_words()), noiseless)
    except Exception:
        LOG.warning("the compiled code could not be loaded ahead of the first request", exc_info=True)
    gc.freeze()  # else the collector looks through all of numba now and then, while everybody waits


def _pages() -> APIRouter:
    pages = APIRouter(include_in_schema=False)

    for path in ("/", *(f"/{tab}{rest}" for tab in TABS for rest in ("", "/{rest:path}"))):
        pages.add_api_route(path, _page, methods=["GET", "HEAD"])

    @pages.get("/api/health")
    async def health(here: Here) -> dict[str, str | bool]:
        return {"version": wordpl.__version__, "compiled": here.compiled}

    return pages


def _first(tab: str, view: str) -> str:
    """The view that a tab shows first."""
    return f"explore/{view or _PICTURES[0]}" if tab == "explore" else tab


def _modules(tab: str, view: str) -> str:
    """The modules of a view, by which its script is named."""
    modules = [f"tabs/{tab or 'start'}.js", f"{_first(tab, view)}.js"]
    return "+".join([*(module for module in modules if module in MODULES), "main.js"])


async def _page(request: Request) -> HTMLResponse:
    """The page. Its script has all modules that its address needs, so that a browser asks for one."""
    _, tab, *rest = map(unquote, request.scope["raw_path"].decode().split("/"))
    view = "/".join(part for part in rest if part)
    script = f"/static/{BUNDLE}{_modules(tab, view)}"
    html = (STATIC / "index.html").read_text("utf-8").replace("/static/main.js", script)
    html = html.replace('<link rel="stylesheet" href="/static/style.css">', f"<style>{STYLE}</style>")
    call = _FIRST_CALLS.get(_first(tab, view))
    if call and not request.url.query:
        html = html.replace("</head>", f'<link rel="preload" as="fetch" href="{call}" crossorigin>\n</head>')
    if tab == "play" and not view and not request.url.query:  # a new game, for which no browser has to ask
        game = request.app.state.server.games.start(NewGame()).out().model_dump_json()
        html = html.replace("</head>", f'<script type="application/json" id="game">{game}</script>\n</head>')
    there = tab in ("", *TABS) and (not view or (tab == "explore" and view in _PICTURES))
    return HTMLResponse(html, 200 if there else 404)


async def _nothing(request: Request, error: Exception) -> Response:
    """The answer at an unknown address: the page says it to people, and the API to programs."""
    if request.url.path.startswith(("/api/", "/static/")):
        return await problems.refused(request, error)
    return await _page(request)
