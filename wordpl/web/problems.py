"""What goes wrong, as JSON: `{"error": {"message": ..., "field": ...}}`.

The message is a sentence for the person who typed the field; the field is null where there is none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from wordpl.errors import WordplError
from wordpl.web.pool import BusyError

LOG = logging.getLogger("wordpl.web")


class Detail(BaseModel):
    """One mistake."""

    message: str
    field: str | None = None


class Problem(BaseModel):
    """The body of every answer whose status is 400 or above."""

    error: Detail


class FieldError(WordplError):
    """A mistake in one field of a request."""

    def __init__(self, message: str, field: str | None = None, status: int = 422) -> None:
        super().__init__(message)
        self.field, self.status = field, status


@contextmanager
def in_field(name: str) -> Iterator[None]:
    """Say of a mistake found in the block which field it is in."""
    try:
        yield
    except FieldError:
        raise
    except WordplError as error:
        raise FieldError(str(error), name) from None


def problem(status: int, message: str, field: str | None = None, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the answer that says what is wrong."""
    body = Problem(error=Detail(message=message, field=field))
    return JSONResponse(body.model_dump(), status, {"Cache-Control": "no-store"} | (headers or {}))


def install(app: FastAPI) -> None:
    """Answer every error of `app` in the one form."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(WordplError, _mistake)
    app.add_exception_handler(BusyError, _busy)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _defect)


async def _invalid(request: Request, error: Any) -> JSONResponse:
    first = error.errors()[0]
    where = [str(part) for part in first["loc"] if part not in ("body", "query", "path", "header")]
    return problem(422, str(first["msg"]), ".".join(where) or None)


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FieldError):
        return problem(error.status, str(error), error.field)
    return problem(422, str(error))


async def _busy(request: Request, error: Exception) -> JSONResponse:
    seconds = str(BusyError.retry_after)
    return problem(503, "The server is busy; try again in a moment.", headers={"Retry-After": seconds})


async def _refused(request: Request, error: Any) -> JSONResponse:
    return problem(error.status_code, str(error.detail), headers=dict(error.headers or {}))


async def _defect(request: Request, error: Exception) -> JSONResponse:
    LOG.error("a defect of wordpl, at %s %s", request.method, request.url.path, exc_info=error)
    return problem(500, "The server has failed at this; the fault is not yours.")
