"""Calls as they travel to a cluster: small, because what calls share is sent to each worker and stays there.

A call is pickled with references in place of its lasting or large parts: arguments that are frozen dataclasses, such as
a task, and below them word lists, files and arrays. A part is known by the digest of its pickle, and may refer to
further parts. Code that is not installed travels by value: a script, a notebook, a strategy file and the modules
beside it.
"""

from __future__ import annotations

import hashlib
import io
import pickle
import sys
import sysconfig
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import cloudpickle

from wordpl.errors import WordplError, error_line

Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]
Parts = dict[str, bytes]
"""Digest -> pickle, each after those that it refers to."""

LARGE = 4096
"""Bytes from which on something below an argument is a part."""
_PACKED, _LOADED = 256, 32
_EVERYWHERE = {*sys.stdlib_module_names, "__main__", "wordpl", "cloudpickle"}
"""The packages that every worker has: Python's own, and this one in the version that is checked."""


@dataclass(frozen=True)
class Parcel:
    """A call as bytes, and the parts that it needs."""

    call: bytes
    parts: Parts = field(repr=False)


class Packer:
    """Makes parcels. A frozen argument is pickled once, and then known by its identity."""

    def __init__(self) -> None:
        # Identity -> what it is of, so that no other object gets the number; its digest; all parts that it needs.
        self._known: dict[int, tuple[Any, str, Parts]] = {}

    def pack(self, call: Call) -> Parcel:
        """Return the parcel of a call. Raises `WordplError` for one that cannot be pickled."""
        function, arguments, named = call
        own = {id(value) for value in (*arguments, *named.values()) if _is_frozen(value)}
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, self, own)
        try:
            with _local_code_by_value():
                pickler.dump((function, arguments, named))
        except Exception as error:  # whatever a class does there
            raise WordplError(f"what is to run cannot travel to a worker: {error_line(error)}") from None
        return Parcel(buffer.getvalue(), pickler.parts)

    def part(self, value: Any) -> tuple[str, Parts]:
        """The digest of a part and all that it needs, itself last."""
        if id(value) in self._known:
            return self._known[id(value)][1:]
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, self, set(), inside=value)
        pickler.dump(value)
        digest = f"part-{hashlib.sha256(buffer.getvalue()).hexdigest()}"
        parts = {**pickler.parts, digest: buffer.getvalue()}
        if _is_frozen(value):
            if len(self._known) >= _PACKED:
                self._known.clear()
            self._known[id(value)] = value, digest, parts
        return digest, parts


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Puts references in place of parts, and collects them."""

    def __init__(self, buffer: io.BytesIO, packer: Packer, own: set[int], inside: Any = None) -> None:
        super().__init__(buffer, protocol=pickle.HIGHEST_PROTOCOL)
        self._packer, self._own, self._inside = packer, own, inside
        self.parts: Parts = {}

    def persistent_id(self, value: Any) -> str | None:
        if value is self._inside or not (_is_large(value) or _is_frozen(value)):
            return None
        digest, parts = self._packer.part(value)
        if id(value) not in self._own and len(parts[digest]) < LARGE:
            return None
        self.parts.update(parts)
        return digest


def _is_large(value: Any) -> bool:
    kind = type(value)
    if kind is bytes:
        return len(value) >= LARGE
    return kind.__module__ == "numpy" and kind.__name__ == "ndarray" and value.nbytes >= LARGE


def _is_frozen(value: Any) -> bool:
    parameters = getattr(type(value), "__dataclass_params__", None)
    return parameters is not None and bool(parameters.frozen)


class LackingError(Exception):
    """A part is not in the folder."""


def unpack(call: bytes, folder: Path) -> Call:
    """Return the call of a parcel, whose parts are files in a folder. Raises what unpickling raises."""
    made: Call = _Unpickler(io.BytesIO(call), folder).load()
    return made


class _Unpickler(pickle.Unpickler):
    def __init__(self, buffer: io.BytesIO, folder: Path) -> None:
        super().__init__(buffer)
        self._folder = folder

    def persistent_load(self, digest: str) -> Any:
        return _part(self._folder / digest)


@lru_cache(maxsize=_LOADED)
def _part(path: Path) -> Any:
    try:
        pickled = path.read_bytes()
    except FileNotFoundError:
        raise LackingError from None
    return _Unpickler(io.BytesIO(pickled), path.parent).load()


@contextmanager
def _local_code_by_value() -> Iterator[None]:
    """Pickle functions and classes by value if they are of modules that a worker need not have."""
    known = cloudpickle.list_registry_pickle_by_value()
    registered = [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in _EVERYWHERE
        and name == getattr(module, "__name__", "")
        and name not in known
        and _is_local(getattr(module, "__file__", None))
    ]
    for module in registered:
        cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        for module in registered:
            cloudpickle.unregister_pickle_by_value(module)


@lru_cache(maxsize=4096)
def _is_local(file: str | None) -> bool:
    """Whether a module is of a file that is being worked on, and not of an installed package."""
    if not file or not file.endswith(".py"):
        return False
    path = Path(file).resolve()
    installed = (Path(place).resolve() for key, place in sysconfig.get_paths().items() if "lib" in key)
    return {"site-packages", "dist-packages"}.isdisjoint(path.parts) and not any(
        place in path.parents for place in installed
    )
