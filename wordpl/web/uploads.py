"""What a server does about uploads: whether it takes them, its place at the queue, and the processes that score them.

These are started with it, started again if one is lost, and ended with it.
"""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TypeVar

from wordpl.contest import sandbox
from wordpl.contest.checkout import named_checkout
from wordpl.contest.reach import check_out_of_reach
from wordpl.contest.sandbox import NoSandboxError
from wordpl.contest.uploads.queue import Queue
from wordpl.web.pool import Pool
from wordpl.web.problems import FieldError
from wordpl.web.settings import Settings

LOG = logging.getLogger("wordpl.web")
_LOOK_SECONDS = 1.0

Result = TypeVar("Result")


class Uploads:
    """A server's end of the queue. One thread uses the ledger, so one upload is unpacked at a time."""

    def __init__(self, settings: Settings) -> None:
        """Raises `WordplError` if the ledger that takes uploads is a copy, cannot be opened, or can be read by them."""
        self.why = _why_off(settings)
        """Why uploads are off; empty if they are on."""
        self._bodies: set[int] = set()
        """The tokens of uploads that are being received."""
        if self.why or settings.ledger is None:
            return
        self._path = settings.ledger
        check_out_of_reach(self._path, checkout=named_checkout())
        with Queue(self._path) as queue:  # makes it, or says what is wrong with it before the server starts
            if not queue.ledger.contest.closed:  # of a closed one, the page says that uploads are off
                queue.ledger.check_open()
        self._pool = Pool(1, 200)
        self._scorers = Scorers(self._path, settings)

    def start(self) -> None:
        if not self.why:
            self._scorers.start()

    async def stop(self) -> None:
        if not self.why:
            await self._scorers.stop()
            self._pool.close()

    async def run(self, work: Callable[[Queue], Result]) -> Result:
        """Return what `work` makes of the queue. Raises `FieldError` if uploads are off, and `BusyError`."""
        if self.why:
            raise FieldError(self.why, status=404)
        return await self._pool.run("", self._call, work)

    def _call(self, work: Callable[[Queue], Result]) -> Result:
        with Queue(self._path, must_exist=True) as queue:  # anew, for the file may be another one by now
            return work(queue)

    @contextmanager
    def body(self, token: int) -> Iterator[None]:
        """Room for an upload that is being received. Raises `FieldError` while another one of the token is."""
        if token in self._bodies:
            raise FieldError("another upload of this token is coming in", "token", 503, {"Retry-After": "5"})
        self._bodies.add(token)
        try:
            yield
        finally:
            self._bodies.discard(token)


def _why_off(settings: Settings) -> str:
    if settings.ledger is None:
        return "uploads are off: this server shows no contest (wordpl serve --ledger FILE does)"
    if not settings.accept:
        return "uploads are off: this server only shows the contest (wordpl serve --accept takes uploads, too)"
    try:
        sandbox.launcher()
    except NoSandboxError as error:
        return f"uploads are off: {error}"
    return ""


class Scorers:
    """The processes of `wordpl.contest.uploads.scoring_worker`, all on one ledger."""

    def __init__(self, ledger: Path, settings: Settings) -> None:
        self._ledger, self._settings = ledger.absolute(), settings
        self._processes: list[subprocess.Popen[bytes]] = []
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the workers. The kernel ends them with the thread that calls this, however that ends."""
        self._processes = [self._started() for _ in range(self._settings.workers)]
        self._watch = asyncio.get_running_loop().create_task(self._replace_lost())

    def _started(self) -> subprocess.Popen[bytes]:
        numbers = os.getpid(), 3600 * self._settings.upload_hours, self._settings.upload_game_seconds
        worker = [sys.executable, "-P", "-m", "wordpl.contest.uploads.scoring_worker", str(self._ledger)]
        command = [*worker, *map(str, numbers)]
        # A session of its own, so that Ctrl-C reaches the server alone, which then ends its workers.
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - it is ours

    async def _replace_lost(self) -> None:
        """Start a worker again that has ended, after a wait that doubles if that goes on."""
        wait = _LOOK_SECONDS
        while True:
            await asyncio.sleep(wait)
            indices = [i for i, process in enumerate(self._processes) if process.poll() is not None]
            wait = min(2 * wait, 60.0) if indices else _LOOK_SECONDS
            for i in indices:
                LOG.warning("a worker has ended (%s); another one starts", self._processes[i].returncode)
                try:
                    self._processes[i] = self._started()
                except OSError as error:  # there may be too many processes; the next look tries again
                    LOG.warning("no worker can be started: %s", error)

    async def stop(self) -> None:
        """End the workers, which keep what they have finished."""
        if self._watch is not None:
            self._watch.cancel()
        for process in self._processes:
            process.terminate()
        await asyncio.to_thread(self._wait)

    def _wait(self) -> None:
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(10.0)
            process.kill()
            process.wait()
