"""The coach: what the command says, over HTTP."""

from __future__ import annotations

import json
import math
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cli.conftest import Cli
from tests.generators import RULE, epsilons
from tests.helpers import ORIGINAL
from wordpl import CRITERIA, Assistant, GameFormat, channel_family
from wordpl.assistant.session import FEW
from wordpl.model.channel import ChannelFamily
from wordpl.model.clues import Clue
from wordpl.play.strategy import Turn
from wordpl.web.api.coach import Criterion, SuggestionsWanted
from wordpl.web.settings import MAX_LIES, MAX_TURNS

GAME = {"words": "original", "rule": "letterwise"}
NOT_ALWAYS: dict[str, object] = {"contradiction": None, "closest": [], "game": None}
NOISY = [{"guess": "crate", "clue": "..icc", "epsilon": 13}, {"guess": "haste", "clue": ".c.i.", "epsilon": 13}]


def fibble(lies: int) -> ChannelFamily:
    return channel_family(f"fibble:{lies}")


def suggestions(client, status: int = 200, **given):
    response = client.post("/api/coach/suggestions", json=GAME | given)
    assert response.status_code == status, response.text
    return response.json()


def refusal(client, path: str = "suggestions", **given) -> tuple[str, str | None]:
    response = client.post(f"/api/coach/{path}", json=GAME | given)
    assert 400 <= response.status_code < 500, response.text
    error = response.json()["error"]
    return error["message"], error["field"]


def test_every_criterion_of_the_package_can_be_asked_for() -> None:
    assert set(get_args(Criterion)) == set(CRITERIA)


@pytest.mark.parametrize(
    ("turns", "typed"),
    [
        ([], []),
        (NOISY, ["crate=..icc@13", "haste=.c.i.@13"]),
        ([{"guess": "crate", "clue": "..c.."}, {"guess": "sonic", "clue": "i...c"}], ["crate=..c..", "sonic=i...c"]),
        ([{"guess": "crate", "clue": "ccccc"}], ["crate=ccccc"]),
    ],
)
def test_it_is_what_the_command_prints(client, cli: Cli, turns, typed) -> None:
    found = suggestions(client, turns=turns, rule="counted", epsilon="inf" if turns != NOISY else 13)
    options = ["--epsilon", "13"] if turns == NOISY else []
    printed = json.loads(cli("solve", *typed, "--words", "original", "--rule", "counted", *options, "--json").out)
    closest, contradiction, fibble = (found.pop(name) for name in ("closest", "contradiction", "game"))
    assert closest == printed.pop("closest", [])
    assert contradiction == printed.pop("contradiction", None)
    assert fibble is None
    assert found == printed


@st.composite
def histories(draw) -> list[dict[str, object]]:
    guess = st.sampled_from(ORIGINAL.guesses)
    epsilon = epsilons(zero=False).map(lambda one: "inf" if one == math.inf else min(one, 1e6))
    turn = st.builds(
        lambda word, code, at: {"guess": word, "clue": str(Clue(code)), "epsilon": at},
        guess,
        st.integers(0, 242),
        epsilon,
    )
    return draw(st.lists(turn, max_size=4))


@given(histories(), RULE, st.sampled_from(sorted(CRITERIA)), epsilons(zero=False), st.booleans())
def test_any_history_gets_what_the_assistant_says(client, turns, rule, criterion, epsilon, hard) -> None:
    epsilon = min(epsilon, 1e6) if math.isfinite(epsilon) else epsilon
    found = suggestions(
        client,
        turns=turns,
        rule=rule,
        criterion=criterion,
        hard=hard,
        epsilon="inf" if epsilon == math.inf else epsilon,
        count=3,
        answers=5,
    )
    assistant = Assistant(ORIGINAL, rule, epsilon, criterion, hard, kernels=True)
    assistant.take(
        tuple(
            Turn(
                turn["guess"], math.inf if turn["epsilon"] == "inf" else turn["epsilon"], Clue.parse(turn["clue"]).code
            )
            for turn in turns
        )
    )
    assert found == NOT_ALWAYS | json.loads(json.dumps(assistant.record(3, 5)))


@given(
    st.lists(st.tuples(st.sampled_from(ORIGINAL.guesses), st.integers(0, 242)), max_size=4),
    RULE,
    st.sampled_from(sorted(set(CRITERIA) - {"clue_entropy"})),
    st.integers(1, MAX_LIES),
    st.integers(4, 9),
)
def test_any_game_of_fibble_gets_what_the_assistant_says(client, rows, rule, criterion, lies, guesses) -> None:
    assistant = Assistant(
        ORIGINAL, rule, criterion=criterion, channel=fibble(lies), kernels=True, format=GameFormat(guesses)
    )
    assistant.take(tuple(Turn(guess, math.inf, code) for guess, code in rows))
    turns = [{"guess": guess, "clue": str(Clue(code))} for guess, code in rows]
    given = {"rule": rule, "criterion": criterion, "lies": lies, "guesses": guesses, "count": 3, "answers": 5}
    assert suggestions(client, turns=turns, **given) == NOT_ALWAYS | json.loads(json.dumps(assistant.record(3, 5)))


def test_a_game_of_fibble_is_what_the_command_prints(client, cli: Cli) -> None:
    """But for rounding: the command ranks by numpy, to begin at once."""
    turns = [{"guess": "crate", "clue": "..ci."}, {"guess": "slant", "clue": ".i..."}]
    typed = ["crate=..ci.", "slant=.i...", "--lies", "2", "--format", "wordle:4", "--words", "original", "--json"]
    printed = json.loads(cli("solve", *typed).out)
    found = suggestions(client, turns=turns, rule="counted", lies=2, guesses=4)
    assert found["game"]["rows_left"] == 2
    assert [one["word"] for one in found["suggestions"]] == [one["word"] for one in printed["suggestions"]]
    assert found["game"].pop("win_chances") == pytest.approx(printed["game"].pop("win_chances"))
    for chances, wanted in zip(found["game"].pop("false_marks"), printed["game"].pop("false_marks"), strict=True):
        assert chances == pytest.approx(wanted)
        assert sum(chances) == pytest.approx(2)
    assert found["game"] == printed["game"]
    assert found["answers"] == printed["answers"]


def test_a_word_of_fibble_is_explained(client) -> None:
    given = {"turns": [{"guess": "crate", "clue": "..ci."}], "rule": "counted", "lies": 1}
    found = client.post("/api/coach/why", json=GAME | given | {"word": "shard"}).json()
    assistant = Assistant(ORIGINAL, channel=fibble(1), kernels=True, format=GameFormat(9))
    assistant.take((Turn("crate", math.inf, Clue.parse("..ci.").code),))
    assert found["figures"]["bits"] == pytest.approx(assistant.why("shard").figures.bits)
    assert sum(part["size"] for part in found["parts"]) == assistant.remaining


def test_more_lies_than_a_word_has_letters(client) -> None:
    name = client.post("/api/words", json={"answers": "cat\ndog\ncow"}).json()["name"]
    message, field = refusal(client, words=name, lies=4)
    assert field == "lies"
    assert "3 letters" in message


def test_a_contradiction_is_explained_and_the_closest_words_are_offered(client) -> None:
    turns = [{"guess": "crate", "clue": "ccccc"}, {"guess": "haste", "clue": "....."}]
    found = suggestions(client, turns=turns)
    assert found["solved"] is None
    assert found["contradiction"]["clue"] == 2
    assert "clue 2 (haste=.....) rules everything out" in found["contradiction"]["explanation"]
    assert {mend["clue"] for mend in found["contradiction"]["mends"]} == {1, 2}
    assert found["closest"]
    assert (found["remaining"], found["suggestions"], found["answers"]) == (0, [], [])


def test_hard_mode_suggests_only_what_it_allows(client) -> None:
    found = suggestions(client, turns=[{"guess": "crate", "clue": "..c.."}], rule="counted", hard=True, count=50)
    assert len(found["suggestions"]) == 50
    assert {one["word"][2] for one in found["suggestions"]} == {"a"}


def test_a_word_that_the_list_lacks_is_taken_if_it_is_meant(client) -> None:
    message, field = refusal(client, turns=[{"guess": "zzzzz", "clue": "....."}])
    assert field == "turns.0.guess"
    assert "zzzzz!" in message
    (clue,) = suggestions(client, turns=[{"guess": "zzzzz!", "clue": "....."}])["clues"]
    assert clue == {"guess": "zzzzz", "clue": ".....", "epsilon": "inf", "known": False}


def test_a_list_of_ones_own(client) -> None:
    words = ["dial", "dive", "dove", "five", "give", "live"]
    name = client.post("/api/words", json={"answers": "\n".join(words)}).json()["name"]
    found = suggestions(client, words=name, turns=[{"guess": "dive", "clue": ".ccc", "epsilon": "inf"}])
    assert [one["word"] for one in found["answers"]] == ["five", "give", "live"]
    _, field = refusal(client, words="list-0123456789abcdef")
    assert field == "words"


@pytest.mark.parametrize(
    ("given", "field", "named"),
    [
        ({"turns": [NOISY[0], {"guess": "crtae", "clue": "....."}]}, "turns.1.guess", "did you mean 'crate'?"),
        ({"turns": [{"guess": "crate", "clue": "..q.."}]}, "turns.0.clue", "'q'"),
        ({"turns": [{"guess": "crate", "clue": "...."}]}, "turns.0.clue", "4 marks"),
        ({"turns": [{"guess": "crate", "clue": ".....", "epsilon": 0}]}, "turns.0.epsilon", "0"),
        ({"turns": [NOISY[0]] * (MAX_TURNS + 1)}, "turns", str(MAX_TURNS)),
        ({"epsilon": 1e7}, "epsilon", "inf"),
        ({"epsilon": "much"}, "epsilon", "number"),
        ({"criterion": "luck"}, "criterion", "parts"),
        ({"rule": "none"}, "rule", "counted"),
        ({"lies": 0}, "lies", "1"),
        ({"lies": MAX_LIES + 1}, "lies", str(MAX_LIES)),
        ({"lies": 1, "epsilon": 13}, "epsilon", "inf"),
        ({"lies": 1, "turns": NOISY}, "turns.0.epsilon", "inf"),
        ({"lies": 1, "criterion": "clue_entropy"}, "criterion", "information_gain"),
        ({"lies": 1, "hard": True}, "hard", "true clues"),
        ({"lies": 1, "guesses": 1, "turns": [{"guess": "crate", "clue": "....."}] * 2}, "guesses", "the game has 1"),
        ({"guesses": 101}, "guesses", "100"),
        ({"count": 101}, "count", "100"),
        ({"answers": 501}, "answers", "500"),
        ({"extra": 1}, "extra", ""),
    ],
)
def test_a_mistake_is_told_with_its_field(client, given, field: str, named: str) -> None:
    message, found = refusal(client, **given)
    assert found == field
    assert named in message


def test_as_many_turns_as_are_taken_are_answered(client) -> None:
    assert suggestions(client, turns=NOISY * (MAX_TURNS // 2))["remaining"] == len(ORIGINAL.answers)
    wrong = [{"guess": guess, "clue": "ccccc"} for guess in ORIGINAL.guesses[:MAX_TURNS]]
    assert suggestions(client, turns=wrong)["contradiction"]["mends"] == []


def test_why(client) -> None:
    turns = [{"guess": "crate", "clue": "..c.."}]
    found = client.post("/api/coach/why", json=GAME | {"rule": "counted", "turns": turns, "word": "Shard"}).json()
    assistant = Assistant(ORIGINAL, kernels=True)
    assistant.take((Turn("crate", math.inf, Clue.parse("..c..").code),))
    reasons = assistant.why("shard")
    assert found["figures"]["bits"] == pytest.approx(reasons.figures.bits)
    assert (found["known"], found["legal"]) == (True, True)
    assert [(part["clue"], part["size"]) for part in found["parts"]] == [
        (part.clue, len(part.words)) for part in reasons.parts
    ]
    assert sum(part["size"] for part in found["parts"]) == assistant.remaining
    assert max(len(part["words"]) for part in found["parts"]) <= 30


def test_why_takes_any_word_of_the_length_and_no_other(client) -> None:
    found = client.post("/api/coach/why", json=GAME | {"word": "zzzzz"}).json()
    assert not found["known"]
    assert refusal(client, "why", word="zz")[1] == "word"
    assert refusal(client, "why", word="zz11z")[1] == "word"
    wrong = [{"guess": "crate", "clue": "ccccc"}, {"guess": "haste", "clue": "....."}]
    assert "take one back" in refusal(client, "why", word="crate", turns=wrong)[0]


def test_the_answers_that_are_named_are_bounded(client) -> None:
    assert len(suggestions(client)["answers"]) == FEW
    assert len(suggestions(client, answers=500)["answers"]) == 500
    assert suggestions(client, answers=0)["remaining"] == len(ORIGINAL.answers)


def test_infinity_is_a_text() -> None:
    wanted = SuggestionsWanted.model_validate(GAME | {"epsilon": "inf"})
    assert wanted.epsilon == math.inf
    assert json.loads(wanted.model_dump_json())["epsilon"] == "inf"


@pytest.mark.parametrize(
    ("given", "rule"),
    [
        ({}, "counted"),
        ({"epsilon": 13}, "letterwise"),
        ({"turns": NOISY}, "letterwise"),
        ({"epsilon": 13, "rule": "counted"}, "counted"),
    ],
)
def test_the_rule_is_that_of_the_game_unless_it_is_named(client, given, rule) -> None:
    found = client.post("/api/coach/suggestions", json={"words": "original", "count": 1} | given).json()
    assert found["rule"] == rule
