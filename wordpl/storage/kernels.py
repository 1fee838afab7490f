"""`kernel`, the decorator of functions that numba compiles and whose code is kept on disk (`numba_cache`)."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator
from numba.core.serialize import dumps, loads

from wordpl.storage.numba_cache import code_folder, read_code, write_code


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles as `numba.njit` does with the same options, and keeps the code on disk.

    numba's own cache (`cache=True`) believes every file that it finds, ends the process at one that is damaged, and
    raises where it finds no folder that can be written.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled = numba.njit(**options)(function)
        # With numba switched off it is the function itself.
        if compiled is not function and code_folder(_sources(function)) is not None:
            compiled._cache = _Cache(function)
        return compiled

    return decorate


def _sources(function: Callable[..., Any]) -> Path:
    return Path(inspect.getfile(function)).parent.absolute()


class _Locator(UserProvidedCacheLocator):
    """Keeps code where `code_folder` says."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        super().__init__(function, file)
        self._cache_path = str(code_folder(_sources(function)))

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Locator:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        """Nothing: the folder is there, or is made with the file."""


class _Implementation(CompileResultCacheImpl):
    _locator_classes = (_Locator,)  # type: ignore[assignment]


class _Cache(FunctionCache):
    _impl_class = _Implementation

    def __init__(self, function: Callable[..., Any]) -> None:
        super().__init__(function)
        self._cache_file = _Files(self._impl, _sources(function))  # type: ignore[assignment]


class _Files:
    """The files of a function's code, one for each signature and processor, in place of numba's index and data."""

    def __init__(self, implementation: _Implementation, sources: Path) -> None:
        self._base = Path(implementation.locator.get_cache_path(), implementation.filename_base)
        self._stamp, self._sources = implementation.locator.get_source_stamp(), sources

    def load(self, key: Any) -> Any:
        code = read_code(*self._place(key), self._sources)
        return None if code is None else loads(code)

    def save(self, key: Any, data: Any) -> None:
        write_code(*self._place(key), dumps(data))

    def _place(self, key: Any) -> tuple[Path, bytes]:
        """The file of code, and what it must have been made from and with to be run."""
        signature, processor, _ = key
        name = hashlib.sha256(repr((signature, processor)).encode()).hexdigest()[:16]
        return self._base.with_name(f"{self._base.name}-{name}.nbc"), repr(
            (numba.__version__, self._stamp, key)
        ).encode()
