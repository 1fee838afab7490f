"""Games over HTTP: rules, what is told and when, and requests that are repeated, late or at once."""

import math
import random
from concurrent.futures import ThreadPoolExecutor
from datetime import date, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.helpers import ORIGINAL
from tests.oracles import differences
from tests.web.conftest import ADDRESS, answered, refusal
from wordpl import Referee, Setting, Turn, analyze, clue, parse_strategy, seed_of_the_day, turns_from_share
from wordpl.model.clues import Clue
from wordpl.web.app import make_app
from wordpl.web.games import MOST_ROWS, Games, NewGame
from wordpl.web.problems import FieldError
from wordpl.web.settings import Settings

SHORT = "\n".join(["cat", "bat", "rat", "tar", "art", "ape", "pea", "eat", "tea", "ate"])
WORDS = sorted(SHORT.split())
KINDS = ("wordpl", "wordle", "daily", "adversarial", "fibble")
GAMES = "/api/play/games"

several = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


@pytest.fixture(autouse=True)
def same_answers(monkeypatch):
    """The answers are the same in every run, so that no test fails or passes by chance."""
    monkeypatch.setattr("wordpl.web.games.secrets.randbits", random.Random(1).getrandbits)
    monkeypatch.setattr("wordpl.web.games.today", lambda: date(2026, 11, 22))


@pytest.fixture(scope="module")
def short(client) -> str:
    return client.post("/api/words", json={"answers": SHORT}).json()["name"]


def begun(client, **terms):
    return answered(client.post(GAMES, json=terms), 201)


def moved(client, game, row, word=None, epsilon=None, action="ask", status=200):
    body = {"row": row, "action": action, "word": word, "epsilon": epsilon}
    return answered(client.post(f"{GAMES}/{game['id']}/moves", json=body), status)


def secret(client, game) -> str | None:
    """The answer of a game, as nobody who plays it can know it."""
    found = client.app.state.server.games.get(game["id"])
    words = client.app.state.server.word_lists.get(game["words"])
    answer = found.opened(words).game.answer
    return None if game["kind"] == "adversarial" else answer


def ended(client, game):
    """The game after the player has given up."""
    rows = client.get(f"{GAMES}/{game['id']}").json()["rows"]
    return moved(client, game, len(rows), action="give_up")


MOVES = st.lists(
    st.tuples(
        st.sampled_from([*WORDS, "xxx", "toolong", "", "ÄÖÜ"]),
        st.sampled_from([0.01, 1.0, 13.0, 1e6, "inf", None, 2e6]),
        st.sampled_from(["ask", "ask", "ask", "propose"]),
        st.integers(-1, 1),
    ),
    max_size=12,
)


@several
@given(kind=st.sampled_from(KINDS), moves=MOVES, lies=st.integers(1, 3), hard=st.booleans(), given_first=st.booleans())
def test_any_history_goes_by_the_rules(client, short, kind, moves, lies, hard, given_first):
    hard = hard and kind not in ("wordpl", "fibble")
    game = begun(client, kind=kind, words=short, lies=lies, hard=hard, given=given_first)
    answer = None if kind == "adversarial" else secret(client, game)
    rows = game["rows"]
    assert len(rows) == (kind == "fibble" and given_first)
    for word, epsilon, action, late in moves:
        before = client.get(f"{GAMES}/{game['id']}").json()
        body = {"row": len(rows) + late, "action": action, "word": word or None, "epsilon": epsilon}
        response = client.post(f"{GAMES}/{game['id']}/moves", json=body)
        after = client.get(f"{GAMES}/{game['id']}").json()
        if response.status_code != 200:
            assert response.status_code in (409, 422)
            assert response.json()["error"]["message"]
            assert after == before
            continue
        assert word in WORDS
        if late < 0:  # the row before, again
            assert after == before
            continue
        assert late == 0
        assert response.json() == after
        assert before["result"] is None
        game, rows = after, after["rows"]
        if action == "propose":
            assert kind == "wordpl"
            assert rows == before["rows"]
            assert game["result"]["won"] == (word == answer)
        else:
            assert rows[:-1] == before["rows"]
            assert rows[-1]["guess"] == word
            assert rows[-1]["epsilon"] == (epsilon if kind == "wordpl" else "inf")
    assert len(rows) <= (game["max_rows"] or MOST_ROWS)
    check_end(client, kind, game, answer, lies)


def check_end(client, kind, game, answer, lies):
    if game["result"] is None:
        game = ended(client, game)
        assert game["result"]["gave_up"]
        assert game["result"]["score"] is None
    result, rows = game["result"], game["rows"]
    answer = answer or result["answer"]
    assert result["answer"] == answer
    assert result["true_clues"] == [str(clue(row["guess"], answer, game["rule"])) for row in rows]
    if result["won"]:
        assert result["score"] == (math.fsum(r["epsilon"] for r in rows) if kind == "wordpl" else len(rows))
    for row, true in zip(rows, result["true_clues"], strict=True):
        flipped = differences(row["clue"], true)
        if kind == "fibble":
            assert flipped == (0 if row["guess"] == answer else lies)
        elif kind != "wordpl":
            assert flipped == 0


def texts(value):
    if isinstance(value, (dict, list)):
        for inner in value.values() if isinstance(value, dict) else value:
            yield from texts(inner)
    elif isinstance(value, str):
        yield value


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_tells_the_answer_before_the_end(client, kind):
    """A word of the list stands in no body unless it was asked; nor does a true clue beside a false one."""
    game = begun(client, kind=kind, given=False)
    answer = secret(client, game) or "zzzzz"
    asked = [word for word in ("crate", "sloth", "bumpy") if word != answer]
    bodies = [game]
    for row, word in enumerate(asked):
        epsilon = 0.5 if kind == "wordpl" else None
        bodies.append(moved(client, game, row, word, epsilon))
        bodies.append(moved(client, game, row, word, epsilon))
        bodies.append(client.get(f"{GAMES}/{game['id']}").json())
        for path in ("analysis", "records"):
            response = client.get(f"{GAMES}/{game['id']}/{path}")
            assert response.status_code == 409
            bodies.append(response.json())
    # A name such as "counted" or "daily" may contain an answer, and is the same whatever the answer is.
    known = {*asked, *(game[name] for name in ("id", "kind", "words", "rule", "letters"))}
    assert not [text for text in texts(bodies) if text not in known and answer in text]
    assert [body["result"] for body in bodies if "result" in body] == [None] * (1 + 3 * len(asked))
    state = client.get(f"{GAMES}/{game['id']}").json()
    assert set(state) == {
        *("id", "kind", "words", "length", "letters", "rule", "hard", "lies", "day", "max_rows", "rows", "spent"),
        "result",
    }
    assert all(set(row) == {"guess", "clue", "epsilon"} for row in state["rows"])
    assert ended(client, game)["result"]["answer"] == answer or kind == "adversarial"


@pytest.mark.parametrize("kind", KINDS)
def test_a_refused_proposal_or_guess_tells_nothing(client, kind):
    """What is said is the same for another answer."""
    game = begun(client, kind=kind, given=False)
    state, errors = client.app.state.server.games.get(game["id"]), []
    for _ in range(2):
        for action, word in (("ask", "zzzzz"), ("propose", "aahed"), ("ask", "crat"), ("ask", "⬛⬛⬛⬛⬛")):
            errors.append(moved(client, game, 0, word, 3.0 if kind == "wordpl" else None, action, 422)["error"])
            assert errors[-1]["field"] in ("word", "action")
        state.seed, state.day = state.seed ^ 1, state.day + timedelta(1)
    assert errors[:4] == errors[4:]


def test_a_move_made_again_is_the_same_and_another_for_that_row_is_refused(client):
    game = begun(client)
    first = moved(client, game, 0, "crate", 2.0)
    second = moved(client, game, 1, "crate", 2.0)
    assert second["rows"][0] == first["rows"][0]
    assert moved(client, game, 0, "CRATE ", 2.0) == first
    for word, epsilon, action in (("sloth", 2.0, "ask"), ("crate", 2.5, "ask"), ("crate", None, "propose")):
        assert moved(client, game, 0, word, epsilon, action, status=409)["error"]["field"] == "row"
    assert "number 2" in moved(client, game, 3, "crate", 2.0, status=409)["error"]["message"]
    end = moved(client, game, 2, "haste", action="propose")
    assert moved(client, game, 2, "haste", action="propose") == end
    assert moved(client, game, 1, "crate", 2.0) == second
    assert "over" in moved(client, game, 2, "crate", 2.0, status=409)["error"]["message"]
    assert moved(client, game, 2, "pasta", action="propose", status=409)


def test_the_same_word_asked_again_has_new_noise(client):
    game = begun(client)
    clues = {moved(client, game, row, "crate", 0.01)["rows"][row]["clue"] for row in range(12)}
    assert len(clues) > 3


def test_requests_at_once_make_one_row(client):
    game = begun(client)
    words = ["crate", "sloth", "bumpy", "fling"] * 4
    with ThreadPoolExecutor(8) as pool:

        def send(word):
            return client.post(f"{GAMES}/{game['id']}/moves", json={"row": 0, "word": word, "epsilon": 1.0})

        answers = list(pool.map(send, words))
    rows = client.get(f"{GAMES}/{game['id']}").json()["rows"]
    assert len(rows) == 1
    for word, response in zip(words, answers, strict=True):
        assert response.status_code == (200 if word == rows[0]["guess"] else 409)
        if response.status_code == 200:
            assert response.json()["rows"] == rows


def test_the_row_bound_is_told(client, short):
    game = begun(client, words=short)
    for row in range(MOST_ROWS):
        moved(client, game, row, "cat", 0.1)
    assert f"at most {MOST_ROWS} rows" in moved(client, game, MOST_ROWS, "cat", 0.1, status=422)["error"]["message"]
    assert ended(client, game)["result"]["gave_up"]


def test_the_word_of_the_day_is_that_of_the_package(client, monkeypatch):
    monkeypatch.setattr("wordpl.web.games.today", lambda: date(2026, 11, 22))
    for rule in ("counted", "letterwise"):
        game = begun(client, kind="daily", rule=rule)
        assert game["day"] == "2026-11-22"
        referee = Referee(Setting(ORIGINAL, rule), seed_of_the_day(ORIGINAL, rule))
        answer = referee.open(date(2026, 11, 22).toordinal()).game.answer
        assert ended(client, game)["result"]["answer"] == answer
    monkeypatch.setattr("wordpl.web.games.today", lambda: date(2026, 11, 23))
    assert ended(client, game)["result"]["answer"] == answer  # midnight does not change a game that was begun


def test_hard_mode(client):
    game = begun(client, kind="wordle", hard=True)
    answer = secret(client, game)
    first = next(word for word in ORIGINAL.guesses if word != answer and set(word) & set(answer))
    second = next(word for word in ORIGINAL.guesses if not set(word) & set(first))
    assert set(moved(client, game, 0, first)["rows"][0]["clue"]) & set("ic")
    error = moved(client, game, 1, second, status=422)["error"]
    assert error["field"] == "word"
    assert error["message"].startswith("hard mode")


@pytest.mark.parametrize(
    ("answers", "terms", "field"),
    [
        (SHORT, {"kind": "wordpl", "hard": True}, "hard"),
        (SHORT, {"kind": "fibble", "hard": True}, "hard"),
        (SHORT, {"kind": "fibble", "lies": 4}, "lies"),
        ("cat", {"kind": "fibble"}, "given"),
    ],
)
def test_terms_that_cannot_be(client, answers, terms, field):
    words = client.post("/api/words", json={"answers": answers}).json()["name"]
    assert refusal(client.post(GAMES, json={"words": words} | terms))[1] == field


# Help


def test_help_is_that_of_the_posterior_and_only_what_was_asked_for(client):
    game = begun(client)
    rows = [moved(client, game, row, word, 9.0)["rows"][row] for row, word in enumerate(("crate", "sloth"))]
    state = client.app.state.server.games.get(game["id"])
    belief = state.terms.setting(ORIGINAL).belief(
        tuple(Turn(row["guess"], 9.0, Clue.parse(row["clue"]).code) for row in rows)
    )
    found = client.get(f"{GAMES}/{game['id']}/help", params={"show": ["answers", "bits"]}).json()
    assert found["guesses"] is None
    assert found["bits"] == pytest.approx(belief.entropy)
    assert found["remaining"] == len(ORIGINAL.answers)
    assert (found["answers"][0]["word"], len(found["answers"])) == (belief.top[0], 10)
    assert found["answers"][0]["chance"] == pytest.approx(belief.top[1])
    found = client.get(f"{GAMES}/{game['id']}/help", params={"show": "guesses", "epsilon": 9.0}).json()
    assert found["answers"] is None and found["bits"] is None and found["remaining"] is None
    bits = [guess["bits"] for guess in found["guesses"]]
    assert bits == pytest.approx(sorted(bits, reverse=True), abs=1e-8)  # ties go to the likelier answer
    assert len(bits) == 5
    assert client.get(f"{GAMES}/{game['id']}/help").status_code == 422
    assert client.get(f"{GAMES}/{game['id']}/help", params={"show": "answer"}).status_code == 422
    assert client.get(f"{GAMES}/{game['id']}/help", params={"show": "bits", "epsilon": 2e6}).status_code == 422


@pytest.mark.parametrize("kind", KINDS)
def test_there_is_help_and_an_analysis_for_every_kind(client, short, kind):
    game = begun(client, kind=kind, words=short, given=True)
    for _ in range(2):
        rows = client.get(f"{GAMES}/{game['id']}").json()["rows"]
        moved(client, game, len(rows), "tar" if rows else "cat", 2.0 if kind == "wordpl" else None)
        if client.get(f"{GAMES}/{game['id']}").json()["result"]:
            break
    found = client.get(f"{GAMES}/{game['id']}/help", params={"show": ["answers", "bits", "guesses"]}).json()
    assert sum(answer["chance"] for answer in found["answers"]) == pytest.approx(1)
    state = client.get(f"{GAMES}/{game['id']}").json()
    if state["result"] is None:
        state = ended(client, game)
    assert state["result"]["answer"] in [answer["word"] for answer in found["answers"]]
    response = client.get(f"{GAMES}/{game['id']}/analysis")
    assert [turn["guess"] for turn in response.json()["turns"]] == [row["guess"] for row in state["rows"]]


# After the end


def test_the_analysis_is_that_of_the_command_and_the_share_text_can_be_read(client):
    game = begun(client, kind="wordle")
    for row, word in enumerate(("crate", "sloth", "bumpy")):
        state = moved(client, game, row, word)
        if state["result"]:
            break
    state = state if state["result"] else ended(client, game)
    guesses = [row["guess"] for row in state["rows"]]
    turns = turns_from_share(guesses, state["result"]["share"], ORIGINAL)
    assert [str(Clue(turn.clue)) for turn in turns] == [row["clue"] for row in state["rows"]]
    answer = None if state["result"]["won"] else state["result"]["answer"]
    found = client.get(f"{GAMES}/{game['id']}/analysis").json()
    assert found == analyze(ORIGINAL, turns, answer=answer).record()


def test_the_records_play_the_same_answer_and_noise(client):
    game = begun(client)
    for row, word in enumerate(("trace", "sloth")):
        moved(client, game, row, word, 8.0)
    state = ended(client, game)
    found = client.get(f"{GAMES}/{game['id']}/records").json()["strategies"]
    assert [(one["name"], one["percentile"]) for one in found] == [("Fifth", 5), ("Median", 50), ("NinetyFifth", 95)]
    assert [one["budget"] for one in found] == [record["budget"] for record in client.get("/api/play/records").json()]
    for one in found:
        strategy = parse_strategy(f"{one['name']}()")
        setting = client.app.state.server.games.get(game["id"]).terms.setting(ORIGINAL)
        first = strategy.decide(setting, ())
        assert len(one["moves"]) == 3
        assert one["moves"][0] == {"action": "ask", "word": first.guess, "epsilon": first.epsilon}
        assert one["rows"][0]["guess"] == first.guess
        assert one["won"] == (one["proposed"] == state["result"]["answer"])
        assert one["spent"] == pytest.approx(one["budget"])
        for row in one["rows"]:
            assert row["true_clue"] == str(clue(row["guess"], state["result"]["answer"]))
    # The median record has more than the 16 spent, so it would go on where the player stopped; the fifth would not.
    fifth, median, _ = found
    assert fifth["moves"][2]["action"] == "propose"
    assert median["moves"][2]["action"] == "ask"
    assert median["moves"][2]["epsilon"] == pytest.approx(median["budget"] - 16)


def test_a_player_who_asks_what_a_record_asks_is_told_its_own_next_move(client):
    strategy = parse_strategy("Fifth()")
    game = begun(client)
    setting = client.app.state.server.games.get(game["id"]).terms.setting(ORIGINAL)
    first = strategy.decide(setting, ())
    row = moved(client, game, 0, first.guess, first.epsilon)["rows"][0]
    turn = Turn(first.guess, first.epsilon, Clue.parse(row["clue"]).code)
    ended(client, game)
    fifth = client.get(f"{GAMES}/{game['id']}/records").json()["strategies"][0]
    second = strategy.decide(setting, (turn,))
    assert fifth["moves"][1] == {"action": "ask", "word": second.guess, "epsilon": pytest.approx(second.epsilon)}
    assert fifth["rows"][0]["clue"] == row["clue"]


def test_records_are_not_compared_where_they_were_not_made_for(client, short):
    for terms in ({"words": short}, {"rule": "counted"}, {"kind": "wordle"}):
        game = begun(client, **terms)
        ended(client, game)
        assert client.get(f"{GAMES}/{game['id']}/records").json() == {"strategies": []}


# How long games are kept


def test_the_game_used_least_recently_goes_first(monkeypatch):
    monkeypatch.setattr("wordpl.web.games.MOST_GAMES", 3)
    games = Games()
    ids = [games.start(NewGame(kind="wordle"), ORIGINAL).id for _ in range(3)]
    assert len(set(ids)) == 3
    games.get(ids[0])
    games.start(NewGame(kind="wordle"), ORIGINAL)
    assert games.get(ids[0]).id == ids[0]
    with pytest.raises(FieldError, match="no such game any more") as caught:
        games.get(ids[1])
    assert (caught.value.status, caught.value.field) == (404, "game")


def test_a_game_on_a_pasted_list_goes_on_when_the_list_is_pasted_again():
    with TestClient(make_app(Settings()), base_url=ADDRESS) as client:
        name = client.post("/api/words", json={"answers": SHORT}).json()["name"]
        game = begun(client, words=name)
        first = moved(client, game, 0, "cat", 3.0)
        client.app.state.server.word_lists._pasted._values.clear()
        assert refusal(client.get(f"{GAMES}/{game['id']}"), 404)[1] == "words"
        client.post("/api/words", json={"answers": SHORT})
        assert client.get(f"{GAMES}/{game['id']}").json() == first
