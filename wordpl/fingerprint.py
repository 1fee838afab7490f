"""A digest of what a class does, so that results of one version are never taken for another's.

It covers, for every class that a strategy's class is made of and that the engine does not own:

- where the class is defined: module and qualified name;
- the whole module, and each module it imports from its own package or folder, in normal form (`sources`);
- what that source does not settle: values that a class factory closed over, defaults, class attributes,
  global values that its functions read, and functions put in place of the written ones.

A class without source (`exec`, an interactive session) is told by its compiled code. Comments, layout and
docstrings do not count, and neither do the Python version (where there is source), the machine, or the
folder. Not seen: what installed packages do, and files that a strategy reads; see `Strategy.content`.
"""

from __future__ import annotations

import dataclasses
import enum
import functools
import hashlib
import sys
import types
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.sources import (
    LIBRARY,
    closure,
    code_form,
    digest_of,
    functions_of,
    is_engine,
    is_installed,
    module_digest,
    public_name,
    source_of,
)

# Made by Python, not by the author, or told in another way.
_PASSED_OVER = frozenset(
    {"__module__", "__qualname__", "__name__", "__doc__", "__dict__", "__weakref__", "__hash__", "__file__"}
    | {"__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__parameters__"}
    | {"__abstractmethods__", "_abc_impl", "__dataclass_params__", "__match_args__", "__orig_bases__"}
    | {"__firstlineno__", "__static_attributes__", "__builtins__", "__cached__"}
)
_BY_DATACLASS = frozenset(
    {"__init__", "__repr__", "__hash__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__delattr__"}
    | {"__replace__", "__getstate__", "__setstate__"}
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))

_CODE = (type, types.FunctionType)

_Place = tuple[Any, Any]
_MISSING = object()
_known: dict[type, tuple[list[tuple[_Place, object]], str]] = {}
_KNOWN_KEPT = 128


def class_digest(kind: type) -> str:
    """16 hex digits that tell what a class does: equal in every process as long as nothing has changed.

    The answer is kept until a function of the class, or a value its functions read, is another object.
    Values changed in place are as they were when the class was first looked at.
    """
    if kind in _known:
        seen, digest = _known[kind]
        if all(now is found or (isinstance(place[0], Path) and now == found) for place, now, found in _look(seen)):
            return digest
    visitor = _Visitor({_top(made_of.__module__) for made_of in _lineage(kind)})
    files: dict[str, Path] = {}
    for made_of in _lineage(kind):
        files |= closure(made_of.__module__)
    modules = sorted((public_name(name), module_digest(name, file)) for name, file in files.items())
    digest = digest_of(f"{modules!r}{visitor.value(kind)}")[:16]
    visitor.seen.extend(((file, name), _at((file, name))) for name, file in files.items())
    while len(_known) >= _KNOWN_KEPT:
        _known.pop(next(iter(_known)), None)
    _known[kind] = visitor.seen, digest
    return digest


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by their content, and functions and classes by their code.

    An object that is neither data nor code counts by its type alone.
    """
    visitor = _Visitor(set())
    return digest_of("".join(visitor.value(value) for value in values))[:16]


def is_found_by_name(kind: type) -> bool:
    """Whether a class is what its module and qualified name lead to, so that its source is here."""
    found: Any = sys.modules.get(kind.__module__)
    for part in kind.__qualname__.split("."):
        found = getattr(found, part, None)
    return found is kind


def is_plain(value: object) -> bool:
    """Whether the `repr` of a value says all there is to it."""
    if isinstance(value, tuple):
        return type(value) is tuple and all(map(is_plain, value))
    return type(value) in _PLAIN


def _lineage(kind: type) -> list[type]:
    """The classes that a class is made of, but for the engine's and Python's own."""
    return [one for one in kind.__mro__ if not is_engine(one.__module__) and not _foreign(one, _top(kind.__module__))]


def _top(module: str) -> str:
    return module.partition(".")[0]


def _foreign(thing: Any, *home: str) -> bool:
    """Whether a class or function is of Python or an installed package, and neither at home nor a strategy's."""
    module = getattr(thing, "__module__", None) or "builtins"
    if _top(module) in home or module.startswith(LIBRARY) or isinstance(getattr(thing, "identity", None), property):
        return False
    return is_installed(module)


def _look(seen: list[tuple[_Place, object]]) -> Iterator[tuple[_Place, object, object]]:
    return ((place, _at(place), found) for place, found in seen)


def _at(place: _Place) -> object:
    """What is there now."""
    owner, name = place
    if isinstance(owner, Path):  # a module: what runs if it has been imported, else what lies on disk
        if name in sys.modules:
            return tuple(function.__code__ for function in functions_of(name).values())
        stat = owner.stat() if owner.exists() else None
        return stat and (stat.st_mtime_ns, stat.st_size)
    if isinstance(owner, types.CellType):
        return _content(owner)
    if isinstance(owner, types.FunctionType):
        return getattr(owner, name)
    space = owner if isinstance(owner, dict) else vars(owner)
    return space.get(name, _MISSING)


def _content(cell: types.CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # not set yet
        return _MISSING


class _Visitor:
    """Writes values down, functions and classes with all they refer to, each once."""

    def __init__(self, home: set[str]) -> None:
        self._home = home
        self._met: dict[int, object] = {}
        self.seen: list[tuple[_Place, object]] = []
        """Where it has looked, and what was there."""

    def value(self, value: Any) -> str:
        kind = type(value)
        if kind in _PLAIN:
            return f"{kind.__name__}:{value!r};"
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.dtype != object):
            array = np.ascontiguousarray(value)
            return f"array{array.dtype.str}{array.shape}{hashlib.sha256(array.tobytes()).hexdigest()};"
        if isinstance(value, enum.Enum):
            return f"{self._name(kind)}.{value.name};"
        if isinstance(value, types.ModuleType):
            return f"module {public_name(value.__name__)};"
        if is_plain(value):
            return f"{value!r};"
        if id(value) in self._met:
            return f"met {self._name(value if isinstance(value, _CODE) else kind)};"
        self._met[id(value)] = value
        written = self._compound(value)
        if not isinstance(value, _CODE):  # equal data may or may not be one object: only a cycle is cut
            del self._met[id(value)]
        return written

    def _compound(self, value: Any) -> str:
        kind = type(value)
        if isinstance(value, type):
            return self._class(value)
        if isinstance(value, types.FunctionType):
            return self._function(value)
        if isinstance(value, (tuple, list)):
            return f"{self._name(kind)}[{','.join(map(self.value, value))}];"
        if isinstance(value, (set, frozenset)):
            return f"{kind.__name__}{sorted(_Visitor(self._home).value(item) for item in value)};"
        if isinstance(value, Mapping):
            items = (f"{self.value(key)}={self.value(item)}" for key, item in value.items())
            return f"{self._name(kind)}{{{','.join(items)}}};"
        if isinstance(value, (staticmethod, classmethod, types.MethodType)):
            owner = self.value(value.__self__) if isinstance(value, types.MethodType) else ""
            return f"{kind.__name__} {owner}{self.value(value.__func__)}"
        if isinstance(getattr(kind, "identity", None), property):  # a strategy within a strategy
            return f"strategy {value.identity};"
        if isinstance(value, property):
            return f"property{[self.value(part) for part in (value.fget, value.fset, value.fdel)]};"
        if isinstance(value, functools.cached_property):
            return f"cached {self.value(value.func)}"
        if isinstance(value, functools.partial):
            return f"partial{[self.value(part) for part in (value.func, value.args, value.keywords)]};"
        for wrapped in ("py_func", "__wrapped__"):  # numba's functions, and those of functools.wraps
            inner = getattr(value, wrapped, None)
            if isinstance(inner, types.FunctionType):
                return f"{self._name(kind)} of {self.value(inner)}"
        if dataclasses.is_dataclass(value):
            state = {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
            return f"{self.value(kind)}{self.value(state)}"
        if callable(value) and hasattr(value, "__name__"):  # compiled elsewhere
            return f"{self._name(kind)} {getattr(value, '__module__', '')}.{value.__name__};"
        return f"some {self._name(kind)};"

    def _name(self, thing: Any) -> str:
        return f"{public_name(getattr(thing, '__module__', None) or 'builtins')}.{thing.__qualname__}"

    def _known_by_name(self, thing: Any) -> bool:
        module = getattr(thing, "__module__", None) or "builtins"
        return is_engine(module) or _foreign(thing, *self._home)

    def _class(self, kind: type) -> str:
        written = f"class {self._name(kind)}"
        if self._known_by_name(kind):
            return f"{written};"
        for base in kind.__bases__:
            written += self.value(base)
        return f"{written}{{{''.join(self._attributes(kind))}}};"

    def _attributes(self, kind: type) -> Iterator[str]:
        space = dict(vars(kind))
        own = [
            one for one in space.values() if isinstance(one, types.FunctionType) and one.__name__ not in _BY_DATACLASS
        ]
        sourced = not own or any(one.__code__.co_filename != "<string>" for one in own)
        for name, value in sorted(space.items()):
            if name in _PASSED_OVER:
                continue
            # What dataclasses write has no source, and differs from one Python to the next.
            made = isinstance(value, types.FunctionType) and value.__code__.co_filename == "<string>"
            if made and sourced and name in _BY_DATACLASS and "__dataclass_fields__" in space:
                continue
            if name == "__dataclass_fields__":
                yield f"fields{[self._field(field) for field in value.values()]};"
                continue
            self.seen.append(((kind, name), value))
            yield f"{name}={self.value(value)}"

    def _field(self, field: dataclasses.Field[Any]) -> str:
        default = None if field.default is dataclasses.MISSING else self.value(field.default)
        factory = None if field.default_factory is dataclasses.MISSING else self.value(field.default_factory)
        return f"{field.name, default, factory, field.init, field.repr, field.kw_only is True}"

    def _function(self, function: types.FunctionType) -> str:
        if self._known_by_name(function):
            return f"function {self._name(function)};"
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            self.seen.append(((function, part), getattr(function, part)))
        code = function.__code__
        source = source_of(code.co_filename, sys.modules.get(function.__module__))
        written = f"function {self._name(function)}"
        written += (source.form_of(function) if source else None) or code_form(code)
        written += self.value(function.__defaults__) + self.value(function.__kwdefaults__)
        for name, cell in zip(code.co_freevars, function.__closure__ or (), strict=True):
            content = _content(cell)
            self.seen.append(((cell, name), content))
            written += f"{name}={'unset' if content is _MISSING else self.value(content)}"
        for name in sorted(_names_read(code) - _PASSED_OVER - (source.state if source else set())):
            if name in function.__globals__:
                self.seen.append(((function.__globals__, name), function.__globals__[name]))
                written += f"{name}={self.value(function.__globals__[name])}"
        return f"{written};"


def _names_read(code: types.CodeType) -> set[str]:
    """Names that may be global ones, in a function and those within it."""
    inner = (_names_read(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)
