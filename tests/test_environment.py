"""docs/reference/environment.md lists every variable that the code reads, and no other."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "reference" / "environment.md"
SOURCES = [*ROOT.glob("wordpl/**/*.py"), *ROOT.glob("strategies/*.py"), ROOT / "tests" / "conftest.py"]

READ = re.compile(
    r"""\b(?:environb?|getenv|putenv|unsetenv)\b[^"\n]{0,20}"([A-Z_]\w*)" | "(_?WORDPL_[A-Z_]+)"
    | "(\w+)"\ (?:not\ )?in\ os\.environ | envvar="(\w+)" """,
    re.VERBOSE,
)
"""Where code looks one up; what begins with our name is one, unless listed below."""
NONE = {"WORDPL_WORKER"}
BY_LIBRARIES = {"LINES", "NO_COLOR", "XDG_STATE_HOME"}
"""Read by rich, numba and platformdirs, not by us."""


def test_the_table_is_that_of_the_code():
    code = "\n".join(file.read_text("utf-8") for file in SOURCES)
    read = {name for names in READ.findall(code) for name in names if name} - NONE
    rows = [line.split("|")[1] for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| `")]
    told = [name for row in rows for name in re.findall(r"`(\w+)`", row)]
    assert len(told) == len(set(told))
    assert len(read) > 5 and read <= set(told)
    words = {*re.findall(r"\w+", code), *(f"{name}_NUM_THREADS" for name in re.findall(r'"([A-Z]+)"', code))}
    assert set(told) - words == BY_LIBRARIES - words
