"""Calls on their way to a worker, and the errors that a worker may end with."""

from __future__ import annotations

import pickle
import re
import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import lru_cache, partial
from types import ModuleType
from typing import Any

import cloudpickle

from wordpl.base.errors import WordplError, error_line
from wordpl.base.fingerprint import is_installed
from wordpl.base.lru_cache import LruCache
from wordpl.base.user_files import USER_FILES, contents

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""

    signum: int | None = None
    """The signal that ended it, if it is known."""
    call: Call | None = None
    """What it ran, or the oldest call of those that were running, if that is known."""

    @classmethod
    def of(cls, ends: str) -> WorkerLostError:
        """The error about workers of which loky says `ends`, such as "... {SIGKILL(-9)} ..."."""
        # loky kills the other workers with SIGKILL, so another signal is the cause.
        found = sorted(re.findall(r"(\w+)\((-?\d+)\)", ends), key=lambda end: end[0] == "SIGKILL")
        name, code = found[0] if found else ("how is unknown", "0")
        message = f"a worker process ended ({name if int(code) <= 0 else f'exit code {code}'})"
        if name == "SIGKILL":
            message += ", probably because memory ran out; fewer workers (--jobs) need less"
        elif name in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
            message += ": native code crashed, perhaps code that a strategy uses"
        error = cls(message)
        error.signum = -int(code) if int(code) < 0 else None
        return error


def pack(call: Call, *, elsewhere: bool = False) -> list[bytes]:
    """Return a call as bytes: the user's files that it names, its function, and each of its arguments.

    With `elsewhere`, code that is not installed travels by value: a script, a notebook, the modules beside a file.
    Raises `WordplError` for one that cannot be pickled.
    """
    function, arguments, keywords = call
    try:
        with ExitStack() as stack:
            for module in _local_modules() if elsewhere else ():
                cloudpickle.register_pickle_by_value(module)
                stack.callback(cloudpickle.unregister_pickle_by_value, module)
            packed = [cloudpickle.dumps(value) for value in (partial(function, **keywords), *arguments)]
        files = {
            name: content
            for name, content in contents.items()
            if not elsewhere and any(name.encode() in value for value in packed)
        }
        return [pickle.dumps(files), *packed]
    except Exception as error:  # whatever a class does there
        raise WordplError(f"a call cannot be sent to a worker process: {error_line(error)}") from None


_is_installed = lru_cache(maxsize=4096)(is_installed)


def _local_modules() -> list[ModuleType]:
    """The modules that a worker elsewhere need not have: it has what is installed, and this package."""
    names = {"__main__", *cloudpickle.list_registry_pickle_by_value()}
    return [
        module
        for name, module in list(sys.modules.items())
        if name not in names
        and (name.partition(".")[0] != "wordpl" or name.startswith(USER_FILES))
        and name == getattr(module, "__name__", "")
        and (file := getattr(module, "__file__", None) or "").endswith(".py")
        and not _is_installed(file)
    ]


def run_packed(call: list[bytes]) -> bytes:
    """In a worker: return what a call returns, pickled."""
    try:
        contents.update(pickle.loads(call[0]))  # noqa: S301 - of our own client
        function, *arguments = map(_loaded, call[1:])
    except Exception as error:  # a module that is missing there
        raise WordplError(f"a worker process cannot load a call: {error_line(error)}") from None
    return cloudpickle.dumps(function(*arguments))  # type: ignore[no-any-return]


_frozen = LruCache[bytes, Any](8)


def _loaded(packed: bytes) -> Any:
    """A frozen dataclass, such as a task, is loaded once: what is cached by it, or in it, then stays small."""
    value = _frozen.get(packed)
    if value is None:
        value = pickle.loads(packed)  # noqa: S301 - of our own client
        parameters = getattr(type(value), "__dataclass_params__", None)
        if parameters is not None and parameters.frozen:
            _frozen.put(packed, value)
    return value
