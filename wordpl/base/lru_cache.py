"""Values that are kept in memory as long as there is room for them."""

import math
from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import RLock
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class LruCache(Generic[Key, Value]):
    """The values used last, at most `max_items` of them and `max_size` in all; the least recently used go first.

    `size` gives the size of a value. The value used last is kept whatever its size. Safe to share between threads.
    """

    def __init__(
        self, max_items: int, max_size: float = math.inf, size: Callable[[Value], float] = lambda value: 0.0
    ) -> None:
        self._max_items, self._max_size, self._size_of = max_items, max_size, size
        self._size = 0.0
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._lock, self._making = RLock(), RLock()

    def get(self, key: Key) -> Value | None:
        """Return the value of `key`; None if it is not kept."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> Value:
        """Keep `value`, in place of another of this key, and let go of what there is no more room for."""
        with self._lock:
            if key in self._values:
                self._size -= self._size_of(self._values.pop(key))
            self._values[key] = value
            self._size += self._size_of(value)
            while len(self._values) > 1 and (len(self._values) > self._max_items or self._size > self._max_size):
                self._size -= self._size_of(self._values.popitem(last=False)[1])
            return value

    def get_or_make(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of `key` if it is kept; else that of `make()`, kept from now on.

        One is made at a time. Who asks for one that is kept does not wait for another that is made.
        """
        value = self.get(key)
        if value is None:
            with self._making:
                value = self.get(key)
                return self.put(key, make()) if value is None else value
        return value
