"""Uploads through the API: who may, what is refused and how, and what an author sees."""

from __future__ import annotations

import io
import json
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from starlette.testclient import TestClient

from tests.contest.test_ledger import enter, trials
from tests.contest.test_uploads import NASTY
from tests.helpers import ASKS_ONCE
from tests.web.conftest import ADDRESS
from wordpl.contest import sandbox
from wordpl.contest.audit_chain import audit_receipt
from wordpl.contest.conformance import Finding
from wordpl.contest.queue import Queue, Upload
from wordpl.contest.receipt import read_receipt
from wordpl.contest.sandbox import NoSandboxError
from wordpl.contest.uploads import BOUNDS
from wordpl.errors import WordplError
from wordpl.web import uploads as uploads_module
from wordpl.web.api import uploads as uploads_api
from wordpl.web.app import make_app
from wordpl.web.pool import BusyError
from wordpl.web.scorers import Scorers
from wordpl.web.settings import Settings

POST = "/api/contest/submissions"


@pytest.fixture
def no_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Servers of this process start no worker, so that uploads stay in the queue."""
    monkeypatch.setattr(Scorers, "_started", lambda self: subprocess.Popen(["sleep", "600"]))


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """The ledger of the server, opened beside it."""
    with Queue(tmp_path / "contest.sqlite") as found:
        yield found


@pytest.fixture
def client(queue: Queue, no_workers: None) -> Iterator[TestClient]:
    with TestClient(make_app(Settings(ledger=queue.path, accept=True)), base_url=ADDRESS) as found:
        yield found


def hand_in(
    client: TestClient, token: str, content: bytes = ASKS_ONCE, kind: str = "text/x-python", **query: Any
) -> Any:
    headers = {"Content-Type": kind, "Authorization": f"Bearer {token}"}
    return client.post(POST, params={"file": "mine.py"} | query, content=content, headers=headers)


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def refusal(response: Any, status: int) -> tuple[str, str | None]:
    """The message and the field of a refusal in the one form."""
    assert response.status_code == status, response.text
    assert set(response.json()) == {"error"}
    found = response.json()["error"]
    assert set(found) == {"message", "field"} and "\n" not in found["message"] and "Traceback" not in found["message"]
    return found["message"], found["field"]


# Whether uploads are taken.


def test_uploads_are_on_with_their_bounds(client: TestClient, queue: Queue) -> None:
    found = client.get("/api/contest/uploads").json()
    assert (found["on"], found["why"], found["waiting"], found["workers"]) == (True, "", 0, 1)
    assert (found["bounds"]["bytes"], found["bounds"]["files"]) == (BOUNDS.size, BOUNDS.entries)
    queue.enqueue(queue.make_token("Ann"), Upload("mine.py", ASKS_ONCE))
    assert client.get("/api/contest/uploads").json()["waiting"] == 1
    queue.close_contest()
    assert "closed" in client.get("/api/contest/uploads").json()["why"]


@pytest.mark.parametrize("how", ["no ledger", "not accepted", "no sandbox"])
def test_where_uploads_are_off_the_server_says_why(how: str, queue: Queue, monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise NoSandboxError("no sandbox: bubblewrap is not installed (apt-get install bubblewrap)")

    token = queue.make_token("Ann")
    settings = {
        "no ledger": Settings(),
        "not accepted": Settings(ledger=queue.path),
        "no sandbox": Settings(ledger=queue.path, accept=True),
    }[how]
    if how == "no sandbox":
        monkeypatch.setattr(sandbox, "find", none)
    with TestClient(make_app(settings), base_url=ADDRESS) as client:
        found = client.get("/api/contest/uploads").json()
        said = {"no ledger": "--ledger FILE", "not accepted": "--accept", "no sandbox": "apt-get install bubblewrap"}
        assert not found["on"] and said[how] in found["why"]
        assert refusal(hand_in(client, token), 404)[0] == found["why"]
        for path in (POST, f"{POST}/x", f"{POST}/x/events"):
            assert refusal(client.get(path, headers=bearer(token)), 404)[0] == found["why"]
    assert queue.items() == []


def test_a_ledger_that_is_none_is_refused_before_the_server_starts(tmp_path: Path) -> None:
    (tmp_path / "contest.sqlite").write_text("not a database, but long enough to be looked at")
    with pytest.raises(WordplError, match="not a contest file"):
        make_app(Settings(ledger=tmp_path / "contest.sqlite", accept=True))
    with Queue(tmp_path / "own.sqlite") as queue:
        queue.publish(tmp_path / "copy.sqlite")
    with pytest.raises(WordplError, match="a copy without the contest's secret"):
        make_app(Settings(ledger=tmp_path / "copy.sqlite", accept=True))


# What comes in.


def test_a_submission_waits_and_its_author_sees_it(client: TestClient, queue: Queue) -> None:
    token = queue.make_token("Ann")
    response = hand_in(client, token, call="Mine( )", author="Ann <b>", link="https://example.org", nonce="mine")
    assert response.status_code == 201
    found = response.json()
    assert response.headers["location"] == f"{POST}/{found['id']}"
    assert (found["name"], found["file"], found["call"]) == ("Ann", "mine.py", "Mine")
    assert (found["state"], found["position"], found["entry"]) == ("waiting", 1, None)
    assert client.get(f"{POST}/{found['id']}", headers=bearer(token)).json() == found
    assert client.get(POST, headers=bearer(token)).json() == {"submissions": [found]}
    kept = queue.upload(queue.item(found["id"]))
    assert (kept.content, kept.credit.author, kept.nonce) == (ASKS_ONCE, "Ann <b>", "mine")


def test_a_zip_is_taken(client: TestClient, queue: Queue) -> None:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr("mine/strategy.py", ASKS_ONCE)
    found = hand_in(client, queue.make_token("Ann"), made.getvalue(), "application/zip", file="mine.zip")
    assert found.status_code == 201
    assert queue.upload(queue.item(found.json()["id"])).submission().files == {"strategy.py": ASKS_ONCE}


# Not those that only the smaller bounds of their own tests refuse, or the bound of a body.
REFUSED = NASTY.keys() - {"too large", "too many files", "a bomb", "100,000 files in the form for them"}


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize("what", sorted(REFUSED))
def test_a_nasty_zip_is_a_refusal_and_does_not_count(what: str, client: TestClient, queue: Queue) -> None:
    content = NASTY[what][0]()
    token = queue.make_token("Ann")
    message, field = refusal(hand_in(client, token, content, "application/zip", file="mine.zip"), 422)
    assert field == "file" and message
    assert queue.token_of(token).uploads == 0


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ({"file": "mine.txt"}, 422, "file"),
        ({"file": "x" * 101}, 422, "file"),
        ({"file": "../mine.py"}, 422, "file"),
        ({"call": "Mine("}, 422, "call"),
        ({"call": "x" * 1001}, 422, "call"),
        ({"author": "x" * 81}, 422, "author"),
        ({"author": "a\nb"}, 422, "author"),
        ({"link": "javascript:alert(1)"}, 422, "link"),
        ({"nonce": "\u202e"}, 422, "nonce"),
        ({"show_source": "perhaps"}, 422, "show_source"),
        ({"percentile": "5"}, 422, "percentile"),
        ({"kind": "text/plain"}, 415, "file"),
        ({"content": b"x" * 300_000, "show_source": "true"}, 422, "show_source"),
        ({"content": b"\xff", "show_source": "true"}, 422, "show_source"),
        ({"content": bytes(BOUNDS.size + 1)}, 413, None),
        ({"link": "x" * 9000}, 414, None),
    ],
)
def test_what_is_not_allowed_is_said_beside_its_field(
    query: dict[str, Any], status: int, field: str | None, client: TestClient, queue: Queue
) -> None:
    token = queue.make_token("Ann")
    assert refusal(hand_in(client, token, **query), status)[1] == field
    assert queue.items() == []


def test_a_body_that_does_not_say_its_size_is_read_up_to_the_bound(client: TestClient, queue: Queue) -> None:
    read = 0

    def endless() -> Iterator[bytes]:
        nonlocal read
        while read < 3 * BOUNDS.size:
            read += 1 << 16
            yield bytes(1 << 16)

    token = queue.make_token("Ann")
    assert "4194304 bytes" in refusal(hand_in(client, token, endless()), 413)[0]  # type: ignore[arg-type]


@pytest.mark.parametrize("given", [None, "Bearer", "Bearer x", "Basic eDp5", "Bearer \xff", "x" * 5000])
def test_without_a_known_token_nothing_is_read(given: str | None, client: TestClient, queue: Queue) -> None:
    headers = {} if given is None else {"Authorization": given.encode("latin-1")}
    for method, path in (("POST", POST), ("GET", POST), ("GET", f"{POST}/x"), ("GET", f"{POST}/x/events")):
        response = client.request(method, path, params={"file": "mine.py"} if method == "POST" else {}, headers=headers)
        assert refusal(response, 401)[1] == "token"
        assert response.headers["www-authenticate"] == "Bearer"
    token = queue.make_token("Ann")
    queue.revoke_token("Ann")
    assert refusal(hand_in(client, token), 401)[1] == "token"


def test_a_submission_is_its_token_s_alone(client: TestClient, queue: Queue) -> None:
    ann, bob = queue.make_token("Ann"), queue.make_token("Bob")
    identity = hand_in(client, ann).json()["id"]
    for path in (f"{POST}/{identity}", f"{POST}/{identity}/events", f"{POST}/unknown"):
        assert refusal(client.get(path, headers=bearer(bob)), 404) == ("this token has no such submission", None)
    assert client.get(POST, headers=bearer(bob)).json() == {"submissions": []}


def test_quota_and_queue_say_when_to_come_back(
    client: TestClient, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = queue.make_token("Ann", 1)
    assert hand_in(client, token).status_code == 201
    response = hand_in(client, token)
    assert "allows 1 uploads a day" in refusal(response, 429)[0]
    assert 0 < int(response.headers["retry-after"]) <= 24 * 3600
    monkeypatch.setattr(Queue.admit, "__defaults__", (1,))
    response = hand_in(client, queue.make_token("Bob"))
    assert "1 uploads are waiting" in refusal(response, 503)[0]
    assert int(response.headers["retry-after"]) > 0


def test_uploads_that_come_in_at_once_are_bounded(
    client: TestClient, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    token = queue.make_token("Ann")
    monkeypatch.setattr(uploads_module, "MOST_BODIES", 0)
    assert "which is the most" in refusal(hand_in(client, token), 503)[0]
    monkeypatch.setattr(uploads_module, "MOST_BODIES", 1)
    for _ in range(2):  # room is given back, after a refusal too
        refusal(hand_in(client, token, file="no.txt"), 422)
        assert hand_in(client, token).status_code == 201


@given(st.dictionaries(st.sampled_from(["file", "call", "author", "link", "nonce", "show_source"]), st.text()))
def test_any_query_is_answered_in_the_one_form(tmp_path_factory: pytest.TempPathFactory, query: dict[str, str]) -> None:
    client, token = fuzzed(tmp_path_factory)
    response = client.post(POST, params=query, content=b"\xff", headers=bearer(token) | {"Content-Type": TYPE})
    assert response.status_code in (201, 414, 422)


TYPE = "text/x-python"
_FUZZED: list[tuple[TestClient, str]] = []


def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> tuple[TestClient, str]:
    """A server for all examples, whose token never runs out; without its lifespan, so it has no workers."""
    if not _FUZZED:
        with Queue(tmp_path_factory.mktemp("fuzzed") / "contest.sqlite") as queue:
            token = queue.make_token("Ann", 1000)
        _FUZZED.append((TestClient(make_app(Settings(ledger=queue.path, accept=True)), base_url=ADDRESS), token))
    return _FUZZED[0]


# What its author sees.


def events(response: Any) -> Iterator[dict[str, Any]]:
    """The submissions in a stream of events."""
    for line in response.iter_lines():
        if line.startswith("data:"):
            yield json.loads(line.removeprefix("data:"))


def test_events_follow_a_submission_to_its_end(client: TestClient, queue: Queue) -> None:
    token = queue.make_token("Ann")
    item = queue.item(hand_in(client, token).json()["id"])
    findings = [Finding("starts", False, "<script>\x1b")]
    for change in (
        lambda: queue.checking(item, 3),
        lambda: queue.refuse(item, "it failed", findings),
    ):
        change()
        shown = client.get(f"{POST}/{item.id}", headers=bearer(token)).json()
    assert shown["findings"] == [{"check": "starts", "passed": False, "message": "<script>\ufffd"}]
    response = client.get(f"{POST}/{item.id}/events", headers=bearer(token))
    assert response.headers["content-type"].startswith("text/event-stream")
    assert "event: submission" in response.text
    assert list(events(response)) == [shown]


def test_of_a_running_entry_only_the_number_of_games_is_shown(client: TestClient, queue: Queue) -> None:
    token = queue.make_token("Ann")
    item = queue.item(hand_in(client, token).json()["id"])
    entry = enter(queue)
    queue.scoring(item, entry, [])
    queue.add(entry, trials(range(3)))
    found = client.get(f"{POST}/{item.id}", headers=bearer(token)).json()
    assert (found["state"], found["games"], found["games_at_most"]) == ("scoring", 3, 8)
    assert set(found["entry"]) == {"id", "name", "commitment", "nonce"}
    assert found["reason"] == "" and found["findings"] == []


def test_an_author_gets_the_receipt_before_the_run_is_over(client: TestClient, queue: Queue, tmp_path: Path) -> None:
    token = queue.make_token("Ann")
    item = queue.item(hand_in(client, token).json()["id"])
    path = f"{POST}/{item.id}/receipt"
    assert "no entry yet" in refusal(client.get(path, headers=bearer(token)), 404)[0]
    entry = enter(queue)
    queue.scoring(item, entry, [])
    (tmp_path / "receipt.json").write_text(client.get(path, headers=bearer(token)).text)
    assert read_receipt(tmp_path / "receipt.json").id == entry.id
    assert audit_receipt(queue, read_receipt(tmp_path / "receipt.json")) == []


@pytest.mark.parametrize(("trouble", "count"), [(BusyError(), 2), (WordplError("the ledger is gone"), 1)])
def test_a_stream_outlives_a_busy_server_and_ends_with_the_ledger(
    trouble: Exception,
    count: int,
    client: TestClient,
    queue: Queue,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    token = queue.make_token("Ann")
    item = queue.item(hand_in(client, token).json()["id"])
    read, troubles = uploads_api._submission, [None, trouble]

    async def troubled(*given: Any) -> Any:
        error = troubles.pop(0) if troubles else None
        if error is not None:
            with Queue(queue.path) as here:  # in the thread of the loop
                here.refuse(item, "it failed")
            raise error
        return await read(*given)

    monkeypatch.setattr(uploads_api, "_submission", troubled)
    monkeypatch.setattr(uploads_api, "_POLL_SECONDS", 0.0)
    response = client.get(f"{POST}/{item.id}/events", headers=bearer(token))
    assert [shown["state"] for shown in events(response)] == ["waiting", "refused"][:count]
    assert not caplog.records


def test_a_ledger_that_takes_the_place_of_another_gets_what_comes(client: TestClient, queue: Queue) -> None:
    assert hand_in(client, queue.make_token("Ann")).status_code == 201
    queue.path.rename(queue.path.with_name("aside.sqlite"))
    refusal(client.get("/api/contest/uploads"), 422)
    with Queue(queue.path) as other:
        identity = hand_in(client, other.make_token("Bob")).json()["id"]
        assert [item.id for item in other.items()] == [identity]
