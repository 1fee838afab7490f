"""`kernel`, the decorator of functions that numba compiles and whose code is kept on disk (`numba_cache`)."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.serialize import dumps, loads

from wordpl.storage.numba_cache import code_folder, read_code, write_code


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles as `numba.njit` does with the same options, and keeps the code on disk.

    numba's own cache (`cache=True`) believes every file that it finds, ends the process at one that is damaged, and
    raises where it finds no folder that can be written.
    """

    def decorate(function: Callable[..., Any]) -> Any:
        compiled, file = numba.njit(**options)(function), Path(inspect.getfile(function)).absolute()
        folder = code_folder(file.parent)
        # With numba switched off it is the function itself.
        if compiled is not function and folder is not None:
            # No line number: an edited kernel takes the place of what it was, so that the folder does not grow.
            compiled._cache = _Files(
                folder / f"{file.stem}.{function.__qualname__}.{sys.implementation.cache_tag}", file
            )
        return compiled

    return decorate


class _Files(NullCache):
    """The files of a function's code, one for each signature and processor."""

    def __init__(self, base: Path, source: Path) -> None:
        self._base, self._sources = base, source.parent
        self._made_with = numba.__version__, hashlib.sha256(source.read_bytes()).hexdigest()

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        target_context.refresh()
        code = read_code(*self._place(sig, target_context), self._sources)
        return None if code is None else CompileResult._rebuild(target_context, *loads(code))

    def save_overload(self, sig: Any, cres: Any) -> None:
        write_code(*self._place(sig, cres.target_context), dumps(cres._reduce()))

    def _place(self, signature: Any, target: Any) -> tuple[Path, bytes]:
        """The file of code, and what it must have been made from and with to be run."""
        key = repr((signature, target.codegen().magic_tuple()))
        name = hashlib.sha256(key.encode()).hexdigest()[:16]
        return self._base.with_name(f"{self._base.name}-{name}.nbc"), f"{key}{self._made_with}".encode()
