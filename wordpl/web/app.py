"""The application: routes, limits and files put together."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import resources
from pathlib import Path
from typing import Any

import plotly
from fastapi import APIRouter, FastAPI
from fastapi.routing import APIRoute
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import ASGIApp, Scope

import wordpl
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
from wordpl.web.warm import start_warming

TABS = ("play", "coach", "explore", "analyze", "results", "contest")
"""The tabs, by their path."""
ROUTERS: tuple[APIRouter, ...] = (
    analyze.router,
    channel.router,
    coach.router,
    contest.router,
    distributions.router,
    frontier.router,
    matrix.router,
    play.router,
    results.router,
    uploads.router,
    words.router,
)

ERRORS: dict[int | str, dict[str, Any]] = {
    "4XX": {"model": problems.Problem, "description": "What is wrong with the request"},
    "503": {"model": problems.Problem, "description": "Busy; the header Retry-After says when to ask again"},
}

_STATIC = Path(str(resources.files("wordpl.web") / "static"))
_PLOTLY = Path(str(resources.files("plotly") / "package_data" / "plotly.min.js"))


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
    server = Server(settings, Pool(settings.threads, settings.waiting), Uploads(settings))

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        # FastAPI makes its routes when they are first asked for, and turns warnings off meanwhile. Two threads must not
        # do that at once, and the one that loads compiled code does it, too.
        app.openapi()
        start_warming()
        server.uploads.start()
        try:
            yield
        finally:
            server.pool.close()
            await asyncio.gather(asyncio.to_thread(server.contest.close), server.uploads.stop())

    app = Application(
        title="wordpl",
        version=wordpl.__version__,
        summary="Wordle under differential privacy: play, get help, explore, analyse, and compete.",
        lifespan=lifespan,
        openapi_url="/api/openapi.json",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=_operation,
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


def _operation(route: APIRoute) -> str:
    return route.name


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
