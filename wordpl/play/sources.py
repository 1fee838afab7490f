"""Python source as it counts for results: what the interpreter would do with it, not how it is written.

The normal form of a piece of source is its syntax tree without comments, layout, docstrings and the block
under `if __name__ == "__main__":`. Two sources with one normal form do the same when imported.
"""

from __future__ import annotations

import ast
import hashlib
import linecache
import sys
import sysconfig
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from types import CodeType, FunctionType, ModuleType

LIBRARY = "wordpl.library."
"""What the names of the library's modules begin with. They are strategies, though they lie inside the engine."""

USER_FILE = "_wordpl_user_"
"""What the names of modules made of a user's files begin with (see `registry`)."""

# Where packages are installed, by pip and by Debian; `sysconfig` does not know of all such folders.
_PACKAGES = frozenset({"site-packages", "dist-packages"})

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def is_engine(module: str) -> bool:
    """Whether a module belongs to the engine, which `trials.ENGINE_VERSION` speaks for."""
    return (module == "wordpl" or module.startswith("wordpl.")) and not module.startswith(LIBRARY)


class Source:
    """A piece of source that parses."""

    def __init__(self, text: str) -> None:
        self._text = text
        self.tree = ast.parse(text)

    @cached_property
    def digest(self) -> str:
        """Of the normal form."""
        return digest_of(normal_form(self.tree))

    @cached_property
    def imports(self) -> list[ast.Import | ast.ImportFrom]:
        """Its import statements, wherever they stand."""
        return [node for node in ast.walk(self.tree) if isinstance(node, ast.Import | ast.ImportFrom)]

    @cached_property
    def state(self) -> frozenset[str]:
        """Global names that functions here assign to: what a program keeps for itself as it runs."""
        declared = (node.names for node in ast.walk(self.tree) if isinstance(node, ast.Global))
        return frozenset(name for names in declared for name in names)

    @cached_property
    def _codes(self) -> frozenset[CodeType]:
        return frozenset(_codes_within(compile(self._text, "<source>", "exec", dont_inherit=True)))

    def made(self, function: FunctionType) -> bool:
        """Whether a function was compiled from this source, and not from another version of it."""
        return function.__code__ in self._codes

    @cached_property
    def _functions(self) -> dict[tuple[str, int], list[_Function]]:
        functions: dict[tuple[str, int], list[_Function]] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, _Function):
                name = "<lambda>" if isinstance(node, ast.Lambda) else node.name
                decorators = [] if isinstance(node, ast.Lambda) else node.decorator_list
                line = min([node.lineno, *(decorator.lineno for decorator in decorators)])
                functions.setdefault((name, line), []).append(node)
        return functions

    def form_of(self, function: FunctionType) -> str | None:
        """The normal form of a function that was compiled from this source; None if that is not certain."""
        code = function.__code__
        nodes = self._functions.get((code.co_name, code.co_firstlineno), [])
        return normal_form(nodes[0]) if len(nodes) == 1 and self.made(function) else None


@lru_cache(maxsize=256)
def parse(text: str) -> Source | None:
    """The source of this text; None if it does not parse."""
    try:
        return Source(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


def source_of(filename: str, module: ModuleType | None = None) -> Source | None:
    """The source in a file, a notebook's cell or an archive, as it is now; None if there is none."""
    linecache.checkcache(filename)
    lines = linecache.getlines(filename, vars(module) if module else None)
    return parse("".join(lines)) if lines else None


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def normal_form(node: ast.AST) -> str:
    """The syntax tree as text, the same in every version of Python that knows the syntax.

    `ast.dump` is not: it shows fields that newer versions have added, and positions of no concern here.
    """
    return "".join(_written(node))


def _written(value: object) -> Iterator[str]:
    if isinstance(value, ast.Constant):
        yield f"{type(value.value).__name__}:{value.value!r};"
    elif isinstance(value, ast.AST):
        yield f"{type(value).__name__}("
        for name, field in ast.iter_fields(value):
            if name in ("ctx", "kind", "type_comment", "type_ignores"):
                continue
            if isinstance(field, list):
                field = [item for item in field if not _unimportant(item)]
            if field is not None and field != []:
                yield f"{name}="
                yield from _written(field)
        yield ")"
    elif isinstance(value, list):
        yield "["
        for item in value:
            yield from _written(item)
            yield ","
        yield "]"
    else:
        yield f"{value!r};"


def _unimportant(node: object) -> bool:
    """Whether a statement is a docstring, or what a module does only when it is run as a program."""
    if isinstance(node, ast.Expr):
        return isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    return isinstance(node, ast.If) and not node.orelse and ast.unparse(node.test) == "__name__ == '__main__'"


def code_form(code: CodeType) -> str:
    """Compiled code as text, without names of files and numbers of lines: for what has no source."""
    constants = [code_form(c) if isinstance(c, CodeType) else _constant(c) for c in code.co_consts]
    names = (code.co_name, code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars)
    counts = (code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_flags)
    return f"code{(names, counts, code.co_code, code.co_exceptiontable, constants)!r}"


def _constant(value: object) -> str:
    if isinstance(value, frozenset):  # its order differs from one run to the next
        return f"frozenset{sorted(map(_constant, value))}"
    if isinstance(value, tuple):
        return f"tuple{[_constant(item) for item in value]}"
    return f"{type(value).__name__}:{value!r}"


def _codes_within(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes_within(constant)


# Modules: what a strategy's module imports from its own package or folder decides its moves too.


@dataclass(frozen=True)
class Scope:
    """Whose imports are followed: those of one top-level package, or of one folder of modules."""

    package: str = ""
    folder: Path | None = None

    def holds(self, top: str) -> bool:
        if self.folder is None:
            return top == self.package
        loaded = file_of(top)
        if loaded is not None:
            return self.folder in (loaded.parent, loaded.parent.parent)
        return (self.folder / f"{top}.py").is_file() or (self.folder / top).is_dir()


def scope_of(module: str) -> Scope:
    """A package, for a module that is in one; else the module's folder, unless all installed modules lie there."""
    top = module.partition(".")[0]
    file = file_of(module)
    if "." in module or file is None or file.name == "__init__.py" or is_installed(module):
        return Scope(package=top)
    return Scope(folder=file.parent)


def file_of(module: str) -> Path | None:
    """The source file of a module that has been imported; None if it has none."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return Path(file).resolve() if file and str(file).endswith(".py") else None


@lru_cache(maxsize=1)
def _installed_in() -> tuple[Path, ...]:
    return tuple({Path(sysconfig.get_path(name)).resolve() for name in ("purelib", "platlib", "stdlib", "platstdlib")})


def is_python_file(filename: str) -> bool:
    """Whether a file is one of Python's own modules."""
    folder = Path(filename).parent
    own = Path(linecache.__file__).parent
    return folder.name not in _PACKAGES and own in (folder, folder.parent)


def is_installed(module: str) -> bool:
    """Whether a module is Python's own or another's, installed, and not something being worked on."""
    if module.partition(".")[0] in sys.stdlib_module_names - {"__main__"}:
        return True
    file = file_of(module)
    return file is not None and is_installed_file(file)


def is_installed_file(file: Path) -> bool:
    """Whether a file lies where Python's own modules, or others, are installed."""
    return not _PACKAGES.isdisjoint(file.parts) or any(folder in file.parents for folder in _installed_in())


def user_line(error: BaseException) -> str:
    """`file.py:12`: the last line of the user's own code on the way to an error; "" if there is none in a file."""
    found = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        ours = str(frame.f_globals.get("__name__", "")).partition(".")[0] == "wordpl"
        file = Path(frame.f_code.co_filename)
        # The file of a notebook's cell has another name in each process.
        if not ours and file.suffix == ".py" and "ipykernel" not in str(file) and not is_installed_file(file):
            found = f"{file.name}:{line}"
    return found


def public_name(module: str) -> str:
    """The name of a module, the same however it was loaded: run as a program, from a file, or imported.

    All modules of the engine are `wordpl`: where it keeps a class must not change the identity of a strategy.
    """
    if is_engine(module):
        return "wordpl"
    if module == "__main__":
        spec = getattr(sys.modules.get(module), "__spec__", None)
        if spec is not None:
            return str(spec.name)
    if module == "__main__" or module.startswith(USER_FILE):
        file = file_of(module)
        return file.stem if file is not None else "__main__"
    return module


def closure(module: str) -> dict[str, Path]:
    """The files of a module and of all it imports, directly or not, from its own package or folder; by name.

    Modules of the library are followed from anywhere. Empty if the module has no source file.
    """
    file = file_of(module)
    if file is None:
        return {}
    files = {module: file}
    waiting = [(module, scope_of(module))]
    while waiting:
        name, scope = waiting.pop()
        source = source_of(str(files[name]), sys.modules.get(name))
        for imported in _imports(source, name, files[name]) if source else ():
            target = _follow(imported, scope)
            if target is not None and imported not in files:
                files[imported], scope_there = target
                waiting.append((imported, scope_there))
    return files


def module_digest(name: str, file: Path) -> str:
    """Of the source; of the compiled functions if those were made from another version of the file."""
    source, functions = source_of(str(file), sys.modules.get(name)), functions_of(name)
    if source is not None and all(source.made(function) for function in functions.values()):
        return source.digest
    return digest_of("".join(f"{key}={code_form(function.__code__)}" for key, function in sorted(functions.items())))


def functions_of(name: str) -> dict[str, FunctionType]:
    """The functions that a loaded module defines, its classes' own among them."""
    if name not in sys.modules:
        return {}
    space = vars(sys.modules[name])
    kinds = {key: kind for key, kind in space.items() if isinstance(kind, type) and kind.__module__ == name}
    return {
        f"{prefix}{key}": value
        for prefix, inner in [("", dict(space)), *((f"{key}.", vars(kind)) for key, kind in kinds.items())]
        for key, value in inner.items()
        # What a decorator put in a function's place has globals of its own; what dataclasses make has no file.
        if isinstance(value, FunctionType)
        and value.__globals__ is space
        and not value.__code__.co_filename.startswith("<")
    }


def _imports(source: Source, module: str, file: Path) -> Iterator[str]:
    """The full names of what a module may import, and of the packages around it."""
    package = module if file.name == "__init__.py" else module.rpartition(".")[0]
    for node in source.imports:
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        else:
            around = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*around, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)] if base else []
        for name in names:
            parts = name.split(".")
            yield from (".".join(parts[:n]) for n in range(1, len(parts) + 1))


def _follow(module: str, scope: Scope) -> tuple[Path, Scope] | None:
    """Where a module that is to be followed lies, and what is followed from there."""
    top = module.partition(".")[0]
    if is_engine(module):
        return None
    if module.startswith(LIBRARY):
        scope = Scope(package="wordpl")
    elif not scope.holds(top):
        return None
    file = file_of(module) or _beside(module, scope)
    return (file, scope) if file is not None else None


def _beside(module: str, scope: Scope) -> Path | None:
    """The file of a module that has not been imported yet, as in a function that has not been called."""
    package, _, name = module.rpartition(".")
    folders: list[Path] = []
    if package:
        above = sys.modules.get(package)
        folders = [Path(path) for path in getattr(above, "__path__", [])]
        if above is None and scope.folder is not None:
            folders = [scope.folder.joinpath(*package.split("."))]
    elif scope.folder is not None:
        folders = [scope.folder]
    for folder in folders:
        for file in (folder / f"{name}.py", folder / name / "__init__.py"):
            if file.is_file():
                return file.resolve()
    return None
