"""The application: routes, limits and files put together."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from threading import Thread
from typing import Any

import plotly
from fastapi import APIRouter, FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

import wordpl
from wordpl.model.clues import clue_matrix
from wordpl.model.words import load_words
from wordpl.play.setting import Setting
from wordpl.simulation.warmup import prepare
from wordpl.web import problems
from wordpl.web.api import (
    analyze,
    channel,
    coach,
    contest,
    distributions,
    frontier,
    matrix,
    play,
    results,
    uploads,
    words,
)
from wordpl.web.guard import Guard
from wordpl.web.pool import Pool
from wordpl.web.server import Server
from wordpl.web.settings import MAX_BODY, Settings
from wordpl.web.uploads import Uploads

LOG = logging.getLogger("wordpl.web")
TABS = ("play", "coach", "explore", "analyze", "results", "contest")
"""The tabs, by their path."""
ROUTERS = tuple(
    module.router
    for module in (
        *(analyze, channel, coach, contest, distributions, frontier),
        *(matrix, play, results, uploads, words),
    )
)

ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": problems.Problem, "description": "What is wrong with the request"},
    "503": {"model": problems.Problem, "description": "Busy; the header Retry-After says when to ask again"},
}

_GAMES = (("original", "letterwise"), ("nyt2023", "counted"))
"""What is played most: WORDPL and ordinary Wordle, each with the list and the rule it has by default."""
_STATIC = Path(__file__).with_name("static")
_PLOTLY = Path(plotly.__file__).with_name("package_data") / "plotly.min.js"


class Application(FastAPI):
    """The application, with its guard around all of it: what answers a body that is too long, and a defect, too."""

    def build_middleware_stack(self) -> ASGIApp:
        """Return what answers requests. Starlette calls it once."""
        guard: Guard = self.state.guard
        guard.app = super().build_middleware_stack()
        return guard

    def openapi(self) -> dict[str, Any]:
        """Return the description of the API. An error is JSON, whatever the type of the answer would have been."""
        found = super().openapi()
        for methods in found["paths"].values():
            for operation in methods.values():
                for status in ERRORS:
                    error = operation["responses"][status]
                    error["content"] = {"application/json": next(iter(error["content"].values()))}
        return found


def make_app(settings: Settings) -> Application:
    """Return the application of one server."""
    server = Server(settings, Pool(settings.threads, settings.waiting), Pool(1, 1), Uploads(settings))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # FastAPI makes its routes when they are first asked for, and turns warnings off meanwhile. Two threads must not
        # do that at once, and the one that loads compiled code does it, too.
        app.openapi()
        Thread(target=warm, name="warm-up", daemon=True).start()  # a daemon does not keep the server from ending
        server.uploads.start()
        try:
            yield
        finally:
            server.pool.close()
            server.slow.close()
            await asyncio.gather(asyncio.to_thread(server.audits.close), server.uploads.stop())

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
    )
    app.state.server = server
    problems.install(app)
    app.state.guard = Guard(settings.hosts)
    for router in ROUTERS:
        app.include_router(router)
    app.include_router(_pages())
    app.mount("/static", _Files(directory=_STATIC))
    return app


def warm() -> None:
    """Load compiled code and tables while the server already answers, so that the first request need not wait."""
    try:
        for name, rule in _GAMES:
            clue_matrix(load_words(name), rule)
        for noiseless in (False, True):
            prepare(Setting(load_words(), noiseless=noiseless))
    except Exception:
        LOG.warning("the compiled code could not be loaded ahead of the first request", exc_info=True)


def _pages() -> APIRouter:
    pages = APIRouter(include_in_schema=False)

    def page() -> FileResponse:
        return FileResponse(_STATIC / "index.html", headers={"Cache-Control": "no-cache"})

    for path in ("/", *(f"/{tab}" for tab in TABS), "/explore/{rest:path}", "/contest/{rest:path}"):
        pages.add_api_route(path, page, methods=["GET", "HEAD"])

    @pages.get(f"/static/plotly-{plotly.__version__}.min.js")
    def plotly_script() -> FileResponse:
        return FileResponse(_PLOTLY, headers={"Cache-Control": "public, max-age=31536000, immutable"})

    @pages.get("/api/health")
    async def health() -> dict[str, Any]:
        return {"version": wordpl.__version__, "plotly": plotly.__version__}

    return pages


class _Files(StaticFiles):
    """Our own files. A browser asks each time whether one has changed."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = "no-cache"
        return response
