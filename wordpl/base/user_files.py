"""Modules made of the user's own files, here and in worker processes."""

import hashlib
import importlib
import sys
from collections.abc import Collection
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from wordpl.base.errors import WordplError
from wordpl.base.printing import prints_to_stderr
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
    spec = spec_from_file_location(name, path)
    if spec is None:
        raise WordplError(f"{path} is no Python file")
    module = sys.modules[name] = module_from_spec(spec)
    vars(module)["__content__"] = content
    try:
        with prints_to_stderr():
            exec(compile(content, str(path), "exec", dont_inherit=True), vars(module))  # noqa: S102
    except BaseException:
        del sys.modules[name]
        raise
    return module


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
