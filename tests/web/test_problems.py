"""Mistakes in requests are answered with a sentence that says what is allowed."""

import pytest

from tests.web.conftest import refusal

COACH = "/api/coach/suggestions"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "message", "field"),
    [
        ({"words": 1}, "This should be a valid string.", "words"),
        ({"count": 10**30}, "This should be less than or equal to 100.", "count"),
        ({"turns": [{"guess": "crate", "clue": ".....", "other": 1}]}, "Extra inputs are not permitted.",
         "turns.0.other"),
        ({"epsilon": -1}, "This should be greater than 0.", "epsilon"),
        ({"epsilon": 1e7}, "epsilon is a number above 0 up to 1,000,000, or inf.", "epsilon"),
    ],
)  # fmt: skip
def test_mistakes_are_sentences_that_say_what_is_allowed(client, body, message, field):
    assert refusal(client.post(COACH, json={"words": "original"} | body)) == (message, field)


def test_mistakes_of_other_kinds(client):
    assert refusal(client.get("/api/matrix/original/find")) == ("Field required.", "word")
    assert refusal(client.get("/api/channel?asks=0")) == ("This should be greater than or equal to 1.", "asks")
    assert refusal(client.put(COACH), 405) == ("Method Not Allowed.", None)
    assert client.put(COACH).headers["allow"] == "POST"
    assert refusal(client.get("/api/x"), 404) == ("There is nothing at this address.", None)


def test_what_is_no_json(client):
    for content in (b"[" * 100_000, b"9" * 100_000, b"\xff", b'"\xed"'):
        refused = client.post(COACH, content=content, headers=JSON)
        assert refusal(refused, 400)[0].startswith("The body cannot be read as JSON")
    message, field = refusal(client.post(COACH, content=b'{"text": }', headers=JSON))
    assert (message, field) == ("The body is not JSON: Expecting value at character 10.", None)


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", None]
)
def test_a_body_of_another_type_is_refused(client, kind):
    answer = client.post(COACH, content=b"{}", headers={} if kind is None else {"Content-Type": kind})
    assert refusal(answer, 415)[0] == "The body has to be JSON; send it with Content-Type: application/json."


def test_what_is_repeated_is_bounded(client):
    _, field = refusal(client.post(COACH, json={"words": "original", "x" * 5000: 1}))
    assert len(field) <= 100
