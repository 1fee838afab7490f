"""`kernel`, the decorator of functions that numba compiles, and whose code is kept in `kernel_folder`.

Parts of numba that are not public are used here alone, since its own cache takes 0.35 s of CPU more at each start and
does not notice an edited callee in another file. `tests/base/test_kernels.py` names the versions that have them.
"""

import hashlib
import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import NullCache
from numba.core.compiler import CompileResult
from numba.core.runtime.nrt import rtsys
from numba.core.serialize import dumps, loads
from numba.core.types import unliteral

from wordpl.base.errors import WordplError
from wordpl.base.files import whole_file
from wordpl.base.kernel_folder import kernel_folder

_LOG = logging.getLogger(__name__)
_FOLDER = kernel_folder()  # before the sources of kernels are imported
_OPTIONS: Any = {"no_cfunc_wrapper": True}  # the entry for C, which numba makes of every function, is never called


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """Return a decorator that compiles as `numba.njit` does with the same options, and keeps the code on disk."""

    def decorate(function: Callable[..., Any]) -> Any:
        compiled: Any = numba.njit(**options, **_OPTIONS)(function)
        if compiled is not function:  # else numba is switched off
            # A constant among the arguments is no type of its own: numba would compile the kernel again for each.
            template = compiled.get_call_template
            compiled.get_call_template = lambda args, names: template(tuple(map(unliteral, args)), names)
            compiled._cache = _Cache(f"{function.__module__}.{function.__qualname__}")
        return compiled

    return decorate


class _Cache(NullCache):
    """The code of a function: one file for each signature and processor."""

    def __init__(self, name: str) -> None:
        self._name = name

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        rtsys.initialize(target_context)
        with suppress(OSError):
            code = self._file(sig, target_context).read_bytes()
            return CompileResult._rebuild(target_context, *loads(code))
        with suppress(OSError):
            _FOLDER.mkdir(parents=True)
            _FOLDER.chmod(0o755)  # a contestant may be another user
            _LOG.info("wordpl: compiling kernels; this takes some seconds, and only once")
        return None

    def save_overload(self, sig: Any, cres: Any) -> None:
        with suppress(WordplError), whole_file(self._file(sig, cres.target_context)) as beside:
            beside.write_bytes(dumps(cres._reduce()))
            beside.chmod(0o644)

    def _file(self, signature: Any, target: Any) -> Path:
        key = hashlib.sha256(repr((signature, target.codegen().magic_tuple())).encode()).hexdigest()
        return _FOLDER / f"{self._name}-{key[:16]}.nbc"
