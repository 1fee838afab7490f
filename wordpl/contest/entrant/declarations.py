"""What the source of a strategy file declares: its classes and their parameters, read without running it."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from wordpl.errors import WordplError, one_line

_PLAIN_BASES = frozenset({"object", "ABC", "Protocol", "Generic"})
_NO_PLAYERS = frozenset({"Exception", "Enum", "IntEnum", "StrEnum", "NamedTuple", "TypedDict", "dict", "list", "tuple"})

_LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set)


@dataclass(frozen=True)
class Declaration:
    """A class that is, or may be, a strategy."""

    name: str
    parameters: Mapping[str, bool] | None
    """Parameter -> whether it is required, in order; None if the source does not say."""
    takes_more: bool = False
    """Whether it takes other parameters as well (`*args` or `**kwargs`)."""


@dataclass(frozen=True)
class Declarations:
    """What a source declares."""

    strategies: Mapping[str, Declaration]
    """Its public classes with the two methods of a player, or `players`, or with a base from elsewhere; by name."""
    modules: frozenset[str]
    """The modules it imports, by their full names."""
    imported: frozenset[str]
    """The names it imports from other modules, `*` among them."""
    has_ready_one: bool
    """Whether it assigns an object to a variable `strategy`, which is then what plays."""


def read_declarations(source: bytes, path: str) -> Declarations:
    """Read the source of the file at `path`. Raises `WordplError` if it is no Python."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        line = f" (line {error.lineno})" if isinstance(error, SyntaxError) and error.lineno else ""
        raise WordplError(f"{path} cannot be read as Python: {one_line(reason, 100)}{line}") from None
    classes = {node.name: node for node in tree.body if isinstance(node, ast.ClassDef)}
    reader = _Reader(classes)
    found = {name: reader.declaration(node) for name, node in classes.items() if reader.may_play(node)}
    ready = any(
        _name(target) == "strategy" and not isinstance(node.value, _LITERALS)
        for node in tree.body
        if isinstance(node, (ast.Assign, ast.AnnAssign))
        for target in _targets(node)
    )
    nodes = list(ast.walk(tree))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    froms = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    modules |= {node.module for node in froms if node.module and not node.level}
    imported = {alias.asname or alias.name for node in froms for alias in node.names}
    return Declarations(found, frozenset(modules), frozenset(imported), ready)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


class _Reader:
    """Reads classes, following bases that the same source defines."""

    def __init__(self, classes: Mapping[str, ast.ClassDef]) -> None:
        self._classes = classes

    def may_play(self, node: ast.ClassDef) -> bool:
        if node.name.startswith("_"):
            return False
        lineage = list(self._lineage(node))
        methods = {name for kind in lineage for name in _names(kind)}
        if {"first_move", "next_move"} <= methods or "players" in methods:
            return True
        bases = {_name(base) for kind in lineage for base in kind.bases}
        return bool(bases - _PLAIN_BASES - _NO_PLAYERS - self._classes.keys()) and not bases & _NO_PLAYERS

    def declaration(self, node: ast.ClassDef) -> Declaration:
        for kind in self._lineage(node):
            if _is_dataclass(kind):
                return self._of_dataclass(node.name, kind)
            for part in kind.body:
                if isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__"):
                    return _of_arguments(node.name, part.args)
        return Declaration(node.name, None if any(map(self._has_other_bases, self._lineage(node))) else {})

    def _has_other_bases(self, kind: ast.ClassDef) -> bool:
        return any(_name(base) not in _PLAIN_BASES | self._classes.keys() for base in kind.bases)

    def _of_dataclass(self, name: str, node: ast.ClassDef) -> Declaration:
        parameters: dict[str, bool] = {}
        for kind in reversed(list(self._lineage(node))):
            if self._has_other_bases(kind):
                return Declaration(name, None)
            if not _is_dataclass(kind):
                continue
            for part in kind.body:
                if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name) and _is_field(part):
                    parameters[part.target.id] = not _has_default(part.value)
        return Declaration(name, parameters)

    def _lineage(self, node: ast.ClassDef, seen: frozenset[str] = frozenset()) -> Iterator[ast.ClassDef]:
        yield node
        for base in map(_name, node.bases):
            if base in self._classes and base not in seen | {node.name}:
                yield from self._lineage(self._classes[base], seen | {node.name})


def _name(node: ast.expr) -> str:
    """The last part of a name: `ABC` for `abc.ABC`."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names(node: ast.ClassDef) -> Iterator[str]:
    for part in node.body:
        if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield part.name
        yield from (target.id for target in _targets(part) if isinstance(target, ast.Name))


def _is_dataclass(node: ast.ClassDef) -> bool:
    found = (part.func if isinstance(part, ast.Call) else part for part in node.decorator_list)
    return any(_name(part) == "dataclass" for part in found)


def _is_field(node: ast.AnnAssign) -> bool:
    if _name(node.annotation) == "ClassVar":
        return False
    return not any(
        keyword.arg == "init" and isinstance(keyword.value, ast.Constant) and keyword.value.value is False
        for keyword in (node.value.keywords if isinstance(node.value, ast.Call) else [])
    )


def _has_default(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Call) and _name(value.func) == "field":
        return any(keyword.arg in ("default", "default_factory") for keyword in value.keywords)
    return value is not None


def _of_arguments(name: str, arguments: ast.arguments) -> Declaration:
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    required = len(places) - len(arguments.defaults)
    parameters = {place: i < required for i, place in enumerate(places) if i > 0}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters[argument.arg] = default is None
    return Declaration(name, parameters, bool(arguments.vararg or arguments.kwarg))
