"""The contest in a browser, on a desktop and on a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from tests.support.contests import NASTY, make_nasty
from tests.support.pages import WIDE, expect_none, follow, numbers_of, shown
from wordpl import parse_strategy
from wordpl.contest import write_template
from wordpl.contest.records import MARGIN
from wordpl.simulation import known_frontier
from wordpl.simulation.known_budgets import RECORDS

COVERED = """[...document.querySelectorAll(".stage .mark")].filter((mark) => {
    const { left, right, top, bottom } = mark.getBoundingClientRect();
    return document.elementsFromPoint((left + right) / 2, (top + bottom) / 2).some((one) => one.matches(".name"));
}).length"""


def test_the_board_is_by_budget_follows_its_fields_and_has_the_template(address, new_page, tmp_path):
    """`test_views.py` has what its texts say of each number."""
    page = new_page(f"{address}/contest", "phone")
    rows = page.get_by_role("table").first.locator("tbody tr")
    expect(rows).to_have_text([re.compile(name) for name in ("Ann.*10.4", "listed record", "Cat", "Bob")])
    for width in (1440, 360):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.get_by_role("navigation", name="Tabs").get_by_role("link").last).to_be_in_viewport(ratio=1)
        expect(page.locator(".stage .mark")).to_have_count(3)
        expect_none(page, COVERED, f"records under a name at {width}")
    expect(page.locator("p.standing")).to_have_text(
        f"The record that the contest lists for 5%: 15.6. To beat it, reach {15.6 * (1 - MARGIN):.6g} or less,"
        f" {100 * MARGIN:.4g}% below. The best known strategy needs {parse_strategy('Fifth()').total:.4g}."
    )
    expect(page.get_by_text("is open: 100 games played so far")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="template").click()
    path = tmp_path / "template.py"
    write_template(path)  # but for where the file lies
    assert path.read_text().replace(str(path), "my_strategy.py") == Path(download.value.path()).read_text()
    first_move = path.read_text().partition("def first_move")[2]
    move = next(line.strip() for line in first_move.split("\n") if line.strip().startswith("return "))
    expect(page.get_by_text("whose first move is")).to_contain_text(f"{move}: a word to ask")
    expect(page.get_by_text("The organiser says: Mail <b>it</b> to ann@example.org")).to_be_visible()
    page.get_by_label("Name or id").fill("bob")
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="Win 50%").click()
    expect(page).to_have_url(re.compile("percentile=50&match=bob"))
    expect(page.get_by_label("Name or id")).to_have_value("bob")
    page.get_by_label("Name or id").fill("")
    expect(rows).to_have_count(4)
    author = page.get_by_role("link", name="Ann of <b>A</b>")
    expect(author).to_have_attribute("href", "https://example.org/ann?a=b&c=d")
    records = ", ".join(f"{100 * rate:g}% for {budget:g}" for rate, budget in RECORDS.items())
    points = numbers_of(page.get_by_role("figure", name=f"the records win {records}."))
    for at, name, curve in ((0, "the bound", "bound"), (99, "smallest known", "best")):
        budget = shown(known_frontier()[curve][0], 6)
        expect(points.nth(at).locator("td")).to_have_text([name, budget, "0.01", "–", "–"])


def test_nothing_that_a_contestant_chose_acts_on_the_page(served, tmp_path, new_page):
    make_nasty(tmp_path / "contest.sqlite")
    site = served("--ledger", tmp_path / "contest.sqlite").address
    page = new_page(f"{site}/coach", "phone")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    foreign = []
    page.on("request", lambda asked: foreign.append(asked.url) if not asked.url.startswith(site) else None)
    follow(page, "/contest")
    expect(page.locator("[aria-busy]")).to_have_count(0)
    expect(page.get_by_text(NASTY[0], exact=True).first).to_be_visible()
    expect(page.locator("main :is(script, img, iframe, textarea, [onload], [onerror])")).to_have_count(0)
    expect_none(page, "[...document.links].filter(({ origin }) => origin !== location.origin).length", "foreign links")
    expect_none(page, WIDE, "pixels too wide")
    expect(page.locator("main")).not_to_contain_text(re.compile("[\u202e\u200b\ufeff\x00\x1b]"))
    expect(page).to_have_title("Contest · WORDPL")
    assert foreign == []
