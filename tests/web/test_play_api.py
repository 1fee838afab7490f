"""Games over HTTP: rules, what is told and when, and ids that only the server can make."""

import base64
import itertools
import json
import math
import operator
import re
from dataclasses import asdict
from datetime import date

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.support.helpers import ORIGINAL
from tests.support.oracles import differences
from tests.support.play_requests import GAMES, GIVE_UP, KINDS, after, answer_of, ask, begun, sent
from tests.web.conftest import ADDRESS, SHORT, refusal
from wordpl import Clue, Posterior, Referee, Setting, WordplError, channel_family, clue, load_words
from wordpl.model.names import BUNDLED
from wordpl.scoring import when_to_propose
from wordpl.web.app import make_app
from wordpl.web.games import MOST_ROWS, Move, NewGame, SealedGames
from wordpl.web.server import server_key
from wordpl.web.settings import Settings
from wordpl.wordle import seed_of_the_day

WORDS = sorted(SHORT.split())
PRICED, ENDED = ("wordpl", "unlimited"), ("unlimited", "fibble")
"""Kinds whose clues have an epsilon of their own, and those whose clues lie and that the right guess ends."""
AFTER = ("analysis", "records", "story")
"""Parts of the API for a game that is over."""

several = settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)


MOVES = st.lists(
    st.tuples(
        st.sampled_from([*WORDS, *WORDS, "xxx", "toolong", "", "ÄÖÜ"]),
        st.sampled_from([*["usual"] * 16, 0.01, 13.0, 1e6, "inf", None, 2e6, 0, "nan"]),
        st.sampled_from([*["ask"] * 6, "propose", "propose"]),
    ),
    min_size=4,
    max_size=12,
)


@pytest.mark.heavy
@several
@given(
    kind=st.sampled_from([*KINDS, "wordpl", "unlimited"]),
    moves=MOVES,
    lies=st.integers(1, 3),
    noise=st.sampled_from(["randomized_response", "whole_clue", "ball:1"]),
    hard=st.sampled_from([False, True, "extra"]),
    given_first=st.booleans(),
)
def test_any_history_goes_by_the_rules(client, short, kind, moves, lies, noise, hard, given_first):
    hard = kind not in ("wordpl", "unlimited", "fibble") and hard
    channel = {"wordpl": noise, "unlimited": noise, "fibble": f"fibble:{lies}"}.get(kind)
    game = begun(client, kind=kind, words=short, channel=channel, hard=hard, given=given_first)
    answer = None if kind == "adversarial" else answer_of(client, game)
    assert len(game["rows"]) == (kind == "fibble" and given_first)
    made = []
    for word, epsilon, action in moves:
        if epsilon == "usual":
            epsilon = 2.0 if kind in PRICED else None
        move = {"word": word or None, "epsilon": epsilon, "action": action}
        response = sent(client, game, [*made, move])
        if response.status_code != 200:
            message, field = refusal(response)
            assert message
            assert field in ("word", "epsilon", "moves")
            continue
        assert game["result"] is None
        before, game = game, response.json()
        made.append(move)
        assert word in WORDS
        if action == "propose":
            assert kind == "wordpl"
            assert game["rows"] == before["rows"]
            assert game["result"]["won"] == (word == answer)
        else:
            assert game["rows"][:-1] == before["rows"]
            asked = game["rows"][-1]
            assert kind == "wordpl" or (word == answer) == bool(game["result"] and game["result"]["won"]) or not answer
            assert (asked["guess"], asked["epsilon"]) == (word, epsilon if kind in PRICED else "inf")
    assert after(client, game, *made) == game
    assert len(game["rows"]) <= (game["max_rows"] or MOST_ROWS)
    if game["result"] is None:
        made.append(GIVE_UP)
        game = after(client, game, *made)
        assert game["result"]["gave_up"] and game["result"]["score"] is None
    check_end(kind, game, answer or game["result"]["answer"], lies)
    assert refusal(sent(client, game, [*made, GIVE_UP])) == ("The game is over.", "moves")
    check_story(client, game, made, lies)


def check_end(kind, game, answer, lies):
    result, rows = game["result"], game["rows"]
    assert result["answer"] == answer and (kind == "wordpl" or result["proposed"] is None)
    assert result["true_clues"] == [str(clue(row["guess"], answer, game["rule"])) for row in rows]
    if result["won"]:
        assert result["score"] == (math.fsum(r["epsilon"] for r in rows) if kind in PRICED else len(rows))
    if kind in PRICED:
        noise = "" if game["channel"] == "randomized_response" else f", {game['channel']}"
        assert f", {game['rule']}{noise}: " in result["share"].splitlines()[0]
    else:
        most, star = game["max_rows"] or MOST_ROWS, "*" if game["hard"] else ""
        told = f" {len(rows) if result['won'] else 'X'}/{most}{star}"
        heading = result["share"].splitlines()[0]
        assert heading.endswith(f" {game['day']}{told}" if kind == "daily" else told)
        assert (", adversary," in heading) == (kind == "adversarial")
    for row, true in zip(rows, result["true_clues"], strict=True):
        flipped = differences(row["clue"], true)
        if kind == "fibble":
            assert flipped == (0 if row["guess"] == answer else lies)
        elif kind not in PRICED or (kind == "unlimited" and row["guess"] == answer):
            assert flipped == 0


def check_story(client, game, made, lies):
    """Against a posterior of its own, updated row by row; a right guess that ends the game leaves nothing to update."""
    kind, result = game["kind"], game["result"]
    words = client.app.state.server.word_lists.get(game["words"])
    assert kind != "fibble" or channel_family(game["channel"]) == channel_family(f"fibble:{lies}")
    channel = channel_family(game["channel"] or "randomized_response")
    belief, spent = Posterior(words, game["rule"], channel, right_ends=kind in ENDED), 0.0
    before = 1 / len(words.answers)
    story = after(client, game, *made, path="story")
    for row, true, told in zip(game["rows"], result["true_clues"], story, strict=True):
        spent += 0.0 if row["epsilon"] == "inf" else row["epsilon"]
        if kind in ENDED and row["guess"] == result["answer"]:
            assert told["leader"] == {"word": result["answer"], "chance": 1}
            continue
        belief = belief.update(row["guess"], math.inf if row["epsilon"] == "inf" else row["epsilon"], row["clue"])
        chances = dict(zip(words.answers, belief.probabilities.tolist(), strict=True))
        assert told["leader"] == {"word": belief.top[0], "chance": pytest.approx(belief.top[1])}
        enough = when_to_propose(belief).guess is None if kind == "wordpl" else belief.top[1] >= 0.99
        assert told["enough"] == enough
        assert told["answer_before"] == pytest.approx(before)
        before = chances[result["answer"]]
        assert told["answer_chance"] == pytest.approx(before)
        assert told["proposed_chance"] == (result["proposed"] and pytest.approx(chances[result["proposed"]]))
        assert told["spent"] == (pytest.approx(spent) if kind in PRICED else None)
        assert [(m["place"], m["letter"], m["shown"], m["true"]) for m in told["false_marks"]] == [
            (place, letter, a, b)
            for place, (letter, a, b) in enumerate(zip(row["guess"], row["clue"], true, strict=True), start=1)
            if a != b
        ]


def test_help_story_and_analysis_do_not_believe_a_false_all_correct_clue(client, short):
    new = ({"kind": "fibble", "words": short, "given": False} for _ in range(1000))
    games = (after(client, begun(client, **terms), ask("bat")) for terms in new)
    game = next(game for game in games if game["rows"][0]["clue"] == "ccc" and game["result"] is None)
    advice = after(client, game, ask("bat"), path="help", show=["guesses"])
    assert advice["bets"][-1]["word"] != "bat" and advice["guesses"] and advice["advice"] is None
    noisy = begun(client, words=short)
    row = after(client, noisy, ask("bat", 5))["rows"][0]
    told = when_to_propose(Posterior(client.app.state.server.word_lists.get(short)).update("bat", 5, row["clue"]))
    advised = [after(client, noisy, *rows, path="help")["advice"] for rows in ([], [ask("bat", 5)])]
    assert advised == [None, asdict(told)]
    moves = [ask("bat"), GIVE_UP]
    check_story(client, after(client, game, *moves), moves, 1)
    assert not after(client, game, *moves, path="analysis")["solved"]


def test_a_won_game_of_wordpl_is_no_proof_of_the_answer(client, short):
    """A proposal won it: what is told of its rows is what their clues said."""
    game = begun(client, words=short)
    moves = [ask("cat", 0.1), ask("tea", 0.1), {"action": "propose", "word": answer_of(client, game)}]
    won = after(client, game, *moves)
    assert won["result"]["won"]
    check_story(client, won, moves, 0)
    assert after(client, game, *moves, path="help")["bets"][-1]["chance"] < 1
    assert after(client, game, *moves, path="analysis")["solved"] is True  # by the proposal, not by a clue
    levels = begun(client, kind="fibble", channel="levels:9,3,1,1,1,1", given=False)
    assert after(client, levels, ask("crate"), GIVE_UP, path="story")[0]["spent"] is None  # its clues have no price
    fibble = begun(client, kind="fibble", words=short, given=False)
    right = answer_of(client, fibble)
    known = after(client, fibble, ask(right), path="help", show=["guesses"])  # the clue to the right guess is true
    assert (known["bets"][-1], known["guesses"]) == ({"word": right, "chance": 1}, [])
    against = begun(client, kind="adversarial", words=short)
    assert len(after(client, against, ask("cat"), GIVE_UP, path="analysis")["line"]) == 1  # it leads to no answer


@pytest.mark.parametrize(
    ("kind", "rows", "words", "rule", "channel"),
    [
        ("wordpl", None, "original", "letterwise", "randomized_response"),
        ("unlimited", None, "original", "letterwise", "randomized_response"),
        ("wordle", 6, "nyt2023", "counted", None),
        ("daily", 6, "nyt2023", "counted", None),
        ("adversarial", None, "nyt2023", "counted", None),
        ("fibble", 9, "fibble", "counted", "fibble"),
    ],
)
def test_the_terms_of_each_kind(client, kind, rows, words, rule, channel):
    game = begun(client, kind=kind)
    told = (game["max_rows"], game["words"], game["rule"], game["channel"], game["hard"], game["spent"])
    assert told == (rows, words, rule, channel, False, 0 if kind in PRICED else None)
    for move, said in (
        ({}, "Type a word of 5 letters."),
        ({"action": "propose", "word": "zizit"}, "“zizit” can be asked, but is none of the answers"
         if kind == "wordpl" else "Every guess of this game is a proposal; ask it."),
    ):  # fmt: skip
        assert refusal(sent(client, game, [move]))[0].startswith(said)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_tells_the_answer_before_the_end(client, kind):
    """A word of the list stands in no body unless it was asked; nor does a true clue beside a false one."""
    game = begun(client, kind=kind, given=False)
    answer = "zzzzz" if kind == "adversarial" else answer_of(client, game)
    moves = [ask(word, 0.5 if kind in PRICED else None) for word in ("crate", "sloth", "bumpy") if word != answer]
    bodies = [game, begun(client, again=game["id"])]
    for row in range(len(moves) + 1):
        bodies.append(after(client, game, *moves[:row]))
        bodies += [after(client, game, *moves[:row], path=path, status=409) for path in AFTER]
        assert {body["error"]["field"] for body in bodies[-3:]} == {"moves"}
    states = [body for body in bodies if "error" not in body]
    # A name such as "counted" or "daily" may contain an answer, and is the same whatever the answer is.
    known = {*(move["word"] for move in moves), *(s[name] for s in states for name in ("id", "kind", "words", "rule"))}
    parts = re.findall(r'"((?:[^"\\]|\\.)*)"(:?)', json.dumps(bodies))
    texts = {text for text, colon in parts if not colon}  # what fields have, not their names
    assert "crate" in texts or answer == "crate"
    assert not [text for text in texts - known - {game["letters"]} if answer in text]
    for state in states:
        sealed = base64.urlsafe_b64decode(state["id"] + "==")
        assert answer.encode() not in sealed
        assert state["result"] is None
        fields = "id kind words length letters rule hard channel day max_rows rows spent result"
        assert set(state) == set(fields.split())
        assert all(set(row) == {"guess", "clue", "epsilon"} for row in state["rows"])


def test_the_row_bound_is_told(client, short):
    game, moves = begun(client, words=short), [ask("cat", 0.1)] * MOST_ROWS
    said = f"A game has at most {MOST_ROWS} rows; propose the answer, or give up."
    assert refusal(sent(client, game, [*moves, moves[0]]))[0] == said
    assert after(client, game, *moves, GIVE_UP)["result"]["gave_up"]


def test_the_word_of_the_day_is_that_of_the_package(client, monkeypatch):
    words = load_words("nyt2023")  # the list of help and analysis, too
    for rule in ("counted", "letterwise"):
        game = begun(client, kind="daily", rule=rule)
        assert (game["day"], game["words"]) == ("2026-11-22", words.name)
        referee = Referee(Setting(words, rule), seed_of_the_day(words, rule))
        answer = referee.open(date(2026, 11, 22).toordinal()).game.answer
        assert answer_of(client, game) == answer
    monkeypatch.setattr("wordpl.web.games.today", lambda: date(2026, 11, 23))
    again = begun(client, again=game["id"])  # midnight does not change a game that was begun
    assert (again["day"], answer_of(client, again)) == ("2026-11-22", answer)


@pytest.mark.parametrize("hard", [True, "extra"])
def test_hard_mode(client, hard):
    game = begun(client, kind="wordle", hard=hard)
    answer = answer_of(client, game)
    assert game["hard"] == hard
    first = next(word for word in ORIGINAL.guesses if word != answer and set(word) & set(answer))
    second = next(word for word in ORIGINAL.guesses if not set(word) & set(first))
    message, field = refusal(sent(client, game, [ask(first), ask(second)]))
    assert (message[:9], field) == ("hard mode", "word")
    fitting = after(client, game, ask(first), path="help", show=["guesses"])["guesses"]
    assert fitting and all(sent(client, game, [ask(first), ask(one["word"])]).is_success for one in fitting)
    assert after(client, game, ask(first), GIVE_UP, path="analysis")["hard"] == hard
    absent = next(word for word in ORIGINAL.guesses if not set(word) & set(answer))
    assert sent(client, game, [ask(absent)] * 2).is_success == (hard is True)


def test_what_a_clue_may_cost_and_the_letters_of_the_list(client):
    lists = {"answers": "cat\nbat", "guesses": "cat\nbat\nzoo"}
    game = begun(client, words=client.post("/api/words", json=lists).json()["name"])
    assert (game["letters"], game["length"]) == ("abcotz", 3)
    assert after(client, game, ask("zoo", 1e6))["spent"] == 1e6
    free = begun(client, kind="wordle")  # whose clues cost nothing: no epsilon means the same as infinity
    assert after(client, free, ask("crate", "inf")) == after(client, free, ask("crate"))
    assert refusal(sent(client, free, [ask("crate", 13.0)]))[1] == "epsilon"
    for epsilon in (1_000_001, 0, -1):
        assert refusal(sent(client, game, [ask("zoo", epsilon)]))[1] == "epsilon"


def test_a_list_that_is_too_long_is_refused(client, monkeypatch):
    monkeypatch.setattr("wordpl.web.server.MAX_CELLS", 6)
    text = {"answers": "cat\nbat", "guesses": "cat\nbat\nrat"}
    listed = client.post("/api/words", json=text).json()
    assert (listed["guesses"], begun(client, words=listed["name"])["letters"]) == (3, "abcrt")
    assert [one["name"] for one in client.get("/api/words?pasted=gone").json()] == list(BUNDLED)
    names = [client.post("/api/words", json={"answers": word}).json()["name"] for word in SHORT.split()[:9]]
    assert client.get(f"/api/words?pasted={names[0]}").json()[-1]["name"] == list(BUNDLED)[-1]  # eight are kept
    longer = text | {"guesses": "cat\nbat\nrat\ntar"}
    assert "guesses times answers are 8, at most 6 can be had" in refusal(client.post("/api/words", json=longer))[0]


def test_the_same_id_is_the_same_game_and_other_ids_are_others(client):
    """The noise of a row is the same whatever was asked before it, so friends can compare their clues."""
    game, asks = begun(client), [ask("crate", 0.01)] * 12
    clues = [row["clue"] for row in after(client, game, *asks)["rows"]]
    assert len(set(clues)) > 3  # the same word asked again has new noise
    assert [row["clue"] for row in after(client, game, ask("sloth", 5), *asks[1:])["rows"]][1:] == clues[1:]
    again = begun(client, again=game["id"], kind="fibble", words="gone")
    assert (again["kind"], again["words"]) == (game["kind"], game["words"])
    assert answer_of(client, again) == answer_of(client, game)
    assert [row["clue"] for row in after(client, again, *asks)["rows"]] != clues
    others = [begun(client) for _ in range(12)]
    assert len({answer_of(client, other) for other in others}) > 8


@pytest.mark.parametrize(
    ("kind", "channel", "weight"),
    [
        ("wordpl", None, lambda false: math.exp(-false)),
        ("wordpl", "whole_clue", lambda false: 1 if false == 0 else math.exp(-5)),
        ("fibble", "levels:8,4,4,2,1,1", lambda false: (8, 4, 4, 2, 1, 1)[false]),
    ],
)
def test_noise_is_that_of_the_channel(client, kind, channel, weight):
    """The mean number of false marks in 400 clues to one word is within five standard deviations of that of all clues,
    weighted by the number of false marks; epsilon is 5, or that of the channel."""
    games = client.app.state.server.games
    again = NewGame(again=games.start(NewGame(kind=kind, channel=channel, given=False)).id)
    move = (Move(word="zizit", epsilon=5.0 if kind == "wordpl" else None),)  # a guess that is no answer
    played = [games.play(games.start(again).id, move).record for _ in range(400)]
    assert len({record.answer for record in played}) == 1
    assert {record.history[0].epsilon for record in played} == {5.0 if kind == "wordpl" else math.log(8)}
    true = str(clue("zizit", played[0].answer, "letterwise" if kind == "wordpl" else "counted"))
    false = [differences(str(Clue(record.history[0].clue)), true) for record in played]
    by_clue = [sum(mark > 0 for mark in marks) for marks in itertools.product(range(3), repeat=5)]
    weights = [weight(number) for number in by_clue]
    mean, square = (sum(map(operator.mul, weights, (n**power for n in by_clue))) / sum(weights) for power in (1, 2))
    assert sum(false) / 400 == pytest.approx(mean, abs=5 * math.sqrt((square - mean**2) / 400))


def test_answer_and_noise_follow_from_the_key_of_the_server(monkeypatch):
    """Else the page could work them out from what stands in the id."""
    monkeypatch.setattr("wordpl.web.games.secrets.token_bytes", bytes)
    games = [SealedGames(bytes([i]) * 32, lambda _: ORIGINAL) for i in range(12)]
    ids = [one.start(NewGame()).id for one in games]
    assert len({id[-10:] for id in ids}) == 1  # the nonces are the same
    moves = (Move(word="crate", epsilon=0.01), Move(action="give_up"))
    records = [one.play(id, moves).record for one, id in zip(games, ids, strict=True)]
    assert len({record.answer for record in records}) > 8
    assert len({record.history[0].clue for record in records}) > 8


def test_nobody_can_alter_an_id(client):
    id = begun(client, kind="fibble")["id"]
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    altered = [id[:at] + ("B" if letter == "A" else "A") + id[at + 1 :] for at, letter in enumerate(id)]
    # All values of the last letter, some bits of which may stand for nothing, and what is cut or added.
    altered += [*(id[:-1] + letter for letter in alphabet if letter != id[-1]), id[:-1], f"{id}=", "A", "A" * 400, "é"]
    for other in altered:
        answer = client.post(f"{GAMES}/{other}", json={"moves": []})
        assert refusal(answer, 404) == ("This server has no such game; begin a new one.", "game")
    assert refusal(client.post(GAMES, json={"again": altered[0]}), 404)[1] == "game"


def test_a_game_outlasts_the_server_as_long_as_its_key(client, tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    moves = [ask("cat", 3.0), ask("bat", 0.1)]
    first, second = (TestClient(make_app(Settings()), base_url=ADDRESS) for _ in range(2))
    name = first.post("/api/words", json={"answers": SHORT}).json()["name"]
    game = begun(first, words=name)
    assert refusal(sent(second, game, moves), 404)[1] == "words"
    summary = second.post("/api/words", json={"answers": SHORT}).json()
    assert second.get("/api/words", params={"pasted": name}).json()[-1] == summary
    assert after(second, game, *moves) == after(first, game, *moves)
    assert refusal(sent(client, game, moves), 404)[1] == "game"


def test_a_key_that_is_none_is_refused_or_forgotten(tmp_path, monkeypatch, caplog):
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    key, file = server_key(), tmp_path / "wordpl" / "games.key"
    for other in (key[1:], key + b"x"):
        file.write_bytes(other)
        with pytest.raises(WordplError, match=r"games.key.* 32 bytes"):
            make_app(Settings())
    monkeypatch.setenv("XDG_STATE_HOME", "/dev/null")
    assert not caplog.records
    assert len({server_key(), server_key(), key}) == 3
    assert [record.getMessage().partition(",")[0] for record in caplog.records] == ["games end with this server"] * 2
