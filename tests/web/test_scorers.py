"""Servers with worker processes: killed, and with a worker that is lost."""

import asyncio
import os
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import psutil
import pytest

from tests.support.ledgers import SETTING
from tests.support.pages import POST, bearer
from tests.web.conftest import Served, in_thread
from wordpl.contest.audit.entry import audit_entry
from wordpl.web import uploads as uploads_module
from wordpl.web.settings import Settings
from wordpl.web.uploads import Scorers

# Each game takes a little while, so that there is a middle of the run.
CODE = b"""import time
class Mine:
    def first_move(self):
        return "crate", 20.0
    def next_move(self, guess, epsilon, clues):
        time.sleep(0.015)
        return "crate", 0
"""


@pytest.fixture
def serve(served: Callable[..., Served], short_runs: dict[str, str]) -> Callable[[Path], Served]:
    """Start `wordpl serve` with workers."""
    return lambda ledger: served("--ledger", ledger, "--accept", env=short_runs)


def tree(server: Served) -> list[psutil.Process]:
    """All that a server has started, sandboxes included."""
    return psutil.Process(server.pid).children(recursive=True)


def wait(until: Callable[[], Any]) -> Any:
    """What `until` gives, once it gives something."""
    for _ in range(2400):
        if found := until():
            return found
        time.sleep(0.05)
    raise AssertionError("it does not come")


def is_worker(process: psutil.Process) -> bool:
    with suppress(psutil.Error):  # one that has ended, but has not been waited for
        return "wordpl.contest.uploads.scoring_worker" in process.cmdline()
    return False


def gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


def test_a_server_that_is_killed_resumes_and_every_game_is_the_one_of_its_seed(queue, serve):
    token = queue.tokens.make("Ann")
    server = serve(queue.ledger.path)
    made = httpx2.post(
        f"{server.address}{POST}",
        params={"file": "mine.py", "nonce": "mine"},
        content=CODE,
        headers=bearer(token) | {"Content-Type": "text/x-python"},
    ).json()

    def state() -> dict[str, Any]:
        return httpx2.get(f"{server.address}{POST}/{made['id']}", headers=bearer(token)).json()

    wait(lambda: state()["state"] == "scoring" and state()["games"] > 20)
    running = tree(server)
    assert any(map(is_worker, running))
    assert any(process.name() == "bwrap" for process in running)
    server.end(signal.SIGKILL)
    wait(lambda: gone(running))
    before = queue.item(made["id"])
    assert before.state == "scoring" and 20 < before.games < 150
    server = serve(queue.ledger.path)
    done = wait(lambda: state()["state"] == "done" and state())
    assert done["entry"]["name"] == "Ann" and done["games"] == 150 and done["reason"] == ""
    server.end(signal.SIGINT)
    assert [entry.name for entry in queue.ledger.entries()] == ["Ann"]
    entry = queue.ledger.entry(done["entry"]["id"])
    assert [row.trial for row in queue.ledger.rows(entry)] == list(range(150))
    assert audit_entry(queue.ledger, entry, SETTING) == []


def test_a_worker_that_is_lost_is_replaced(queue, serve):
    token = queue.tokens.make("Ann")
    server = serve(queue.ledger.path)

    def workers() -> list[psutil.Process]:
        return [process for process in tree(server) if is_worker(process)]

    (first,) = wait(workers)
    os.kill(first.pid, signal.SIGKILL)
    wait(lambda: any(worker.pid != first.pid for worker in workers()))
    item = queue.enqueue(token, "mine.py", b"class Nothing: ...\n")
    wait(lambda: queue.item(item.id).state == "refused")
    assert queue.item(item.id).reason.startswith("the check failed at 'starts'")
    assert "another one starts" in server.end(signal.SIGTERM)


def test_clients_that_hang_up_in_the_middle_leave_room_for_others(queue, serve):
    headers = bearer(queue.tokens.make("Ann")) | {"Content-Type": "text/x-python"}
    server = serve(queue.ledger.path)
    host, port = server.address.removeprefix("http://").split(":")
    for _ in range(3):
        with socket.create_connection((host, int(port))) as client:
            lines = [f"POST {POST}?file=mine.py HTTP/1.1", f"Host: {host}", "Content-Length: 1000"]
            lines += [f"{name}: {value}" for name, value in headers.items()]
            client.sendall("\r\n".join([*lines, "", "abc"]).encode())

    def taken() -> bool:
        response = httpx2.post(f"{server.address}{POST}", params={"file": "mine.py"}, content=CODE, headers=headers)
        return response.status_code == 201

    wait(taken)
    assert "defect" not in server.end(signal.SIGTERM)


def test_a_worker_that_cannot_be_started_again_is_tried_later(tmp_path, monkeypatch, caplog):
    """The first worker ends, the second cannot be started, the third goes on."""
    monkeypatch.setattr(uploads_module, "_LOOK_SECONDS", 0.01)
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
        scorers = Scorers(tmp_path / "contest.sqlite", Settings())
        scorers.start()
        assert await asyncio.to_thread(running.wait, 60.0)
        await scorers.stop()

    monkeypatch.setattr(Scorers, "_started", start)
    in_thread(run)
    assert "no worker can be started" in caplog.text
