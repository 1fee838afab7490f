"""The public names: those of `wordpl`, and those that a folder of it shows itself."""

import ast
import importlib
from pathlib import Path
from typing import Any

MODULES = {"checks", "library"}
"""Public modules."""


def places() -> dict[str, dict[str, str]]:
    """Package -> public name -> module that defines it, as the stubs say."""
    import wordpl

    root = Path(wordpl.__file__).parent
    found = {}
    for stub in [root / "__init__.pyi", *sorted(root.glob("*/__init__.pyi"))]:
        package = ".".join(["wordpl", *stub.relative_to(root).parts[:-1]])
        lines = [line for line in ast.parse(stub.read_text("utf-8")).body if isinstance(line, ast.ImportFrom)]
        names = {name.name: f"{package}.{line.module}" for line in lines if line.module for name in line.names}
        found[package] = {name: place for name, place in names.items() if name not in MODULES}
    return found


def public() -> dict[str, Any]:
    """Public name -> what it names."""
    found = [(package, name) for package, names in sorted(places().items()) for name in sorted(names)]
    return {name: getattr(importlib.import_module(package), name) for package, name in found}
