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

import cloudpickle

from wordpl.base.errors import WordplError, error_line
from wordpl.base.files import StrPath, read_file
from wordpl.play.announced import Spec
from wordpl.play.printing import prints_to_stderr
from wordpl.play.specs import parse_named_spec, strategy_classes
from wordpl.play.strategy import Strategy

_USER_FILE = "_wordpl_user_"
"""What the names of modules made of a user's files begin with."""
_MAX_FILE = 8 << 20


def read_file_spec(path: str, call: str, contest_files: StrPath | None = None) -> Spec:
    """Return the spec of a strategy in the file or folder at `path`.

    `call` is `Name(parameter=value, ...)`, or empty for the file's only strategy. `contest_files` is as in
    `load_submission`. Raises `WordplError` as `parse_spec` does.
    """
    source = read_file(path, "strategy file", _MAX_FILE) if path.endswith(".py") else b""  # a mistake costs little
    from wordpl.contest.entrant.declarations import Declaration, read_declarations
    from wordpl.contest.run.file_strategy import only_strategy, parse_file_spec

    if not path.endswith(".py"):
        return parse_file_spec(path, call, contest_files)
    declarations = read_declarations(source, path)
    packages = {module.partition(".")[0] for module in declarations.modules}
    # The contest's package of that name is not here, in this process.
    if "wordpl" not in packages or "strategies" in packages:
        return parse_file_spec(path, call, contest_files)
    kinds = strategies_of_file(Path(path), source)
    strategies = {name: declarations.strategies.get(name, Declaration(None)) for name in kinds}
    if not call or not kinds:
        call = only_strategy(path, strategies)
    kind = kinds.get(call.partition("(")[0].strip())
    if kind is not None and not issubclass(kind, Strategy):
        return parse_file_spec(path, call, contest_files)
    return parse_named_spec(call, kinds, Path(path).name)


def strategies_of_file(path: Path, content: bytes) -> dict[str, type[Any]]:
    """Run the content of a user's own file and return its strategy classes by name, ours and the contest's kind.

    Raises `WordplError` if it cannot be imported. What it prints goes to stderr.
    """
    # The folder as well: of two files with the same content, each may read what lies beside it.
    digest = hashlib.sha256(bytes(path.resolve()) + b"\0" + content).hexdigest()[:16]
    name = f"{_USER_FILE}{digest}"
    module = sys.modules.get(name)
    if module is None:
        module = sys.modules[name] = ModuleType(name)
        module.__file__ = str(path.absolute())
        try:
            with prints_to_stderr():
                exec(compile(content, module.__file__, "exec", dont_inherit=True), vars(module))  # noqa: S102
        except BaseException as error:
            del sys.modules[name]
            if isinstance(error, KeyboardInterrupt):
                raise
            raise WordplError(f"{path} cannot be imported: {error_line(error)}") from None
        # Workers cannot import it by name, so its classes travel with the tasks.
        cloudpickle.register_pickle_by_value(module)
    return strategy_classes(module)
