"""What README, docs, docstrings and tutorials show works: examples run and give the output shown."""

import doctest
import importlib
import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import nbformat
import pytest
from typer.testing import CliRunner

import wordpl
from docs._pages import TUTORIALS
from tests.support.commands import FENCE, blocks, fault
from tests.support.shown import BLOCK, README, executed, output, timeless
from wordpl.cli import app

ROOT = Path(__file__).parents[1]
TABLES = ("experiments/tables/README.md", "experiments/tables/published_heuristics.md")
OTHERS = ("README.md", "CONTRIBUTING.md", "wordpl/model/data/PROVENANCE.md", *TABLES)
PAGES = sorted([*(ROOT / name for name in OTHERS), *(ROOT / "docs").rglob("*.md"), *TUTORIALS])
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def text_of(page: Path) -> str:
    """The text of a page; of a notebook, that of its Markdown cells."""
    text = page.read_text("utf-8")
    if page.suffix != ".ipynb":
        return text
    cells = json.loads(text)["cells"]
    return "\n\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")


# Python


WITH_PYTHON = [page for page in PAGES if blocks(text_of(page), "python", "pycon")]


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


SOURCES = sorted((ROOT / "wordpl").rglob("*.py"))
MODULES = [
    ".".join(source.relative_to(ROOT).with_suffix("").parts)
    for source in SOURCES
    if ">>> " in source.read_text("utf-8")
]


@pytest.mark.heavy
@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_give_what_they_show(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


# Commands


def command_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every command line in a page, and whether it is whole: in the text, a command may be named alone."""
    fenced = "".join(block for _, block in blocks(text, "", "console", "bash")).replace("\\\n", "")
    prose = FENCE.sub("", text)
    indented = "\n".join(re.findall(r"^ {4}(wordpl .*)$", prose, re.MULTILINE))
    for line in f"{fenced}\n{indented}".splitlines():
        found = re.match(r"\s*(?:\$ )?(wordpl .*)", line)
        if found:
            yield found[1].replace("$rule", "counted"), True
    for span in re.findall(r"`(wordpl [^`]*)`", prose):
        yield " ".join(span.split()), False


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_line_of_a_page_exists(page):
    found = [fault(line, whole) for line, whole in command_lines(text_of(page))]
    assert [line for line in found if line] == []


# Output


SHOWN = [block for block in BLOCK.findall(README.read_text("utf-8")) if block[1][:2] != "$ "]


@pytest.mark.heavy
@pytest.mark.parametrize(("line", "shown"), SHOWN)
def test_the_readme_shows_what_its_commands_print(line, shown, tmp_path, monkeypatch):
    """If this fails and the change is meant, run `python -m tests.support.shown`."""
    monkeypatch.chdir(tmp_path)
    assert timeless(output(line)) == timeless(shown)


@pytest.mark.published
def test_the_console_lines_of_the_readme_run_where_nothing_is_installed(tmp_path):
    """From a clone, in a home of their own: installation and commands, but for the server, which would not end."""
    lines = [line for _, block in blocks(README.read_text("utf-8"), "console") for line in block.splitlines()]
    commands = [line.removeprefix("$ ") for line in lines if line.startswith("$ ")]
    assert [line.split()[0] for line in commands] == ["python3", ".", "pip", *["wordpl"] * 6]
    subprocess.run(["git", "clone", "--quiet", ROOT, tmp_path / "clone"], check=True)
    kept = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    path = f"{Path(sys.base_prefix) / 'bin'}:/usr/local/bin:/usr/bin:/bin"
    script = "\n".join(["set -e", *(line for line in commands if "serve" not in line)])
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path / "clone", env={**kept, "HOME": f"{tmp_path}", "PATH": path},
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_the_game_of_the_readme_is_that_of_its_command():
    text = README.read_text("utf-8")
    rows = re.findall(r"^([A-Z]{5}) +(\d+) +(\S+) +(\S+)", text, re.MULTILINE)
    (command,) = re.findall(r"`wordpl (play\s[^`]*)`", text)
    asked = "".join(f"{guess}\n" for guess, *_ in rows)
    shown = CliRunner().invoke(app, command.split(), input=f"{asked}=diary\n").output
    for guess, _, true, noisy in rows:
        assert wordpl.clue(guess.lower(), "diary").show() == true
        assert f" {noisy}  spent" in shown
    assert "Your score is 39." in shown


MEASURED = re.compile(r"; the first game after a start, \S+ s of CPU|[\d.e-]+(?= (?:m?s|MiB)\b)|\(bubblewrap.*\)")
"""Times, memory, and what a sandbox has, in the text of an output."""


def text(cell: Any) -> str:
    """What a cell shows, without what was measured. Where a seed is secret, only the first word of each line."""
    shown = "".join(each.get("text") or each.data["text/plain"] for each in cell.get("outputs", ()))
    if "varies" in cell.metadata.get("tags", ()):
        return " ".join("".join(re.findall(r"\w+", line)[:1]) for line in shown.splitlines())
    return MEASURED.sub("", timeless(shown))


LONG = {"contestant", "player", "researcher"}
"""Those that play many games, one of them in the sandbox, or analyze with whole lists: half a minute."""


@pytest.mark.heavy
@pytest.mark.parametrize(
    "path",
    [pytest.param(path, marks=pytest.mark.published if path.stem in LONG else (), id=path.stem) for path in TUTORIALS],
)
def test_a_tutorial_shows_what_its_cells_give(path):
    committed, anew = nbformat.read(path, as_version=4).cells, executed(path).cells
    assert [text(cell) for cell in anew] == [text(cell) for cell in committed]
