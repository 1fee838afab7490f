"""A digest of what code does, so that what one version made is never taken for another's.

It walks from an object to the code that it can run: what functions read in their modules, import and close over,
modules that they reach, and attributes of classes. It tells what is loaded, and reads no file: what lies on disk need
not be what runs. A function counts by what it compiles to, without docstrings and numbers of lines, so a digest holds
for one version of Python. Not followed: Python, installed packages, the engine (for which `ENGINE_VERSION` speaks), and
files that a strategy reads (see `Strategy.content`).
"""

import dataclasses
import dis
import enum
import hashlib
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import lru_cache, partial
from pathlib import Path
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodDescriptorType, ModuleType
from typing import Any

import numpy as np

from wordpl.base.lru_cache import LruCache
from wordpl.base.user_files import USER_FILES

LIBRARY = "wordpl.library."
"""What the names of the library's modules begin with. They are strategies, though they lie inside the engine."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
# Objects of these modules consist of these attributes or, if they have none, of what `pickle` takes.
_KNOWN = (
    *("builtins", "collections", "dataclasses", "decimal", "fractions", "functools", "numpy", "numpy.dtypes"),
    *("numba.core.extending", "numba.core.registry"),
)
_PARTS = (
    *("__self__", "__func__", "__wrapped__", "fget", "fset", "fdel", "func", "args", "keywords"),
    *("default", "default_factory", "init", "repr", "kw_only", "py_func", "targetoptions"),
)
_PACKAGES = frozenset({"site-packages", "dist-packages"})  # of pip, and in the sandbox of the contest; of Debian
_INSTALLED = frozenset({Path(os.__file__).parent, Path(np.__file__).parents[1]})

_Looks = list[tuple[Callable[[], object], object]]  # how a walk has looked at things, and what was there
_known: LruCache[object, tuple[_Looks, str]] = LruCache(1000)
_held: LruCache[int, tuple[object, list[Any]]] = LruCache(100)


def class_digest(kind: Any) -> str:
    """16 hex digits that tell what a class or function does: equal in every process as long as nothing has changed.

    Kept until a function that it runs, or a value that these read, is another object, not one changed in place."""
    looks, digest = _known.get(kind) or ([(object, None)], "")
    if any(look() is not value for look, value in looks):
        bases = [base for base in getattr(kind, "__mro__", ()) if isinstance(getattr(base, "identity", 0), property)]
        walk = _Walk({_module(one).partition(".")[0] for one in [kind, *bases]} - sys.stdlib_module_names - {"wordpl"})
        digest = walk.over([], [kind])
        _known.put(kind, (walk.looks, digest))
    return digest


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by content, functions and classes by code, and other objects by type alone."""
    return _Walk().over(values)


def running_digest(*values: object) -> str:
    """16 hex digits of the code of these objects, whatever data they hold, for another process to compare."""
    return value_digest(*sorted({class_digest(unit) for value in values for unit in _units_of(value)}))


def is_plain(value: object) -> bool:
    """Whether the `repr` of a value says all there is to it."""
    return all(map(is_plain, value)) if type(value) is tuple else type(value) in _PLAIN


def is_installed(file: str | Path) -> bool:
    """Whether a file is part of Python or of an installed package."""
    return not _PACKAGES.isdisjoint(Path(file).parts) or not _INSTALLED.isdisjoint(Path(file).parents)


def _units_of(value: object) -> list[Any]:
    """A function or class; of another object its class, and the functions and classes that it held when first seen."""
    if isinstance(value, (type, FunctionType)):
        return [value]
    held = _held.get(id(value))
    if held is None or held[0] is not value:  # a channel's family is looked at before each clue
        walk = _Walk()
        walk.text(value)
        held = value, [type(value), *(unit for unit in walk.units if not isinstance(unit, ModuleType))]
        _held.put(id(value), held)
    return held[1]


def _module(unit: Any) -> str:
    """Where a class or function was written. Of a function, a decorator may have changed `__module__`."""
    if isinstance(unit, FunctionType):
        return str(unit.__globals__.get("__name__"))
    return str(getattr(unit, "__name__" if isinstance(unit, ModuleType) else "__module__", None))


@lru_cache(maxsize=4096)
def _steps(code: CodeType) -> list[tuple[str, Any]]:
    """What a function is called with, and does step by step, with what the functions within it do."""
    # The flags above these, of a docstring and of `__future__`, say nothing of what it does.
    counts = code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags & 0xFFFF
    steps: list[tuple[str, Any]] = [("CODE", (code.co_name, counts, code.co_varnames, code.co_exceptiontable))]
    for step in dis.get_instructions(code):
        what = code.co_consts[step.arg or 0] if step.opcode in dis.hasconst else step.argval
        if isinstance(what, CodeType):
            steps += [*_steps(what), ("END", "")]
        elif step.opname != "EXTENDED_ARG":
            steps.append((step.opname, what))
    return steps


_text_of = lru_cache(maxsize=4096)(lambda code: _Walk().text(_steps(code)))


class _Walk:
    """Writes values down, and the functions, classes and modules that they lead to, each once, in the order met."""

    def __init__(self, home: Set[str] = frozenset()) -> None:
        self._home = home
        self._number: dict[object, int] = {}
        self._open: set[int] = set()
        self._assigned: dict[int, set[str]] = {}  # by the namespace of a module, names that functions met assign to
        self._kept: dict[int, set[str]] = {}
        self.units: list[Any] = []
        self.looks: _Looks = []

    def over(self, values: Sequence[object], units: Sequence[Any] = ()) -> str:
        """The digest of these. A first walk finds the names that functions assign to: what they keep as they run."""
        for _ in range(2):
            self._kept, self._assigned, self._number, self.units, self.looks = self._assigned, {}, {}, [], []
            written = [*map(self.text, values), *map(self._numbered, units)]
            for unit in self.units:  # it grows on the way
                written.append(f"{self._name(unit)}{self.text([*self._inside(unit)])}")
        return hashlib.sha256("".join(written).encode()).hexdigest()[:16]

    def text(self, value: Any) -> str:
        kind = type(value)
        if kind in _PLAIN:  # `repr` refuses large integers
            return f"{kind.__name__}:{hex(value) if kind is int else ascii(value)};"
        if isinstance(value, (type, FunctionType, ModuleType)):
            if not self._is_foreign(_module(value)):
                return self._numbered(value)
            return f"{self._name(value)};{self.text(vars(value).get('__wrapped__')) if kind is FunctionType else ''}"
        if id(value) in self._open or len(self._open) > 60:  # within itself, or a chain without an end
            return f"another {self._name(kind)};"
        self._open.add(id(value))
        text = f"{self.text(kind)}({''.join(map(self.text, self._parts(value)))});"
        self._open.remove(id(value))
        return text

    def _parts(self, value: Any) -> Iterator[Any]:
        """What an object that is not plain is made of; nothing for what nobody knows how to look into."""
        kind = type(value)
        names = [name for name in _PARTS if kind.__module__ in _KNOWN and hasattr(value, name)]
        is_strategy = isinstance(getattr(kind, "identity", None), property)
        if is_strategy:
            yield value.identity
        if isinstance(value, (BuiltinFunctionType, MethodDescriptorType, np.ufunc)):
            yield value.__name__
        if kind in (tuple, list, dict):
            yield from value.items() if kind is dict else value
        elif isinstance(value, Set):  # first by name, as functions and classes have numbers in the order met
            yield from sorted(map(self.text, sorted(value, key=lambda item: getattr(item, "__qualname__", ""))))
        elif isinstance(value, enum.Enum):
            yield value.name
        elif dataclasses.is_dataclass(value):
            yield from (getattr(value, field.name, None) for field in dataclasses.fields(value))
        elif is_strategy:
            yield from map(type, vars(value).values())
        elif names:
            yield from ((name, getattr(value, name)) for name in names)
        elif kind.__module__ in _KNOWN or not self._is_foreign(_module(kind)):
            with suppress(Exception):
                yield from ([*part] if isinstance(part, Iterator) else part for part in value.__reduce_ex__(4))

    def _numbered(self, unit: Any) -> str:
        """The place of a function, class or module among those that are written down."""
        key: object = id(unit)
        if isinstance(unit, FunctionType) and not (unit.__closure__ or unit.__defaults__ or unit.__kwdefaults__):
            # What a module had before it was loaded anew is no other than what it has now, if nothing differs.
            key = _text_of(unit.__code__), id(unit.__globals__)
        if self._number.setdefault(key, len(self.units)) == len(self.units):
            self.units.append(unit)
        return f"@{self._number[key]};"

    def _is_foreign(self, module: str) -> bool:
        """Whether a module is Python's, installed, or the engine's."""
        top = module.partition(".")[0]
        if module.startswith((LIBRARY, USER_FILES)) or top in self._home or top == "__main__":
            return False
        file = getattr(sys.modules.get(module), "__file__", None) or ""
        return top == "wordpl" or top in sys.stdlib_module_names or is_installed(file)

    def _name(self, unit: Any) -> str:
        """Of what is foreign, with its package; else the name alone, as cloudpickle keeps no more of a class."""
        if self._is_foreign(_module(unit)):
            return f"{_module(unit)}.{getattr(unit, '__qualname__', '')}"
        return "" if isinstance(unit, ModuleType) else str(unit.__name__)

    def _inside(self, unit: Any) -> Iterator[Any]:
        """What a function, class or module is made of, and what a function reads."""
        space = unit.__globals__ if isinstance(unit, FunctionType) else vars(unit)
        if isinstance(unit, ModuleType):
            yield from self._read(space, {*space})
        elif isinstance(unit, type):
            self._look(partial(len, space))
            yield from (unit.__bases__, [*space.get("__dataclass_fields__", {}).values()])
            members = unit.__members__ if issubclass(unit, enum.Enum) else {}
            yield {name: member.value for name, member in members.items()}
            yield from self._read(space, space.keys())
        else:
            code = self._look(partial(getattr, unit, "__code__"))
            yield _text_of(code)
            yield from (self._look(partial(getattr, unit, name)) for name in ("__defaults__", "__kwdefaults__"))
            cells = dict(zip(code.co_freevars, unit.__closure__ or (), strict=True))
            filled = [name for name in cells if name != "__class__" and cells[name] != CellType()]
            yield from ((name, self._look(partial(getattr, cells[name], "cell_contents"))) for name in filled)
            steps, stores = _steps(code), ("STORE_GLOBAL", "DELETE_GLOBAL")
            self._assigned.setdefault(id(space), set()).update(name for step, name in steps if step in stores)
            yield from self._read(space, {name for step, name in steps if step in ("LOAD_GLOBAL", "LOAD_NAME")})
            for (step, name), (_, parts), (_, level) in zip(steps[2:], steps[1:], steps, strict=False):
                if step == "IMPORT_NAME" and (level or not self._is_foreign(name)):
                    with suppress(Exception):  # it may be missing
                        module = __import__(name, space, None, parts or (), level)
                        yield self._look(partial(sys.modules.get, module.__name__))

    def _look(self, look: Callable[[], Any]) -> Any:
        self.looks.append((look, look()))
        return self.looks[-1][1]

    def _read(self, space: Mapping[str, Any], names: Set[str]) -> Iterator[tuple[str, Any]]:
        """What a module or class has by these names, unless functions keep it there or Python has made it."""
        for name in sorted(names - self._kept.get(id(space), set())):
            value = self._look(partial(space.get, name))
            function = getattr(value, "__func__", value)
            is_special = name == "_abc_impl" or (name.startswith("_") and name.endswith("_"))
            if name in space and (not is_special or (callable(function) and not self._is_foreign(_module(function)))):
                yield name, value
