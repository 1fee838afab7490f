"""Modules made of the user's own files, here and in worker processes."""

import hashlib
import importlib
import sys
from collections.abc import Collection
from contextlib import redirect_stdout
from pathlib import Path
from types import ModuleType
from typing import Any

from wordpl.base.errors import WordplError, error_line, nearest
from wordpl.base.files import read_file
from wordpl.base.sources import SourceFile, check

_PREFIX = "file_"
_loaded: dict[str, SourceFile] = {}
"""The sources that this worker process has, by their paths."""


def module_of_file(path: Path, content: bytes) -> ModuleType:
    """Return the module made of a file that holds this; it is run once. Raises what the file raises."""
    path = path.absolute()
    name = _PREFIX + hashlib.sha256(bytes(path)).hexdigest()[:16]
    before = sys.modules.get(name)
    if before is not None and vars(before)["__content__"] == content:
        return before
    module = sys.modules[name] = ModuleType(name)
    vars(module).update(__file__=str(path), __content__=content)
    try:
        with redirect_stdout(sys.stderr):
            exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102
    except BaseException:
        del sys.modules[name]
        raise
    return module


def load_named(text: str) -> Any:
    """Run the file of `FILE.py:Name` and return what has this name there. Raises `WordplError` if there is none."""
    stem, _, name = text.rpartition(".py:")
    path = Path(f"{stem}.py")
    content = read_file(path, "file")
    try:
        module = module_of_file(path, content)
    except Exception as error:
        raise import_error(path, error) from None
    if not hasattr(module, name):
        own = [key for key, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__]
        raise WordplError(f"{path} has no {name}: {nearest(name, own)}" if own else f"{path} has no {name}")
    return getattr(module, name)


def import_error(path: Path, error: BaseException) -> WordplError:
    """The error about a file that cannot be imported, with advice if it wants a module beside it."""
    beside = isinstance(error, ModuleNotFoundError) and path.with_name(f"{error.name}.py").exists()
    advice = f"; put PYTHONPATH={path.parent} before the command" if beside else ""
    return WordplError(f"{path} cannot be imported: {error_line(error)}{advice}")


def written_name(thing: Any) -> str:
    """The name of a class or function: `FILE.py:Name` if it is of such a file, else its module and name."""
    module, name = getattr(thing, "__module__", "?"), getattr(thing, "__qualname__", repr(thing))
    file = getattr(sys.modules.get(module), "__file__", None) or ""
    return f"{Path(file).name}:{name}" if module.startswith(_PREFIX) else f"{module}.{name}"


def load_as_sent(files: Collection[SourceFile]) -> None:
    """In a worker process: make ready to load code by its sources. Raises `WordplError` if a file was edited."""
    if all(_loaded.get(file.path) == file for file in files):
        return
    check(files)
    for file in files:  # an older version may be there
        sys.modules.pop(file.module, None)
    importlib.invalidate_caches()
    for file in files:
        if file.module.startswith(_PREFIX):
            module_of_file(Path(file.path), Path(file.path).read_bytes())
    _loaded.update({file.path: file for file in files})
