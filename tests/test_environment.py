"""docs/reference/environment.md lists every variable that the code reads, and no other."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from wordpl.base.workers.processes import _HELPERS
from wordpl.cli import COMPLETING
from wordpl.cli.faults import _WHOLE_NUMBERS
from wordpl.contest.entrant.checkout import VARIABLE

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "environment.md"
SOURCES = sorted([*ROOT.glob("wordpl/**/*.py"), *ROOT.glob("strategies/*.py"), ROOT / "tests" / "conftest.py"])
SOURCES = [file for file in SOURCES if "__pycache__" not in file.parts]

BY_LIBRARIES = {"LINES", "NO_COLOR", "XDG_STATE_HOME"}
"""Read by rich, numba and platformdirs, not by us."""
NAMED = {
    "COMPLETING": {COMPLETING},
    "VARIABLE": {VARIABLE},
    "_HELPERS": {*_HELPERS},
    "name": {*_WHOLE_NUMBERS},  # the loops of wordpl.cli.environment
}
"""What stands in the code where no text does."""


def is_environment(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in ("environ", "environb")


def keys(tree: ast.AST) -> Iterator[ast.expr]:
    """What is looked up in `os.environ`, in whatever way."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and is_environment(node.value):
            yield node.slice
        elif isinstance(node, ast.Compare) and any(map(is_environment, node.comparators)):
            yield node.left
        elif (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and (is_environment(node.func.value) or node.func.attr in ("getenv", "putenv", "unsetenv"))
        ):
            yield from node.args[:1]
        elif isinstance(node, ast.keyword) and node.arg == "envvar" and isinstance(node.value, ast.Constant):
            yield node.value  # of an option of the command line


def variables(source: str) -> set[str]:
    """The variables that a file reads or sets."""
    found: set[str] = set()
    for key in keys(ast.parse(source)):
        if isinstance(key, ast.Constant):
            found.add(key.value)
        elif isinstance(key, ast.Name):
            found |= NAMED.get(key.id, {f"?{key.id}"})
        elif isinstance(key, ast.JoinedStr):  # f"{_name}_NUM_THREADS" of tests/conftest.py
            assert ast.unparse(key) == "f'{_name}_NUM_THREADS'"
    return found


@pytest.mark.heavy
def test_the_table_is_that_of_the_code():
    read = set().union(*(variables(file.read_text("utf-8")) for file in SOURCES))
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(told) == len(set(told))
    assert set(told) - BY_LIBRARIES == read
    assert set(told) >= BY_LIBRARIES
