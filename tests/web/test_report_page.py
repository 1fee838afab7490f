"""A report in a browser: it loads nothing, its curves can be read in every way, and names in it do nothing."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.helpers import SMALL
from tests.web.ledgers import NASTY, make_nasty
from tests.web.test_axe import SIZES, faults
from wordpl import Ledger, Store, make_task, parse_strategy, sweep, write_report

SPECS = ("TwoGuess(5)", "TwoGuess(20)", "Greedy(9)", "Greedy(20)", "Greedy(inf)")


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Path]:
    """Reports on a run, on one whose names are nasty, and on a nasty contest."""
    folder = tmp_path_factory.mktemp("reports")
    with Store(folder / "run.sqlite", command="wordpl sweep", study="a = 1\n<b>\n") as store:
        sweep([make_task(parse_strategy(spec), words=SMALL) for spec in SPECS], 40, store=store)
        write_report(store, folder / "run.html")
    with sqlite3.connect(folder / "run.sqlite") as database:
        for key, text in enumerate(NASTY[:5], 1):
            database.execute("UPDATE tasks SET strategy = ?, family = ?, words = ? WHERE key = ?", (*[text] * 3, key))
    with Store(folder / "run.sqlite") as store:
        write_report(store, folder / "nasty.html", title=NASTY[0])
    make_nasty(folder / "contest.sqlite")
    with Ledger(folder / "contest.sqlite", read_only=True) as ledger:
        write_report(ledger, folder / "contest.html")
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture
def opened(reports, browser):
    """Open a report without a network; returns the page and what it asked for beside itself."""
    contexts, errors = [], []

    def open_report(name: str, size: str = "desktop", **options) -> tuple[Page, list[str]]:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, offline=True, **options)
        contexts.append(context)
        page, asked = context.new_page(), []
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(reports[name].as_uri())
        asked.remove(reports[name].as_uri())
        return page, asked

    yield open_report
    for context in contexts:
        context.close()
    assert not errors


def drawn(page: Page) -> None:
    """Wait until all curves are interactive."""
    expect(page.locator(".live .main-svg").first).to_be_visible()
    charts = page.locator("figure").count()
    expect(page.locator("figure.drawn .live .main-svg:first-child")).to_have_count(charts)


LOOKS = [
    ("run", "phone", "light"),
    ("run", "desktop", "dark"),
    ("nasty", "phone", "dark"),
    ("contest", "phone", "light"),
]


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "size", "scheme"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_loaded(opened, name, size, scheme):
    page, asked = opened(name, size, color_scheme=scheme)
    drawn(page)
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} pixels too wide"
    assert asked == []
    assert page.title() != "owned"
    expect(page.locator("img, iframe, object, main script, [onerror], [onload]")).to_have_count(0)


@pytest.mark.heavy
def test_a_curve_can_be_hidden_and_shown_again(opened):
    page, _ = opened("run")
    drawn(page)
    lines = page.locator('figure[data-chart="wins"] .live .scatterlayer .trace')
    expect(lines).to_have_count(2)
    button = page.get_by_role("button", name="Greedy()")
    button.click()
    expect(lines).to_have_count(1)
    expect(button).to_have_attribute("aria-pressed", "false")
    page.emulate_media(media="print")
    expect(page.locator('figure[data-chart="wins"] .static [data-look="0"]')).to_be_hidden()
    page.emulate_media(media="screen")
    button.click()
    expect(lines).to_have_count(2)


@pytest.mark.heavy
def test_a_point_tells_its_figures_and_no_button_sends_a_chart_away(opened):
    page, asked = opened("run")
    drawn(page)
    wins = page.locator('figure[data-chart="wins"]')
    wins.scroll_into_view_if_needed()
    wins.locator(".scatterlayer .point").first.hover(force=True)
    told = wins.locator(".hovertext tspan")
    expect(told.nth(1)).to_have_text(re.compile(r"epsilon \d+: won [\d.]+ \[[\d.]+, [\d.]+\]"))
    # A style of the page's own made such a text transparent once.
    assert "none" not in told.evaluate_all("all => all.map((one) => getComputedStyle(one).fill)")
    buttons = wins.locator(".modebar-btn").evaluate_all("all => all.map((one) => one.dataset.title)")
    assert buttons == ["Download plot as a PNG", "Zoom", "Pan", "Reset axes"]
    with page.expect_download() as download:
        wins.locator(".modebar-btn").first.click(force=True)
    assert download.value.path().read_bytes().startswith(b"\x89PNG")
    assert all(address.startswith(("blob:", "data:")) for address in asked)


@pytest.mark.heavy
def test_paper_has_pictures_in_place_of_what_moves(opened):
    page, _ = opened("run", color_scheme="dark")
    drawn(page)
    page.emulate_media(media="print")
    page.set_viewport_size({"width": 703, "height": 1000})  # A4 less the margins, at 96 pixels an inch
    assert page.evaluate("document.documentElement.scrollWidth") <= 703
    expect(page.locator(".live").first).to_be_hidden()
    expect(page.locator("nav")).to_be_hidden()
    pictures = page.locator(".static")
    for i in range(pictures.count()):
        expect(pictures.nth(i)).to_be_visible()
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"


@pytest.mark.heavy
def test_without_scripts_all_is_there(opened):
    page, _ = opened("run", java_script_enabled=False)
    expect(page.locator(".live")).to_have_count(0)
    expect(page.locator(".static")).to_have_count(page.locator("figure").count())
    expect(page.locator(".static").first).to_be_visible()
    expect(page.get_by_role("region", name="Figures of each task")).to_contain_text("TwoGuess()")
