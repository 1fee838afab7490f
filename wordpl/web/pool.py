"""Threads for numeric work. The event loop never does any, so that a small request never waits behind a large one.

What may take more than a second has a pool of its own, for the same reason.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Semaphore, Thread
from typing import Any, ParamSpec, TypeAlias, TypeVar

from wordpl.web.problems import BusyError

Params = ParamSpec("Params")
Result = TypeVar("Result")
Call: TypeAlias = tuple[Future[Any], Callable[[], Any]]


class Pool:
    """`threads` threads, and room for `waiting` calls that wait for one.

    The threads are daemons, which those of `concurrent.futures` are not: the end of the process does not wait for them.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._count = threads
        self._room = Semaphore(threads + waiting)
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[Call | None] = SimpleQueue()

    async def run(self, work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
        """Return what `work` returns, or raise what it raises. Raises `BusyError` at once if there is no room."""
        # Only the end of the work makes room: a client that went away does not.
        if not self._room.acquire(blocking=False):
            raise BusyError
        if not self._threads:
            self._threads = [Thread(target=self._work, name=f"work-{i}", daemon=True) for i in range(self._count)]
            for thread in self._threads:
                thread.start()
        future: Future[Result] = Future()
        self._calls.put((future, partial(work, *args, **kwargs)))
        return await asyncio.wrap_future(future)

    def close(self) -> None:
        """Let go of the calls that wait. Those that have begun go on, but nobody waits for them."""
        with suppress(Empty):
            while call := self._calls.get_nowait():
                call[0].cancel()
                self._room.release()
        for _ in self._threads:
            self._calls.put(None)
        self._threads = []

    def _work(self) -> None:
        while call := self._calls.get():
            future, work = call
            tell: Callable[[], object] = int
            if future.set_running_or_notify_cancel():  # otherwise nobody waits for it any more
                try:
                    tell = partial(future.set_result, work())
                except BaseException as error:
                    tell = partial(future.set_exception, error)
            self._room.release()  # first, so that who hears of the end finds room
            tell()
