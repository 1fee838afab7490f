"""A digest of what a strategy is after its start, so that two starts can be compared. Runs inside the contestant.

It covers the strategy and what the modules of the submission hold: their values, the attributes of their classes, and
what their functions have closed over. Functions, classes and modules of others count by their names. It does not cover
what compiled code keeps to itself, nor the generators of `random` and `numpy.random`, which are seeded for each game.
"""

from __future__ import annotations

import hashlib
import pickle
import random
import sys
import types
from typing import Any

_LONGEST = 1 << 28
"""Bytes that are digested, those of arrays by a sixteenth: objects that lead to others in many ways are without end."""


def state_digest(strategy: object, folder: str) -> str:
    """16 hex digits that are equal if two strategies are, with their modules in `folder`; "" if that cannot be told."""
    digested = _Digested()
    try:
        names = sorted(name for name, module in list(sys.modules.items()) if _lies_in(folder, module))
        modules = [(name, _own(vars(sys.modules[name]))) for name in names]
        pickler = _Pickler(digested, folder)
        pickler.fast = True  # nothing is remembered, which would take memory and tell equal objects from the same one
        pickler.dump((strategy, modules))
    except Exception:  # an open file, a lock, a generator, an object within itself
        return ""
    return digested.hash.hexdigest()[:16]


def _lies_in(folder: str, thing: object) -> bool:
    return str(getattr(thing, "__file__", None) or "").startswith(f"{folder}/")


def _own(space: Any) -> list[tuple[str, Any]]:
    return [(name, value) for name, value in sorted(space.items()) if not name.startswith("__")]


class _Digested:
    """A file that keeps nothing but the digest of what is written to it."""

    def __init__(self) -> None:
        self.hash = hashlib.sha256()
        self._left = _LONGEST

    def write(self, data: Any, share: int = 1) -> None:
        self._left -= memoryview(data).nbytes // share
        if self._left < 0:
            raise OverflowError
        self.hash.update(data)

    def write_array(self, buffer: pickle.PickleBuffer) -> None:
        self.write(buffer.raw(), 16)


class _Pickler(pickle.Pickler):
    """Writes values in a form that says what they are; they cannot be made from it again."""

    def __init__(self, file: _Digested, folder: str) -> None:
        super().__init__(file, 5, buffer_callback=file.write_array)
        self._folder = folder
        self._seen: set[int] = set()
        modules = [random, sys.modules.get("numpy.random")]
        self._generators = [getattr(getattr(module, "random", None), "__self__", None) for module in modules]

    def reducer_override(self, value: Any) -> Any:
        """What stands for a value that is not plain data; most objects say so themselves."""
        function = getattr(value, "py_func", value)  # numba compiles it: what it has compiled so far changes no move
        if isinstance(value, types.ModuleType):
            return str, (f"module {value.__name__}",)
        if isinstance(function, types.FunctionType):
            return tuple, ([self._name(function), *self._of_function(function)],)
        if isinstance(value, type) and value.__module__ != "builtins":
            return tuple, ([self._name(value), *self._of_class(value)],)
        if any(value is generator for generator in self._generators):
            return str, ("global generator",)
        return NotImplemented

    def _name(self, thing: Any) -> str:
        return f"{type(thing).__name__} {thing.__module__}.{thing.__qualname__}"

    def _of_function(self, function: types.FunctionType) -> list[Any]:
        inner = "<locals>" in function.__qualname__
        if not (inner or self._is_own(function)) or self._is_seen(function):
            return []
        cells = [cell.cell_contents for cell in function.__closure__ or () if cell != types.CellType()]
        return [cells, function.__defaults__, function.__kwdefaults__, _own(vars(function))]

    def _of_class(self, kind: type) -> list[Any]:
        if not self._is_own(kind) or self._is_seen(kind):
            return []
        # Methods, properties and slots have no state but what their functions have.
        return [(name, value) for name, value in _own(vars(kind)) if not hasattr(type(value), "__get__")]

    def _is_own(self, thing: Any) -> bool:
        return _lies_in(self._folder, sys.modules.get(thing.__module__))

    def _is_seen(self, thing: object) -> bool:
        """Whether this has been written already: functions and classes may lead to themselves."""
        seen = id(thing) in self._seen
        self._seen.add(id(thing))
        return seen
