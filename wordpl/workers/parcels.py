"""Calls as they travel to a cluster: small, because what calls share is sent once to each worker.

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
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
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


@dataclass(frozen=True)
class Parcel:
    """A call as bytes, and the parts that it needs."""

    call: bytes
    parts: Parts = field(repr=False)


class Packer:
    """Makes parcels. A frozen argument is pickled once, and then known by its identity."""

    def __init__(self) -> None:
        # Identity -> what it is of, so that no other object gets the number; its digest; all parts that it needs.
        self._known: OrderedDict[int, tuple[Any, str, Parts]] = OrderedDict()

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

    def part(self, value: Any, *, small: bool) -> tuple[str, Parts] | None:
        """The digest of a part and all that it needs, itself last; None if it is not one.

        With `small`, its size does not matter.
        """
        if id(value) in self._known:
            self._known.move_to_end(id(value))
            _, digest, parts = self._known[id(value)]
            return (digest, parts) if small or len(parts[digest]) >= LARGE else None
        buffer = io.BytesIO()
        pickler = _Pickler(buffer, self, set(), inside=value)
        pickler.dump(value)
        pickled = buffer.getvalue()
        digest = hashlib.sha256(pickled).hexdigest()
        parts = {**pickler.parts, digest: pickled}
        if _is_frozen(value):
            self._known[id(value)] = value, digest, parts
            while len(self._known) > _PACKED:
                self._known.popitem(last=False)
        return (digest, parts) if small or len(pickled) >= LARGE else None


class _Pickler(cloudpickle.Pickler):  # type: ignore[misc]
    """Puts references in place of parts, and collects them."""

    def __init__(self, buffer: io.BytesIO, packer: Packer, own: set[int], inside: Any = None) -> None:
        super().__init__(buffer, protocol=pickle.HIGHEST_PROTOCOL)
        self._packer, self._own, self._inside = packer, own, inside
        self.parts: Parts = {}

    def persistent_id(self, value: Any) -> str | None:
        if value is self._inside or not (_is_large(value) or _is_frozen(value)):
            return None
        found = self._packer.part(value, small=id(value) in self._own)
        if found is None:
            return None
        digest, parts = found
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


class Unpacker:
    """Makes calls of parcels again; the parts that were used last are kept as objects."""

    def __init__(self) -> None:
        self._loaded: OrderedDict[str, Any] = OrderedDict()

    def lacking(self, needs: Iterable[str]) -> list[str]:
        """Those of the parts that have to be given."""
        return [digest for digest in needs if digest not in self._loaded]

    def unpack(self, call: bytes, needs: Iterable[str], given: Mapping[str, bytes]) -> Call:
        """Return the call of a parcel. Raises what unpickling raises."""
        needs = list(needs)
        for digest in needs:
            if digest in self._loaded:
                self._loaded.move_to_end(digest)
            else:
                self._loaded[digest] = self._load(given[digest])
        made: Call = self._load(call)
        while len(self._loaded) > max(_LOADED, len(needs)):
            self._loaded.popitem(last=False)
        return made

    def _load(self, pickled: bytes) -> Any:
        return _Unpickler(io.BytesIO(pickled), self._loaded).load()


class _Unpickler(pickle.Unpickler):
    def __init__(self, buffer: io.BytesIO, loaded: Mapping[str, Any]) -> None:
        super().__init__(buffer)
        self._loaded = loaded

    def persistent_load(self, digest: str) -> Any:
        return self._loaded[digest]


@contextmanager
def _local_code_by_value() -> Iterator[None]:
    """Pickle functions and classes by value if they are of modules that a worker need not have."""
    known = cloudpickle.list_registry_pickle_by_value()
    registered = [
        module
        for name, module in list(sys.modules.items())
        if name.partition(".")[0] not in _everywhere()
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


@lru_cache(maxsize=1)
def _everywhere() -> frozenset[str]:
    """The packages that every worker has: Python's own, and this one in the version that is checked."""
    return frozenset({*sys.stdlib_module_names, "__main__", "wordpl", "cloudpickle"})


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
