"""What prose names in backticks is there: paths, names of ours, and names of other libraries."""

import builtins
import functools
import keyword
import pkgutil
import re
from pathlib import Path

import pytest

from wordpl.scoring.criteria import CRITERIA

pytestmark = pytest.mark.heavy

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    {*ROOT.glob("docs/**/*.md"), *ROOT.glob("wordpl/**/PROVENANCE.md"), ROOT / "README.md", ROOT / "CONTRIBUTING.md"}
)
FOLDERS_OF_CODE = ("wordpl", "strategies", "experiments", "benchmarks", "tests")
KINDS = (".py", ".yml", ".toml", ".js", ".csv", ".html", ".txt", "")
CODE = sorted(path for folder in FOLDERS_OF_CODE for path in (ROOT / folder).rglob("*.py"))

ENDINGS = "py|pyi|md|toml|css|js|yml|lock|csv|png|txt|tree|json|jsonl"
PATH = re.compile(rf"[\w.-]+(?:/[\w.-]+)+/?|[\w-]+/|[\w-]+\.(?:{ENDINGS})")
UNQUOTED = re.compile(rf"(?<![\w./:`-])(?:[\w-]+/)+[\w-]+\.(?:{ENDINGS})\b")
NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*(?:\([^()]*\))?")

# What a reader has, what a run or a build writes, files of other repositories, and names of other programs' own.
NOT_OURS = re.compile(
    r"(.*/)?(MODULE|NAME|FILE|run|study|strategy|twice|pipe|venv|pip|my_strategy|my_words|easy_words)(\.data)?\.\w+"
    r"|(results|build|dist)/.*|reference/cli.md|wordpl/games.key|evaluate\.py|(answers|valid|guesses|allowed)\.txt"
    r"|asm.*\.h|wordle/data/.*|6zs/.*|src/.*|\d+/\d+"
    r"|strategies\.utils|Dispatcher\._cache|pull_request_target|source_(bash|zsh|fish)"
    r"|NO_COLOR|NUMBA_DISABLE_JIT|_WORDPL_COMPLETE"
)
IN_MATHEMATICS = {"docs/converse.md", "docs/fibble.md", "docs/privacy.md"}
"""Pages whose symbols stand in backticks."""

PROSE = re.compile(r'(^ *)?"""((?:.|\n)*?)"""|(#.*)', re.MULTILINE)
"""Docstrings, which begin a line, other long texts, and comments."""


def prose(path: Path) -> str:
    """The text of a page without its blocks of code, or the docstrings and comments of a module."""
    text = path.read_text("utf-8")
    if path.suffix == ".md":
        return re.sub(r"^( *)```.*?^\1```$", "", text, flags=re.MULTILINE | re.DOTALL)
    return "\n".join(found[2] or found[3] for found in PROSE.finditer(text) if found[1] is not None or found[3])


def quoted(path: Path) -> list[str]:
    """What stands in backticks, and paths with a folder that stand without."""
    text = prose(path)
    names = [" ".join(text.split()) for text in re.findall(r"(?<!`)`([^`]+)`(?!`)", text)]
    return [*names, *UNQUOTED.findall(text)]


@functools.cache
def known() -> frozenset[str]:
    """Every name and every word of a text in the code of the project, and in its files that are not Python."""
    words: set[str] = {*dir(builtins), *keyword.kwlist, *keyword.softkwlist}
    files = [path for folder in (*FOLDERS_OF_CODE, "docs", ".github") for path in (ROOT / folder).rglob("*")]
    for path in [*files, ROOT / "pyproject.toml", ROOT / "Makefile"]:
        words |= {path.stem, path.name}
        if path.is_file() and path.suffix in KINDS and path != Path(__file__):
            text = path.read_text("utf-8")
            words |= set(re.findall(r"\w+", PROSE.sub("", text) if path.suffix == ".py" else text))
    return frozenset(words)


def resolves(name: str) -> bool:
    """Whether a dotted name is that of a module or of something in one."""
    try:
        return pkgutil.resolve_name(name) is not None
    except (ImportError, AttributeError, ValueError):
        return False


def is_there(text: str, near: Path) -> bool:
    """Whether what a page or module says at `near` names something that exists."""
    if NOT_OURS.fullmatch(text) or (str(near.relative_to(ROOT)) in IN_MATHEMATICS and not UNQUOTED.fullmatch(text)):
        return True
    if PATH.fullmatch(text):
        tops = [ROOT, ROOT / "wordpl", ROOT / "experiments/tables", ROOT / ".github/workflows", *near.parents]
        return any((top / text).exists() for top in tops)
    if not NAME.fullmatch(text):
        return True
    name = text.partition("(")[0]
    if name.startswith("wordpl."):
        return resolves(name) or name in (ROOT / "pyproject.toml").read_text("utf-8")
    return {*name.split(".")} <= known() or resolves(name)


@pytest.mark.parametrize("folder", ["pages", *FOLDERS_OF_CODE])
def test_what_prose_names_is_there(folder):
    paths = PAGES if folder == "pages" else [path for path in CODE if (ROOT / folder) in path.parents]
    found = [(str(path.relative_to(ROOT)), text) for path in paths for text in quoted(path)]
    assert len(found) > 10
    assert [(path, text) for path, text in found if not is_there(text, ROOT / path)] == []


def test_the_glossary_has_each_criterion():
    text = (ROOT / "docs/glossary.md").read_text("utf-8")
    assert [name for name in CRITERIA if f"`{name}`" not in text] == []
