"""Uploads through the API: who may, what is refused and how, and what an author sees."""

from collections.abc import AsyncIterator
from itertools import product
from typing import Any

import httpx2
import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.support.helpers import ASKS_ONCE
from tests.support.ledgers import enter, trials
from tests.support.pages import POST, bearer
from tests.support.uploads import NASTY
from tests.web.conftest import ADDRESS, answered, in_thread, refusal
from wordpl import WordplError
from wordpl.contest import Credit, Queue, sandbox
from wordpl.contest.sandbox import NoSandboxError
from wordpl.contest.uploads.package import BOUNDS
from wordpl.contest.uploads.queue import Item
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

TYPE = "text/x-python"


@pytest.fixture
def client(queue: Queue) -> TestClient:
    """A server without what one does as it starts; so no worker runs, and uploads stay in the queue."""
    return TestClient(make_app(Settings(ledger=queue.ledger.path, accept=True)), base_url=ADDRESS)


@pytest.fixture
def token(queue: Queue) -> str:
    return queue.tokens.make("Ann")


@pytest.fixture
def item(client: TestClient, queue: Queue, token: str) -> Item:
    """A submission that waits."""
    return queue.item(hand_in(client, token).json()["id"])


def hand_in(client: TestClient, token: str, content: Any = ASKS_ONCE, kind: str = TYPE, **query: Any) -> Any:
    headers = {"Content-Type": kind} | bearer(token)
    return client.post(POST, params={"file": "mine.py"} | query, content=content, headers=headers)


# Whether uploads are taken.


def test_uploads_are_on_with_their_bounds(client, queue):
    found = client.get("/api/contest/uploads").json()
    assert (found["on"], found["why"], found["waiting"]) == (True, "", 0)
    assert (found["bounds"]["bytes"], found["bounds"]["files"]) == (BOUNDS.bytes, BOUNDS.files)
    assert (found["hours"], found["game_seconds"]) == (2.0, 20.0)
    queue.enqueue(queue.tokens.make("Ann"), "mine.py", ASKS_ONCE)
    assert client.get("/api/contest/uploads").json()["waiting"] == 1
    queue.ledger.close_contest()
    assert "closed" in client.get("/api/contest/uploads").json()["why"]


@pytest.mark.parametrize(
    ("ledger", "accept", "why"),
    [(False, False, "--ledger FILE"), (True, False, "--accept"), (True, True, "apt-get install bubblewrap")],
)
def test_where_uploads_are_off_the_server_says_why(ledger, accept, why, queue, monkeypatch, token):
    def none() -> None:
        raise NoSandboxError("no sandbox: bubblewrap is not installed (apt-get install bubblewrap)")

    monkeypatch.setattr(sandbox, "find", none)
    settings = Settings(ledger=queue.ledger.path if ledger else None, accept=accept)
    client = TestClient(make_app(settings), base_url=ADDRESS)
    found = client.get("/api/contest/uploads").json()
    assert not found["on"] and why in found["why"]
    assert refusal(hand_in(client, token), 404)[0] == found["why"]
    for path in (POST, f"{POST}/x"):
        assert refusal(client.get(path, headers=bearer(token)), 404)[0] == found["why"]
    assert queue.items() == []


def test_a_ledger_that_is_none_is_refused_before_the_server_starts(tmp_path):
    (tmp_path / "contest.sqlite").write_text("not a database, but long enough to be looked at")
    with pytest.raises(WordplError, match="not a contest file"):
        make_app(Settings(ledger=tmp_path / "contest.sqlite", accept=True))
    with Queue(tmp_path / "own.sqlite") as queue:
        queue.ledger.publish(tmp_path / "copy.sqlite")
    with pytest.raises(WordplError, match="a copy without the contest's secret"):
        make_app(Settings(ledger=tmp_path / "copy.sqlite", accept=True))


# What comes in.


def test_a_submission_waits_and_its_author_sees_it(client, queue, token):
    response = hand_in(client, token, call="Mine( )", author="Ann <b>", link="https://example.org", nonce="mine")
    assert response.status_code == 201
    found = response.json()
    assert response.headers["location"] == f"{POST}/{found['id']}"
    assert (found["name"], found["file"], found["call"]) == ("Ann", "mine.py", "Mine")
    assert (found["state"], found["position"], found["entry"]) == ("waiting", 1, None)
    assert client.get(f"{POST}/{found['id']}", headers=bearer(token)).json() == found
    assert client.get(POST, headers=bearer(token)).json() == {"submissions": [found]}
    kept, credit = queue.item(found["id"]), Credit("Ann <b>", "https://example.org")
    assert (queue.content(kept), kept.credit, kept.nonce) == (ASKS_ONCE, credit, "mine")


NOT_ALLOWED: list[tuple[dict[str, Any], int, str | None]] = [
    ({"file": "mine.txt"}, 422, "file"),
    ({"file": ["a.py", "b.py"]}, 422, "file"),
    ({"file": "mine.zip", "kind": "application/zip", "content": NASTY["a path out"][0]()}, 422, "file"),
    ({"call": "Mine("}, 422, "call"),
    ({"author": "a\nb"}, 422, "author"),
    ({"link": "javascript:alert(1)"}, 422, "link"),
    ({"nonce": "\u202e"}, 422, "nonce"),
    ({"show_source": "perhaps"}, 422, "show_source"),
    ({"percentile": "5"}, 422, "percentile"),
    ({"kind": "text/plain"}, 415, "file"),
    ({"content": b"\xff", "show_source": "true"}, 422, "show_source"),
    ({"content": b"x" * 300_000, "show_source": "true"}, 422, "show_source"),
    ({"content": bytes(BOUNDS.bytes + 1)}, 413, None),
    ({"link": "x" * 9000}, 422, "link"),
]


def test_what_is_not_allowed_is_said_beside_its_field(client, queue, token):
    for query, status, field in NOT_ALLOWED:
        assert refusal(hand_in(client, token, **query), status)[1] == field, query
    assert queue.items() == [] and queue.tokens.find(token).uploads == 0


def test_a_body_that_does_not_say_its_size_is_read_up_to_the_bound(client, token):
    body = (bytes(1 << 16) for _ in range(3 * BOUNDS.bytes >> 16))
    assert "4194304 bytes" in refusal(hand_in(client, token, body), 413)[0]


def test_without_a_known_token_nothing_is_read(client, queue, token):
    doors = (("POST", POST), ("GET", POST), ("GET", f"{POST}/x"))
    for header, (method, path) in product((None, "Bearer", "Bearer x", "Basic eDp5", "Bearer \xff", "x" * 5000), doors):
        headers = {} if header is None else {"Authorization": header.encode("latin-1")}
        response = client.request(method, path, params={"file": "mine.py"} if method == "POST" else {}, headers=headers)
        assert refusal(response, 401)[1] == "token"
        assert response.headers["www-authenticate"] == "Bearer"
    queue.tokens.revoke("Ann")
    assert refusal(hand_in(client, token), 401)[1] == "token"


def test_a_submission_is_its_token_s_alone(client, queue):
    ann, bob = queue.tokens.make("Ann"), queue.tokens.make("Bob")
    identity = hand_in(client, ann).json()["id"]
    for path in (f"{POST}/{identity}", f"{POST}/unknown"):
        assert refusal(client.get(path, headers=bearer(bob)), 404) == ("this token has no such submission", None)
    assert client.get(POST, headers=bearer(bob)).json() == {"submissions": []}


def test_a_quota_says_when_to_come_back(client, queue):
    token = queue.tokens.make("Ann", 1)
    assert hand_in(client, token).status_code == 201
    response = hand_in(client, token)
    assert "allows 1 uploads a day" in refusal(response, 429)[0]
    assert 0 < int(response.headers["retry-after"]) <= 24 * 3600


def test_one_upload_of_a_token_comes_in_at_a_time_and_others_are_not_held_up(queue):
    """While the bodies of some tokens come slowly, each refuses the next one of its own token only."""
    tokens = [queue.tokens.make(f"Ann {i}") for i in range(6)]
    app = make_app(Settings(ledger=queue.ledger.path, accept=True))

    async def send(token: str, content: Any) -> Any:
        headers = {"Content-Type": TYPE} | bearer(token)
        async with httpx2.AsyncClient(transport=httpx2.ASGITransport(app=app), base_url=ADDRESS) as client:
            return await client.post(POST, params={"file": "mine.py"}, content=content, headers=headers)

    async def slow(later: list[str]) -> AsyncIterator[bytes]:
        """A body during which that of the next token begins."""
        yield ASKS_ONCE
        if later:
            assert (await send(later[0], slow(later[1:]))).status_code == 201
        else:
            refused = [await send(token, ASKS_ONCE) for token in tokens]
            assert all("another upload of this token" in refusal(response, 503)[0] for response in refused)
            assert all(response.headers["retry-after"] for response in refused)

    assert in_thread(lambda: send(tokens[0], slow(tokens[1:]))).status_code == 201
    assert len(queue.items()) == len(tokens)
    assert in_thread(lambda: send(tokens[0], b"")).status_code == 201  # room is given back


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> tuple[TestClient, dict[str, str]]:
    """A server for all examples, and headers with a token that never runs out; as it is not started, no worker runs."""
    with Queue(tmp_path_factory.mktemp("fuzzed") / "contest.sqlite") as queue:
        token = queue.tokens.make("Ann", 1000)
    client = TestClient(make_app(Settings(ledger=queue.ledger.path, accept=True)), base_url=ADDRESS)
    return client, bearer(token) | {"Content-Type": TYPE}


@pytest.mark.heavy
@given(st.dictionaries(st.sampled_from(["file", "call", "author", "link", "nonce", "show_source"]), st.text()))
def test_any_query_is_answered_in_the_one_form(fuzzed, query):
    response = fuzzed[0].post(POST, params=query, content=b"\xff", headers=fuzzed[1])
    assert response.status_code in (201, 422)


# What its author sees.


def test_its_author_withdraws_a_submission_until_a_worker_has_it(client, queue, token, item):
    path, bob = f"{POST}/{item.id}", queue.tokens.make("Bob")
    assert refusal(client.delete(path, headers=bearer(bob)), 404)[0] == "this token has no such submission"
    claimed = queue.claim()
    assert "cannot be withdrawn" in refusal(client.delete(path, headers=bearer(token)), 409)[0]
    queue.release(claimed)
    withdrawn = answered(client.delete(path, headers=bearer(token)))
    assert (withdrawn["state"], withdrawn["reason"]) == ("refused", "its author has withdrawn it")
    assert client.get(path, headers=bearer(token)).json() == withdrawn
    assert queue.claim() is None
    assert "cannot be withdrawn" in refusal(client.delete(path, headers=bearer(token)), 409)[0]


def test_of_a_running_entry_only_the_number_of_games_is_shown(client, queue, token, item):
    entry = enter(queue.ledger)
    queue.report(item, "scoring", entry=entry.key, findings=[], games=0)
    queue.ledger.add(entry, trials(range(3)))
    found = client.get(f"{POST}/{item.id}", headers=bearer(token)).json()
    assert (found["state"], found["games"], found["games_at_most"]) == ("scoring", 3, 8)
    assert set(found["entry"]) == {"id", "name", "commitment", "nonce"}
    assert found["reason"] == "" and found["findings"] == []


def test_a_ledger_that_takes_the_place_of_another_gets_what_comes(client, queue):
    assert hand_in(client, queue.tokens.make("Ann")).status_code == 201
    queue.ledger.path.rename(queue.ledger.path.with_name("aside.sqlite"))
    refusal(client.get("/api/contest/uploads"), 422)
    with Queue(queue.ledger.path) as other:
        identity = hand_in(client, other.tokens.make("Bob")).json()["id"]
        assert [item.id for item in other.items()] == [identity]
