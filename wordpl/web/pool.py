"""Threads for numeric work. The event loop never does any, so that a small request never waits behind a large one."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import ParamSpec, TypeVar

Params = ParamSpec("Params")
Result = TypeVar("Result")


class BusyError(Exception):
    """There is more work waiting than the server takes."""

    retry_after = 1
    """Seconds after which to ask again."""


class Pool:
    """`threads` threads, and room for `waiting` calls that wait for one."""

    def __init__(self, threads: int, waiting: int) -> None:
        self._executor = ThreadPoolExecutor(threads, thread_name_prefix="work")
        self._room = threads + waiting
        self._taken = 0

    async def run(self, work: Callable[Params, Result], *args: Params.args, **kwargs: Params.kwargs) -> Result:
        """Return what `work` returns, or raise what it raises. Raises `BusyError` at once if there is no room."""
        if self._taken >= self._room:
            raise BusyError
        self._taken += 1
        future = self._executor.submit(work, *args, **kwargs)
        # Only the end of the work makes room: a client that went away does not.
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: loop.call_soon_threadsafe(self._leave))
        return await asyncio.wrap_future(future)

    def _leave(self) -> None:
        self._taken -= 1

    def close(self) -> None:
        """Let go of work that has not begun, and wait for what has."""
        self._executor.shutdown(cancel_futures=True)
