"""A report in a browser: it loads nothing, its curves can be read in every way, and names in it do nothing."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.contests import NASTY, name_nastily
from tests.support.helpers import SMALL
from tests.support.pages import faults
from tests.web.conftest import SPECS
from wordpl import Store, make_task, parse_strategy, sweep, write_report


@pytest.fixture(scope="module")
def reports(tmp_path_factory) -> dict[str, Path]:
    """Reports on a run, and on one whose names are nasty."""
    folder = tmp_path_factory.mktemp("reports")
    with Store(folder / "run.sqlite", command="wordpl sweep") as store:
        sweep([make_task(parse_strategy(spec), words=SMALL) for spec in SPECS], 40, store=store)
        write_report(store, folder / "run.html")
    name_nastily(folder / "run.sqlite", NASTY[:5])
    with Store(folder / "run.sqlite") as store:
        write_report(store, folder / "nasty.html", title=NASTY[0])
    return {path.stem: path for path in folder.glob("*.html")}


@pytest.fixture
def opened(reports, new_page):
    """Open a report without a network; returns the page and what it asked for beside itself."""

    def open_report(name: str, size: str = "desktop", **options) -> tuple[Page, list[str]]:
        page, asked = new_page("about:blank", size, offline=True, **options), []
        page.on("console", lambda said: asked.append(said.text))
        page.on("request", lambda request: asked.append(request.url))
        page.goto(reports[name].as_uri())
        asked.remove(reports[name].as_uri())
        return page, asked

    return open_report


LOOKS = [("run", "phone", "light"), ("nasty", "phone", "dark")]


@pytest.mark.parametrize(("name", "size", "scheme"), LOOKS)
def test_axe_finds_nothing_and_nothing_is_loaded(opened, name, size, scheme):
    page, asked = opened(name, size, color_scheme=scheme)
    assert faults(page) == []
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 0, f"{wide} pixels too wide"
    assert asked == []
    assert page.title() != "owned"
    expect(page.locator("figure .plot > svg").first).to_be_visible()
    expect(page.locator("img, iframe, object, main script:not(.pictures), [onerror], [onload]")).to_have_count(0)


def plot(page: Page, name: str):
    return page.locator(f'figure[data-panel="{name}"] .plot')


def test_a_curve_is_hidden_and_a_point_says_its_figures(opened):
    page, _ = opened("run")
    curves = plot(page, "wins").locator(".curve")
    button = page.get_by_role("button", name="Greedy()")
    expect(curves).to_have_count(2)
    button.click()
    expect(curves).to_have_count(1)
    expect(button).to_have_attribute("aria-pressed", "false")
    button.click()
    expect(curves).to_have_count(2)
    wins = plot(page, "wins")
    wins.locator(".mark").first.hover()
    expect(wins.locator(".tip")).to_contain_text("Greedy(), epsilon 12: won 0.")
    slider = wins.get_by_role("slider")
    for key, said in (
        ("End", "TwoGuess(), epsilon 20"),
        ("ArrowUp", "Greedy(), epsilon "),
        ("Home", "Greedy(), epsilon 12"),
    ):
        slider.press(key)
        expect(slider).to_have_attribute("aria-valuetext", re.compile("^" + re.escape(said)))
        expect(wins.locator(".tip")).to_contain_text(said)
    slider.press("Escape")
    expect(wins.locator(".tip")).to_be_hidden()
