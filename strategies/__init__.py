"""The strategy library, one file for each strategy or family: `wordpl.library.Greedy`, or
`from wordpl.library.greedy import Greedy`.

The name is the same however WORDPL is installed. A wheel has these files inside the package; in a clone `wordpl` finds
them here.
"""

import ast
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

if __name__ == "strategies":  # a second copy of every class would have another identity
    raise ImportError("the strategy library is imported as wordpl.library, wherever its files are")


@cache
def places() -> dict[str, str]:
    """Strategy -> its module; read from the files, as importing them all takes a second."""
    files = [file for folder in __path__ for file in sorted(Path(folder).glob("*.py"))]
    lines = [(file.stem, line) for file in files for line in ast.parse(file.read_text("utf-8")).body]
    # The public classes that are built upon others are strategies, as the tests hold.
    kinds = [(line, stem) for stem, line in lines if isinstance(line, ast.ClassDef) and line.bases]
    return {line.name: f"{__name__}.{stem}" for line, stem in kinds if line.name[0] != "_"}


def __getattr__(name: str) -> Any:
    """A strategy's class, whichever module it is in; or a module."""
    if name in places():
        return getattr(import_module(places()[name]), name)
    if not name.startswith("_") and any(Path(folder, f"{name}.py").is_file() for folder in __path__):
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(places())
