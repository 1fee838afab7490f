"""What the source of a strategy file declares: its classes and their parameters, read without running it."""

import ast
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from wordpl.base.errors import WordplError, one_line

_PLAIN_BASES = frozenset({"object", "ABC", "Protocol", "Generic"})
_NO_PLAYERS = frozenset({"Exception", "Enum", "IntEnum", "StrEnum", "NamedTuple", "TypedDict", "dict", "list", "tuple"})

_WITH_FIELDS = ("dataclass", "define", "frozen", "mutable")
"""Decorators of classes whose parameters are their fields: the last three are those of attrs."""
_DEFAULTS = {"default", "default_factory", "factory"}

_Classes = Mapping[str, ast.ClassDef]
_LITERALS = (ast.Constant, ast.JoinedStr, ast.List, ast.Tuple, ast.Dict, ast.Set)


@dataclass(frozen=True)
class Declaration:
    """A class that is, or may be, a strategy."""

    parameters: Mapping[str, bool] | None
    """Parameter -> whether it is required, in order; None if the source does not say."""
    takes_more: bool = False
    """Whether it takes other parameters as well (`*args` or `**kwargs`)."""
    certain: bool = True
    """Whether the source has the methods; if not, they may come from a base that lies elsewhere."""


@dataclass(frozen=True)
class Declarations:
    """What a source declares."""

    classes: Mapping[str, Declaration]
    """Its public classes, by name."""
    strategies: Mapping[str, Declaration]
    """Those with the two methods of a player, or `players`, or with a base from elsewhere, that can be made."""
    functions: frozenset[str]
    """The names of its functions."""
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
    facts, strategies = {}, {}
    for name in (name for name in classes if not name.startswith("_")):
        kinds = list(_lineage(classes[name], classes))
        methods = {method for kind in kinds for part in kind.body for method in _names_of(part)}
        others = _other_bases(kinds, classes)
        certain = {"first_move", "next_move"} <= methods or "players" in methods
        facts[name] = replace(_parameters(kinds, classes), certain=certain)
        if not _is_abstract(kinds) and (certain or (others and not others & _NO_PLAYERS)):
            strategies[name] = facts[name]
    functions = frozenset(node.name for node in tree.body if isinstance(node, ast.FunctionDef))
    assignments = [node for node in tree.body if "strategy" in map(_name, _targets(node))]
    ready = any(not isinstance(getattr(node, "value", None), _LITERALS) for node in assignments)
    nodes = list(ast.walk(tree))
    modules = {alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names}
    from_nodes = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    modules |= {node.module for node in from_nodes if node.module and not node.level}
    imports = {alias.asname or alias.name for node in from_nodes for alias in node.names}
    return Declarations(facts, strategies, functions, frozenset(modules), frozenset(imports), ready)


def _targets(node: ast.stmt) -> list[ast.expr]:
    if isinstance(node, ast.Assign):
        return node.targets
    return [node.target] if isinstance(node, ast.AnnAssign) and node.value is not None else []


def _lineage(node: ast.ClassDef, classes: _Classes, seen: frozenset[str] = frozenset()) -> Iterator[ast.ClassDef]:
    """A class, and those of the same source that it inherits from."""
    yield node
    seen |= {node.name}
    for base in map(_name, node.bases):
        if base in classes and base not in seen:
            yield from _lineage(classes[base], classes, seen)


def _other_bases(kinds: Sequence[ast.ClassDef], classes: _Classes) -> set[str]:
    """What these classes inherit from that is neither in the same source nor plain."""
    return {_name(base) for kind in kinds for base in kind.bases} - _PLAIN_BASES - classes.keys()


def _is_abstract(kinds: Sequence[ast.ClassDef]) -> bool:
    """Whether a class only describes others: a protocol, or one whose abstract methods have no body."""
    if "Protocol" in map(_name, kinds[0].bases):
        return True
    # Of a name that several of them have, the first counts.
    parts = {name: part for kind in reversed(kinds) for part in reversed(kind.body) for name in _names_of(part)}
    decorators = (decorator for part in parts.values() for decorator in getattr(part, "decorator_list", ()))
    return any(_name(decorator).startswith("abstract") for decorator in decorators)


def _parameters(kinds: Sequence[ast.ClassDef], classes: _Classes) -> Declaration:
    for kind in kinds:
        if _has_fields(kind):
            parents = list(_lineage(kind, classes))
            return Declaration(None if _other_bases(parents, classes) else _fields(parents))
        if kind.decorator_list:  # which may make an __init__
            return Declaration(None)
        for part in kind.body:
            if isinstance(part, ast.FunctionDef) and part.name in ("__init__", "__new__"):
                return _of_arguments(part.args)
    return Declaration(None if _other_bases(kinds, classes) else {})


def _fields(kinds: Sequence[ast.ClassDef]) -> dict[str, bool]:
    parameters: dict[str, bool] = {}
    for part in [part for kind in reversed(kinds) if _has_fields(kind) for part in kind.body]:
        if not isinstance(part, ast.AnnAssign) or not isinstance(part.target, ast.Name):
            continue
        call = part.value if isinstance(part.value, ast.Call) and _name(part.value.func) == "field" else None
        options = {keyword.arg: ast.unparse(keyword.value) for keyword in call.keywords} if call else {}
        if _name(part.annotation) != "ClassVar" and options.get("init") != "False":
            has_default = bool(options.keys() & _DEFAULTS) if call else part.value is not None
            # attrs leaves the underscore out.
            name = part.target.id if _is_decorated(kinds[0], "dataclass") else part.target.id.lstrip("_")
            parameters[name] = not has_default
    return parameters


def _name(node: ast.expr) -> str:
    """The last part of a name: `ABC` for `abc.ABC`."""
    if isinstance(node, ast.Subscript):
        node = node.value
    return node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")


def _names_of(part: ast.stmt) -> Iterator[str]:
    """The names that a line of a class sets."""
    if isinstance(part, (ast.FunctionDef, ast.AsyncFunctionDef)):
        yield part.name
    yield from (target.id for target in _targets(part) if isinstance(target, ast.Name))


def _has_fields(node: ast.ClassDef) -> bool:
    return _is_decorated(node, *_WITH_FIELDS)


def _is_decorated(node: ast.ClassDef, *names: str) -> bool:
    return any(_name(part.func if isinstance(part, ast.Call) else part) in names for part in node.decorator_list)


def _of_arguments(arguments: ast.arguments) -> Declaration:
    places = [argument.arg for argument in (*arguments.posonlyargs, *arguments.args)]
    required = len(places) - len(arguments.defaults)
    parameters = {place: i < required for i, place in enumerate(places) if i > 0}
    for argument, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True):
        parameters[argument.arg] = default is None
    return Declaration(parameters, bool(arguments.vararg or arguments.kwarg))
