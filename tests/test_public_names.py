"""The public names: always what they say, enough for all that is outside, and a call behind every command."""

import ast
import importlib
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest

import wordpl
from tests.support.commands import ROOT
from tests.support.public import MODULES, places, public

LIBRARY = ROOT / "strategies" / "__init__.py"  # the library itself, which `play` asks for a strategy by name
OUTSIDE = sorted({*ROOT.glob("strategies/**/*.py"), *ROOT.glob("experiments/**/*.py")} - {LIBRARY})


def test_the_names_are_those_of_the_list():
    assert {"wordpl", "wordpl.wordle", "wordpl.limits", "wordpl.contest"} <= places().keys()
    for package, names in places().items():
        home = importlib.import_module(package)
        assert {*names} <= set(home.__all__) <= {*dir(home)}
        for name, place in names.items():
            assert getattr(home, name) is getattr(importlib.import_module(place), name)
    assert len(public()) == sum(map(len, places().values())), "one name in two packages"
    assert len(places()["wordpl"]) <= 75
    with pytest.raises(AttributeError, match="No wordpl attribute evaluat"):
        _ = wordpl.evaluat  # type: ignore[attr-defined]


IMPORTING = """
import logging, sys, wordpl
dir(wordpl)
print({"numpy", "numba", "pandas", "rich", "typer"} & set(sys.modules))
wordpl.Ask
print(logging.getLogger().handlers, logging.getLogger("wordpl").level)
"""


def test_importing_loads_nothing_heavy_and_configures_nothing():
    done = subprocess.run([sys.executable, "-c", IMPORTING], capture_output=True, text=True)
    assert (done.stdout, done.stderr) == ("set()\n[] 0\n", "")


def names(source: str) -> Iterator[str]:
    """What this code imports, its dotted names and its texts."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (name.name for name in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (f"{node.module}.{name.name}" for name in node.names)
        elif isinstance(node, ast.Attribute):
            yield ast.unparse(node)
        elif isinstance(node, ast.Constant):
            yield str(node.value)


def private_uses(source: str) -> list[str]:
    """What this code takes from inside `wordpl`."""
    ours = re.compile(r"wordpl(\.\w+)*|strategies(\.\w+)+")
    return [name for name in names(source) if ours.fullmatch(name) and not _open(name)]


def _open(name: str) -> bool:
    package = max((package for package in places() if f"{name}.".startswith(f"{package}.")), key=len, default=None)
    if package is None:
        return False
    first = name.removeprefix(package).strip(".").partition(".")[0]
    return not first or first in MODULES or first in importlib.import_module(package).__all__


@pytest.mark.parametrize("path", OUTSIDE, ids=lambda path: str(path.relative_to(ROOT)))
def test_strategies_and_experiments_use_public_names_only(path):
    assert private_uses(path.read_text("utf-8")) == []
