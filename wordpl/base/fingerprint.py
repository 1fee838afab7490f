"""A digest of what code does, so that what one version made is never taken for another's.

It walks from an object to the code that it can run: what functions read in their modules, import and close over,
modules that they reach, and attributes of classes. So it tells what is loaded, whatever lies on disk by now. A function
is told by the source of its file and its place there, if it was compiled from what is in the file now; else by its
compiled code, which is valid for one version of Python. Not followed: Python, installed packages, the engine (for which
`ENGINE_VERSION` speaks), and files that a strategy reads (see `Strategy.content`).
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import hashlib
import importlib
import os
import sys
import types
from collections import deque
from collections.abc import Callable, Collection, Iterator, Mapping, Set
from contextlib import suppress
from functools import lru_cache, partial
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from wordpl.base.lru_cache import LruCache
from wordpl.base.source import codes_within, constant_form, digest_of, place_of
from wordpl.base.user_files import USER_FILES

LIBRARY = "wordpl.library."
"""What the names of the library's modules begin with. They are strategies, though they lie inside the engine."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_BASES: tuple[Any, ...] = (str, bytes, int, float, complex)
_PARTS = (
    *("start", "stop", "step", "fget", "fset", "fdel", "func", "args", "keywords", "py_func", "targetoptions"),
    *("__func__", "__self__", "__wrapped__", "default", "default_factory", "init", "repr", "kw_only"),
    *("co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_posonlyargcount"),
    *("co_kwonlyargcount", "co_flags", "co_code", "co_exceptiontable", "co_consts"),
)
"""What objects of these modules are made of. Of code, all but the names of files and the numbers of lines."""
_MADE_IN = frozenset({"builtins", "functools", "dataclasses", "numba.core.registry"})
_MISSING = object()
# Where packages are installed: by pip, by Debian, and in the sandbox of the contest.
_PACKAGES = frozenset({"site-packages", "dist-packages"})
_INSTALLED = frozenset({Path(os.__file__).parent, Path(np.__file__).parents[1]})

_Looks = list[tuple[Callable[[], object], object]]
_known: LruCache[tuple[object, bool], tuple[_Looks, str]] = LruCache(1000)


def class_digest(kind: type) -> str:
    """16 hex digits that tell what a class does: equal in every process as long as nothing has changed.

    The answer is kept until a function of the class, or a value its functions read, is another object.
    Values changed in place are as they were when the class was first looked at.
    """
    return _remembered(kind, by_source=True)


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by content, functions and classes by code, and other objects by type alone."""
    return _walked(frozenset(), values).digest


def kernel_digest(function: FunctionType) -> str:
    """16 hex digits of what is compiled into a function of this package: callees and constants in whichever file."""
    return _walked({"wordpl", function.__module__.partition(".")[0]}, [function], by_source=False).digest


def running_digest(*values: object) -> str:
    """16 hex digits of the code of these objects as this process has loaded it, for another process to compare.

    No file is read: what lies on disk says nothing of what is loaded. It is that of another process only if both have
    one version of Python.
    """
    walk, units = _Walk(frozenset(), by_source=False), set[Any]()
    walk.reads_arrays = False  # a channel's family is looked at before each clue
    for value in values:
        is_unit = isinstance(value, (type, FunctionType))
        units |= {value if is_unit else type(value)}
        walk.text(None if is_unit else value)
    units |= {unit for unit in walk.units if not isinstance(unit, ModuleType)}
    return digest_of("".join(sorted(_remembered(unit, by_source=False) for unit in units)))[:16]


def is_plain(value: object) -> bool:
    """Whether the `repr` of a value says all there is to it."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(is_plain, value))
    return type(value) in _PLAIN


def is_installed(file: str | Path) -> bool:
    """Whether a file is part of Python or of an installed package."""
    path = Path(file)
    return not _PACKAGES.isdisjoint(path.parts) or not _INSTALLED.isdisjoint(path.parents)


def _remembered(unit: Any, *, by_source: bool) -> str:
    looks, digest = _known.get((unit, by_source)) or ([(object, None)], "")
    if any(look() is not value for look, value in looks):
        kinds = [base for base in unit.__mro__ if base is unit or _is_strategy(base)] if isinstance(unit, type) else []
        home = {_module(kind).partition(".")[0] for kind in kinds or [unit]}
        walk = _walked(home - sys.stdlib_module_names - {"wordpl"}, (), unit, by_source=by_source)
        digest = walk.digest
        _known.put((unit, by_source), (walk.looks, digest))
    return digest


def _is_strategy(thing: Any) -> bool:
    return isinstance(getattr(thing, "identity", None), property)


def _module(unit: Any) -> str:
    """Where a class or function was written. Of a function, a decorator may have changed `__module__`."""
    if isinstance(unit, FunctionType):
        return str(unit.__globals__.get("__name__") or "builtins")
    return str(getattr(unit, "__name__" if isinstance(unit, ModuleType) else "__module__", None) or "builtins")


def _is_special(name: str) -> bool:
    """Whether a name is one of those that Python, or a class of its own such as `Enum`, makes for itself."""
    return name == "_abc_impl" or (name.startswith("_") and name.endswith("_"))


def _content(cell: types.CellType) -> object:
    with suppress(ValueError):  # not set yet
        return cell.cell_contents
    return _MISSING


@lru_cache(maxsize=4096)
def _text_of(code: CodeType) -> str:
    return _Walk(frozenset(), by_source=False).text(code)


@lru_cache(maxsize=4096)
def _steps(code: CodeType) -> list[tuple[str, Any]]:
    """What the code of a function, and of those within it, does with globals and modules, and to which."""
    steps = [
        step for inner in codes_within(code) for step in dis.get_instructions(inner) if step.opname != "EXTENDED_ARG"
    ]
    found = [(step.opname, step.argval) for step in steps if step.opname.endswith(("_GLOBAL", "LOAD_NAME"))]
    for level, wanted, step in zip(steps, steps[1:], steps[2:], strict=False):
        if step.opname == "IMPORT_NAME":
            found.append((step.opname, ("." * level.argval + step.argval, wanted.argval or ())))
    return found


def _walked(home: Set[str], values: Collection[object], unit: Any = None, *, by_source: bool = True) -> _Walk:
    """A walk that is done. One before it finds the names that functions assign to: what they keep as they run."""
    kept: dict[int, set[str]] = {}
    for _ in range(2):
        walk = _Walk(home, by_source=by_source, kept=kept)
        walk.finish(values, unit)
        kept = walk.assigned
    return walk


class _Walk:
    """Writes values down, and the functions, classes and modules that they lead to, each once, in the order met."""

    def __init__(self, home: Set[str], *, by_source: bool, kept: Mapping[int, set[str]] | None = None) -> None:
        self._home, self._by_source, self._kept = home, by_source, kept or {}
        self._number: dict[object, int] = {}
        self._open: set[int] = set()
        self.units: list[Any] = []
        self.assigned: dict[int, set[str]] = {}
        """By the namespace of a module, the names that functions met assign to."""
        self.looks: _Looks = []
        """How it has looked at things, and what was there."""
        self.digest, self.reads_arrays = "", True

    def finish(self, values: Collection[object], unit: Any = None) -> None:
        written = [*map(self.text, values), self._numbered(unit) if unit else ""]
        for unit in self.units:  # it grows on the way
            written.append(f"{self._name(unit)}{self.text(list(self._inside(unit)))}")
        self.digest = digest_of("".join(written))[:16]

    def text(self, value: Any) -> str:
        kind = type(value)
        if kind in _PLAIN:
            return constant_form(value)
        if isinstance(value, (type, FunctionType, ModuleType)):
            wrapped = getattr(value, "__wrapped__", None) if isinstance(value, FunctionType) else None
            return (
                f"{self._name(value)};{self.text(wrapped)}"
                if self._is_foreign(_module(value))
                else self._numbered(value)
            )
        if id(value) in self._open or len(self._open) > 60:  # within itself, or a chain without an end
            return f"another {self._name(kind)};"
        self._open.add(id(value))
        try:
            return f"{self.text(kind)}({''.join(map(self.text, self._parts(value)))});"
        finally:
            self._open.remove(id(value))

    def _parts(self, value: Any) -> Iterator[Any]:
        """What an object that is not plain is made of; nothing for what nobody knows how to look into."""
        kind = type(value)
        if _is_strategy(kind):
            yield value.identity
            yield from [] if dataclasses.is_dataclass(value) else map(type, vars(value).values())
        if isinstance(value, enum.Enum):
            yield value.name
        elif isinstance(value, (np.ndarray, np.generic)):
            if not self.reads_arrays:
                return
            array = np.asarray(value)
            yield from (array.dtype.str, array.dtype.names, array.shape)
            yield array.tolist() if array.dtype.hasobject else hashlib.sha256(array.tobytes()).hexdigest()
        elif dataclasses.is_dataclass(value):
            yield from (getattr(value, field.name, None) for field in dataclasses.fields(value))
        elif kind.__module__.startswith("numba.core.types"):
            yield str(value)
        else:
            if kind.__module__ in _MADE_IN:
                yield from ((name, getattr(value, name)) for name in _PARTS if hasattr(value, name))
            if isinstance(value, (types.BuiltinFunctionType, np.ufunc)):
                yield value.__name__
            yield from (base.__getnewargs__(value) for base in _BASES if isinstance(value, base))
            if isinstance(value, Set):  # first by name, as functions and classes have numbers in the order met
                yield from sorted(map(self.text, sorted(value, key=lambda item: getattr(item, "__qualname__", ""))))
            elif isinstance(value, (Mapping, tuple, list, deque)):
                yield from value.items() if isinstance(value, Mapping) else value
            if not self._is_foreign(_module(kind)):
                yield object.__getstate__(value)

    def _numbered(self, unit: Any) -> str:
        """The place of a function, class or module among those that are written down."""
        key: object = id(unit)
        if isinstance(unit, FunctionType) and not (unit.__closure__ or unit.__defaults__ or unit.__kwdefaults__):
            # What a module had before it was loaded anew is no other than what it has now, if nothing differs.
            key = _text_of(unit.__code__), id(unit.__globals__)
        if key not in self._number:
            self._number[key] = len(self.units)
            self.units.append(unit)
        return f"@{self._number[key]};"

    def _is_foreign(self, module: str) -> bool:
        """Whether a module is Python's, installed, or the engine's."""
        top = module.partition(".")[0]
        if module.startswith((LIBRARY, USER_FILES)) or top in self._home or top == "__main__":
            return False
        file = getattr(sys.modules.get(module), "__file__", None)
        return top == "wordpl" or top in sys.stdlib_module_names or (file is not None and is_installed(file))

    def _name(self, unit: Any) -> str:
        """Of what is foreign, with its package: where that keeps a thing differs by version.

        Of a class that a function made, cloudpickle keeps the name alone.
        """
        is_module = isinstance(unit, ModuleType)
        if self._is_foreign(_module(unit)):
            return f"{_module(unit).partition('.')[0].lstrip('_')}.{'' if is_module else unit.__qualname__}"
        return "module" if is_module else str(unit.__name__)

    def _inside(self, unit: Any) -> Iterator[Any]:
        """What a function, class or module is made of, and what a function reads."""
        if isinstance(unit, FunctionType):
            code, space = self._look(partial(getattr, unit, "__code__")), unit.__globals__
            steps = _steps(code)
            assigned = {name for step, name in steps if step in ("STORE_GLOBAL", "DELETE_GLOBAL")}
            self.assigned.setdefault(id(space), set()).update(assigned)
            yield (self._by_source and place_of(code)) or _text_of(code)
            yield from (self._look(partial(getattr, unit, name)) for name in ("__defaults__", "__kwdefaults__"))
            cells = dict(zip(code.co_freevars, unit.__closure__ or (), strict=True))
            yield from ((name, self._look(partial(_content, cells[name]))) for name in cells if name != "__class__")
            yield from self._read(
                space, {name for step, name in steps if step.startswith("LOAD") and not _is_special(name)}
            )
            yield from self._imported([what for step, what in steps if step == "IMPORT_NAME"], space.get("__package__"))
        elif isinstance(unit, ModuleType):
            yield from self._read(vars(unit), {name for name in vars(unit) if not _is_special(name)})
        else:
            space = vars(unit)
            self._look(partial(len, space))
            yield from (unit.__bases__, list(space.get("__dataclass_fields__", {}).values()))
            if issubclass(unit, enum.Enum):  # what is in its place differs by version
                yield {name: member.value for name, member in unit.__members__.items()}
                space = {name: value for name, value in space.items() if name not in unit.__members__}
            yield from self._read(space, {name for name in space if self._counts(name, space[name])})

    def _counts(self, name: str, value: Any) -> bool:
        """Whether an attribute of a class is written by hand, not made by Python, each version of it in its own way."""
        function = getattr(value, "__func__", value)
        code = getattr(function, "__code__", None)
        made = code and (code.co_qualname.startswith("__create_fn__") or code.co_name == "__annotate__")
        made = made or _module(function).startswith("namedtuple_")
        return not made and not (_is_special(name) and (not callable(function) or self._is_foreign(_module(function))))

    def _look(self, look: Callable[[], Any]) -> Any:
        value = look()
        self.looks.append((look, value))
        return value

    def _read(self, space: Mapping[str, Any], names: Set[str]) -> Iterator[tuple[str, Any]]:
        """What a module or class has by names."""
        for name in sorted(names - self._kept.get(id(space), set())):
            value = self._look(partial(space.get, name, _MISSING))
            if value is not _MISSING:
                yield name, value

    def _imported(self, imports: list[tuple[str, tuple[str, ...]]], package: str | None) -> Iterator[ModuleType]:
        """The modules that a function imports as it runs; they are imported now, as what they do counts."""
        for name, inner in imports:
            with suppress(Exception):  # a module that may be missing
                full = resolve_name(name, package)
                spec = None if full in sys.modules else find_spec(full.partition(".")[0])
                if self._is_foreign(full) or is_installed((spec and spec.origin) or ""):
                    continue
                module = importlib.import_module(full)
                self._look(partial(sys.modules.get, full))
                for part in inner:
                    with suppress(ImportError):  # it need not be a module
                        hasattr(module, part) or importlib.import_module(f"{full}.{part}")
                yield module
