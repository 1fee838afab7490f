"""Mistakes in requests are answered with a sentence that says what is allowed."""

import json
import re

import pytest

from tests.web.conftest import refusal
from wordpl.web.problems import plain, problem

COACH = "/api/coach/suggestions"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "message", "field"),
    [
        ({"words": 1}, "A text is expected.", "words"),
        ({"count": 10**30}, "A number of at most 100 is expected.", "count"),
        ({"turns": [{"guess": "crate", "clue": ".....", "other": 1}]}, "There is no such field; leave it out.",
         "turns.0.other"),
        ({"count": 0}, "A number of at least 1 is expected.", "count"),
        ({"answers": 501}, "A number of at most 500 is expected.", "answers"),
        ({"turns": [{"guess": "crate", "clue": "....."}] * 101}, "There are too many; up to 100 are read.", "turns"),
        ({"known": "." * 61}, "The text is too long; up to 60 characters are read.", "known"),
        ({"words": ""}, "The text is too short; 1 or more characters are needed.", "words"),
        ({"n" * 200: 1}, "There is no such field; leave it out.", "n" * 100),
        ({"epsilon": -1}, "A number above 0 is expected.", "epsilon"),
        ({"epsilon": 1e7}, "epsilon is a number above 0 up to 1,000,000, or inf.", "epsilon"),
        ({"epsilon": "x"}, "A number is expected.", "epsilon"),
        ({"rule": "x"}, "“letterwise” or “counted” is expected.", "rule"),
        ({"turns": [{"guess": "crate", "clue": ".....", "epsilon": -1}]}, "A number of at least 0 is expected.",
         "turns.0.epsilon"),
        ({"turns": [{"guess": "crate", "clue": " " * 301}]}, "The text is too long; up to 300 characters are read.",
         "turns.0.clue"),
        ({"turns": [{"guess": "crate", "clue": ".."}]}, "The text is too short; 3 or more characters are needed.",
         "turns.0.clue"),
        ({"answers": -1}, "A number of at least 0 is expected.", "answers"),
        ({"turns": [{"guess": "crate", "clue": ".....", "epsilon": 1_000_001}]},
         "epsilon is a number above 0 up to 1,000,000, or inf.", "turns.0.epsilon"),
        *(({"game": game}, "This has another form than is expected; /api/openapi.json describes it.", "game")
          for game in ("wordle:6:crane", "my contest", "wordle:")),
    ],
)  # fmt: skip
def test_mistakes_are_sentences_that_say_what_is_allowed(client, body, message, field):
    assert refusal(client.post(COACH, json={"words": "original"} | body)) == (message, field)


@pytest.mark.parametrize(
    ("address", "message", "field"),
    [
        ("channel?asks=11", "A number of at most 10 is expected.", "asks"),
        ("channel/capacity?length=9", "A number of at most 8 is expected.", "length"),
        ("channel/capacity?length=2", "A number of at least 3 is expected.", "length"),
        ("frontier?clues=11", "A number of at most 10 is expected.", "clues"),
        ("matrix/original/tile?row=0&column=0&size=256", "128 or 512 is expected.", "size"),
        ("matrix/original/tile?row=0&column=1000001", "A number of at most 1,000,000 is expected.", "column"),
        ("channel?asks=0", "A number of at least 1 is expected.", "asks"),
        ("frontier?clues=0", "A number of at least 1 is expected.", "clues"),
        ("contest?percentile=6", "5, 50 or 95 is expected.", "percentile"),
        *(
            (f"{path}={'x' * (most + 1)}", f"The text is too long; up to {most:,} characters are read.", field)
            for path, most, field in (
                ("channel?channel", 100, "channel"),
                ("contest?match", 100, "match"),
                ("results/curves?match", 200, "match"),
                ("results/trials.csv?file", 4096, "file"),
                ("matrix/original/tile?row=0&column=0&version", 16, "version"),
            )
        ),
        ("results/curves?" + "file=x&" * 1001, "There are too many; up to 1,000 are read.", "file"),
    ],
)
def test_a_number_beyond_the_last_is_refused(client, address, message, field):
    assert refusal(client.get(f"/api/{address}")) == (message, field)


def test_the_largest_epsilon_is_read(client, short):
    assert client.post(COACH, json={"words": short, "epsilon": 1e6}).status_code == 200


def test_texts_have_an_end(client):
    assert refusal(client.post("/api/play/games", json={"given": "x"})) == ("true or false is expected.", "given")
    for path, body, bound in (
        ("analyze", {"text": "x" * 10_001}, "10,000"),
        ("analyze/turns", {"text": "x", "guesses": "x" * 10_001}, "10,000"),
        ("coach/why", {"word": "x" * 61}, "60"),
        ("words", {"answers": "x" * 400_001}, "400,000"),
        ("play/games", {"channel": "x" * 101}, "100"),
        ("play/games", {"again": "x" * 401}, "400"),
        ("coach/suggestions", {"words": "x" * 41}, "40"),
    ):
        told, field = refusal(
            client.post(f"/api/{path}", json={"words": "original"} | body if path != "words" else body)
        )
        assert (told, field) == (f"The text is too long; up to {bound} characters are read.", list(body)[-1])


def test_a_list_of_guesses_has_one_to_four(client):
    for guesses, message in (([], "There are too few; 1 or more"), (["crate"] * 5, "There are too many; up to 4 are")):
        told = refusal(client.post("/api/distributions", json={"guesses": guesses}))
        assert (told[0].startswith(message), told[1]) == (True, "guesses")


def test_no_mistake_is_told_in_the_words_of_the_validator(client):
    queries = ("asks=x", "asks=1.5", "epsilon=x", "guess=", f"guess={'x' * 99}", "rule=x", "seed=9999999999", "x=1")
    answers = [client.get(f"/api/channel?{query}") for query in queries]
    bodies: list[object] = [{"answers": ["cat"]}, [], {"answers": "cat", "guesses": 1}, {}]
    answers += [client.post("/api/words", json=body) for body in bodies]
    told = {refusal(answer)[0] for answer in answers}
    assert not [text for text in told if re.search("should|Input|String|valid|permitted|parse", text)]
    assert {
        "A whole number is expected.",
        "A number below 4,294,967,296 is expected.",
        "This field is missing.",
    } <= told
    assert refusal(client.get("/api/contest"), 404)[0].startswith("this server shows no contest")


def test_quotes_become_those_of_prose():
    assert plain("guess 'x' is not in the list: expected ':'") == "guess “x” is not in the list: expected “:”"
    assert plain("the authors' names don't count; it isn't") == "the authors' names don't count; it isn't"
    assert len(json.loads(problem(422, "x" * 2000).body)["error"]["message"]) == 1000


def test_what_is_no_json(client):
    for content in (b"[" * 100_000, b"9" * 100_000, b"\xff", b'"\xed"'):
        refused = client.post(COACH, content=content, headers=JSON)
        assert refusal(refused, 400)[0].startswith("The body cannot be read as JSON")
    message, field = refusal(client.post(COACH, content=b'{"text": }', headers=JSON))
    assert (message, field) == ("The body is not JSON: Expecting value at character 10.", None)
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "multipart/form-data; boundary=x"}):
        answer = client.post(COACH, content=b"{}", headers=headers)
        assert refusal(answer, 415)[0] == "The body has to be JSON; send it with Content-Type: application/json."
