"""WORDPL: Wordle under differential privacy.

The public names are listed in `__init__.pyi`, and each is loaded on its first use, so that asking the
command line for help does not wait for numpy and numba.
"""

import ast
import importlib
import logging
from pathlib import Path
from typing import Any

logging.getLogger(__name__).addHandler(logging.NullHandler())  # who imports it decides what is shown


_STUB = ast.parse(Path(__file__).with_name("__init__.pyi").read_text("utf-8"))
_LINES = [line for line in _STUB.body if isinstance(line, ast.ImportFrom)]
_PLACES = {name.name: line.module and f".{line.module}" for line in _LINES for name in line.names}
"""Public name -> the module that defines it; None for a name that is a submodule itself."""
__all__ = sorted(_PLACES)


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("wordpl")
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    place = _PLACES[name]
    if place is None:
        return importlib.import_module(f".{name}", __name__)
    # No public name is the name of a submodule (a test holds it), so no import can put a module in its place.
    value = globals()[name] = getattr(importlib.import_module(place, __name__), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
