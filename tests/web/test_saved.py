"""Pictures and tables as files, titles for bookmarks, and paper."""

import csv
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.support.pages import end_of, give_up, played, typed
from wordpl import Store
from wordpl.base.sanitizing import csv_cell
from wordpl.simulation import WIN_RATES, known_frontier
from wordpl.simulation.outcomes import read_outcomes

SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, kind: str, name: str) -> bytes:
    """The file that a button gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name=f"{kind} of {name}", exact=True).click()
    assert re.fullmatch(rf"wordpl-[a-z-]+\.{kind.lower()}", download.value.suggested_filename)
    return Path(download.value.path()).read_bytes()


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(content.decode().splitlines()))


def check_picture(page: Page, name: str, *texts: str) -> None:
    """A picture is saved whole, with its title and these texts, and needs nothing of the page."""
    picture = saved(page, "SVG", name).decode()
    assert "var(" not in picture and 'height="100%" fill="#ffffff"' in picture
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own
    assert {name, *texts} <= {text.text for text in root.iter(f"{SVG}text")}
    content = saved(page, "PNG", name)
    assert content.startswith(b"\x89PNG") and len(content) > 5000
    sides = [int.from_bytes(content[at : at + 4]) for at in (16, 20)]
    assert sides == [2 * float(root.attrib[side]) for side in ("width", "height")]  # sharp on a good screen
    assert (root.attrib["width"], root.attrib["height"]) == ("824", "557")  # with two lines above, and a margin
    (inner,) = root.findall(f"{SVG}svg")
    assert [float(inner.attrib[name]) for name in ("width", "height")] == [800, 480]  # on every screen


def test_the_frontier_goes_home_with_all_its_digits(address, new_page):
    page = new_page(f"{address}/explore/frontier?rate=5")
    expect(page.locator(".plot .curve").first).to_be_visible()
    frontier = known_frontier()
    points = rows_of(saved(page, "CSV", "The frontier"))
    assert points[0] == ["curve", "budget", "games won", "low", "high"]
    best = [(float(x), float(y)) for curve, x, y, *_ in points if curve == "smallest known"]
    assert best == list(zip(frontier["best"], WIN_RATES, strict=True))
    budgets = {row[0]: float(row[1]) for row in rows_of(saved(page, "CSV", "Budgets at the chosen win rate"))[1:]}
    assert budgets["the bound"] == pytest.approx(frontier["bound"][WIN_RATES.index(0.05)], rel=1e-12)


def test_results_and_a_story_go_home(address, new_page, files, play):
    page = new_page(f"{address}/results?file=first.sqlite")
    head, *rows = rows_of(saved(page, "CSV", "Statistics"))
    with Store(files[0], read_only=True) as store:
        expected = sorted(outcome.win_rate for outcome in read_outcomes(store))
    assert sorted(float(row[head.index("win rate")]) for row in rows) == expected
    assert head[:5] == ["strategy", "epsilon", "mean budget", "trials", "win rate"] and len(rows) == 5
    assert [row[head.index("p95")] for row in rows].count("inf") >= 2
    page = play("?kind=wordle", color_scheme="dark")
    for asks, word in enumerate(("crate", "sloth"), 1):  # which leave few answers, so that the game is quickly analyzed
        typed(page, word)
        expect(played(page)).to_have_count(asks)
    give_up(page)
    expect(end_of(page)).to_be_visible()
    check_picture(page, "Story of the game", "best bet", "the answer", "guesses")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # as before


def test_a_cell_is_no_formula_and_keeps_its_digits(page):
    texts = ["=1+1", "+x", "-x", "@a", "\u2212x", " =x", "'=x", "＝x", "\t=x", "a,b", 'a"b', "x\ny", "e\u202e", "crate"]
    numbers = [1 / 3, -5, 1e-12, 2000000]
    page.evaluate(
        """async (row) => {
          const { savingRows } = await import("/static/save.js");
          document.body.append(savingRows("cells", () => [[...row, Infinity, null]]));
        }""",
        [*texts, *numbers],
    )
    (row,) = rows_of(saved(page, "CSV", "cells"))
    assert row[: len(texts)] == [csv_cell(text) for text in texts]
    assert [float(cell) for cell in row[len(texts) : -2]] == numbers
    assert row[-2:] == ["inf", ""] and math.isinf(float(row[-2]))
