"""Errors as JSON: `{"error": {"message": ..., "field": ...}}`.

The message is a sentence for the person who typed the field; the field is null where there is none.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse

from wordpl.base.displays import cut
from wordpl.base.errors import WordplError


class Detail(BaseModel):
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


_QUOTED = re.compile(r"(?<!\w)'([^']*)'(?!\w)")


def plain(message: str) -> str:
    """Return a message of the command line with the quotes of prose."""
    return _QUOTED.sub(r"“\1”", message)


def problem(status: int, message: str, field: str | None = None, headers: dict[str, str] | None = None) -> JSONResponse:
    body = Problem(
        error=Detail(message=cut(plain(message), 1000), field=field and field[:100])
    )  # they repeat what was typed
    return JSONResponse(body.model_dump(), status, headers)


_SENTENCES = {
    "bool": "true or false is expected.",
    "enum": "{expected} is expected.",
    "extra_forbidden": "There is no such field; leave it out.",
    "float": "A number is expected.",
    "greater_than": "A number above {gt:,.12g} is expected.",
    "greater_than_equal": "A number of at least {ge:,.12g} is expected.",
    "int": "A whole number is expected.",
    "less_than": "A number below {lt:,.12g} is expected.",
    "less_than_equal": "A number of at most {le:,.12g} is expected.",
    "literal_error": "{expected} is expected.",
    "missing": "This field is missing.",
    "string_type": "A text is expected.",
    "string_too_long": "The text is too long; up to {max_length:,} characters are read.",
    "string_too_short": "The text is too short; {min_length} or more characters are needed.",
    "too_long": "There are too many; up to {max_length:,} are read.",
    "too_short": "There are too few; {min_length} or more are needed.",
    "value_error": "{error}.",
}
"""Sentences for mistakes that pydantic finds, by type, else by the beginning of the type."""
_NO_SENTENCE = "This has another form than is expected; /api/openapi.json describes it."


async def _invalid(request: Request, error: Any) -> JSONResponse:
    first = error.errors()[0]
    if first["type"] == "json_invalid":
        return problem(422, f"The body is not JSON: {first['ctx']['error']} at character {first['loc'][1] + 1}.")
    if isinstance(first["input"], bytes) and first["loc"] == ("body",):
        return problem(415, "The body has to be JSON; send it with Content-Type: application/json.")
    kind = first["type"]
    message = _SENTENCES.get(kind) or _SENTENCES.get(kind.partition("_")[0], _NO_SENTENCE)
    # The first part says where it is: in the body, the path, the query string or a header.
    return problem(422, message.format(**first.get("ctx", {})), ".".join(map(str, first["loc"][1:])) or None)


async def _mistake(request: Request, error: Exception) -> JSONResponse:
    if isinstance(error, FieldError):
        return problem(error.status, str(error), error.field)
    return problem(422, str(error))


_REFUSALS = {
    400: "The body cannot be read as JSON: its numbers are too long, it is nested too deeply, or it is not UTF-8.",
    404: "There is nothing at this address.",
}


async def refused(request: Request, error: Any) -> JSONResponse:
    message = _REFUSALS.get(error.status_code, f"{error.detail}.")
    return problem(error.status_code, message, headers=error.headers)


async def _defect(request: Request, error: Exception) -> JSONResponse:
    return problem(500, "The server has failed at this; the fault is not yours.")  # which the server logs


HANDLERS: dict[int | type[Exception], Any] = {
    RequestValidationError: _invalid,
    WordplError: _mistake,
    HTTPException: refused,
    Exception: _defect,
}
"""Handlers for the errors of an application, all in the one form."""
