"""Requests that the server refuses, and the headers on every answer."""

import asyncio
import itertools
import re

import pytest
from starlette.testclient import TestClient

import wordpl
from wordpl import WordplError
from wordpl.web.app import make_app
from wordpl.web.guard import HEADERS, POLICY, Guard
from wordpl.web.settings import MAX_BODY, Settings

HERE, SCRIPT = "127.0.0.1:8000", "/static/bundle/main.js"


def said(answer) -> str:
    """The sentence of an answer that refuses."""
    message = answer.json()["error"]["message"]
    assert message[0].isupper() and message.endswith((".", "…")), message
    return message


def test_names_of_this_machine_are_answered_and_others_refused(client):
    for host in ("localhost", "LOCALHOST:80", "127.0.0.1:8000", "[::1]", "[::1]:8000"):
        assert client.get("/api/words", headers={"Host": host}).status_code == 200, host
    for host in ("", "evil.example:8000", "localhost.evil.example", "user@localhost", "192.0.2.7"):
        answer = client.get("/api/words", headers={"Host": host})
        assert (answer.status_code, answer.text) == (400, "Invalid host header"), host  # as docs/how-to/host.md has it


@pytest.mark.heavy
def test_a_name_is_answered_if_the_server_was_told_so():
    page = wordpl.web.make_page(hosts=["Words.Example", "*.words.example"])
    with TestClient(page, base_url="http://words.example") as client:
        assert client.get("/api/health").json()["version"] == wordpl.__version__
        assert client.get("/api/words", headers={"Host": "my.words.example:443"}).status_code == 200
        assert client.get("/api/words", headers={"Host": "other.example"}).status_code == 400
    for host in ("*", "a*b.example", "**.example"):
        with pytest.raises(WordplError, match="is not at its start"):
            wordpl.web.make_page(hosts=[host])


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("coach/suggestions", {"channel": "{file}"}),
        ("analyze", {"text": "crate", "answer": "haste", "channel": "{file}"}),
        ("analyze", {"text": "WORDPL original, letterwise, {file}: right, 1 ask\ncrate ..c.. @3"}),
        ("play/games", {"channel": "{file}"}),
        ("channel", None),
    ],
)
def test_no_file_that_a_request_names_is_run(client, tmp_path, path, body):
    """A name of a channel can be that of a class in a file, but not here."""
    (tmp_path / "own.py").write_text(f"open({str(tmp_path / 'ran')!r}, 'w')\nfrom wordpl import Ball as Own\n")
    file = f"{tmp_path}/own.py:Own"
    if body is None:
        answer = client.get(f"/api/{path}", params={"channel": file})
    else:
        filled = {key: text.replace("{file}", file) for key, text in body.items()}
        answer = client.post(f"/api/{path}", json={"words": "original"} | filled)
    assert answer.status_code == 422
    assert not (tmp_path / "ran").exists()
    assert "without a file is expected" in answer.json()["error"]["message"]


OTHERS = [
    *("null", "", "http://evil.example", "http://127.0.0.1", "http://127.0.0.1:8001", "http://localhost:8000", HERE),
    *(f"ftp://{HERE}", f"http://{HERE}/", f"http://{HERE}.evil.example", f"http://user@{HERE}", "file://"),
]


def test_own_requests_are_answered_and_those_of_other_sites_refused(client):
    for origin in (f"http://{HERE}", f"https://{HERE}"):
        assert client.post("/api/words", json={"answers": "crate"}, headers={"Origin": origin}).status_code == 200
    named = {"Host": "LOCALHOST:8000", "Origin": "http://LocalHost:8000"}  # capitals are the same
    assert client.post("/api/words", json={"answers": "crate"}, headers=named).status_code == 200
    for method, origin in itertools.product(("GET", "POST"), OTHERS):
        answer = client.request(method, "/api/words", headers={"Origin": origin})
        assert answer.status_code == 403, (method, origin)
        assert said(answer) == "Requests from another site are refused."


def test_a_browser_s_word_about_the_site_counts(client):
    def status(method: str, site: str, mode: str) -> int:
        headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": mode}
        return client.request(method, "/api/words" if method == "POST" else "/play", headers=headers).status_code

    assert status("GET", "same-origin", "cors") == status("GET", "none", "navigate") == 200
    assert status("GET", "cross-site", "navigate") == 200  # a link
    for site in ("cross-site", "same-site", "nonsense"):
        assert status("GET", site, "no-cors") == status("GET", site, "cors") == 403
        assert status("POST", site, "navigate") == 403


def test_every_answer_has_the_security_headers(client):
    statuses = set()
    assert "; script-src 'self'; " in POLICY and POLICY.startswith("default-src 'none'; base-uri 'none'; ")
    assert POLICY.count("'none'") == 4 and not re.search("unsafe|[*]|http", POLICY)
    values = {"nosniff", "no-referrer", "same-origin", "camera=(), microphone=(), geolocation=()"}
    assert set(HEADERS.values()) == values | {POLICY}
    paths = ("/", "/static/main.js", "/api/words", "/api/openapi.json", "/nothing")
    answers = [ask(path) for path in paths for ask in (client.get, client.head)]
    answers.append(client.get("/static/main.js", headers={"If-None-Match": answers[2].headers["etag"]}))
    answers += [client.delete("/api/words"), client.post("/api/words", json={})]
    for content in (b"x" * (MAX_BODY + 1), (b"x" * 1000 for _ in range(2000))):
        answers.append(client.post("/api/coach/why", content=content, headers={"Content-Type": "application/json"}))
    answers.append(client.get("/play", headers={"Host": "evil.example"}))
    for answer in answers:
        assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS, answer
        assert "set-cookie" not in answer.headers
        assert "server" not in answer.headers
        api = answer.request.url.path.startswith("/api/")
        assert answer.headers["cache-control"] == ("no-store" if api else "no-cache")
        statuses.add(answer.status_code)
    assert statuses >= {200, 304, 400, 404, 405, 413, 422}
    whole = client.post("/api/words", content=b" " * MAX_BODY, headers={"Content-Type": "application/json"})
    assert whole.status_code == 422  # not too long
    longer = (b" " * 1000 for _ in range(MAX_BODY // 1000 + 1))  # which does not say how long it is
    answer = client.post("/api/words", content=longer, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


def test_a_request_that_the_end_of_the_server_cuts_off_is_told():
    async def ending(scope, receive, send) -> None:
        raise asyncio.CancelledError

    answer = TestClient(Guard(ending)).get("/")
    assert (answer.status_code, said(answer)) == (503, "The server is ending.")


@pytest.mark.parametrize(
    "path",
    ["../app.py", "%2e%2e/app.py", "..%2fapp.py", "..%5capp.py", "tabs/../../app.py", "/etc/passwd", "%2fetc%2fpasswd",
     "tabs", "tabs/", "", ".", "main.js%00", "x" * 5000, "\N{FULLWIDTH FULL STOP}" * 2 + "/app.py"],
)  # fmt: skip
def test_no_other_file_is_given(client, path):
    answer = client.get(f"/static/{path}")
    assert answer.status_code == 404
    if answer.request.url.path.startswith("/static/"):
        assert said(answer) == "There is nothing at this address."
    else:  # the client has taken the dots away, and the page says it
        assert answer.text.startswith("<!doctype html>")


def test_the_answer_to_a_defect_says_nothing_of_it():
    app = make_app(Settings())

    @app.get("/early")
    def early() -> None:
        raise RuntimeError("early secret")

    answer = TestClient(app, base_url=f"http://{HERE}", raise_server_exceptions=False).get("/early")
    assert answer.status_code == 500
    assert said(answer) == "The server has failed at this; the fault is not yours."
    assert {name: answer.headers.get(name) for name in HEADERS} == HEADERS
