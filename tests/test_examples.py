"""What README and docs show works: Python examples run, commands exist, and both give the output shown."""

from __future__ import annotations

import doctest
import re
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[1]
TABLES = ("experiments/tables/README.md", "experiments/tables/published_heuristics.md")
OTHERS = ("README.md", "CONTRIBUTING.md", "wordpl/model/data/PROVENANCE.md", *TABLES)
PAGES = sorted([*(ROOT / name for name in OTHERS), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def blocks(text: str, *languages: str) -> list[tuple[str, str]]:
    """Language and content of the fenced blocks in one of these languages."""
    return [(language, block) for language, block in FENCE.findall(text) if language in languages]


# Python


WITH_PYTHON = [page for page in PAGES if blocks(page.read_text("utf-8"), "python", "pycon")]


@pytest.mark.heavy
@pytest.mark.parametrize("page", WITH_PYTHON, ids=named)
def test_the_python_examples_of_a_page_run_one_after_the_other(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "results").mkdir()
    module = ModuleType("example")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    for language, block in blocks(page.read_text("utf-8"), "python", "pycon"):
        if language == "python":
            exec(compile(block, named(page), "exec", dont_inherit=True), vars(module))  # noqa: S102
        else:
            test = doctest.DocTestParser().get_doctest(block, vars(module), named(page), None, None)
            said: list[str] = []
            result = doctest.DocTestRunner(optionflags=FLAGS).run(test, out=said.append, clear_globs=False)
            assert result.attempted
            assert result.failed == 0, "".join(said)
            vars(module).update(test.globs)
