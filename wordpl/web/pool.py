"""Threads for numeric work. The event loop never does any, so that a small request never waits behind a large one.

What may take more than a second has a thread of its own, for the same reason.
"""

from __future__ import annotations

import asyncio
import math
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from queue import Empty, SimpleQueue
from threading import Lock, Semaphore, Thread
from typing import Any, ParamSpec, TypeAlias, TypeVar

from wordpl.web.problems import BusyError, FieldError

Params = ParamSpec("Params")
Result = TypeVar("Result")
Call: TypeAlias = tuple[Future[Any], Callable[[], Any], str]

QUICK = 1.0
"""Seconds that quick work may take, at most."""
SLOW_OF_CLIENT = 2
"""Calls of slow work that one client, which is an address, may have in hand: one that runs, and one that waits."""


@dataclass(frozen=True)
class Runner:
    """Does the work of one client. What it may cost decides whether it is quick or slow, whatever asks for it."""

    quick: Pool
    slow: Pool
    client: str

    async def __call__(
        self, seconds: float, work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
    ) -> Result:
        """Return what `work` returns, which may take so many `seconds` (`wordpl.web.costs`). Raises as `Pool.run`."""
        pool = self.slow if seconds > QUICK else self.quick
        return await pool.run(self.client, work, *args, **kwargs)


class Pool:
    """`threads` threads, and room for `waiting` calls that wait for one; each client has at most `most` in hand.

    The threads are daemons, which those of `concurrent.futures` are not: the end of the process does not wait for them.
    """

    def __init__(self, threads: int, waiting: int, most: float = math.inf) -> None:
        self._count = threads
        self._room = Semaphore(threads + waiting)
        self._most = most
        self._in_hand: Counter[str] = Counter()
        self._lock = Lock()  # of what is in hand
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[Call | None] = SimpleQueue()

    async def run(
        self, client: str, work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs
    ) -> Result:
        """Return what `work` returns, or raise what it raises.

        At once raises `BusyError` if there is no room, and `FieldError` with status 429 if the client has too much in
        hand.
        """
        # Only the end of the work makes room: a client that went away does not.
        with self._lock:
            if self._in_hand[client] >= self._most:
                message = f"You have {self._most} long requests in hand; wait until one of them has ended."
                raise FieldError(message, status=429, headers={"Retry-After": "1"})
            if not self._room.acquire(blocking=False):
                raise BusyError
            self._in_hand[client] += 1
        if not self._threads:
            self._threads = [Thread(target=self._work, name=f"work-{i}", daemon=True) for i in range(self._count)]
            for thread in self._threads:
                thread.start()
        future: Future[Result] = Future()
        self._calls.put((future, partial(work, *args, **kwargs), client))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Let go of the calls that wait. Those that have begun go on, but nobody waits for them."""
        with suppress(Empty):
            while call := self._calls.get_nowait():
                call[0].cancel()
                self._release(call[2])
        for _ in self._threads:
            self._calls.put(None)
        self._threads = []

    def _work(self) -> None:
        while call := self._calls.get():
            future, work, client = call
            tell: Callable[[], object] = int
            if future.set_running_or_notify_cancel():  # otherwise nobody waits for it any more
                try:
                    tell = partial(future.set_result, work())
                except BaseException as error:
                    tell = partial(future.set_exception, error)
            self._release(client)  # first, so that who hears of the end finds room
            tell()

    def _release(self, client: str) -> None:
        with self._lock:
            self._in_hand[client] -= 1
            self._in_hand += Counter()  # forgets those that have nothing in hand
        self._room.release()
