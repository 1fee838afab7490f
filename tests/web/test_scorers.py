"""Servers with worker processes: killed, stopped, and with a worker that is lost."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.contest.test_ledger import sql
from tests.web.test_uploads_api import POST, bearer
from wordpl.contest.ledger import Ledger
from wordpl.contest.queue import OPEN, Queue, Upload
from wordpl.contest.submit import launcher, play_entry
from wordpl.model.words import load_words
from wordpl.play.strategy import Setting
from wordpl.web import scorers as scorers_module
from wordpl.web.scorers import Scorers
from wordpl.web.uploads import MOST_BODIES

# Each game takes a little while, so that there is a middle of the run.
CODE = b"""class Mine:
    def first_move(self):
        return "crate", 20.0
    def next_move(self, guess, epsilon, clues):
        return max("crate" for _ in range(40_000)), 0
"""


@pytest.fixture
def queue(tmp_path: Path) -> Iterator[Queue]:
    """The ledger of the server, opened beside it."""
    with Queue(tmp_path / "contest.sqlite") as found:
        yield found


class Server:
    """`wordpl serve` in a process of its own, with workers."""

    def __init__(self, ledger: Path) -> None:
        command = [sys.executable, "-m", "wordpl", "serve", "--port", "0", "--ledger", str(ledger), "--accept"]
        self.process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self.process.stderr is not None
        line = self.process.stderr.readline()
        assert "http://" in line, line + self.process.stderr.read()
        self.address = line.partition("http")[1] + line.partition("http")[2].split("/ ")[0]

    def tree(self) -> list[psutil.Process]:
        """All that it has started, sandboxes included."""
        return psutil.Process(self.process.pid).children(recursive=True)

    def end(self, signum: int) -> str:
        self.process.send_signal(signum)
        return self.process.communicate(timeout=120)[1]


@pytest.fixture
def serve() -> Iterator[Callable[[Path], Server]]:
    servers: list[Server] = []

    def start(ledger: Path) -> Server:
        servers.append(Server(ledger))
        return servers[-1]

    yield start
    for server in servers:
        if server.process.poll() is None:
            server.end(signal.SIGKILL)


def wait(until: Callable[[], Any]) -> Any:
    """What `until` gives, once it gives something."""
    for _ in range(2400):
        if found := until():
            return found
        time.sleep(0.05)
    raise AssertionError("it does not come")


def is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):  # one that has ended, but has not been waited for
        return "wordpl.contest.scoring_worker" in process.cmdline()
    return False


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


def outcome(ledger: Path, identity: str) -> list[tuple[Any, ...]]:
    """What the games of an entry came to, without their times."""
    with Ledger(ledger, read_only=True) as book:
        entry = book.entry(identity)
        return [(row.trial, row.answer, row.proposed, row.verdict, row.budget, row.log) for row in book.rows(entry)]


@pytest.mark.parametrize("signum", [signal.SIGKILL, signal.SIGTERM])
def test_a_server_that_is_ended_resumes_and_the_result_is_that_of_a_quiet_run(
    signum: int, queue: Queue, serve: Callable[[Path], Server]
) -> None:
    """The seed is fixed by the ledger's secret and the entry's terms, so a copy of the ledger gives the quiet run."""
    token = queue.make_token("Ann")
    server = serve(queue.path)
    made = httpx2.post(
        f"{server.address}{POST}",
        params={"file": "mine.py", "nonce": "mine"},
        content=CODE,
        headers=bearer(token) | {"Content-Type": "text/x-python"},
    ).json()

    def state() -> dict[str, Any]:
        return httpx2.get(f"{server.address}{POST}/{made['id']}", headers=bearer(token)).json()

    wait(lambda: state()["state"] == "scoring" and state()["games"] > 50)
    running = server.tree()
    assert any(map(is_worker, running))
    assert any(process.name() == "bwrap" for process in running)
    said = server.end(signum)
    wait(lambda: gone(running))
    assert server.process.returncode == (0 if signum == signal.SIGTERM else -signal.SIGKILL) and "Traceback" not in said
    before = queue.item(made["id"])
    assert before.state == "scoring" and 50 < before.games < 1001
    server = serve(queue.path)
    done = wait(lambda: state()["state"] == "done" and state())
    assert done["entry"]["name"] == "Ann" and done["games"] == 1001 and done["reason"] == ""
    assert server.end(signal.SIGINT).count("Traceback") == 0
    assert [entry.name for entry in queue.entries()] == ["Ann"]
    interrupted = outcome(queue.path, done["entry"]["id"])
    assert len(interrupted) == 1001
    # The same entry, from a copy of the ledger in which none of its games has been played.
    path = queue.path.with_name("quiet.sqlite")
    path.write_bytes(queue.path.read_bytes())
    begun = "UPDATE entries SET state = 'running', trials = NULL, finished = NULL, secret = NULL, seed = NULL"
    sql(path, "DELETE FROM trials", "DELETE FROM standings", begun)
    with Queue(path) as quiet:
        entry = quiet.entry(done["entry"]["id"])
        submission = quiet.upload(quiet.item(made["id"])).submission()
        over = play_entry(quiet, entry, submission, Setting(load_words()), launcher=launcher())
        assert outcome(quiet.path, over.id) == interrupted
        assert quiet.standings(over) == queue.standings(queue.entry(over.id))


def test_a_worker_that_is_lost_is_replaced(queue: Queue, serve: Callable[[Path], Server]) -> None:
    token = queue.make_token("Ann")
    server = serve(queue.path)

    def workers() -> list[psutil.Process]:
        return [one for one in server.tree() if is_worker(one)]

    (first,) = wait(workers)
    os.kill(first.pid, signal.SIGKILL)
    wait(lambda: any(one.pid != first.pid for one in workers()))
    item = queue.enqueue(token, Upload("mine.py", b"class Nothing: ...\n"))
    wait(lambda: queue.item(item.id).state == "refused")
    assert queue.item(item.id).reason.startswith("the check failed at 'starts'")
    assert "another one starts" in server.end(signal.SIGTERM)


def test_an_open_stream_of_events_does_not_keep_a_server_from_ending(
    queue: Queue, serve: Callable[[Path], Server]
) -> None:
    token = queue.make_token("Ann")
    server = serve(queue.path)
    item = queue.enqueue(token, Upload("mine.py", CODE))
    with httpx2.stream(
        "GET", f"{server.address}{POST}/{item.id}/events", headers=bearer(token), timeout=60
    ) as response:
        lines = response.iter_lines()
        assert next(lines) == "event: submission"
        said = server.end(signal.SIGTERM)
        for _ in lines:
            pass  # it ends
    assert (server.process.returncode, "Traceback" in said) == (0, False)
    assert queue.item(item.id).state in OPEN


def test_clients_that_hang_up_in_the_middle_leave_room_for_others(
    queue: Queue, serve: Callable[[Path], Server]
) -> None:
    headers = bearer(queue.make_token("Ann")) | {"Content-Type": "text/x-python"}
    server = serve(queue.path)
    host, port = server.address.removeprefix("http://").split(":")
    for _ in range(MOST_BODIES + 2):
        with socket.create_connection((host, int(port))) as client:
            lines = [f"POST {POST}?file=mine.py HTTP/1.1", f"Host: {host}", "Content-Length: 1000"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            client.sendall("\r\n".join([*lines, "", "abc"]).encode())

    def taken() -> bool:
        response = httpx2.post(f"{server.address}{POST}", params={"file": "mine.py"}, content=CODE, headers=headers)
        return response.status_code == 201

    wait(taken)
    assert "defect" not in server.end(signal.SIGTERM)


def test_a_worker_that_cannot_be_started_again_is_tried_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """The first worker ends, the second cannot be started, the third goes on."""
    monkeypatch.setattr(scorers_module, "_LOOK_SECONDS", 0.01)
    commands: list[list[str] | None] = [["true"], None, ["sleep", "600"]]
    running = threading.Event()

    def start(self: Scorers) -> subprocess.Popen[bytes]:
        command = commands.pop(0)
        if command is None:
            raise OSError(11, "Resource temporarily unavailable")
        if not commands:
            running.set()
        return subprocess.Popen(command)

    async def run() -> None:
        scorers = Scorers(tmp_path / "contest.sqlite", 1)
        scorers.start()
        assert await asyncio.to_thread(running.wait, 60.0)
        await scorers.stop()

    monkeypatch.setattr(Scorers, "_started", start)
    asyncio.run(run())
    assert "no worker can be started" in caplog.text
