"""The analysis of a finished game, over HTTP."""

from __future__ import annotations

import json

import pytest

from tests.cli.conftest import Cli
from wordpl.web.api.analyze import MAX_TURNS
from wordpl.web.settings import MAX_TEXT

GAME = {"words": "original", "rule": "counted"}
CLUES = "crate .ii..\nslink ci...\nsolar ccccc"
SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
GUESSES = ["crate", "slink", "solar"]


def analyzed(client, **given):
    response = client.post("/api/analyze", json=GAME | given)
    assert response.status_code == 200, response.text
    return response.json()


def refusal(client, **given) -> tuple[str, str | None]:
    response = client.post("/api/analyze", json=GAME | given)
    assert 400 <= response.status_code < 500, response.text
    error = response.json()["error"]
    return error["message"], error["field"]


@pytest.mark.parametrize(
    "given",
    [
        {"text": CLUES},
        {"text": SQUARES, "guesses": " ".join(GUESSES)},
        {"text": "\n".join(f"{guess} {row}" for guess, row in zip(GUESSES, SQUARES.split()[3:], strict=True))},
        {"text": "crate slink solar", "answer": "solar"},
    ],
)
def test_it_is_what_the_command_prints(client, cli: Cli, given) -> None:
    printed = cli("analyze", *GUESSES, "--answer", "solar", "--words", "original", "--json").out
    assert analyzed(client, **given) == json.loads(printed)


def test_a_noisy_game_is_what_the_command_prints(client, cli: Cli) -> None:
    found = analyzed(client, text="crate=..icc@13, haste .c.i.", epsilon=7.5, rule="letterwise")
    assert [turn["epsilon"] for turn in found["turns"]] == [13, 7.5]
    typed = ["crate=..icc@13", "haste=.c.i.", "--epsilon", "7.5", "--words", "original"]
    printed = json.loads(cli("analyze", *typed, "--json").out)
    assert [turn["best"] for turn in found["turns"]] == [turn["best"] for turn in printed["turns"]]
    for turn, wanted in zip(found["turns"], printed["turns"], strict=True):
        assert {name: turn[name] for name in turn if name not in ("line", "best", "guess", "clue")} == pytest.approx(
            {name: wanted[name] for name in wanted if name not in ("line", "best", "guess", "clue")}
        )


FIBBLE = ["crate=..c..", "slink=ci..c", "shale=ccccc"]


def test_a_game_of_fibble_is_what_the_command_prints(client, cli: Cli) -> None:
    printed = json.loads(cli("analyze", *FIBBLE, "--lies", "1", "--words", "original", "--json").out)
    found = analyzed(client, text="\n".join(FIBBLE), lies=1)
    assert found["solved"]
    assert [turn["best"] for turn in found["turns"]] == [turn["best"] for turn in printed["turns"]]
    assert (found["skill"], found["luck"]) == (printed["skill"], printed["luck"])
    assert found["total"] == pytest.approx(printed["total"])


def test_the_star_of_hard_mode_and_the_field(client) -> None:
    starred = SQUARES.replace("3/6", "3/6*")
    assert not analyzed(client, text=SQUARES, guesses="crate slink solar")["hard"]
    message, field = refusal(client, text=starred, guesses="crate slink solar")
    assert field == "text"
    assert "breaks hard mode" in message
    assert "breaks hard mode" in refusal(client, text=CLUES, hard=True)[0]


def test_a_lost_game_leads_to_its_answer(client) -> None:
    assert analyzed(client, text="⬛🟨🟨⬛⬛", guesses="crate", answer="solar")["turns"][-1]["line"][-1] == "solar"


@pytest.mark.parametrize(
    ("given", "field", "named"),
    [
        ({"text": ""}, "text", "clues are missing"),
        ({"text": "crate", "answer": "zzzzz"}, "answer", "not among the answers"),
        ({"text": "crate", "answer": "hastw"}, "answer", "did you mean 'haste'"),
        ({"text": "crate", "answer": ""}, "answer", ""),
        ({"text": "crtae=.....", "answer": None}, "text", "did you mean 'crate'"),
        ({"text": SQUARES}, "text", "give the guesses"),
        ({"text": SQUARES, "guesses": "crate"}, "guesses", "3 rows"),
        ({"text": SQUARES, "guesses": "crtae slink solar"}, "guesses", "did you mean 'crate'"),
        ({"text": "crate ccccc\nhaste ccccc"}, "text", "no answer of original fits"),
        ({"text": "crate .....", "answer": "solar"}, "text", "does not fit"),
        ({"text": "crate", "answer": "solar", "epsilon": 13}, "text", "do not follow"),
        ({"text": "crate", "answer": "solar", "lies": 1}, "text", "do not follow"),
        ({"text": CLUES, "lies": 1}, "text", "no answer of original fits"),
        ({"text": CLUES, "lies": 1, "hard": True}, "hard", "true clues"),
        ({"text": "crate=..icc@13", "lies": 1}, "text", "epsilon 13"),
        ({"text": "x" * (MAX_TEXT + 1)}, "text", str(MAX_TEXT)),
        ({"text": "crate=.....\n" * (MAX_TURNS + 1)}, "text", str(MAX_TURNS)),
        ({"text": CLUES, "words": "none"}, "words", "original"),
    ],
)
def test_a_mistake_is_told_with_its_field(client, given, field: str, named: str) -> None:
    message, found = refusal(client, **given)
    assert found == field
    assert named in message


def test_as_many_noisy_turns_as_are_taken_are_analyzed(client) -> None:
    text = "\n".join(["crate=..icc@3"] * MAX_TURNS)
    assert len(analyzed(client, text=text, rule="letterwise")["turns"]) == MAX_TURNS


def test_a_list_of_ones_own(client) -> None:
    name = client.post("/api/words", json={"answers": "dial\ndive\ndove\nfive\ngive\nlive"}).json()["name"]
    found = analyzed(client, words=name, text="dive .ccc\nlive cccc")
    assert [turn["remaining_after"] for turn in found["turns"]] == [3, 1]


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({"text": CLUES}, "counted"),
        ({"text": f"ann@example.org {SQUARES}", "guesses": " ".join(GUESSES)}, "counted"),
        ({"text": CLUES, "epsilon": 13}, "letterwise"),
        ({"text": "crate=..icc @ 13, haste .c.i."}, "letterwise"),
        ({"text": "WORDPL\n⬛⬛🟨🟩🟩 @13", "guesses": "crate"}, "letterwise"),
        ({"text": CLUES, "epsilon": 13, "rule": "counted"}, "counted"),
    ],
)
def test_the_rule_is_that_of_the_game_unless_it_is_named(client, given, rule):
    response = client.post("/api/analyze", json={"words": "original"} | given)
    assert response.json()["rule"] == rule
