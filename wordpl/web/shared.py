"""Values that are the same for all who ask: each is computed once and kept, and all who ask meanwhile wait for it."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from functools import cache
from typing import TypeVar, TypeVarTuple

Arguments = TypeVarTuple("Arguments")
Value = TypeVar("Value")

_THREAD = ThreadPoolExecutor(1, "shared")


def shared(compute: Callable[[*Arguments], Value]) -> Callable[[*Arguments], Awaitable[Value]]:
    """Return `compute`, a function of few possible arguments, as one to await; those who wait take no thread."""

    @cache
    def begun(*arguments: *Arguments) -> Future[Value]:
        return _THREAD.submit(compute, *arguments)

    def awaited(*arguments: *Arguments) -> Awaitable[Value]:
        return asyncio.wrap_future(begun(*arguments))

    return awaited
