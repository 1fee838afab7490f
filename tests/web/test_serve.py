"""`wordpl serve`: how it starts and ends, and what it does with connections that misbehave."""

import os
import signal
import socket

import pytest

from tests.support.forked import run
from tests.web.conftest import Served

pytestmark = pytest.mark.heavy


# A server with an endpoint more: a stream without end.
CODE = """
import asyncio
from fastapi import APIRouter
from starlette.responses import StreamingResponse
from wordpl.web import app, run

router = APIRouter()

@router.get("/api/test/stream")
async def stream() -> StreamingResponse:
    async def events():
        yield "data: begun\\n\\n"
        await asyncio.sleep(3600)
    return StreamingResponse(events(), media_type="text/plain")

app.ROUTERS += (router,)
app.warm = lambda: None
run._SECONDS_TO_FINISH = 1
"""


def connect(server: Served, sent: bytes = b"") -> socket.socket:
    made = socket.create_connection(("127.0.0.1", server.port), timeout=60)
    made.sendall(sent)
    return made


def ask(server: Served, sent: bytes) -> bytes:
    """All that comes until the server closes the connection."""
    with connect(server, sent) as made, made.makefile("rb") as file:
        return file.read()


def request(path: str, *headers: str) -> bytes:
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode()


CLOSE = "Connection: close"


@pytest.mark.parametrize(("signum", "times"), [(signal.SIGTERM, 1), (signal.SIGINT, 3)])
def test_it_ends_while_all_sorts_of_connections_are_open(served, signum, times):
    server = served(code=CODE)
    kept = connect(server, request("/api/words"))
    assert kept.recv(15) == b"HTTP/1.1 200 OK"
    others = [
        connect(server, sent) for sent in (b"", b"GET / HT", b"POST /api/words HTTP/1.1\r\nHost: localhost\r\n\r\n")
    ]
    stream = connect(server, request("/api/test/stream"))
    told = stream.makefile("rb")
    while b"begun" not in told.readline():
        pass
    assert ask(server, request("/api/words", CLOSE)).startswith(b"HTTP/1.1 200")
    server.end(signum, times)
    told.read()  # the stream has ended
    for one in (kept, *others, stream, told):
        one.close()


def test_a_head_has_an_end_and_an_answer_does_not_name_the_server(served):
    server = served()
    answer = ask(server, request("/api/words", CLOSE, f"X-Long: {'x' * 15_000}"))
    assert answer.startswith(b"HTTP/1.1 200") and b"\r\nserver:" not in answer.lower()
    assert ask(server, b"GET / HTTP/1.1\r\nX-Long: " + b"x" * 17_000).startswith(b"HTTP/1.1 400")


def test_the_port_and_the_host(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = str(other.getsockname()[1])
        for option, value, said in (
            ("--port", port, f"wordpl: cannot listen at 127.0.0.1, port {port}: Address already in use"),
            *(("--host", host, f"cannot listen at {host}, port 0") for host in ("no such host", "a..b", "192.0.2.1")),
            ("--ledger", "none.sqlite", "there is no ledger none.sqlite"),
        ):
            done = run("serve", "--port=0", option, value, cwd=tmp_path)
            assert (done.returncode, done.stdout, done.stderr.count("\n"), said in done.stderr) == (2, "", 1, True)


@pytest.mark.parametrize("missing", ["fastapi", "uvicorn"])
def test_a_missing_extra_is_told_in_a_line(missing):
    code = f"import sys; sys.modules[{missing!r}] = None; sys.modules.pop('wordpl.web.app', None)"
    done = run("serve", code=code)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "wordpl: the page needs the extra 'web': pip install '.[web]' in a clone of WORDPL\n"


def test_it_listens_at_all_addresses_and_opens_the_browser_if_told_so(served, tmp_path):
    (tmp_path / "xdg-open").write_text(f'#!/bin/sh\necho "$1" > {tmp_path}/shown\n')
    (tmp_path / "xdg-open").chmod(0o755)
    server = served("--open", "--host", "0.0.0.0", env={"PATH": f"{tmp_path}:{os.environ['PATH']}"})  # noqa: S104
    assert ask(server, request("/", CLOSE)).startswith(b"HTTP/1.1 200")
    server.end(signal.SIGINT)
    assert (tmp_path / "shown").read_text().endswith(f":{server.port}/\n")
