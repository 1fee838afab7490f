"""A mistake in a request is told in a sentence, with the field that it is in; so is what is not there."""

from typing import Any

import pytest

from tests.web.conftest import refusal
from wordpl.web.api.analyze import MAX_TURNS

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
            ({"turns": [{"guess": "zzzzz", "clue": "....."}]}, "turns.0.guess", "zzzzz!"),
            ({"turns": [{"guess": "crate", "clue": "..q.."}]}, "turns.0.clue", "“q”"),
            ({"turns": [GREY, NOISY[0]], "channel": "fibble"}, "turns.1.epsilon", "use inf"),
            ({"channel": "fibble", "epsilon": 13}, "epsilon", "use inf"),
            ({"channel": "fibble", "criterion": "clue_entropy"}, "criterion", "information gain"),
            ({"channel": "fibble", "hard": "extra"}, "hard", "true clues"),
            ({"known": "..a.e", "hard": True}, "known", "leave out the letters"),
            ({"known": "..a"}, "known", "is not a pattern of 5 places"),
            ({"has": "r", "absent": "r"}, "known", "cannot be in the word and absent"),
            ({"channel": "bal:1"}, "channel", "did you mean “ball”"),
            ({"channel": "levels:1,1,1,1,1,1"}, "channel", "epsilon"),
            ({"turns": [WON, {"guess": "slink", "clue": "....."}]}, None, "guess 1 (crate) is the"),
            ({"channel": "fibble", "game": "wordle:1", "turns": [GREY] * 2}, "game", "has 1;"),
            ({"turns": [GREY] * 7}, "game", "7 rows, and the game has 6"),
            ({"channel": "fibble", "game": "contest"}, "game", "use --game wordle:N"),
            ({"turns": NOISY, "game": "wordle:6"}, "game", "epsilon"),
        ],
    ),
    "/api/analyze": (
        {"words": "original", "rule": "counted"},
        [
            ({"text": ""}, "text", "clues are missing"),
            ({"text": "crate", "answer": "zzzzz"}, "answer", "not among the guesses"),
            ({"text": "crtae=.....", "answer": None}, "text", "did you mean “crate”"),
            ({"text": SQUARES, "guesses": "crtae slink solar"}, "guesses", "did you mean “crate”"),
            ({"text": "crate ccccc\nhaste ....."}, "text", "guess 1 (crate) is the answer"),
            ({"text": "crate=..c..@13", "hard": True}, "hard", "true clues"),
            ({"text": SQUARES.replace("3/6", "3/6*"), "guesses": "crate slink solar"}, "text", "breaks hard mode"),
            ({"text": "crate .....", "answer": "solar"}, "text", "does not fit"),
            ({"text": CLUES, "channel": "fibble"}, "text", "no answer of original fits"),
            ({"text": "crate=..icc@13", "channel": "fibble"}, "text", "use inf"),
            ({"text": "crate", "channel": "ball:1", "answer": "solar"}, "text", "do not follow from the answer"),
            ({"text": "crate=..c..", "channel": "fibble", "hard": True}, "hard", "true clues"),
            ({"text": "crate=.....\n" * 7}, "game", "7 rows, and the game has 6"),
            ({"text": "crate=.....\n" * (MAX_TURNS + 1)}, "text", str(MAX_TURNS)),
        ],
    ),
    "/api/play/games": (
        {},
        [
            *(({"kind": kind, "hard": True}, "hard", "") for kind in ("wordpl", "unlimited", "fibble")),
            ({"kind": "fibble", "words": "{three}", "channel": "fibble:4"}, "channel", "3 letters"),
            ({"channel": "bal:1"}, "channel", "did you mean “ball”"),
            ({"words": "{three}", "channel": "ball:3"}, "channel", ""),
            ({"channel": "fibble:2"}, "channel", "games of the kind fibble"),
            *(({"kind": kind, "channel": "ball:1"}, "channel", "of the kind wordpl") for kind in ("wordle", "daily")),
            ({"kind": "fibble", "channel": "whole_clue"}, "channel", ""),
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
    "/api/matrix/original/find": [({"word": "crtae"}, "word", "did you mean"), ({"word": "cr4te"}, "word", "letters")],
    "/api/matrix/original/tile": [
        ({"row": 102, "column": 0}, "row", "the last one is 101"),
        ({"row": 0, "column": 19}, "column", "the last one is 18"),
    ],
    "/api/matrix/nowhere/order": [({}, "words", "no word list")],
    "/api/channel": [
        ({"guess": "a"}, "guess", ""),
        ({"answer": "castle"}, "answer", ""),
        ({"answer": "haste", "other": "Haste"}, "other", "must differ"),
        ({"channel": "fibble:5", "guess": "abc", "answer": "abc", "other": "abd"}, "channel", ""),
    ],
}


def status(said: str) -> int:
    return 404 if said == "no word list" else 422


@pytest.mark.parametrize("door", POSTED)
def test_a_mistake_in_a_body_is_told_with_its_field(client, door):
    lists = {"{three}": "cat\nbat\nrat\ntar", "{one}": "cat"}
    names = {key: client.post("/api/words", json={"answers": text}).json()["name"] for key, text in lists.items()}
    whole, mistakes = POSTED[door]
    for given, field, said in mistakes:
        body = whole | given
        if body.get("words") in names:
            body["words"] = names[body["words"]]
        message, found = refusal(client.post(door, json=body), status(said))
        assert (found, said in message) == (field, True), (given, message)


@pytest.mark.parametrize("door", ASKED)
def test_a_mistake_in_a_query_is_told_with_its_field(client, door):
    for given, field, said in ASKED[door]:
        message, found = refusal(client.get(door, params=given), status(said))
        assert (found, said in message) == (field, True), (given, message)


@pytest.mark.parametrize(
    ("door", "given", "rule"),
    [
        ("coach/suggestions", {"count": 1}, "counted"),
        ("coach/suggestions", {"count": 1, "turns": NOISY}, "letterwise"),
        ("coach/suggestions", {"count": 1, "epsilon": 13}, "letterwise"),
        ("coach/suggestions", {"count": 1, "epsilon": 13, "rule": "counted"}, "counted"),
        ("analyze", {"text": CLUES}, "counted"),
        ("analyze", {"text": f"Wordle 3/6 of ann@example.org\n{SQUARES}", "guesses": "crate slink solar"}, "counted"),
        ("analyze", {"text": "crate=..icc @ 13, haste .c.i."}, "letterwise"),
        ("analyze", {"text": "WORDPL\n⬛⬛🟨🟩🟩 @13", "guesses": "crate"}, "letterwise"),
        ("analyze", {"text": f"{SHARED}\n⬛⬛🟨🟩🟩 @13", "guesses": "crate", "rule": "counted"}, "counted"),
        ("analyze", {"text": CLUES, "epsilon": 13}, "letterwise"),
        ("analyze", {"text": CLUES, "epsilon": 13, "rule": "counted"}, "counted"),
    ],
)
def test_the_rule_is_that_of_the_game_unless_it_is_named(client, door, given, rule):
    assert client.post(f"/api/{door}", json={"words": "original"} | given).json()["rule"] == rule
