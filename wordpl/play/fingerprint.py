"""A digest of what a class does, so that results of one version are never taken for another's.

`docs/decisions.md` says what it covers, under "A strategy is its code". A function that no file holds (`exec`, a
notebook, a file edited since it was imported) is told by its compiled code. The machine and the folder do not count.
Not seen: what installed packages do, and files that a strategy reads; see `Strategy.content`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import sys
import types
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Set
from functools import partial
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.play import sources
from wordpl.play.sources import constant_form, content_of, public_name
from wordpl.storage.lru_cache import LruCache

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
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    dataclasses.Field: ("name", "default", "default_factory", "init", "repr", "kw_only"),
    types.CodeType: (
        *("co_name", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_argcount", "co_posonlyargcount"),
        *("co_kwonlyargcount", "co_flags", "co_code", "co_exceptiontable", "co_consts"),
    ),
}
"""What objects that Python makes are made of. Of code, all but the names of files and the numbers of lines."""
_DEEPEST = 60
_MISSING = object()

_Look = tuple[Callable[[], object], object]
_known: LruCache[type, tuple[list[_Look], str]] = LruCache(128)


def class_digest(kind: type) -> str:
    """16 hex digits that tell what a class does: equal in every process as long as nothing has changed.

    The answer is kept until a function of the class, or a value its functions read, is another object.
    Values changed in place are as they were when the class was first looked at.
    """
    record = _known.get(kind)
    if record is None or any(look() is not value for look, value in record[0]):
        home = {_module(base).partition(".")[0] for base in kind.__mro__ if base is kind or _is_strategy(base)}
        visitor = _Visitor(home - sys.stdlib_module_names)
        visitor.number(kind)
        digest = visitor.digest(kind)
        record = visitor.seen, digest
        _known.put(kind, record)
    return record[1]


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by content, functions and classes by code, and other objects by type alone."""
    return _Visitor(frozenset()).digest(*values)


def is_found_by_name(kind: type) -> bool:
    """Whether a class is what its module and qualified name lead to, so that its source is here."""
    thing: Any = sys.modules.get(kind.__module__)
    for part in kind.__qualname__.split("."):
        thing = getattr(thing, part, None)
    return thing is kind


def is_plain(value: object) -> bool:
    """Whether the `repr` of a value says all there is to it."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(is_plain, value))
    return type(value) in _PLAIN


def _is_strategy(thing: Any) -> bool:
    return isinstance(getattr(thing, "identity", None), property)


def _module(code: Any) -> str:
    """Where a class or function was written. Of a function, a decorator may have changed `__module__`."""
    if isinstance(code, types.FunctionType):
        return str(code.__globals__.get("__name__", "__main__"))
    return str(getattr(code, "__module__", None) or "builtins")


def _wrapped(value: Any) -> types.FunctionType | None:
    """The function within what a decorator has made of it: numba's, those of `functools`, a property's first."""
    inners = (getattr(value, name, None) for name in ("py_func", "__wrapped__", "fget", "func"))
    return next((inner for inner in inners if isinstance(inner, types.FunctionType)), None)


def _is_generated(function: types.FunctionType) -> bool:
    """Whether dataclasses, named tuples or Python itself have made a function, each version in its own way."""
    of_dataclass = function.__code__.co_qualname.startswith("__create_fn__")
    return of_dataclass or _module(function).startswith("namedtuple_") or function.__code__.co_name == "__annotate__"


def _is_special(name: str) -> bool:
    """Whether a name is one of those that Python, or a class of its own such as `Enum`, makes for itself."""
    return name == "_abc_impl" or (name.startswith("_") and name.endswith("_"))


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return _MISSING


class _Visitor:
    """Writes values down, and the functions and classes that they lead to, each once, in the order met."""

    def __init__(self, home: Set[str]) -> None:
        self._home = home
        self._code: list[Any] = []
        self._number: dict[int, int] = {}
        self._open: set[int] = set()
        self._modules: set[str] = set()
        self.seen: list[_Look] = []
        """How it has looked at things, and what was there."""

    def digest(self, *values: Any) -> str:
        """16 hex digits for these values, all the code that they lead to, and the files that it is in."""
        written = self._written(*values)
        files = []
        for name, file in sources.closure(self._modules, self._home).items():
            content = self._look(partial(content_of, name, file))
            codes = sorted(map(self._value, content)) if isinstance(content, list) else []
            files.append((public_name(name, self._home), codes or (content and content.digest)))
        return sources.digest_of(f"{sorted(files)!r}{written}")[:16]

    def number(self, code: Any) -> int:
        """The place of a function or class among those that are written down."""
        if id(code) not in self._number:
            self._number[id(code)] = len(self._code)
            self._code.append(code)
            self._modules.add(_module(code))
        return self._number[id(code)]

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
        if isinstance(value, (type, types.FunctionType)):
            return self._reference(value)
        if isinstance(value, types.ModuleType):
            self._modules.add(value.__name__)
            return f"module {public_name(value.__name__)};"
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
        else:
            names = next((names for base, names in _PARTS.items() if isinstance(value, base)), ())
            yield from (self._value(getattr(value, name)) for name in names)
            bases = (base for base in _BASES if isinstance(value, base))
            yield from (self._value(base.__getnewargs__(value)) for base in bases)
            if (wrapped := _wrapped(value)) is not None:
                yield self._value(wrapped)
            if isinstance(value, Set):
                yield from sorted(_Visitor(self._home)._written(item) for item in value)
            elif isinstance(value, Mapping):
                yield from (self._value(item) for pair in value.items() for item in pair)
            elif isinstance(value, (tuple, list, deque)):
                yield from map(self._value, value)
            if not self._is_foreign(kind):
                yield self._value(object.__getstate__(value))

    def _reference(self, code: Any) -> str:
        if id(code) not in self._number and self._is_foreign(code):
            wrapped = _wrapped(code) if isinstance(code, types.FunctionType) else None
            return f"{self._name(code)};{self._value(wrapped) if wrapped else ''}"
        return f"@{self.number(code)};"

    def _is_foreign(self, code: Any) -> bool:
        return sources.is_foreign(_module(code), self._home)

    def _name(self, code: Any) -> str:
        return f"{public_name(_module(code), self._home)}.{code.__qualname__}"

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
        """Whether an attribute of a class is written by hand."""
        function = value if isinstance(value, types.FunctionType) else _wrapped(value)
        if function is None:
            return not _is_special(name)
        return not _is_generated(function) and not (_is_special(name) and self._is_foreign(function))

    def _function(self, function: types.FunctionType) -> str:
        code = self._look(partial(getattr, function, "__code__"))
        parts = [self._look(partial(getattr, function, name)) for name in ("__defaults__", "__kwdefaults__")]
        module, file = _module(function), code.co_filename
        content = content_of(module, Path(file)) if module in sys.modules else None
        # The source of a module is in the digest as a whole; that of a notebook's cell is not.
        place = content.place_of(code) if isinstance(content, sources.Source) else None
        form = self._value(code) if place is None else f"{code.co_name}{place}"
        for name, cell in sorted(zip(code.co_freevars, function.__closure__ or (), strict=True), key=itemgetter(0)):
            if name != "__class__":
                parts.append((name, self._look(partial(_content, cell))))
        space = function.__globals__
        source = sources.source_of(file, sys.modules.get(module))
        names = {name for inner in sources.codes_within(code) for name in inner.co_names if not _is_special(name)}
        for name in sorted((names & space.keys()) - (source.state if source else set())):
            parts.append((name, self._look(partial(space.get, name, _MISSING))))
        return f"function {public_name(module, self._home)}.{form}{self._value(parts)}"
