"""The contest in a browser, on a desktop and on a phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.contests import CODE, NASTY
from tests.support.pages import follow
from wordpl.contest import write_template

LONG = 120_000
"""Milliseconds for what the machine has to do beside other work."""


def fits(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# The leaderboard and an entry.


def test_the_leaderboard_leads_to_an_entry(address, new_page, contest):
    page = new_page(f"{address}/contest", "phone")
    rows = page.get_by_role("table").first.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Ann")
    expect(rows.first).to_contain_text("10.4")
    expect(rows.nth(1)).to_contain_text("listed record")  # by budget, between Ann and Bob
    expect(page.get_by_text("Dan is running")).to_be_visible()
    page.get_by_role("link", name="Win 95%").click()
    expect(page).to_have_url(re.compile("percentile=95"))
    page.get_by_label("Name or id").fill("bob")
    expect(rows).to_have_count(2)
    page.get_by_label("Name or id").fill("")
    expect(rows).to_have_count(3)
    page.get_by_role("table").first.get_by_role("link", name="Ann", exact=True).click()
    expect(page).to_have_url(f"{address}/contest/entry/{contest[1]['Ann']}")
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    standings = page.get_by_role("region", name="Standings").locator("tbody tr")
    expect(standings).to_have_count(3)
    for row in standings.all_inner_texts():  # beside the posterior win rate, what was won is of what was played
        share, wins, trials = re.search(
            r"([\d.]+)%: (\d+) of (\d+)", row.replace(",", "").replace("0: 0", "0%: 0")
        ).groups()
        assert float(share) == pytest.approx(100 * int(wins) / int(trials), rel=0.01)
    expect(page.locator(".plot .curve").first).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="SVG of Win rate against budget")).to_be_visible()
    author = page.get_by_role("link", name="Ann of <b>A</b>")
    expect(author).to_have_attribute("href", "https://example.org/ann?a=b&c=d")
    expect(author).to_have_attribute("rel", re.compile("noopener.*nofollow"))
    page.get_by_text("mine.py").click()
    expect(page.get_by_role("region", name="Source of mine.py")).to_have_text(f"{CODE}# Ann".replace("\t", "    "))
    for name, part in {"Save the log: every game, move by move": "log", "Save it": "source/0"}.items():
        link = f"/api/contest/entries/{contest[1]['Ann']}/{part}"
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("href", link)


def test_the_board_has_the_template_and_tells_how_to_hand_in(address, new_page, tmp_path):
    page = new_page(f"{address}/contest")
    with page.expect_download() as download:
        page.get_by_role("link", name="template").click()
    path = tmp_path / "template.py"
    write_template(path)  # but for where the file lies
    assert path.read_text().replace(str(path), "my_strategy.py") == Path(download.value.path()).read_text()
    expect(page.get_by_text("The organiser says: Mail <b>it</b> to ann@example.org")).to_be_visible()


def test_entries_without_a_result_say_why(address, new_page, contest):
    page = new_page(f"{address}/contest/entry/{contest[1]['Dan']}")
    expect(page.get_by_text("Nothing of its games is shown before the run is over.")).to_be_visible()
    for heading in ("Standings", "Verdicts", "Win rate against budget"):
        expect(page.get_by_role("heading", name=heading)).to_have_count(0)
    follow(page, f"/contest/entry/{contest[1]['Fay']}")
    expect(page.get_by_text("At start: it raised ValueError: <i>no</i>.")).to_be_visible()
    assert page.goto(f"{address}/contest/entry/0123456789ab").status == 404
    expect(page.get_by_text("The contest has no entry with this id.")).to_be_visible()


def test_nothing_that_a_contestant_chose_acts_on_the_page(start_server, nasty, new_page):
    site = start_server("--ledger", nasty[0])
    page = new_page(f"{site}/coach", "phone")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    foreign = []
    page.on("request", lambda asked: foreign.append(asked.url) if not asked.url.startswith(site) else None)
    for at in ("", *(f"/entry/{identity}" for identity in nasty[1])):
        follow(page, f"/contest{at}")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        expect(page.locator("table").first).to_be_visible()
        if at:
            expect(page.locator(".plot .curve").first).to_be_visible(timeout=LONG)
        else:
            expect(page.get_by_text(NASTY[0], exact=True).first).to_be_visible()
        expect(page.locator("main :is(script, img, iframe, textarea, [onload], [onerror])")).to_have_count(0)
        assert page.evaluate("[...document.links].every((link) => link.origin === location.origin)")
        fits(page)
        assert not re.search("[\u202e\u200b\ufeff\x00\x1b]", page.locator("main").inner_text())
        assert page.title() != "owned"
    assert foreign == []
