"""Python source as it counts for results: what the interpreter would do with it, not how it is written.

The normal form of a piece of source is its syntax tree without comments, layout, docstrings and the block under
`if __name__ == "__main__":`. Two sources with one normal form do the same when imported. It is the same text in every
version of Python that knows the syntax.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import os
import sys
import traceback
from collections.abc import Iterable, Iterator, Set
from contextlib import suppress
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from weakref import WeakKeyDictionary

LIBRARY = "wordpl.library."
"""What the names of the library's modules begin with. They are strategies, though they lie inside the engine."""

USER_FILE = "_wordpl_user_"
"""What the names of modules made of a user's files begin with (see `registry`)."""

# Where pip and Debian install packages.
_PACKAGES = frozenset({"site-packages", "dist-packages"})
_STANDARD_LIBRARY = Path(os.__file__).parent

# Fields of the tree that say nothing of what the source does.
_SILENT = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
_RUN_AS_PROGRAM = ast.dump(ast.parse("__name__ == '__main__'", mode="eval").body)


class Source:
    """A piece of source that compiles."""

    def __init__(self, text: str) -> None:
        # Not `ast.parse`: from Python 3.14 on, `python -OO` takes docstrings out of what that returns.
        self.tree = compile(text, "<source>", "exec", ast.PyCF_ONLY_AST, dont_inherit=True, optimize=0)
        self.digest = digest_of(normal_form(self.tree))
        nodes = list(ast.walk(self.tree))
        self.imports = [node for node in nodes if isinstance(node, ast.Import | ast.ImportFrom)]
        self.state = frozenset(name for node in nodes if isinstance(node, ast.Global) for name in node.names)
        """Global names that functions here assign to: what a program keeps for itself as it runs."""
        codes = dict.fromkeys(codes_within(compile(text, "<source>", "exec", dont_inherit=True)))
        self._codes: dict[str, list[CodeType]] = {}
        for code in sorted(codes, key=lambda code: code.co_firstlineno):
            self._codes.setdefault(code.co_name, []).append(code)

    def place_of(self, code: CodeType) -> int | None:
        """Which of the functions of its name a code is; None if it was not compiled from this source."""
        codes = self._codes.get(code.co_name, [])
        return codes.index(code) if code in codes else None


@lru_cache(maxsize=256)
def _parsed(text: str) -> Source | None:
    try:
        return Source(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source_of(filename: str, module: ModuleType | None = None) -> Source | None:
    """The source in a file, a notebook's cell or an archive, as it is now; None if there is none that compiles."""
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, vars(module) if module else None)
    return _parsed("".join(lines)) if lines else None


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def normal_form(node: ast.AST) -> str:
    """A syntax tree as text.

    `ast.dump` will not do: it differs with the fields that a version of Python has, and fails on deep trees. Here text
    of the form, and not of the source, waits in tuples.
    """
    written: list[str] = []
    stack: list[object] = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, tuple):
            written += item
        elif isinstance(item, ast.Constant | ast.MatchSingleton):
            written.append(constant_form(item.value))
        elif isinstance(item, ast.AST):
            stack.append((")",))
            for name, field in reversed(list(ast.iter_fields(item))):
                if isinstance(field, list):
                    field = [inner for inner in field if _matters(inner, item)]
                if field and name not in _SILENT:  # a new version adds fields, and they are empty in old source
                    stack += [field, (f"{name}=",)]
            written.append(f"{type(item).__name__}(")
        elif isinstance(item, list):
            stack += [("]",), *reversed(item)]
            written.append("[")
        else:
            written.append(constant_form(item))
    return "".join(written)


def _matters(item: object, parent: ast.AST) -> bool:
    """Whether an item is no docstring, no block that runs only in a program, and no empty piece of an f-string."""
    if isinstance(parent, ast.JoinedStr):
        return not (isinstance(item, ast.Constant) and item.value == "")
    if isinstance(item, ast.Expr):
        return not (isinstance(item.value, ast.Constant) and isinstance(item.value.value, str))
    if isinstance(item, ast.If) and isinstance(item.test, ast.Compare):
        return bool(item.orelse) or ast.dump(item.test) != _RUN_AS_PROGRAM
    return True


def constant_form(value: object) -> str:
    """A constant as text. Which letters `repr` shows as they are differs by version, and it refuses large integers."""
    return f"{type(value).__name__}:{hex(value) if type(value) is int else ascii(value)};"


def codes_within(code: CodeType) -> Iterator[CodeType]:
    """The code of a function or module, and those of the functions within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from codes_within(constant)


# Modules: those that a strategy's module imports decide its moves, too.


def is_foreign(module: str, home: Set[str], file: Path | None = None) -> bool:
    """Whether a module is Python's, installed, or the engine's (`ENGINE_VERSION` speaks for it), and not in `home`."""
    top = module.partition(".")[0]
    if module.startswith(LIBRARY) or top in ("__main__", "wordpl", *home):
        return top == "wordpl" and not module.startswith(LIBRARY)
    file = file or file_of(module)
    return top in sys.stdlib_module_names or (file is not None and _is_installed(file))


def _is_installed(file: Path) -> bool:
    return not _PACKAGES.isdisjoint(file.parts) or _STANDARD_LIBRARY in file.parents


def public_name(module: str, home: Set[str] = frozenset()) -> str:
    """The name of a module, the same however it was loaded: run as a program, from a file, or imported.

    Of a foreign one, the package alone: where it keeps a thing differs by version.
    """
    if is_foreign(module, home):
        return module.partition(".")[0].lstrip("_")
    loaded = sys.modules.get(module)
    if module == "__main__" and getattr(loaded, "__spec__", None):
        return str(loaded.__spec__.name)  # type: ignore[union-attr]
    if module == "__main__" or module.startswith(USER_FILE):
        return Path(getattr(loaded, "__file__", None) or "__main__").stem
    return module


def file_of(module: str, folder: Path | None = None) -> Path | None:
    """The file of a module, which need not have been imported yet; `folder` is where the one lies that imports it."""
    file, path = None, [*([str(folder)] if folder else []), *sys.path]
    parts = module.split(".")
    for name in (".".join(parts[:n]) for n in range(1, len(parts) + 1)):
        loaded = sys.modules.get(name)
        spec = None if loaded else PathFinder.find_spec(name, path)
        file = getattr(loaded, "__file__", None) or (spec.origin if spec else None)
        path = list(getattr(loaded, "__path__", None) or (spec and spec.submodule_search_locations) or [])
    return Path(file) if file else None


def closure(modules: Iterable[str], home: Set[str]) -> dict[str, Path]:
    """The source files of modules and of all that they import, directly or not, by name; foreign ones left out."""
    files: dict[str, Path] = {}
    queue: list[tuple[str, Path | None]] = [(module, None) for module in sorted(modules)]
    tried = set(queue)
    while queue:
        name, folder = queue.pop()
        file = None if name in files or is_foreign(name, home) else file_of(name, folder)
        if file is None or file.suffix != ".py" or is_foreign(name, home, file):
            continue
        files[name] = file
        source = source_of(str(file), sys.modules.get(name))
        imported = {(module, file.parent) for module in _imports(source, public_name(name, home), file)}
        queue += sorted(imported - tried)
        tried |= imported
    return files


def _imports(source: Source | None, module: str, file: Path) -> Iterator[str]:
    """The full names of what a module may import, and of the packages around it."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in source.imports if source else []:
        names = [alias.name for alias in node.names]
        if isinstance(node, ast.ImportFrom):
            base = ""
            with suppress(ImportError):  # from beyond its package
                base = resolve_name("." * node.level + (node.module or ""), package)
            names = [base, *(f"{base}.{name}" for name in names)] if base else []
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))


_loaded: WeakKeyDictionary[ModuleType, tuple[list[CodeType], Source | list[CodeType]]] = WeakKeyDictionary()


def content_of(name: str, file: Path) -> Source | list[CodeType] | None:
    """The source of a module; the codes of its functions if those were not compiled from what is in its file now.

    What runs is what counts: of a module that has been imported, it is the source of then.
    """
    module = sys.modules.get(name)
    if module is None:
        return source_of(str(file))
    filename = getattr(module, "__file__", None)
    kinds = [kind for kind in vars(module).values() if isinstance(kind, type) and kind.__module__ == name]
    values = [value for space in (module, *kinds) for value in list(vars(space).values())]
    codes = [value.__code__ for value in values if isinstance(value, FunctionType)]
    codes = [code for code in codes if code.co_filename == filename]
    if module not in _loaded or _loaded[module][0] != codes:
        source = source_of(str(filename), module)
        matches = source and all(source.place_of(code) is not None for code in codes)
        _loaded[module] = codes, source if source and matches else codes
    return _loaded[module][1]


def user_line(error: BaseException) -> str:
    """`file.py:12`: the last line of the user's own code on the way to an error; "" if there is none in a file."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        is_wordpl = str(frame.f_globals.get("__name__", "")).partition(".")[0] == "wordpl"
        file = Path(frame.f_code.co_filename)
        # The file of a notebook's cell has another name in each process.
        if not is_wordpl and file.suffix == ".py" and "ipykernel" not in str(file) and not _is_installed(file):
            place = f"{file.name}:{line}"
    return place
