"""Coach and Analyze over HTTP: what the assistant and the analysis say, and the call with curl in the documentation."""

import itertools
import json
import math
import re
import shlex
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.generators import RULE, ended, epsilons, is_exact
from tests.support.helpers import ORIGINAL, SMALL
from tests.web.conftest import answered, refusal
from wordpl import CRITERIA, Clue, GameFormat, Setting, Turn, WordList, channel_family, load_words, row_epsilon
from wordpl.model.channel import ChannelFamily
from wordpl.play.formats import CONTEST
from wordpl.web.models import is_fixed
from wordpl.wordle import Assistant
from wordpl.wordle.rules import hard_mode_fault

GAME = {"words": "original", "rule": "letterwise"}
COUNTED = GAME | {"rule": "counted"}


def fibble(lies: int) -> ChannelFamily:
    return channel_family(f"fibble:{lies}")


def suggestions(client, **given):
    return answered(client.post("/api/coach/suggestions", json=GAME | given))


@pytest.fixture(scope="module")
def short(client) -> WordList:
    """A list that the server has beside its own; a request for all words of a long one takes most of a second."""
    lists = {"answers": "\n".join(SMALL.answers), "guesses": "\n".join(SMALL.guesses)}
    return client.app.state.server.word_lists.get(client.post("/api/words", json=lists).json()["name"])


TURN = st.builds(Turn, st.sampled_from(SMALL.guesses), epsilons(zero=False), st.integers(0, 242))


def plain(epsilon: float) -> float | str:
    """An epsilon as a request has it."""
    return "inf" if epsilon == math.inf else epsilon


LETTERWISE, OWN = ["randomized_response", "whole_clue", "ball:1"], [f"fibble:{lies}" for lies in range(1, 6)]


@settings(max_examples=24)
@given(
    st.lists(TURN, max_size=4),
    RULE,
    st.sampled_from([*LETTERWISE, *LETTERWISE, *OWN, "levels:9,3,2,1,1,1"]),
    st.sampled_from(sorted(CRITERIA)),
    epsilons(zero=False),
    st.sampled_from([False, True, "extra"]),
    st.integers(4, 9),
)
def test_any_history_gets_what_the_assistant_says(
    client, short, turns, rule, channel, criterion, epsilon, hard, guesses
):
    """Where the channel has an epsilon of its own, it need not be named."""
    family, played, terms = channel_family(channel), tuple(turns), {"rule": rule, "channel": channel}
    fixed, format = is_fixed(family), CONTEST
    if not fixed:
        played = ended(played) if epsilon == math.inf else played
        hard = epsilon == math.inf and family(epsilon, 5).exact and is_exact(played) and hard
        terms |= {"epsilon": plain(epsilon), "hard": hard}
    else:
        criterion, epsilon, hard = "renyi" if criterion == "clue_entropy" else criterion, row_epsilon(family), False
        played, format = tuple(turn._replace(epsilon=epsilon) for turn in turns), GameFormat(guesses)
        terms |= {"game": f"wordle:{guesses}"}
    named = [{} if fixed else {"epsilon": plain(turn.epsilon)} for turn in played]
    sent = [{"guess": turn.guess, "clue": str(Clue(turn.clue))} | one for turn, one in zip(played, named, strict=True)]
    terms |= {"turns": sent, "criterion": criterion, "count": 3, "answers": 5, "words": short.name}
    for i, turn in enumerate(played):
        if fault := hard_mode_fault(turn.guess, played[:i], rule, hard):
            said = refusal(client.post("/api/coach/suggestions", json=GAME | terms))
            assert said == (f"hard mode: {fault}", f"turns.{i}.guess")
            return
    assistant = Assistant(Setting(short, rule, family, format=format), epsilon, criterion, hard, kernels=True)
    assistant.take(played)
    assert suggestions(client, **terms) == json.loads(json.dumps(assistant.record(3, 5)))


def test_the_call_with_curl_gives_the_best_guesses(client):
    page = (Path(__file__).parents[2] / "docs" / "reference" / "http.md").read_text("utf-8")
    (call,) = re.findall(r"^```\n(curl .*?)^```$", page, re.MULTILINE | re.DOTALL)
    *curl, address, header, content_type, data, body = shlex.split(call.replace("\\\n", " "))
    assert (curl, header, content_type, data) == (["curl", "-s"], "-H", "Content-Type: application/json", "-d")
    answer = client.post(address, content=body, headers=dict([content_type.split(": ")]))
    assert [one["word"] for one in answer.json()["suggestions"]][:3] == ["saute", "taste", "tasse"]


@pytest.mark.parametrize(
    ("clue", "channel", "terms"),
    [("..c..", None, {}), ("..ci.", "fibble", {"channel": fibble(1), "format": GameFormat(9)})],
)
def test_why(client, clue, channel, terms):
    body = GAME | {"rule": "counted", "turns": [{"guess": "crate", "clue": clue}], "word": "Shard", "channel": channel}
    found = client.post("/api/coach/why", json=body).json()
    assistant = Assistant(Setting(ORIGINAL, "counted", **terms), kernels=True)
    assistant.take((Turn("crate", math.inf, Clue.parse(clue).code),))
    reasons = assistant.why("shard")
    assert found["statistics"]["bits"] == pytest.approx(reasons.statistics.bits)
    assert (found["known"], found["legal"]) == (True, channel is None)
    sizes = [(part["clue"], part["size"]) for part in found["parts"]]
    assert sizes == [(part.clue, len(part.words)) for part in reasons.parts]
    assert [len(part["words"]) for part in found["parts"]] == [min(size, 30) for _, size in sizes]
    assert not answered(client.post("/api/coach/why", json=GAME | {"word": "zzzzz"}))["known"]
    words = map("".join, itertools.islice(itertools.product("abcdefg", repeat=6), 0, None, 37))  # of many clues
    name = answered(client.post("/api/words", json={"answers": "\n".join(words)}))["name"]
    assert len(answered(client.post("/api/coach/why", json={"words": name, "word": "abcdef"}))["parts"]) == 300


# The analysis of a finished game.

SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩\n"
GUESSES = ["crate", "slink", "solar"]


def analyzed(client, **given):
    return answered(client.post("/api/analyze", json=COUNTED | given))


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
    rows = answered(client.post("/api/analyze/turns", json=COUNTED | text | {"guesses": "crate zzzzz! tardy"}))
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
