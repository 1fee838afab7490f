"""The worker processes of a server that score uploads: started with it, started again if one is lost, ended with it."""

from __future__ import annotations

import asyncio
import logging
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

LOG = logging.getLogger("wordpl.web")
_LOOK_SECONDS = 1.0
_LONGEST_WAIT = 60.0
_END_SECONDS = 10.0


class Scorers:
    """`workers` processes of `wordpl.contest.scoring_worker`, all on one ledger."""

    def __init__(self, ledger: Path, workers: int) -> None:
        self._ledger, self._workers = ledger.absolute(), workers
        self._processes: list[subprocess.Popen[bytes]] = []
        self._watch: asyncio.Task[None] | None = None

    def start(self) -> None:
        """Start the workers. The kernel ends them with the thread that calls this, however that ends."""
        self._processes = [self._started() for _ in range(self._workers)]
        self._watch = asyncio.get_running_loop().create_task(self._replace_lost())

    def _started(self) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "wordpl.contest.scoring_worker", str(self._ledger), str(os.getpid())]
        # A session of its own, so that Ctrl-C reaches the server alone, which then ends its workers.
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)  # noqa: S603 - the command is ours

    async def _replace_lost(self) -> None:
        """Start a worker again that has ended, after a wait that doubles if that goes on."""
        wait = _LOOK_SECONDS
        while True:
            await asyncio.sleep(wait)
            lost = [i for i, process in enumerate(self._processes) if process.poll() is not None]
            wait = min(2 * wait, _LONGEST_WAIT) if lost else _LOOK_SECONDS
            for i in lost:
                LOG.warning(
                    "a worker that scores uploads has ended (%s); another one starts", self._processes[i].returncode
                )
                try:
                    self._processes[i] = self._started()
                except OSError as error:  # there may be too many processes; the next look tries again
                    LOG.warning("no worker can be started: %s", error)

    async def stop(self) -> None:
        """End the workers, which keep what they have finished."""
        if self._watch is not None:
            self._watch.cancel()
            with suppress(asyncio.CancelledError):
                await self._watch
        for process in self._processes:
            process.terminate()
        await asyncio.to_thread(self._wait)

    def _wait(self) -> None:
        for process in self._processes:
            with suppress(subprocess.TimeoutExpired):
                process.wait(_END_SECONDS)
            process.kill()
            process.wait()
