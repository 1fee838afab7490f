"""A report in a browser: it loads nothing, and its curves can be read in every way."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.helpers import SMALL
from tests.support.pages import WIDE, expect_none, faults
from tests.web.conftest import SPECS
from wordpl import Store, make_task, parse_strategy, sweep, write_report


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> str:
    """The address of a report on a run."""
    folder = tmp_path_factory.mktemp("reports")
    with Store(folder / "run.sqlite", command="wordpl sweep") as store:
        sweep([make_task(parse_strategy(spec), words=SMALL) for spec in SPECS], 40, store=store)
        write_report(store, folder / "run.html")
    return (folder / "run.html").as_uri()


def test_axe_finds_nothing_and_nothing_is_loaded(report, new_page):
    page, asked = new_page("about:blank", "phone", offline=True, color_scheme="dark"), []
    page.on("console", lambda said: asked.append(said.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report)
    assert faults(page) == []
    expect_none(page, WIDE, "pixels too wide")
    assert asked == [report]


def plot(page: Page, name: str):
    return page.locator(f'figure[data-panel="{name}"] .plot')


def test_a_curve_is_hidden_and_a_point_says_its_figures(report, new_page):
    page = new_page(report, has_touch=True)
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
    for place, says in ((wins.locator(".mark").last, 1), (wins.locator("text").first, 0)):
        place.tap()  # what is tapped stays; a tap on anything else takes it away
        expect(wins.locator(".tip:visible")).to_have_count(says)
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
