"""What README, docs and docstrings show works: Python examples run, commands exist, and both give the output shown."""

from __future__ import annotations

import doctest
import importlib
import json
import re
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import typer
from typer.testing import CliRunner

from docs._pages import run_notebook
from tests.support.commands import FENCE, blocks
from tests.support.shown import BLOCK, README, output, timeless
from wordpl.base.errors import WordplError
from wordpl.cli import app
from wordpl.cli.commands import mistake

ROOT = Path(__file__).parents[1]
TABLES = ("experiments/tables/README.md", "experiments/tables/published_heuristics.md")
OTHERS = ("README.md", "CONTRIBUTING.md", "wordpl/model/data/PROVENANCE.md", *TABLES)
TUTORIAL = ROOT / "docs" / "tutorial.ipynb"
PAGES = sorted([*(ROOT / name for name in OTHERS), *(ROOT / "docs").rglob("*.md"), TUTORIAL])
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


@pytest.mark.parametrize("module", MODULES)
def test_the_examples_in_docstrings_give_what_they_show(module):
    result = doctest.testmod(importlib.import_module(module))
    assert result.attempted > 0 and result.failed == 0


# The tutorial


@pytest.mark.heavy
def test_the_tutorial_runs_and_shows_what_its_text_says():
    page, pictures = run_notebook(TUTORIAL)
    shown = [block for _, block in blocks(page, "text")]
    assert [block for block in ("(2315, 12972)\n", "..icc\n", "(18.0, inf)\n", "3000\n") if block not in shown] == []
    assert "('baste', 0.0501" in page  # "right only one time in twenty"
    assert re.search(r"proposed (\w+) - the answer is \1 - budget 39", page)
    assert [picture.startswith(b"\x89PNG") for picture in pictures.values()] == [True]
    assert all(f"]({name})" in page for name in pictures)


def test_the_tutorial_is_kept_without_output():
    cells = json.loads(TUTORIAL.read_text("utf-8"))["cells"]
    assert all(not cell.get("outputs") and cell.get("execution_count") is None for cell in cells)


# Commands

ROOT_COMMAND = typer.main.get_command(app)
MADE_UP = re.compile(r"[A-Z]{3,}|…|\.\.\.$")
"""Where a page stands for something else, as in `wordpl contest audit --against COPY`, its value is not looked at."""


def command_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Every command line in a page, and whether it is whole: in the text, a command may be named alone."""
    fenced = "".join(block for _, block in blocks(text, "", "console", "bash"))
    prose = FENCE.sub("", text)
    indented = "\n".join(re.findall(r"^ {4}(wordpl .*)$", prose, re.MULTILINE))
    for line in f"{fenced}\n{indented}".splitlines():
        found = re.match(r"(?:\$ )?(wordpl .*)", line)
        if found:
            yield found[1], True
    for span in re.findall(r"`(wordpl [^`]*)`", prose):
        yield " ".join(span.split()), False


def fault(line: str, whole: bool) -> str | None:
    """What is wrong with a command line; None if nothing is."""
    words = shlex.split(line, comments=True)[1:]
    command: Any = ROOT_COMMAND
    path = "wordpl"
    while words and hasattr(command, "commands"):
        if words[0].startswith("-") or MADE_UP.fullmatch(words[0]):
            break
        name = words.pop(0)
        if name not in command.commands:
            return f"{line!r}: {path} has no command {name!r}"
        command, path = command.get_command(None, name), f"{path} {name}"
    if not words and not whole:
        return None
    ends = ("--help", "--version", "--install-completion", "--show-completion")
    if any(word in ends for word in words) or MADE_UP.fullmatch(" ".join(words)):
        return None
    try:
        if extra := command.make_context(path, words, resilient_parsing=False).args:
            return f"{line!r}: too many arguments: {extra}"
    except (typer.exceptions.TyperException, WordplError) as error:
        message = str(error) if isinstance(error, WordplError) else mistake(error)
        if whole or not ("is missing" in message or MADE_UP.search(line)):
            return f"{line!r}: {message}"
        # What is left out or made up is no fault; an option that does not exist is.
        if "has no option" in message:
            return f"{line!r}: {message}"
    return None


@pytest.mark.parametrize("page", PAGES, ids=named)
def test_every_command_line_of_a_page_exists(page):
    found = [fault(line, whole) for line, whole in command_lines(text_of(page))]
    assert [line for line in found if line] == []


def test_pages_show_commands():
    shown = {line.split()[1] for page in PAGES for line, _ in command_lines(text_of(page))}
    assert set(ROOT_COMMAND.commands) <= shown


@pytest.mark.parametrize(
    ("line", "whole", "expected"),
    [
        ("wordpl skore 'Greedy()'", True, "no command 'skore'"),
        ("wordpl score", True, "STRATEGY is missing"),
        ("wordpl score --trails", False, "has no option"),
        ("wordpl score 'Greedy()' --trials many", True, "many"),
        ("wordpl score SPEC", False, None),
    ],
)
def test_faults_of_command_lines_are_found(line, whole, expected):
    found = fault(line, whole)
    assert found is None if expected is None else found is not None and expected in found


# Output


WITH_OUTPUT = (README, *(ROOT / "docs" / "how-to" / name for name in ("compare.md", "wordle.md")))
SHOWN = [block for page in WITH_OUTPUT for block in BLOCK.findall(page.read_text("utf-8")) if block[1][:2] != "$ "]


@pytest.mark.heavy
@pytest.mark.parametrize(("line", "shown"), SHOWN)
def test_a_page_shows_what_its_commands_print(line, shown, tmp_path, monkeypatch):
    """If this fails and the change is meant, run `python -m tests.support.shown`, with the page unless it is README."""
    monkeypatch.chdir(tmp_path)
    assert timeless(output(line)) == timeless(shown)


@pytest.mark.heavy
def test_the_commands_of_the_readme_run(tmp_path, monkeypatch):
    """Those of the quick start that show no output, without the server, and those on other games."""
    monkeypatch.chdir(tmp_path)
    start, others = (README.read_text("utf-8").partition(f"## {name}\n")[2] for name in ("Quick start", "Other games"))
    quick = [line for line, _ in command_lines(start.partition("\n`score` prints")[0])]
    assert [line.split()[1] for line in quick] == ["score", "new", "score", "serve"]
    other = [line for line, _ in command_lines(others.partition("\n## ")[0])]
    assert len(other) == 4
    for line in [*quick[1:-1], *other]:
        if line == "wordpl tree optimal":
            continue  # 10 s; tests/cli/test_tree.py runs it for an opener
        words = shlex.split(line, comments=True)[1:]
        words += ["--trials", "10"] if "mine.py" in words and words[0] == "score" else []
        done = CliRunner().invoke(app, words, input="quit\n")
        assert (line, done.exit_code) == (line, 0), done.output


def test_the_readme_is_short_and_shows_one_output():
    text = README.read_text("utf-8")
    assert len(text.splitlines()) <= 140
    assert len(BLOCK.findall(text)) == 1
