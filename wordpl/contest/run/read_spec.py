"""Read a spec of the user's own file or folder: `FILE.py:Name(...)`, `FILE.py`, or a folder with `strategy.py`.

A class of such a file that is a `wordpl.Strategy` plays in this process, where its win rate can be exact; for that the
file is run here. All others play in a process of their own, as in the contest, and nothing of a file that does not
import wordpl is run here.
"""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from wordpl.base.errors import WordplError, error_line
from wordpl.base.files import StrPath, read_file
from wordpl.play.printing import prints_to_stderr
from wordpl.play.specs import Spec, parse_named_spec, strategy_classes
from wordpl.play.strategy import Strategy

_NAME = "{}, whose functions no other process can import (joblib can send them)"
"""The name of a module made of a user's file, as it is told to one who pickles a function of it."""
_modules: dict[str, ModuleType] = {}
"""The files that were run here, by content and folder."""
_MAX_FILE = 8 << 20


def read_file_spec(path: str, call: str, contest_files: StrPath | None = None) -> Spec:
    """Return the spec of a strategy in the file or folder at `path`; `wordpl.play.specs` finds this by its entry point.

    `call` is `Name(parameter=value, ...)`, or empty for the file's only strategy. `contest_files` is as in
    `load_submission`. Raises `WordplError` as `parse_spec` does.
    """
    source = read_source(Path(path)) if path.endswith(".py") else b""  # a mistake costs no more than it must
    from wordpl.contest.entrant.declarations import Declaration, read_declarations
    from wordpl.contest.run.file_strategy import only_strategy, parse_file_spec

    if not path.endswith(".py"):
        return parse_file_spec(path, call, contest_files)
    declarations = read_declarations(source, path)
    packages = {module.partition(".")[0] for module in declarations.modules}
    # The contest's package of that name is not here, in this process.
    if "wordpl" not in packages or "strategies" in packages:
        return parse_file_spec(path, call, contest_files)
    kinds = strategies_of_file(Path(path))
    strategies = {name: declarations.strategies.get(name, Declaration(None)) for name in kinds}
    if not call or not kinds:
        call = only_strategy(path, strategies)
    kind = kinds.get(call.partition("(")[0].strip())
    if kind is not None and not issubclass(kind, Strategy):
        return parse_file_spec(path, call, contest_files)
    return parse_named_spec(call, kinds, Path(path).name)


def strategies_of_file(path: Path) -> dict[str, type[Any]]:
    """Run a file of the user's own and return its strategy classes by name, ours and the contest's kind.

    Raises `WordplError` for a file that cannot be read or imported. What it prints goes to stderr.
    """
    content = read_source(path)
    # The folder as well: of two files with the same content, each may read what lies beside it.
    digest = hashlib.sha256(bytes(path.resolve()) + b"\0" + content).hexdigest()
    module = _modules.get(digest)
    if module is None:
        module = ModuleType(_NAME.format(path.name))
        module.__file__ = str(path.absolute())
        # For dataclasses, while it runs. Workers cannot import it, so its classes travel with the tasks; and what one
        # job could do by that name, two could not.
        sys.modules[module.__name__] = module
        try:
            with prints_to_stderr():
                exec(compile(content, module.__file__, "exec", dont_inherit=True), vars(module))  # noqa: S102
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            raise WordplError(f"{path} cannot be imported: {error_line(error)}") from None
        finally:
            del sys.modules[module.__name__]
        _modules[digest] = module
    return strategy_classes(module)


def read_source(path: Path) -> bytes:
    """Return the source of a user's file. Raises `WordplError` if it cannot be read or is too large."""
    return read_file(path, "strategy file", _MAX_FILE)
