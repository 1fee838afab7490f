"""`kernel`, the decorator of functions that numba compiles and whose code is kept on disk (`kept`).

Parts of numba that are not public are used here, and here alone: `Dispatcher._cache`, of which `NullCache` is the
plainest, `get_call_template` of a dispatcher, `CompileResult._reduce` and `CompileResult._rebuild`, and `rtsys`, which
is all that kept code needs of numba: its compiler, 0.4 s and 20 MiB, is loaded when it compiles. There is no public
way to say where code is kept, what it was made from, and which file may be believed, or that constants are of no type
of their own. With `cache=True`, numba keys code by the text of one file, so that an edited callee or constant in
another one is not noticed; it believes every file that it finds, ends the process at one that is damaged, and raises
where it finds no folder that can be written. `tests/base/test_kernels.py` says for which versions of numba this holds.
"""

import functools
import gc
import hashlib
import inspect
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba.core import event
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps, loads
from numba.core.types import unliteral

from wordpl.base.fingerprint import kernel_digest
from wordpl.base.kept import code_folder, read_kept, write_kept

_SETTINGS = "OPT", "LOOP_VECTORIZE", "SLP_VECTORIZE", "BOUNDSCHECK", "DISABLE_INTEL_SVML"
"""Settings of numba that change the code that it makes."""


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles as `numba.njit` does with the same options, and keeps the code on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        options["no_cfunc_wrapper"] = True  # the entry for C, which numba makes of every function, is never called
        compiled: Any = numba.njit(**options)(function)
        file = Path(inspect.getfile(function)).absolute()
        folder = code_folder(file.parent)
        if compiled is function:  # numba is switched off
            return function
        # A constant among the arguments is no type of its own: numba would compile the kernel again for each.
        template = compiled.get_call_template
        compiled.get_call_template = lambda args, names: template(tuple(map(unliteral, args)), names)
        if folder is not None:
            # No line number: an edited kernel takes the place of what it was, so that the folder does not grow.
            base = folder / f"{file.stem}.{function.__qualname__}.{sys.implementation.cache_tag}"
            compiled._cache = _Files(base, file.parent, compiled)
        return compiled

    return decorate


class _Collector(event.Listener):
    """Switches the garbage collector off while code is compiled: a fifth of the time went into it, for few cycles."""

    def __init__(self) -> None:
        self._was_on: list[bool] = []

    def on_start(self, event: event.Event) -> None:
        self._was_on.append(gc.isenabled())
        gc.disable()

    def on_end(self, event: event.Event) -> None:
        if self._was_on.pop():
            gc.enable()


event.register("numba:compile", _Collector())


class _Files(NullCache):
    """The files of a function's code, one for each signature and processor."""

    def __init__(self, base: Path, sources: Path, compiled: Any) -> None:
        self._base, self._sources, self._compiled = base, sources, compiled

    @functools.cached_property
    def _made_with(self) -> str:
        # Not before the first call: what the function calls may stand below it.
        settings = [getattr(numba.config, name, None) for name in _SETTINGS]
        options = sorted(self._compiled.targetoptions.items())
        return repr((numba.__version__, np.__version__, settings, options, kernel_digest(self._compiled.py_func)))

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        code = read_kept(*self._place(sig, target_context), self._sources)
        return None if code is None else CompileResult._rebuild(target_context, *loads(code))

    def save_overload(self, sig: Any, cres: Any) -> None:
        write_kept(*self._place(sig, cres.target_context), dumps(cres._reduce()))

    def _place(self, signature: Any, target: Any) -> tuple[Path, bytes]:
        """The file of code, and what it must have been made from and with to be run."""
        key = repr((signature, target.codegen().magic_tuple()))
        place = f"{self._base.name}-{hashlib.sha256(key.encode()).hexdigest()[:16]}.nbc"
        return self._base.with_name(place), f"{key}{[*_fields(signature)]}{self._made_with}".encode()


def _fields(types: Any) -> Iterator[tuple[str, ...]]:
    """The module and the fields of named tuples among types; numba's own text of such a type leaves them out."""
    for kind in types if isinstance(types, tuple) else getattr(types, "types", ()):
        yield from [(kind.instance_class.__module__, *kind.fields)] if hasattr(kind, "fields") else []
        yield from _fields(kind)
