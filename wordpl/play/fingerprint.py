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
from collections.abc import Iterable, Iterator, Mapping
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np

from wordpl.play.sources import (
    LIBRARY,
    closure,
    code_form,
    digest_of,
    functions_of,
    is_engine,
    is_installed,
    is_python_file,
    module_digest,
    public_name,
    source_of,
)

# Attributes that Python makes, that are told in another way, or that change no move.
_PASSED_OVER = frozenset(
    {"__module__", "__qualname__", "__name__", "__doc__", "__dict__", "__weakref__", "__hash__", "__file__"}
    | {"__annotations__", "__annotate__", "__annotate_func__", "__annotations_cache__", "__parameters__"}
    | {"__abstractmethods__", "_abc_impl", "__dataclass_params__", "__match_args__", "__orig_bases__"}
    | {"__firstlineno__", "__static_attributes__", "__type_params__", "__builtins__", "__cached__"}
    | {"__subclasshook__", "__protocol_attrs__", "__callable_proto_members_only__"}
)
# What dataclasses and named tuples write.
_MADE = frozenset(
    {"__init__", "__repr__", "__hash__", "__eq__", "__lt__", "__le__", "__gt__", "__ge__", "__setattr__", "__delattr__"}
    | {"__replace__", "__getstate__", "__setstate__", "__new__"}
)
_PLAIN = (type(None), bool, int, float, complex, str, bytes, type(Ellipsis))
_DEEPEST = 60

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
        if all(_is_still(place, value) for place, value in seen):
            return digest
    made_of = {one.__module__ for one in _lineage(kind)}
    visitor = _Visitor(set(map(_top, made_of)))
    written = visitor.written(kind)
    files: dict[str, Path] = {}
    for module in made_of | {module for module in visitor.modules if not visitor.is_elsewhere(module)}:
        files |= closure(module)
    modules = sorted((public_name(name), module_digest(name, file)) for name, file in files.items())
    digest = digest_of(f"{modules!r}{written}")[:16]
    visitor.seen.extend(((file, name), _at((file, name))) for name, file in files.items())
    while len(_known) >= _KNOWN_KEPT:
        _known.pop(next(iter(_known)), None)
    _known[kind] = visitor.seen, digest
    return digest


def value_digest(*values: object) -> str:
    """16 hex digits that tell values by their content, and functions and classes by their code.

    An object that is neither data nor code counts by its type alone.
    """
    return digest_of(_Visitor(set()).written(*values))[:16]


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


def _lineage(kind: type) -> list[type]:
    """The classes that a class is made of, but for the engine's and Python's own."""
    home = _Visitor({_top(kind.__module__)})
    return [one for one in kind.__mro__ if not home.knows_by_name(one)]


def _top(module: str) -> str:
    return module.partition(".")[0]


def _is_strategy(thing: Any) -> bool:
    return isinstance(getattr(thing, "identity", None), property)


def _is_still(place: _Place, value: object) -> bool:
    now = _at(place)
    return now is value or (isinstance(place[0], Path) and now == value)


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


def _wrapped(value: Any) -> types.FunctionType | None:
    """The function within what a decorator has made of it: numba's, those of `functools`, a static method."""
    inner = getattr(value, "py_func", None) or getattr(value, "__wrapped__", None)
    return inner if isinstance(inner, types.FunctionType) else None


def _is_of_file(value: object) -> bool:
    """Whether a function was written in a file or cell, and not made from a text or by Python's own modules."""
    code = getattr(value, "__code__", None)
    return code is not None and code.co_filename != "<string>" and not is_python_file(code.co_filename)


def _is_of_text(kind: type) -> bool:
    """Whether a class was compiled from a text that nobody kept."""
    own = [one for name, one in vars(kind).items() if isinstance(one, types.FunctionType) and name not in _MADE]
    return bool(own) and not any(map(_is_of_file, own))


class _Visitor:
    """Writes values down, and the functions and classes that they lead to, each once, in the order met."""

    def __init__(self, home: set[str]) -> None:
        self._home = home
        self._code: list[Any] = []
        self._number: dict[int, int] = {}
        self._open: set[int] = set()
        self.modules: set[str] = set()
        """Those that functions reach by name."""
        self.seen: list[tuple[_Place, object]] = []
        """Where it has looked, and what was there."""

    def written(self, *values: Any) -> str:
        """These values, and all the code that they lead to."""
        parts = [self._value(value) for value in values]
        for code in self._code:  # it grows on the way
            parts.append(self._class(code) if isinstance(code, type) else self._function(code))
        return "".join(parts)

    def _value(self, value: Any) -> str:
        kind = type(value)
        if isinstance(value, (type, types.FunctionType)):
            return self._reference(value)
        if kind in _PLAIN or is_plain(value):
            return f"{kind.__name__}:{value!r};"
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.dtype != object):
            array = np.ascontiguousarray(value)
            return f"array{array.dtype.str}{array.shape}{hashlib.sha256(array.tobytes()).hexdigest()};"
        if isinstance(value, enum.Enum):
            return f"{self._name(kind)}.{value.name};"
        if isinstance(value, types.ModuleType):
            self.modules.add(value.__name__)
            return f"module {public_name(value.__name__)};"
        if id(value) in self._open or len(self._open) > _DEEPEST:  # within itself, or a chain without an end
            return f"another {self._name(kind)};"
        self._open.add(id(value))
        try:
            return f"{self._name(kind)} {self._parts(value)};"
        finally:
            self._open.remove(id(value))

    def _parts(self, value: Any) -> str:
        """What an object that is not plain is made of; nothing for what nobody knows how to look into."""
        kind = type(value)
        if isinstance(value, (set, frozenset)):
            return f"{sorted(_Visitor(self._home).written(item) for item in value)}"
        if isinstance(value, Mapping):
            return ",".join(f"{self._value(key)}={self._value(item)}" for key, item in value.items())
        if _is_strategy(kind):  # a strategy within a strategy
            return str(value.identity)
        parts: Iterable[Any] = ()
        if isinstance(value, (tuple, list)):
            parts = value
        elif isinstance(value, types.MethodType):
            parts = value.__self__, value.__func__
        elif isinstance(value, property):
            parts = value.fget, value.fset, value.fdel
        elif isinstance(value, functools.cached_property):
            parts = (value.func,)
        elif isinstance(value, (functools.partial, functools.partialmethod)):
            parts = value.func, value.args, value.keywords
        elif (wrapped := _wrapped(value)) is not None:
            parts = (wrapped,)
        elif dataclasses.is_dataclass(value):
            parts = kind, {field.name: getattr(value, field.name, None) for field in dataclasses.fields(value)}
        elif callable(value) and hasattr(value, "__name__"):  # compiled elsewhere
            parts = public_name(str(getattr(value, "__module__", ""))), value.__name__
        elif not self.knows_by_name(kind):
            parts = kind, getattr(value, "__dict__", None)
        return ",".join(map(self._value, parts))

    def _reference(self, code: Any) -> str:
        if self.knows_by_name(code):
            return f"{self._name(code)};"
        if id(code) not in self._number:
            self._number[id(code)] = len(self._code)
            self._code.append(code)
        return f"@{self._number[id(code)]};"

    def _name(self, thing: Any) -> str:
        return f"{public_name(getattr(thing, '__module__', None) or 'builtins')}.{thing.__qualname__}"

    def knows_by_name(self, thing: Any) -> bool:
        """Whether a class or function is the engine's, Python's or an installed package's, and no strategy."""
        module = getattr(thing, "__module__", None) or "builtins"
        if isinstance(thing, types.FunctionType) and is_python_file(thing.__code__.co_filename):
            return True
        return is_engine(module) or (self.is_elsewhere(module) and not _is_strategy(thing))

    def is_elsewhere(self, module: str) -> bool:
        """Whether a module is the engine's, Python's or an installed package's, other than those at home."""
        if is_engine(module):
            return True
        return not module.startswith(LIBRARY) and _top(module) not in self._home and is_installed(module)

    def _class(self, kind: type) -> str:
        bases = "".join(map(self._value, kind.__bases__))
        return f"class {self._name(kind)}({bases}){{{''.join(self._attributes(kind))}}};"

    def _attributes(self, kind: type) -> Iterator[str]:
        space = dict(vars(kind))
        # This has no source, and differs from one Python to the next.
        made = {name for name in space.keys() & _MADE if not _is_of_file(space[name])}
        if "_fields" in space:
            made |= set(space["_fields"])
        elif "__dataclass_fields__" not in space or _is_of_text(kind):
            made = set()
        for name, value in sorted(space.items()):
            if name == "__dataclass_fields__":
                yield f"fields{[self._field(field) for field in value.values()]};"
            elif name not in _PASSED_OVER and name not in made:
                self.seen.append(((kind, name), value))
                yield f"{name}={self._value(value)}"

    def _field(self, field: dataclasses.Field[Any]) -> str:
        default = None if field.default is dataclasses.MISSING else self._value(field.default)
        factory = None if field.default_factory is dataclasses.MISSING else self._value(field.default_factory)
        return f"{field.name, default, factory, field.init, field.repr, field.kw_only is True}"

    def _function(self, function: types.FunctionType) -> str:
        for part in ("__code__", "__defaults__", "__kwdefaults__"):
            self.seen.append(((function, part), getattr(function, part)))
        code = function.__code__
        source = source_of(code.co_filename, sys.modules.get(function.__module__))
        written = f"function {self._name(function)}"
        written += (source.form_of(function) if source else None) or code_form(code)
        written += self._value(function.__defaults__) + self._value(function.__kwdefaults__)
        for name, cell in sorted(zip(code.co_freevars, function.__closure__ or (), strict=True), key=itemgetter(0)):
            content = _content(cell)
            self.seen.append(((cell, name), content))
            written += f"{name}={'unset' if content is _MISSING else self._value(content)}"
        for name in sorted(_names_read(code) - _PASSED_OVER - (source.state if source else set())):
            if name in function.__globals__:
                self.seen.append(((function.__globals__, name), function.__globals__[name]))
                written += f"{name}={self._value(function.__globals__[name])}"
        return f"{written};"


def _names_read(code: types.CodeType) -> set[str]:
    """Names that may be global ones, in a function and those within it."""
    inner = (_names_read(constant) for constant in code.co_consts if isinstance(constant, types.CodeType))
    return set(code.co_names).union(*inner)
