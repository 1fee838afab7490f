"""Calls as they travel to a cluster: small, because what calls share is sent to each worker once and stays there.

A call is pickled with references in place of its parts: arguments that are frozen dataclasses, such as a task. A part
is known by the digest of its pickle. Code that is not installed travels by value: a script, a notebook, a strategy file
and the modules beside it.
"""

from __future__ import annotations

import hashlib
import pickle
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

import cloudpickle

from wordpl.errors import WordplError, error_line

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]

_PACKED, _LOADED = 256, 32
_EVERYWHERE = {*sys.stdlib_module_names, "__main__", "wordpl", "cloudpickle"}
"""The packages that every worker has: Python's own, and this one in the version that is checked."""


class _Reference(str):
    """Stands for the part with this digest."""


class Packer:
    """Packs calls. A part is pickled once, and then known by its identity."""

    def __init__(self) -> None:
        # Identity -> what it is of, so that no other object gets the number; its digest; its pickle.
        self._known: dict[int, tuple[Any, str, bytes]] = {}

    def pack(self, call: Call) -> tuple[bytes, dict[str, bytes]]:
        """Return a call as bytes, and the parts that it needs: digest -> pickle.

        Raises `WordplError` for a call that cannot be pickled.
        """
        function, arguments, keywords = call
        parts: dict[str, bytes] = {}

        def packed(value: Any) -> Any:
            parameters = getattr(type(value), "__dataclass_params__", None)
            if parameters is None or not parameters.frozen:
                return value
            if id(value) not in self._known:
                data = cloudpickle.dumps(value)
                if len(self._known) >= _PACKED:
                    self._known.clear()
                self._known[id(value)] = value, f"part-{hashlib.sha256(data).hexdigest()}", data
            _, digest, parts[digest] = self._known[id(value)]
            return _Reference(digest)

        try:
            with _local_code_by_value():
                references = tuple(map(packed, arguments)), {name: packed(value) for name, value in keywords.items()}
                return cloudpickle.dumps((function, *references)), parts
        except Exception as error:  # whatever a class does there
            raise WordplError(f"what is to run cannot travel to a worker: {error_line(error)}") from None


_loaded: dict[str, Any] = {}
"""The last parts that were needed in this process, by digest."""


def unpack(call: bytes, parts: Mapping[str, bytes]) -> Call:
    """Return the call that was packed. Raises what unpickling raises."""

    def value_of(argument: Any) -> Any:
        if not isinstance(argument, _Reference):
            return argument
        if argument not in _loaded:
            if len(_loaded) >= _LOADED:
                _loaded.clear()
            _loaded[argument] = pickle.loads(parts[argument])  # noqa: S301 - of our own client
        return _loaded[argument]

    function, arguments, keywords = pickle.loads(call)  # noqa: S301
    return function, tuple(map(value_of, arguments)), {name: value_of(value) for name, value in keywords.items()}


@contextmanager
def _local_code_by_value() -> Iterator[None]:
    """Pickle functions and classes by value if they are of modules that a worker need not have."""
    names = cloudpickle.list_registry_pickle_by_value()
    modules = [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in _EVERYWHERE
        and name == getattr(module, "__name__", "")
        and name not in names
        and _is_local(getattr(module, "__file__", None))
    ]
    for module in modules:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in modules:
            cloudpickle.unregister_pickle_by_value(module)


@lru_cache(maxsize=4096)
def _is_local(file: str | None) -> bool:
    """Whether a module is of a file that is being worked on, and not of an installed package."""
    parts = Path(file or "").resolve().parts
    return bool(file and file.endswith(".py")) and {"site-packages", "dist-packages"}.isdisjoint(parts)
