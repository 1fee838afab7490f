"""Mistakes in requests are answered with a sentence that says what is allowed."""

from typing import Annotated

import pytest
from fastapi import FastAPI
from pydantic import Field
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from tests.web.conftest import refusal
from wordpl.base.errors import WordplError
from wordpl.web import problems
from wordpl.web.models import Epsilon, Model
from wordpl.web.problems import BusyError, FieldError, in_field


class Inner(Model):
    text: str


class Given(Model):
    text: str = "abc"
    whole: Annotated[int, Field(le=9)] = 1
    many: tuple[Inner, ...] = ()
    epsilon: Epsilon = 1.0
    path: str = ""


def _app() -> FastAPI:
    app = FastAPI(exception_handlers=problems.HANDLERS)

    @app.post("/")
    async def take(given: Given) -> None:
        if given.path == "wordpl":
            raise WordplError("this is wrong")
        if given.path == "field":
            with in_field("text"):
                raise WordplError("that is wrong")
        if given.path == "status":
            with in_field("text"):
                raise FieldError("gone", "word", 404)
        if given.path == "busy":
            raise BusyError
        if given.path == "teapot":
            raise HTTPException(418)
        if given.path == "long":
            raise FieldError("x" * 5000, "y" * 5000)

    @app.get("/")
    async def query(number: Annotated[int, Field(ge=1)]) -> None:
        return None

    return app


@pytest.fixture(scope="module")
def client():
    with TestClient(_app()) as made:
        yield made


@pytest.mark.parametrize(
    ("body", "message", "field"),
    [
        ({"text": 1}, "This should be a valid string.", "text"),
        ({"whole": 10**30}, "This should be less than or equal to 9.", "whole"),
        ({"many": [{"text": "x", "other": 1}]}, "Extra inputs are not permitted.", "many.0.other"),
        ({"epsilon": -1}, "This should be greater than 0.", "epsilon"),
        ({"epsilon": 1e7}, "epsilon is a number above 0 up to 1,000,000, or inf.", "epsilon"),
        ({"path": "wordpl"}, "this is wrong", None),
        ({"path": "field"}, "that is wrong", "text"),
    ],
)
def test_mistakes_are_sentences_that_say_what_is_allowed(client, body, message, field):
    assert refusal(client.post("/", json=body)) == (message, field)


def test_mistakes_of_other_kinds(client):
    assert refusal(client.get("/")) == ("Field required.", "number")
    assert refusal(client.get("/?number=0")) == ("This should be greater than or equal to 1.", "number")
    assert refusal(client.post("/", json={"path": "status"}), 404) == ("gone", "word")
    assert refusal(client.post("/", json={"path": "teapot"}), 418) == ("I'm a Teapot.", None)
    assert refusal(client.put("/"), 405) == ("Method Not Allowed.", None)
    assert "POST" in client.put("/").headers["allow"]
    assert refusal(client.get("/x"), 404) == ("There is nothing at this address.", None)


def test_a_busy_server_says_when_to_ask_again(client):
    answer = client.post("/", json={"path": "busy"})
    assert refusal(answer, 503) == ("The server is busy; try again in a moment.", None)
    assert int(answer.headers["retry-after"]) >= 1


JSON = {"Content-Type": "application/json"}


def test_what_is_no_json(client):
    for content in (b"[" * 100_000, b"9" * 100_000, b"\xff", b'"\xed"'):
        refused = client.post("/", content=content, headers=JSON)
        assert refusal(refused, 400)[0].startswith("The body cannot be read as JSON")
    message, field = refusal(client.post("/", content=b'{"text": }', headers=JSON))
    assert (message, field) == ("The body is not JSON: Expecting value at character 10.", None)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
def test_a_body_of_another_type_is_refused(client, kind):
    answer = client.post("/", content=b"{}", headers={} if kind is None else {"Content-Type": kind})
    assert refusal(answer, 415)[0] == "The body has to be JSON; send it with Content-Type: application/json."


def test_what_is_repeated_is_bounded(client):
    message, field = refusal(client.post("/", json={"path": "long"}))
    assert len(message) <= 1001 and len(field) <= 100
    message, field = refusal(client.post("/", json={"x" * 5000: 1}))
    assert len(field) <= 100
