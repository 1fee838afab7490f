"""What a server does about uploads: whether it takes them, its place at the queue, and its workers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TypeVar

from wordpl.contest import sandbox
from wordpl.contest.queue import Queue
from wordpl.contest.sandbox import NoSandboxError
from wordpl.errors import WordplError
from wordpl.web.pool import BusyError, Pool
from wordpl.web.problems import FieldError
from wordpl.web.scorers import Scorers
from wordpl.web.settings import Settings

MOST_STREAMS, MOST_STREAMS_OF_TOKEN = 50, 5
MOST_BODIES = 4
"""Uploads that are received at a time, which bounds the memory that they take."""
_MOST_CALLS = 200

Result = TypeVar("Result")


class Uploads:
    """A server's end of the queue. One thread uses the ledger, so one upload is unpacked at a time."""

    def __init__(self, settings: Settings) -> None:
        """Raises `WordplError` if uploads are to be taken into a ledger that cannot be opened, or is a copy."""
        self.why = _why_off(settings)
        """Why uploads are off; empty if they are on."""
        self._streams: Counter[int] = Counter()
        self._bodies = 0
        if self.why or settings.ledger is None:
            return
        self._path = settings.ledger
        with Queue(self._path) as queue:  # makes it, or says what is wrong with it before the server starts
            if not queue.contest[0]:
                raise WordplError(f"{str(self._path)!r} is a copy without the contest's secret; it takes no entries")
        self._queue: Queue | None = None
        self._pool = Pool(1, _MOST_CALLS)
        self._scorers = Scorers(self._path, settings.workers)

    def start(self) -> None:
        """Start the workers, if uploads are on."""
        if not self.why:
            self._scorers.start()

    async def stop(self) -> None:
        """End the workers and let go of the ledger."""
        if not self.why:
            await self._scorers.stop()
            with suppress(BusyError):
                await self._pool.run(self._close)
            self._pool.close()

    async def run(self, work: Callable[[Queue], Result]) -> Result:
        """Return what `work` makes of the queue. Raises `FieldError` if uploads are off, and `BusyError`."""
        if self.why:
            raise FieldError(self.why, status=404)
        return await self._pool.run(self._call, work)

    def _call(self, work: Callable[[Queue], Result]) -> Result:
        # SQLite's connections belong to the thread that opened them.
        if self._queue is None or not self._queue.is_current:
            self._close()
            self._queue = Queue(self._path, must_exist=True)
        return work(self._queue)

    def _close(self) -> None:
        if self._queue is not None:
            self._queue.close()
            self._queue = None

    @contextmanager
    def stream(self, token: int) -> Iterator[None]:
        """Room for a stream of events to the holder of a token. Raises `FieldError` if there is none."""
        if self._streams.total() >= MOST_STREAMS or self._streams[token] >= MOST_STREAMS_OF_TOKEN:
            raise FieldError(
                f"too many streams of events are open: {MOST_STREAMS} may be, {MOST_STREAMS_OF_TOKEN} of a token; ask"
                " for the submission itself now and then",
                status=503,
                headers={"Retry-After": "30"},
            )
        self._streams[token] += 1
        try:
            yield
        finally:
            self._streams[token] -= 1

    @contextmanager
    def body(self) -> Iterator[None]:
        """Room for an upload that is being received. Raises `FieldError` if there is none."""
        if self._bodies >= MOST_BODIES:
            raise FieldError(
                f"{MOST_BODIES} uploads are coming in, which is the most", status=503, headers={"Retry-After": "5"}
            )
        self._bodies += 1
        try:
            yield
        finally:
            self._bodies -= 1


def _why_off(settings: Settings) -> str:
    if settings.ledger is None:
        return "uploads are off: this server shows no contest (wordpl serve --ledger FILE does)"
    if not settings.accept:
        return "uploads are off: this server only shows the contest (wordpl serve --accept takes uploads, too)"
    try:
        sandbox.find()
    except NoSandboxError as error:
        return f"uploads are off: {error}"
    return ""
