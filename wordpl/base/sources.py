"""Identity of code: a digest of the source files that define a class or function, noted when it is made.

They are found by their imports: all that are neither Python's nor installed nor ours, and the files beside them that
their texts name. Code that they do not tell has no lasting identity: a new one in each process.
"""

import ast
import hashlib
import os
import pickle
import re
import secrets
import sys
from collections.abc import Iterable
from functools import lru_cache
from importlib.machinery import PathFinder
from importlib.util import resolve_name
from pathlib import Path
from typing import Any, NamedTuple

from wordpl.base.engine import ENGINE_VERSION
from wordpl.base.errors import WordplError

LIBRARY = "wordpl.library."
"""Beginning of the names of the library's modules. They are strategies, though they lie inside the engine."""
_noted: dict[str, tuple[object, str]] = {}  # path -> the module that was loaded when it was read, and its digest then
_tokens: dict[int, tuple[object, str]] = {}


class SourceFile(NamedTuple):
    """A file with its digest when it was noted, and the module that it makes; "" for one that a text names."""

    module: str
    path: str
    digest: str


class Sources(NamedTuple):
    """The files that define some code, and why they do not tell all of it, if they do not."""

    files: tuple[SourceFile, ...]
    problem: str = ""


def check(files: Iterable[SourceFile]) -> None:
    """Raise `WordplError` if a file is not what it was."""
    for _, path, digest in files:
        if _digest(path) != digest:
            name = os.path.basename(path)  # noqa: PTH119
            raise WordplError(f"{name} was edited after it was loaded; reload it (importlib.reload) or start anew")


def is_foreign(module: str, path: str = "") -> bool:
    """Return whether a module is Python's, installed, or this package's."""
    top = module.partition(".")[0]
    if top == "wordpl" or top in sys.stdlib_module_names:
        return not module.startswith(LIBRARY)
    return not {"site-packages", "dist-packages"}.isdisjoint(Path(path).parts)


def sources_of(module: str) -> Sources:
    """Return the sources of the code of a module, noted when they were first read since it was loaded."""
    names, files, problem = [module], dict[str, SourceFile](), ""
    for name in names:  # it grows
        path = _path(name)
        if not path or is_foreign(name, "" if name == module else path):
            problem = problem or ("it has no file" if name == module and not path else "")
            continue
        imported, texts, is_open = _read(path, _digest(path), name)
        loaded = getattr(sys.modules.get(name), "__spec__", None) or sys.modules.get(name)
        folder = os.path.dirname(path)  # noqa: PTH120
        beside = {".", "..", *os.listdir(folder)}  # noqa: PTH208 - it takes less than asking for each text
        named = (os.path.join(folder, text) for text in texts if text.partition("/")[0] in beside)  # noqa: PTH118
        for file in (path, *filter(os.path.isfile, named)):
            if loaded is None or file not in _noted or _noted[file][0] is not loaded:
                _noted[file] = loaded, _digest(file)
            files.setdefault(file, SourceFile(name if file == path else "", file, _noted[file][1]))
        problem = problem or (f"{Path(path).name} names importlib or __import__" if is_open else "")
        names += [other for other in imported if other not in names]
    return Sources(tuple(files.values()), problem)


def _digest(path: str) -> str:
    try:
        status = os.stat(path)  # noqa: PTH116 - for speed: this is asked for before each task
    except OSError:
        return ""
    return _digest_of(path, (status.st_mtime_ns, status.st_size, status.st_ino))


@lru_cache(maxsize=1000)
def _digest_of(path: str, version: object) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


@lru_cache(maxsize=1000)
def _read(path: str, digest: str, module: str) -> tuple[list[str], list[str], bool]:
    """The modules that a source may import, after their packages, the texts in it, and whether it may import others."""
    package = module if path.endswith("__init__.py") else module.rpartition(".")[0]
    imported, texts, used = list[str](), set[str](), set[str]()
    for node in ast.walk(ast.parse(Path(path).read_bytes())):
        if isinstance(node, ast.Import):
            imported += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and (package or not node.level):
            base = resolve_name("." * node.level + (node.module or ""), package)
            imported += [base, *(f"{base}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value[:1] not in ("", "/"):
            texts.add(node.value)
        elif isinstance(node, ast.Name):
            used.add(node.id)
    used.update(name.partition(".")[0] for name in imported)
    parts = dict.fromkeys(part for name in (module, *imported) for part in _with_parents(name) if not is_foreign(name))
    return [*parts], sorted(texts), not used.isdisjoint({"importlib", "__import__"})


def _path(name: str) -> str:
    """The source file of a module, which need not be loaded; "" if there is none."""
    file, folders = getattr(sys.modules.get(name), "__file__", None), None
    for part in _with_parents(name) if name not in sys.modules else ():
        spec = PathFinder.find_spec(part, folders)
        file, folders = (spec.origin, spec.submodule_search_locations or []) if spec else (None, [])
    return os.path.abspath(file) if file and file.endswith(".py") and os.path.isfile(file) else ""  # noqa: PTH100, PTH113


def _with_parents(name: str) -> list[str]:
    """A module after the packages that it is in."""
    return [*(name[:at] for at, letter in enumerate(name) if letter == "."), name]


def is_plain(value: object) -> bool:
    """Return whether the `repr` of a value says all there is to it."""
    kinds = (type(None), bool, int, float, complex, str, bytes)
    return all(map(is_plain, value)) if type(value) is tuple else type(value) in kinds


def modules_in(pickled: bytes) -> list[str]:
    """Return the modules that a pickle may name, and that are neither Python's nor installed nor this package's."""
    texts = re.finditer(rb"\x8c(.)", pickled, re.DOTALL)  # each behind its length
    names = {pickled[found.end() : found.end() + found[1][0]].decode("utf-8", "replace") for found in texts}
    files = {name: getattr(sys.modules[name], "__file__", None) or "" for name in names & sys.modules.keys()}
    return sorted(name for name, path in files.items() if not is_foreign(name, path))


def problem_of(kind: Any, sources: Sources, values: Iterable[object]) -> str:
    """Return why a class or function with these `sources` and `values` has no lasting identity; "" if it has one."""
    lost = next((f"{value!r} cannot be pickled" for value in values if _pickled(value) is None), "")
    return sources.problem or ("" if _pickled(kind) else "it is not at the top level of a file") or lost


def identity_of(kind: Any, sources: Sources, values: Iterable[object]) -> str:
    """Return the SHA-256 of a class or function with its `sources`, and of values with the sources of their classes.

    If it has no lasting identity, it gets a new one in each process. Raises `WordplError` if a file was edited after it
    was loaded.
    """
    parts, files = [f"{ENGINE_VERSION} {kind.__qualname__}"], [*sources.files]
    parts += [_token(kind)] if problem_of(kind, sources, ()) else []
    for value in values:
        pickled = _pickled(value)
        parts.append(_token(value) if pickled is None else repr(value) if is_plain(value) else pickled.hex())
        files += [file for module in modules_in(pickled or b".") for file in sources_of(module).files]
    check(files)
    return hashlib.sha256("\n".join([*parts, *(file.digest for file in files)]).encode()).hexdigest()


def _pickled(value: object) -> bytes | None:
    try:
        return b"." if is_plain(value) else pickle.dumps(value)
    except Exception:  # whatever a class does there
        return None


def _token(thing: object) -> str:
    return _tokens.setdefault(id(thing), (thing, secrets.token_hex(8)))[1]
