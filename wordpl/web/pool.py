"""Threads for numeric work. The event loop never does any, so that a small request never waits behind a large one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Any, ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


class BusyError(Exception):
    """There is more work waiting than the server takes."""

    retry_after = 1
    """Seconds after which to ask again."""


class Pool:
    """`threads` threads, and room for `waiting` calls that wait for one.

    The threads are daemons, which those of `concurrent.futures` are not: the end of the process does not wait for them.
    """

    def __init__(self, threads: int, waiting: int) -> None:
        self._count = threads
        self._room = threads + waiting
        self._taken = 0
        self._threads: list[Thread] = []
        self._calls: SimpleQueue[_Call | None] = SimpleQueue()

    async def run(self, work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
        """Return what `work` returns, or raise what it raises. Raises `BusyError` at once if there is no room."""
        if self._taken >= self._room:
            raise BusyError
        if not self._threads:
            self._threads = [Thread(target=self._work, name=f"work-{i}", daemon=True) for i in range(self._count)]
            for thread in self._threads:
                thread.start()
        # Only the end of the work makes room: a client that went away does not.
        self._taken += 1
        call = _Call(partial(work, *args, **kwargs), asyncio.get_running_loop(), self._leave)
        self._calls.put(call)
        found: Result = await asyncio.wrap_future(call.future)
        return found

    def close(self) -> None:
        """Let go of the calls that wait. Those that have begun go on, but nobody waits for them."""
        with suppress(Empty):
            while call := self._calls.get_nowait():
                call.future.cancel()
                self._leave()
        for _ in self._threads:
            self._calls.put(None)
        self._threads = []

    def _leave(self) -> None:
        self._taken -= 1

    def _work(self) -> None:
        while call := self._calls.get():
            call.do()


class _Call:
    def __init__(self, work: Callable[[], Any], loop: asyncio.AbstractEventLoop, leave: Callable[[], None]) -> None:
        self._work, self._loop, self._leave = work, loop, leave
        self.future: Future[Any] = Future()

    def do(self) -> None:
        """Do the work, unless nobody waits for it any more."""
        tell: Callable[[], object] | None = None
        if self.future.set_running_or_notify_cancel():
            try:
                tell = partial(self.future.set_result, self._work())
            except BaseException as error:
                tell = partial(self.future.set_exception, error)
        with suppress(RuntimeError):  # the server has ended in between
            self._loop.call_soon_threadsafe(self._leave)
        # Who hears of the end finds room.
        if tell is not None:
            tell()
