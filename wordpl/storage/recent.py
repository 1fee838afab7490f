"""Large arrays that are kept in memory as long as there is room for them."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock, RLock
from typing import Any, Generic, TypeVar

from numpy.typing import NDArray

Key = TypeVar("Key", bound=Hashable)


class RecentArrays(Generic[Key]):
    """The arrays used last, at most `max_arrays` and `max_bytes` of them; the least recently used go first.

    The one used last is kept whatever its size. Safe to share between threads: an array is made once, and looking
    up those that are there never waits for one that is being made.
    """

    def __init__(self, max_bytes: int, max_arrays: int = 256) -> None:
        self._max_bytes, self._max_arrays = max_bytes, max_arrays
        self._arrays: OrderedDict[Key, NDArray[Any]] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()
        self._making = RLock()

    def get(self, key: Key) -> NDArray[Any] | None:
        """The array, if it is kept."""
        with self._lock:
            kept = self._arrays.get(key)
            if kept is not None:
                self._arrays.move_to_end(key)
            return kept

    def get_or_make(self, key: Key, make: Callable[[], NDArray[Any]]) -> NDArray[Any]:
        """The array if it is kept; else that of `make()`, kept from now on."""
        kept = self.get(key)
        if kept is not None:
            return kept
        with self._making:
            kept = self.get(key)  # another thread may have made it meanwhile
            if kept is None:
                kept = make()
                self._add(key, kept)
            return kept

    def _add(self, key: Key, array: NDArray[Any]) -> None:
        with self._lock:
            self._arrays[key] = array
            self._bytes += array.nbytes
            while len(self._arrays) > 1 and (self._bytes > self._max_bytes or len(self._arrays) > self._max_arrays):
                self._bytes -= self._arrays.popitem(last=False)[1].nbytes

    def __len__(self) -> int:
        with self._lock:
            return len(self._arrays)

    def clear(self) -> None:
        """Let go of all."""
        with self._lock:
            self._arrays.clear()
            self._bytes = 0
