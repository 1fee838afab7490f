"""The tutorials show what their commands print, whoever runs them."""

import re
from typing import Any

import nbformat
import pytest

from docs._pages import TUTORIALS, notebook_page
from tests.support.notebooks import executed
from tests.support.shown import timeless

MOST_CELLS = 15
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


@pytest.mark.parametrize("path", TUTORIALS, ids=lambda path: path.stem)
def test_a_tutorial_is_short_and_its_page_shows_its_output(path):
    cells = nbformat.read(path, as_version=4).cells
    page, pictures = notebook_page(path)
    assert len(cells) <= MOST_CELLS
    assert all(each.get("text", "").rstrip() in page for cell in cells for each in cell.get("outputs", ()))
    assert all(picture.startswith(b"\x89PNG") and f"]({name})" in page for name, picture in pictures.items())
