"""A digest of what code does, so that what one version made is never taken for another's.

It walks from an object to all the code that it can run: by the names that functions read in their modules, what they
close over, attributes of classes and modules, and imports within a function. So it tells what is loaded, whatever lies
on disk by now. A function is told by its place in its file and by that file's syntax tree, without comments, layout,
docstrings and the block under `if __name__ == "__main__":`, if it was compiled from what is in the file now; else by
its compiled code, which is valid for one version of Python. Not followed: Python, installed packages, the engine (for
which `ENGINE_VERSION` speaks), and files that a strategy reads (see `Strategy.content`).
"""

from __future__ import annotations

import dataclasses
import dis
import enum
import functools
import hashlib
import importlib
import os
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from functools import lru_cache, partial
from importlib.util import find_spec, resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from wordpl.base.lru_cache import LruCache
from wordpl.base.source import codes_within, constant_form, digest_of, source_of

LIBRARY = "wordpl.library."
"""What the names of the library's modules begin with. They are strategies, though they lie inside the engine."""

_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_BASES: tuple[Any, ...] = (str, bytes, int, float, complex)
_PARTS: dict[type, tuple[str, ...]] = {
    range: ("start", "stop", "step"),
    slice: ("start", "stop", "step"),
    property: ("fget", "fset", "fdel"),
    staticmethod: ("__func__",),
    classmethod: ("__func__",),
    types.MethodType: ("__self__", "__func__"),
    types.BuiltinFunctionType: ("__self__", "__name__"),
    np.ufunc: ("__name__",),
    functools.cached_property: ("func",),
    partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    dataclasses.Field: ("name", "default", "default_factory", "init", "repr", "kw_only"),
    CodeType: (
        *("co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_posonlyargcount"),
        *("co_kwonlyargcount", "co_flags", "co_code", "co_exceptiontable", "co_consts"),
    ),
}
"""What objects that Python makes are made of. Of code, all but the names of files and the numbers of lines."""
_DEEPEST = 60
_MISSING = object()
# Where pip and Debian install packages.
_PACKAGES = frozenset({"site-packages", "dist-packages"})
# In the sandbox of the contest, packages lie elsewhere.
_INSTALLED = frozenset({Path(os.__file__).parent, Path(np.__file__).parents[1]})

_Look = tuple[Callable[[], object], object]
_known: LruCache[tuple[object, bool], tuple[list[_Look], str]] = LruCache(1000)


def class_digest(kind: type) -> str:
    """16 hex digits that tell what a class does: equal in every process as long as nothing has changed.

    The answer is kept until a function of the class, or a value its functions read, is another object.
    Values changed in place are as they were when the class was first looked at.
    """
    return _remembered(kind, by_source=True)


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by content, functions and classes by code, and other objects by type alone."""
    return _walked(frozenset(), values).digest(*values)


def kernel_digest(function: FunctionType) -> str:
    """16 hex digits of what is compiled into a function of this package: callees and constants in whichever file."""
    home = frozenset({"wordpl", function.__module__.partition(".")[0]})
    return _walked(home, [function], by_source=False).digest(function)


def running_digest(*values: object) -> str:
    """16 hex digits of the code of these objects as this process has loaded it, for another process to compare.

    No file is read: what lies on disk says nothing of what is loaded. It is that of another process only if both have
    one version of Python.
    """
    return digest_of("".join(sorted({_remembered(code, by_source=False) for code in _code_of(values, set())})))[:16]


def _code_of(value: object, seen: set[int]) -> Iterator[Any]:
    """The functions and classes that an object is made with: its own, and those of its fields."""
    if type(value) in _PLAIN or id(value) in seen:
        return
    seen.add(id(value))
    if isinstance(value, (type, FunctionType)):
        yield value
    elif isinstance(value, (tuple, list)):
        for item in value:
            yield from _code_of(item, seen)
    else:
        yield from filter(None, (type(value), _wrapped(value)))
        declared = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
        for field in declared:
            yield from _code_of(getattr(value, field.name, None), seen)
        if not declared and _is_strategy(type(value)):
            yield from map(type, vars(value).values())


def _remembered(code: Any, *, by_source: bool) -> str:
    record = _known.get((code, by_source))
    if record is None or any(look() is not value for look, value in record[0]):
        kinds = [base for base in code.__mro__ if base is code or _is_strategy(base)] if isinstance(code, type) else []
        home = {_module(kind).partition(".")[0] for kind in kinds or [code]}
        walk = _walked(home - sys.stdlib_module_names - {"wordpl"}, [code], by_source=by_source)
        walk.number(code)
        record = walk.seen, walk.digest(code)
        _known.put((code, by_source), record)
    return record[1]


def is_plain(value: object) -> bool:
    """Whether the `repr` of a value says all there is to it."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(is_plain, value))
    return type(value) in _PLAIN


def is_installed(file: str | Path) -> bool:
    """Whether a file is part of Python or of an installed package."""
    path = Path(file)
    return not _PACKAGES.isdisjoint(path.parts) or not _INSTALLED.isdisjoint(path.parents)


def _is_strategy(thing: Any) -> bool:
    return isinstance(getattr(thing, "identity", None), property)


def _module(code: Any) -> str:
    """Where a class or function was written. Of a function, a decorator may have changed `__module__`."""
    space = code.__globals__ if isinstance(code, FunctionType) else {"__name__": getattr(code, "__module__", None)}
    return str(space.get("__name__") or "builtins")


def _wrapped(value: Any) -> FunctionType | None:
    """The function within what a decorator has made of it: numba's, those of `functools`, a property's first."""
    with suppress(Exception):  # an object that answers for names that it does not have
        inners = (getattr(value, name, None) for name in ("py_func", "__wrapped__", "__func__", "fget", "func"))
        return next((inner for inner in inners if isinstance(inner, FunctionType)), None)
    return None


def _is_special(name: str) -> bool:
    """Whether a name is one of those that Python, or a class of its own such as `Enum`, makes for itself."""
    return name == "_abc_impl" or (name.startswith("_") and name.endswith("_"))


def _content(cell: types.CellType) -> object:
    with suppress(ValueError):  # not set yet
        return cell.cell_contents
    return _MISSING


@lru_cache(maxsize=4096)
def _globals_of(code: CodeType) -> tuple[frozenset[str], frozenset[str]]:
    """The global names that the code of a function, and of those within it, reads; and those that it assigns to."""
    steps = [step for inner in codes_within(code) for step in dis.get_instructions(inner)]
    read = frozenset(step.argval for step in steps if step.opname in ("LOAD_GLOBAL", "LOAD_NAME"))
    return read, frozenset(step.argval for step in steps if step.opname in ("STORE_GLOBAL", "DELETE_GLOBAL"))


def _walked(home: Set[str], values: Sequence[object], *, by_source: bool = True) -> _Walk:
    """A walk that knows what the functions that it will meet assign to."""
    first = _Walk(home, by_source=False)
    for value in values:
        if isinstance(value, (type, FunctionType)):
            first.number(value)
    first.digest(*values)
    return _Walk(home, by_source=by_source, kept=first.assigned)


class _Walk:
    """Writes values down, and the functions and classes that they lead to, each once, in the order met."""

    def __init__(self, home: Set[str], *, by_source: bool = True, kept: Mapping[int, set[str]] | None = None) -> None:
        self._home, self._by_source, self._kept = home, by_source, kept or {}
        self._code: list[Any] = []
        self._number: dict[object, int] = {}
        self._open: set[int] = set()
        self._files: set[str] = set()
        self._spaces: set[int] = set()
        self.assigned: dict[int, set[str]] = {}
        """By the namespace of a module, the names that functions met assign to: what they keep for themselves as they
        run. It is passed to a second walk as `kept`, and does not count there."""
        self.seen: list[_Look] = []
        """How it has looked at things, and what was there."""

    def digest(self, *values: Any) -> str:
        """16 hex digits for these values, all the code that they lead to, and the files that it is in."""
        written = self._written(*values)
        return digest_of(f"{sorted(self._files)!r}{written}")[:16]

    def number(self, code: Any) -> int:
        """The place of a function or class among those that are written down."""
        key: object = id(code)
        if isinstance(code, FunctionType) and not (code.__closure__ or code.__defaults__ or code.__kwdefaults__):
            # What a module had before it was loaded anew is no other than what it has now, if nothing differs.
            key = self._value(code.__code__), id(code.__globals__)
        if key not in self._number:
            self._number[key] = len(self._code)
            self._code.append(code)
        return self._number[key]

    def _written(self, *values: Any) -> str:
        parts = [self._value(value) for value in values]
        for code in self._code:  # it grows on the way
            parts.append(self._class(code) if isinstance(code, type) else self._function(code))
        return "".join(parts)

    def _look(self, look: Callable[[], Any]) -> Any:
        value = look()
        self.seen.append((look, value))
        return value

    def _value(self, value: Any) -> str:
        kind = type(value)
        if kind in _PLAIN:
            return constant_form(value)
        if isinstance(value, (type, FunctionType)):
            return self._reference(value)
        if isinstance(value, ModuleType):
            if self._is_foreign(value.__name__):
                return f"module {value.__name__.partition('.')[0]};"
            self._enter(vars(value))
            return "module;"
        if id(value) in self._open or len(self._open) > _DEEPEST:  # within itself, or a chain without an end
            return f"another {self._name(kind)};"
        self._open.add(id(value))
        try:
            return f"{self._reference(kind)}({''.join(self._parts(value))});"
        finally:
            self._open.remove(id(value))

    def _parts(self, value: Any) -> Iterator[str]:
        """What an object that is not plain is made of; nothing for what nobody knows how to look into."""
        kind = type(value)
        if isinstance(value, enum.Enum):
            yield value.name
        elif _is_strategy(kind):  # a strategy within a strategy
            yield str(value.identity)
        elif isinstance(value, (np.ndarray, np.generic)):
            array = np.asarray(value)
            yield f"{array.dtype.str}{array.dtype.names}{array.shape}"
            objects = array.dtype.hasobject
            yield self._value(array.tolist()) if objects else hashlib.sha256(array.tobytes()).hexdigest()
        elif dataclasses.is_dataclass(value):
            yield from (self._value(getattr(value, field.name, None)) for field in dataclasses.fields(value))
        elif kind.__module__.startswith("numba.core.types"):
            yield str(value)
        else:
            names = next((names for base, names in _PARTS.items() if isinstance(value, base)), ())
            yield from (self._value(getattr(value, name)) for name in names)
            bases = (base for base in _BASES if isinstance(value, base))
            yield from (self._value(base.__getnewargs__(value)) for base in bases)
            if (wrapped := _wrapped(value)) is not None:
                yield self._value((wrapped, getattr(value, "targetoptions", None)))
            if isinstance(value, Set):
                apart = (_Walk(self._home, by_source=self._by_source, kept=self._kept) for _ in value)
                yield from sorted(walk._written(item) for walk, item in zip(apart, value, strict=True))
            elif isinstance(value, Mapping):
                yield from (self._value(item) for pair in value.items() for item in pair)
            elif isinstance(value, (tuple, list, deque)):
                yield from map(self._value, value)
            if not self._is_foreign(_module(kind)):
                yield self._value(object.__getstate__(value))

    def _reference(self, code: Any) -> str:
        if self._is_foreign(_module(code)):
            wrapped = _wrapped(code) if isinstance(code, FunctionType) else None
            return f"{self._name(code)};{self._value(wrapped) if wrapped else ''}"
        return f"@{self.number(code)};"

    def _is_foreign(self, module: str) -> bool:
        """Whether a module is Python's, installed, or the engine's."""
        top = module.partition(".")[0]
        if module.startswith(LIBRARY) or top in self._home or top == "__main__":
            return False
        file = getattr(sys.modules.get(module), "__file__", None)
        return top == "wordpl" or top in sys.stdlib_module_names or (file is not None and is_installed(file))

    def _name(self, code: Any) -> str:
        """Of what is foreign, with its package: where that keeps a thing differs by version.

        Of a class that a function made, cloudpickle keeps the name alone.
        """
        module = _module(code)
        if self._is_foreign(module):
            return f"{module.partition('.')[0].lstrip('_')}.{code.__qualname__}"
        return str(code.__name__)

    def _class(self, kind: type) -> str:
        space = vars(kind)
        self._look(partial(len, space))
        values = {
            name: self._look(partial(space.get, name)) for name in sorted(space) if self._counts(name, space[name])
        }
        if issubclass(kind, enum.Enum):  # what is in its place differs by version
            values |= {name: member.value for name, member in kind.__members__.items()}
        fields = list(space.get("__dataclass_fields__", {}).values())
        return f"class {self._name(kind)}{''.join(map(self._value, (kind.__bases__, fields, values)))}"

    def _counts(self, name: str, value: object) -> bool:
        """Whether an attribute of a class is written by hand, not made by Python, each version of it in its own way."""
        function = value if isinstance(value, FunctionType) else _wrapped(value)
        if function is None:
            return not _is_special(name)
        made = function.__code__.co_qualname.startswith("__create_fn__") or function.__code__.co_name == "__annotate__"
        made = made or _module(function).startswith("namedtuple_")
        return not made and not (_is_special(name) and self._is_foreign(_module(function)))

    def _function(self, function: FunctionType) -> str:
        code = self._look(partial(getattr, function, "__code__"))
        parts = [self._look(partial(getattr, function, name)) for name in ("__defaults__", "__kwdefaults__")]
        for name, cell in sorted(zip(code.co_freevars, function.__closure__ or (), strict=True)):
            if name != "__class__":
                parts.append((name, self._look(partial(_content, cell))))
        read, assigned = _globals_of(code)
        self.assigned.setdefault(id(function.__globals__), set()).update(assigned)
        names = {name for inner in codes_within(code) for name in inner.co_names if not _is_special(name)}
        written = self._read(function.__globals__, names & read, names, set())
        for module in self._imported(function):
            written += self._value(module) + self._read(vars(module), names, names, set())
        self._enter(function.__globals__)
        source = source_of(code.co_filename) if self._by_source else None
        place = source.place_of(code) if source else None
        form = self._value(code) if source is None or place is None else f"{source.digest}{code.co_name}{place}"
        return f"function {form}{self._value(parts)}{written}"

    def _enter(self, space: Mapping[str, Any]) -> None:
        """Count the file of a module, and those of what it imports from beside it."""
        source = source_of(space.get("__file__")) if self._by_source and id(space) not in self._spaces else None
        self._spaces.add(id(space))
        if source is not None:
            self._files.add(source.digest)
            for value in list(space.values()):
                module = value.__name__ if isinstance(value, ModuleType) else ""
                module = _module(value) if isinstance(value, (type, FunctionType)) else module
                if module in sys.modules and not self._is_foreign(module):
                    self._enter(vars(sys.modules[module]))

    def _read(self, space: Mapping[str, Any], wanted: Set[str], names: Set[str], within: set[int]) -> str:
        """What a module has by the names that are wanted, and what modules among that have by any of `names`."""
        within.add(id(space))
        written = ""
        for name in sorted(wanted - self._kept.get(id(space), set())):
            value = self._look(partial(space.get, name, _MISSING))
            if value is not _MISSING:
                written += f"{name}={self._value(value)}"
            if isinstance(value, ModuleType) and not self._is_foreign(value.__name__) and id(vars(value)) not in within:
                written += self._read(vars(value), names, names, within)
        return written

    def _imported(self, function: FunctionType) -> Iterator[ModuleType]:
        """The modules that a function imports as it runs; they are imported now, as what they do counts."""
        for code in codes_within(function.__code__):
            imports = dis.opmap["IMPORT_NAME"] in code.co_code[::2]
            steps = [step for step in dis.get_instructions(code) if step.opname != "EXTENDED_ARG"] if imports else []
            for level, wanted, step in zip(steps, steps[1:], steps[2:], strict=False):
                name = str(step.argval)
                if step.opname != "IMPORT_NAME" or (not level.argval and self._is_foreign(name)):
                    continue
                with suppress(Exception):  # a module that may be missing
                    full = resolve_name("." * int(level.argval) + name, function.__globals__.get("__package__"))
                    spec = None if full in sys.modules else find_spec(full.partition(".")[0])
                    if spec is None or not is_installed(spec.origin or ""):
                        module = importlib.import_module(full)
                        self._look(partial(sys.modules.get, full))
                        if not self._is_foreign(full):
                            for inner in wanted.argval or ():
                                with suppress(Exception):  # it need not be a module
                                    hasattr(module, inner) or importlib.import_module(f"{full}.{inner}")
                            yield module
