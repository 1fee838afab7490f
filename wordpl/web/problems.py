"""What goes wrong, as JSON: `{"error": {"message": ..., "field": ...}}`.

The message is a sentence for the person who typed the field; the field is null where there is none.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.middleware.body_limit import MAX_BODY_SIZE_SCOPE_KEY
from starlette.responses import JSONResponse

from wordpl.errors import WordplError
from wordpl.web.settings import MAX_BODY

LOG = logging.getLogger("wordpl.web")
_MOST = 1000
"""Characters of a message, which may repeat what was typed."""
_MOST_OF_FIELD = 100


class Detail(BaseModel):
    """One mistake."""

    message: str
    field: str | None = None


class Problem(BaseModel):
    """The body of every answer whose status is 400 or above."""

    error: Detail


class FieldError(WordplError):
    """A mistake in one field of a request."""

    def __init__(
        self, message: str, field: str | None = None, status: int = 422, headers: dict[str, str] | None = None
    ) -> None:
        super().__init__(message)
        self.field, self.status, self.headers = field, status, headers


class BusyError(FieldError):
    """There is more work waiting than the server takes."""

    retry_after = 1
    """Seconds after which to ask again."""

    def __init__(self) -> None:
        headers = {"Retry-After": str(self.retry_after)}
        super().__init__("The server is busy; try again in a moment.", None, 503, headers)


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
    if len(message) > _MOST:
        message = message[:_MOST] + "…"
    body = Problem(error=Detail(message=message, field=field and field[:_MOST_OF_FIELD]))
    return JSONResponse(body.model_dump(), status, {"Cache-Control": "no-store"} | (headers or {}))


def install(app: FastAPI) -> None:
    """Answer every error of `app` in the one form."""
    app.add_exception_handler(RequestValidationError, _invalid)
    app.add_exception_handler(WordplError, _mistake)
    app.add_exception_handler(HTTPException, _refused)
    app.add_exception_handler(Exception, _defect)


async def _invalid(request: Request, error: Any) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return problem(422, f"The body is not JSON: {first['ctx']['error']} at character {first['loc'][1] + 1}.")
    if isinstance(first["input"], bytes) and first["loc"] == ("body",):
        return problem(415, "The body has to be JSON; send it with Content-Type: application/json.")
    # The first part says where it is: in the body, the path, the query string or a header.
    return problem(422, sentence(first), ".".join(map(str, first["loc"][1:])) or None)


def sentence(mistake: dict[str, Any]) -> str:
    """Return what a mistake found by pydantic is, for people: what is allowed."""
    kind, bounds = mistake["type"], mistake.get("ctx", {})
    if kind in _SENTENCES:
        whole = {name: int(x) if isinstance(x, float) and x.is_integer() else x for name, x in bounds.items()}
        return _SENTENCES[kind].format(**whole)
    text = str(mistake["msg"]).removeprefix("Value error, ").replace("Input should", "This should", 1)
    return text if text.endswith(".") else f"{text}."


_NUMBER, _WHOLE, _TRUTH = "This has to be a number.", "This has to be a whole number.", "This has to be true or false."
_LIST, _OBJECT = "This has to be a list.", "This has to be a JSON object."
_SENTENCES = {
    "missing": "This is needed.",
    "extra_forbidden": "There is no field of this name.",
    "string_type": "This has to be text.",
    "string_unicode": "This has to be text of whole characters.",
    "string_too_short": "This is too short; at least {min_length} characters are needed.",
    "string_too_long": "This is too long; at most {max_length} characters are allowed.",
    "string_pattern_mismatch": "This has to match the pattern {pattern}.",
    "too_short": "There are too few; at least {min_length} are needed.",
    "too_long": "There are too many; at most {max_length} are allowed.",
    "greater_than": "This has to be more than {gt}.",
    "greater_than_equal": "This has to be at least {ge}.",
    "less_than": "This has to be less than {lt}.",
    "less_than_equal": "This has to be at most {le}.",
    "literal_error": "This has to be {expected}.",
    "enum": "This has to be {expected}.",
    "none_required": "This has to be null.",
    "finite_number": "This has to be a finite number.",
    "bytes_too_long": "This is too long; at most {max_length} bytes are allowed.",
    **dict.fromkeys(("float_type", "float_parsing"), _NUMBER),
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float", "int_parsing_size"), _WHOLE),
    **dict.fromkeys(("bool_type", "bool_parsing"), _TRUTH),
    **dict.fromkeys(("list_type", "tuple_type"), _LIST),
    **dict.fromkeys(("model_type", "model_attributes_type", "dict_type", "dataclass_type"), _OBJECT),
}


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FieldError):
        return problem(error.status, str(error), error.field, error.headers)
    return problem(422, str(error))


_REFUSALS = {
    400: "The body cannot be read as JSON: its numbers are too long, it is nested too deeply, or it is not UTF-8.",
    404: "There is nothing at this address.",
}


async def _refused(request: Request, error: Any) -> JSONResponse:
    headers = dict(error.headers or {})
    if error.status_code == 405 and "Allow" in headers:
        return problem(405, f"This address takes {headers['Allow']}.", headers=headers)
    if error.status_code == 413:
        most = request.scope.get(MAX_BODY_SIZE_SCOPE_KEY, MAX_BODY)
        return problem(413, f"The body is too long; at most {most} bytes are read.", headers=headers)
    # FastAPI and Starlette raise errors of these details; all others are sentences of ours.
    theirs = {*(status.phrase for status in HTTPStatus), "There was an error parsing the body"}
    message = _REFUSALS.get(error.status_code, f"{error.detail}.") if error.detail in theirs else str(error.detail)
    return problem(error.status_code, message, headers=headers)


async def _defect(request: Request, error: Exception) -> JSONResponse:
    LOG.error("a defect of wordpl, at %s %.200s", request.method, request.url.path, exc_info=error)
    return problem(500, "The server has failed at this; the fault is not yours.")
