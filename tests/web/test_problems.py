"""Mistakes in requests are answered with a sentence that says what is allowed."""

from typing import Any

import pytest

from tests.web.conftest import refusal
from wordpl.web.api.analyze import MAX_TURNS

COACH = "/api/coach/suggestions"
JSON = {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("body", "message", "field"),
    [
        ({"words": 1}, "A text is expected.", "words"),
        ({"count": 10**30}, "A number of at most 100 is expected.", "count"),
        ({"turns": [{"guess": "crate", "clue": ".....", "other": 1}]}, "There is no such field; leave it out.",
         "turns.0.other"),
        ({"known": "." * 61}, "The text is too long; up to 60 characters are read.", "known"),
        ({"n" * 200: 1}, "There is no such field; leave it out.", "n" * 100),
        ({"epsilon": -1}, "A number above 0 is expected.", "epsilon"),
        ({"epsilon": 1e7}, "epsilon is a number above 0 up to 1,000,000, or inf.", "epsilon"),
        ({"rule": "x"}, "“letterwise” or “counted” is expected.", "rule"),
        ({"turns": [{"guess": "crate", "clue": ".....", "epsilon": 1_000_001}]},
         "epsilon is a number above 0 up to 1,000,000, or inf.", "turns.0.epsilon"),
        *(({"game": game}, "This has another form than is expected; /api/openapi.json describes it.", "game")
          for game in ("wordle:6:crane", "my contest", "wordle:")),
    ],
)  # fmt: skip
def test_mistakes_are_sentences_that_say_what_is_allowed(client, body, message, field):
    assert refusal(client.post(COACH, json={"words": "original"} | body)) == (message, field)


def test_what_is_no_json(client):
    for content in (b"[" * 100_000, b"9" * 100_000, b"\xff", b'"\xed"'):
        refused = client.post(COACH, content=content, headers=JSON)
        assert refusal(refused, 400)[0].startswith("The body cannot be read as JSON")
    message, field = refusal(client.post(COACH, content=b'{"text": }', headers=JSON))
    assert (message, field) == ("The body is not JSON: Expecting value at character 10.", None)
    for headers in ({}, {"Content-Type": "text/plain"}, {"Content-Type": "multipart/form-data; boundary=x"}):
        answer = client.post(COACH, content=b"{}", headers=headers)
        assert refusal(answer, 415)[0] == "The body has to be JSON; send it with Content-Type: application/json."


# The field that a mistake is in.

CLUES = "crate .ii..\nslink ci...\nsolar ccccc"
SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
SHARED = "WORDPL original, letterwise: not found, 1 ask"
GREY = {"guess": "crate", "clue": "....."}
WON = {"guess": "crate", "clue": "ccccc"}
NOISY = [{"guess": "crate", "clue": "..icc", "epsilon": 13}, {"guess": "haste", "clue": ".c.i.", "epsilon": 13}]
POSTED: dict[str, tuple[dict[str, Any], list[tuple[dict[str, Any], str | None, str]]]] = {
    "/api/coach/suggestions": (
        {"words": "original", "rule": "letterwise"},
        [
            ({"turns": [NOISY[0], {"guess": "crtae", "clue": "....."}]}, "turns.1.guess", "did you mean “crate”?"),
            ({"turns": [{"guess": "crate", "clue": "..q.."}]}, "turns.0.clue", "“q”"),
            ({"turns": [GREY, NOISY[0]], "channel": "fibble"}, "turns.1.epsilon", "use inf"),
            ({"channel": "fibble", "epsilon": 13}, "epsilon", "use inf"),
            ({"channel": "fibble", "criterion": "clue_entropy"}, "criterion", "information gain"),
            ({"known": "..a.e", "hard": True}, "known", "leave out the letters"),
            ({"known": "..a"}, "known", "is not a pattern of 5 places"),
            ({"channel": "bal:1"}, "channel", "did you mean “ball”"),
            ({"turns": [WON, {"guess": "slink", "clue": "....."}]}, None, "guess 1 (crate) is the"),
            ({"turns": [GREY] * 7}, "game", "7 rows, and the game has 6"),
        ],
    ),
    "/api/analyze": (
        {"words": "original", "rule": "counted"},
        [
            ({"text": "crate", "answer": "zzzzz"}, "answer", "not in the word list"),
            ({"text": "crtae=.....", "answer": None}, "text", "did you mean “crate”"),
            ({"text": SQUARES, "guesses": "crtae slink solar"}, "guesses", "did you mean “crate”"),
            ({"text": "crate=..c..@13", "hard": True}, "hard", "true clues"),
            ({"text": "crate .....", "answer": "solar"}, "text", "does not fit"),
            ({"text": CLUES, "channel": "fibble"}, "text", "no answer of original fits"),
            ({"text": "crate=.....\n" * 7}, "game", "7 rows, and the game has 6"),
            ({"text": "crate=.....\n" * (MAX_TURNS + 1)}, "text", str(MAX_TURNS)),
        ],
    ),
    "/api/play/games": (
        {},
        [
            *(({"kind": kind, "hard": True}, "hard", "") for kind in ("wordpl", "unlimited", "fibble")),
            ({"kind": "fibble", "words": "{three}", "channel": "fibble:4"}, "channel", "3 letters"),
            ({"channel": "fibble:2"}, "channel", "games of the kind fibble"),
            *(({"kind": kind, "channel": "ball:1"}, "channel", "of the kind wordpl") for kind in ("wordle", "daily")),
            ({"kind": "fibble", "words": "{one}"}, "given", ""),
        ],
    ),
    "/api/distributions": (
        {"guesses": ["crate"]},
        [
            ({"guesses": ["crate", "crtae"]}, "guesses.1", "did you mean “crate”"),
            ({"turns": [WON, GREY]}, "turns", "fits"),
        ],
    ),
}
ASKED: dict[str, list[tuple[dict[str, Any], str, str]]] = {
    "/api/matrix/original/find": [({"word": "crtae"}, "word", "did you mean")],
    "/api/matrix/original/tile": [({"row": 102, "column": 0}, "row", "the last one is 101")],
    "/api/matrix/nowhere/order": [({}, "words", "no word list")],
    "/api/channel": [
        ({"answer": "castle"}, "answer", ""),
        ({"answer": "haste", "other": "Haste"}, "other", "must differ"),
        ({"channel": "fibble:5", "guess": "abc", "answer": "abc", "other": "abd"}, "channel", ""),
    ],
}


@pytest.mark.parametrize("door", POSTED)
def test_a_mistake_in_a_body_is_told_with_its_field(client, door):
    lists = {"{three}": "cat\nbat\nrat\ntar", "{one}": "cat"}
    names = {key: client.post("/api/words", json={"answers": text}).json()["name"] for key, text in lists.items()}
    whole, mistakes = POSTED[door]
    for given, field, said in mistakes:
        body = whole | given
        if body.get("words") in names:
            body["words"] = names[body["words"]]
        message, found = refusal(client.post(door, json=body))
        assert (found, said in message) == (field, True), (given, message)


@pytest.mark.parametrize("door", ASKED)
def test_a_mistake_in_a_query_is_told_with_its_field(client, door):
    for given, field, said in ASKED[door]:
        message, found = refusal(client.get(door, params=given), 404 if said == "no word list" else 422)
        assert (found, said in message) == (field, True), (given, message)


@pytest.mark.parametrize(
    ("door", "given", "rule"),
    [
        ("coach/suggestions", {"count": 1}, "counted"),
        ("coach/suggestions", {"count": 1, "turns": NOISY}, "letterwise"),
        ("coach/suggestions", {"count": 1, "epsilon": 13, "rule": "counted"}, "counted"),
        ("analyze", {"text": CLUES}, "counted"),
        ("analyze", {"text": "crate=..icc @ 13, haste .c.i."}, "letterwise"),
        ("analyze", {"text": "WORDPL\n⬛⬛🟨🟩🟩 @13", "guesses": "crate"}, "letterwise"),
        ("analyze", {"text": f"{SHARED}\n⬛⬛🟨🟩🟩 @13", "guesses": "crate", "rule": "counted"}, "counted"),
        ("analyze", {"text": CLUES, "epsilon": 13}, "letterwise"),
    ],
)
def test_the_rule_is_that_of_the_game_unless_it_is_named(client, door, given, rule):
    assert client.post(f"/api/{door}", json={"words": "original"} | given).json()["rule"] == rule
