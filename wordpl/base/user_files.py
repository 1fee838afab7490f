"""Modules made of the user's own files. Any process of this machine can import them by their names.

A strategy may start processes, which import its functions by the name of their module. So the name contains the path
and a digest of the file: `wordpl.base.user_files./home/me/mine%2Epy@` and 16 hex digits. Python imports this module
first, and it finds the file.
"""

import hashlib
import logging
import os
import re
import sys
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType
from urllib.parse import quote, unquote_to_bytes

from wordpl.base.printing import prints_to_stderr

USER_FILES = f"{__name__}."
"""What the names of such modules begin with. They are the user's code, although the names begin like those of ours."""

contents: dict[str, bytes] = {}
"""Name -> the content that was read. Later edits of the file change nothing. Workers get this with their calls."""
_FORM = re.compile(re.escape(USER_FILES) + r"([^@]+)@([0-9a-f]{16})")
_RUNS = "WORDPL_RUNS_FILE"
__path__: list[str] = []  # so that Python looks for modules in this one


def module_of_file(path: Path, content: bytes) -> ModuleType:
    """Return the module made of a file that holds this; it is run once. Raises what the file raises."""
    place = quote(os.fsencode(path.absolute())).replace(".", "%2E")
    name = f"{USER_FILES}{place}@{_digest(content)}"
    contents[name] = content
    return import_module(name)


class _UserFiles(Loader):
    """Finds modules by their names, and runs their files."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> ModuleSpec | None:
        if not (found := _FORM.fullmatch(name)):
            return None
        return spec_from_file_location(name, os.fsdecode(unquote_to_bytes(found[1])), loader=self)

    def exec_module(self, module: ModuleType) -> None:
        file = str(module.__file__)
        content = contents.get(module.__name__)
        content = Path(file).read_bytes() if content is None else content
        if not module.__name__.endswith(_digest(content)):
            raise ImportError(f"{file} has changed since it was read")
        if os.environ.get(_RUNS) == module.__name__:  # else there would be no end to processes
            raise ImportError(f"{file} starts a process as it is imported, which imports it; start it in a function")
        # With a specification it would be locked, and what a pool returns to a thread of its own could not be loaded.
        module.__spec__, os.environ[_RUNS] = None, module.__name__
        try:
            with prints_to_stderr():
                exec(compile(content, file, "exec", dont_inherit=True), vars(module))  # noqa: S102
        finally:
            os.environ.pop(_RUNS, None)


class _ToRoot(logging.Handler):
    """What a file logs under its own name is no note of ours, whatever the name begins with."""

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.root.level:
            logging.root.handle(record)


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:16]


sys.meta_path.append(_UserFiles())
_log = logging.getLogger(__name__)
_log.propagate = False
_log.setLevel(1)
_log.addHandler(_ToRoot())
