"""The analysis of a finished game, over HTTP."""

import json

import pytest

from tests.web.conftest import answered
from wordpl import Clue, GameFormat, Setting, Turn, channel_family, load_words

GAME = {"words": "original", "rule": "counted"}
SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
GUESSES = ["crate", "slink", "solar"]


def analyzed(client, **given):
    return answered(client.post("/api/analyze", json=GAME | given))


def test_it_is_what_the_command_prints(client, cli):
    printed = cli("analyze", *GUESSES, "--answer", "solar", "--words", "original", "--json").out
    assert analyzed(client, text=SQUARES, guesses=" ".join(GUESSES)) == json.loads(printed)
    doubted = analyzed(client, text=SQUARES.replace("3/6", "4/6"), guesses=" ".join(GUESSES))
    assert doubted["remark"] == "the text says 4/6, but has 3 rows; a row may be missing"
    lies = "Fibble, 1 lie, original 3/9*\ncrate ..c..\nslink ci..c\nshale ccccc"
    assert analyzed(client, text=lies, channel="fibble")["hard"] is False  # its clues bind nobody


@pytest.mark.parametrize(
    ("rows", "terms", "typed"),
    [
        (["crate=..icc@13", "haste=.c.i."], {"epsilon": 7.5, "rule": "letterwise"}, ["--epsilon", "7.5"]),
        (["crate=..c..", "slink=ci..c", "shale=ccccc"], {"channel": "fibble"}, ["--lies", "1"]),
        (["crate=..icc@13", "haste=.c.i.@9"], {"channel": "ball:1"}, ["--channel", "ball:1"]),
        (["crate=..icc", "haste=.c.i."], {"channel": "levels:9,3,1,1,1,1"}, ["--channel", "levels:9,3,1,1,1,1"]),
    ],
)
def test_a_game_without_true_clues_is_what_the_command_prints(client, cli, rows, terms, typed):
    """But for rounding: the command ranks by numpy, to begin at once."""
    found = analyzed(client, text="\n".join(rows), **terms)
    printed = json.loads(cli("analyze", *rows, *typed, "--words", "original", "--json").out)
    for name in ("best", "epsilon"):
        assert [turn[name] for turn in found["turns"]] == [turn[name] for turn in printed["turns"]]
    assert (found["solved"], found["skill"], found["luck"]) == (printed["solved"], printed["skill"], printed["luck"])
    assert found["total"] == pytest.approx(printed["total"])


def test_the_rows_of_a_pasted_game_are_handed_on(client):
    text = {"text": "WORDPL original, letterwise: not found, 2 asks\n⬛⬛🟨🟩🟩 @13\n⬛🟩⬛🟨⬛", "epsilon": 7}
    rows = answered(client.post("/api/analyze/turns", json=GAME | text | {"guesses": "crate zzzzz! tardy"}))
    assert [(row["guess"], row["clue"], row["epsilon"], row["known"]) for row in rows] == [
        ("crate", "..icc", 13, True),
        ("zzzzz", ".c.i.", 7, False),
    ]
    found = analyzed(client, **text, guesses="crate zzzzz! tardy")
    assert (found["proposed"], found["solved"], found["turns"][1]["wasted"]) == ("tardy", False, False)


def test_an_unlimited_game_and_its_proposals_are_read_back(client, cli):
    """By its own words, as the command reads it; Coach takes the rows, too."""
    heading = "WORDPL original, letterwise, ball:1: right with a budget of 13, 3 guesses (unlimited)"
    text = f"{heading}\ncrate ..icc @13\nslate i.icc @0\nhaste ccccc @0"
    found = analyzed(client, text=text, rule=None)
    printed = json.loads(cli("analyze", text, "--json").out)
    assert [turn["epsilon"] for turn in found["turns"]] == [13, 0, 0]
    assert (found["solved"], found["rule"], found["turns"][1]["expected_bits"] > 0) == (True, "letterwise", True)
    assert found["total"] == pytest.approx(printed["total"])
    turns = [Turn("crate", 13.0, Clue.parse("..icc").code), Turn("slate", 0.0, Clue.parse("i.icc").code)]
    setting = Setting(load_words(), channel=channel_family("ball:1"), format=GameFormat(unlimited=True))
    belief = setting.belief(tuple(turns))
    assert found["turns"][1]["leader_chance"] == pytest.approx(belief.top[1])
    rows = [{key: row[key] for key in ("guess", "clue", "epsilon")} for row in found["turns"][:2]]
    game = {"words": "original", "turns": rows, "channel": "ball:1", "game": "unlimited", "epsilon": 13}
    told = answered(client.post("/api/coach/suggestions", json=game))
    assert found["turns"][1]["leader"] == told["answers"][0]["word"] == belief.top[0]  # of equally likely ones, too
    assert told["answers"][0]["chance"] == pytest.approx(belief.top[1]) and "slate" not in str(told["answers"])
