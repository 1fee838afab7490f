"""Calls as they travel to a worker: what many of them share is pickled once here, and loaded once there.

A call is pickled with references in place of its parts: arguments that are frozen dataclasses, such as a task. So a
worker has one task and one setting, whatever the number of batches, and what is cached there by a setting stays small.
"""

from __future__ import annotations

import pickle
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import lru_cache
from typing import Any

import cloudpickle

from wordpl.base.errors import WordplError, error_line
from wordpl.base.fingerprint import is_installed
from wordpl.base.user_files import USER_FILES, contents

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
"""A function, its arguments and its named arguments, as `joblib.delayed` gives them."""

_PACKED, _LOADED = 256, 8
_EVERYWHERE = {*sys.stdlib_module_names, "__main__", "wordpl", "cloudpickle"}
"""The packages that every machine has: Python's own, and this one in the version that is checked."""


class WorkerLostError(WordplError):
    """A worker process was ended from outside, or crashed. What was finished is kept."""

    def __init__(self, message: str, signum: int | None = None, call: Call | None = None) -> None:
        super().__init__(message)
        self.signum, self.call = signum, call
        """The signal that ended it, and what it ran, if they are known."""

    @classmethod
    def of(cls, code: int | None, call: Call | None = None) -> WorkerLostError:
        """The error about a worker that ended with the exit code `code`, less than 0 for a signal and None if it is
        unknown, while it ran `call`."""
        names = {-signum: signum.name for signum in signal.Signals}
        end = "how is unknown" if code is None else names.get(code, f"exit code {code}")
        message = f"a worker process ended ({end})"
        if end == "SIGKILL":
            message += ", probably because memory ran out; fewer workers (--jobs) need less"
        elif end in ("SIGSEGV", "SIGBUS", "SIGABRT", "SIGFPE", "SIGILL"):
            message += ": native code crashed, perhaps code that a strategy uses"
        return cls(message, -code if code is not None and code < 0 else None, call)


class _Reference(int):
    """Stands for the part with this number."""


class Packer:
    """Packs calls. A part is pickled once, and then known by its identity.

    With `elsewhere`, code that is not installed travels by value: a script, a notebook, the modules beside a file.
    """

    def __init__(self, *, elsewhere: bool = False) -> None:
        self._elsewhere = elsewhere
        # Identity -> what it is of, so that no other object gets the number, and its pickle.
        self._known: dict[int, tuple[Any, bytes]] = {}

    def pack(self, call: Call) -> tuple[bytes, list[bytes]]:
        """Return a call as bytes, and its parts. Raises `WordplError` for one that cannot be pickled."""
        function, arguments, keywords = call
        parts: list[bytes] = []

        def packed(value: Any) -> Any:
            parameters = getattr(type(value), "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                return value
            if id(value) not in self._known:
                if len(self._known) >= _PACKED:
                    self._known.clear()
                self._known[id(value)] = value, cloudpickle.dumps(value)
            parts.append(self._known[id(value)][1])
            return _Reference(len(parts) - 1)

        try:
            with _local_code_by_value() if self._elsewhere else nullcontext():
                references = tuple(map(packed, arguments)), {name: packed(value) for name, value in keywords.items()}
                packed_call = cloudpickle.dumps((function, *references))
            files = {
                name: content
                for name, content in contents.items()
                if not self._elsewhere and any(name.encode() in pickled for pickled in (packed_call, *parts))
            }
            return pickle.dumps((files, packed_call)), parts
        except Exception as error:  # whatever a class does there
            raise WordplError(f"what is to run cannot travel to a worker: {error_line(error)}") from None


_load = lru_cache(maxsize=_LOADED)(pickle.loads)
_is_installed = lru_cache(maxsize=4096)(is_installed)


def run_packed(call: bytes, parts: list[bytes]) -> bytes:
    """In a worker: return what a call returns, pickled."""

    def value_of(argument: Any) -> Any:
        return _load(parts[argument]) if isinstance(argument, _Reference) else argument

    try:
        files, packed_call = pickle.loads(call)  # noqa: S301 - of our own client
        contents.update(files)
        function, arguments, keywords = pickle.loads(packed_call)  # noqa: S301
        arguments = [value_of(value) for value in arguments]
        keywords = {name: value_of(value) for name, value in keywords.items()}
    except Exception as error:  # a module that is missing there
        raise WordplError(f"a worker cannot load what it is to run: {error_line(error)}") from None
    return cloudpickle.dumps(function(*arguments, **keywords))  # type: ignore[no-any-return]


@contextmanager
def _local_code_by_value() -> Iterator[None]:
    """Pickle functions and classes by value if they are of modules that a worker need not have."""
    names = cloudpickle.list_registry_pickle_by_value()
    modules = [
        module
        for name, module in list(sys.modules.items())
        if (name.partition(".")[0] not in _EVERYWHERE or name.startswith(USER_FILES))
        and name == getattr(module, "__name__", "")
        and name not in names
        and (file := getattr(module, "__file__", None) or "").endswith(".py")
        and not _is_installed(file)
    ]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)
