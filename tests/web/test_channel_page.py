"""The channel in a browser: sliders move the tile, the row and the promise; mistakes stand beside their field."""

import re

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.web.conftest import SIZES

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def address(start_server) -> str:
    return start_server() + "/explore/channel"


def panel(page: Page, heading: str):
    return page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))


def clue(page: Page) -> str:
    return panel(page, "One row").get_by_role("img").nth(1).get_attribute("aria-label")


@pytest.mark.parametrize("size", SIZES)
def test_the_slider_moves_everything(address, new_page, size):
    page = new_page(address, size)
    tile = panel(page, "One tile").locator("tbody tr").first
    expect(tile).to_contain_text("57.6%")
    expect(panel(page, "One row")).to_contain_text("All 5 marks survive with probability 6.35%")
    expect(panel(page, "What a clue can tell")).to_contain_text("0.889 bits")
    expect(panel(page, "What it promises")).to_contain_text("the promise is at most 148, and at least 1/148")
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    slider = page.get_by_label("Epsilon, slider")
    slider.press("End")
    expect(tile).to_contain_text("100%")
    expect(panel(page, "What it promises")).to_contain_text("at this epsilon nothing is promised")
    expect(page).to_have_url(f"{address}?epsilon=inf")
    assert "flipped" not in clue(page)
    slider.press("Home")
    expect(tile).to_contain_text("33.8%")
    expect(page.locator("#live")).to_have_text(re.compile("kept with probability .* 33.8%"))


def test_drawing_again_gives_other_noise_and_the_address_keeps_it(address, new_page):
    page = new_page(f"{address}?epsilon=2")
    expect(panel(page, "One row").get_by_role("img")).to_have_count(2)
    seen = {clue(page)}
    for seed in range(2, 6):
        page.get_by_role("button", name="Draw again").click()
        expect(page).to_have_url(f"{address}?epsilon=2&seed={seed}")
        seen.add(clue(page))
    assert len(seen) > 1
    shown = clue(page)
    again = new_page(page.url)
    expect(panel(again, "One row").get_by_role("img").nth(1)).to_have_attribute("aria-label", shown)


@pytest.mark.parametrize("size", SIZES)
def test_the_prior_moves_the_posterior(address, new_page, size):
    page = new_page(address, size)
    promise = panel(page, "What it promises")
    expect(promise).to_contain_text("From 50% before, haste goes to 73.1%. Any clue leaves it from 0.669% to 99.3%.")
    page.get_by_label("Probability of the answer before the clue").press("Home")
    expect(promise).to_contain_text("From 1% before")
    expect(page).to_have_url(f"{address}?prior=1")


def test_a_mistake_stands_beside_its_field_until_it_is_mended(address, new_page):
    page = new_page(address)
    answer = page.get_by_label("Answer", exact=True)
    answer.fill("castle")
    fault = page.locator(".field", has=answer).locator(".fault")
    expect(fault).to_have_text("'castle' has 6 letters, the words have 5.")
    expect(answer).to_have_attribute("aria-invalid", "true")
    answer.fill("crane")
    expect(fault).to_be_hidden()
    expect(panel(page, "What it promises")).to_contain_text("crane")
    page.get_by_label("Another answer").fill("<b>x")
    expect(page.get_by_text("has characters that are not letters").first).to_be_visible()
    assert page.locator("b").count() == 0


def test_longer_words(address, new_page):
    page = new_page(f"{address}?guess=banana&answer=castle&other=danger&epsilon=6")
    expect(panel(page, "One row")).to_contain_text("All 6 marks survive")
    expect(panel(page, "What a clue can tell")).to_contain_text("bits")


def test_fibble(address, new_page):
    page = new_page(address)
    page.get_by_label("Channel", exact=True).select_option("fibble")
    expect(panel(page, "One tile")).to_contain_text("A mark is kept with probability 80%")
    expect(page.get_by_label("Epsilon, slider")).to_be_hidden()
    expect(panel(page, "One row").locator(".tile.flipped")).to_have_count(1)
    expect(page).to_have_url(f"{address}?channel=fibble")


@pytest.mark.parametrize("query", ["epsilon=-1&seed=x&prior=500&channel=none", "epsilon=1e99&seed=-1&prior=<b>"])
def test_an_address_that_makes_no_sense_shows_the_usual(address, new_page, query):
    page = new_page(f"{address}?{query}")
    expect(panel(page, "One tile").locator("tbody tr").first).to_contain_text("57.6%")
    expect(panel(page, "What it promises")).to_contain_text("From 50% before")


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_nothing(address, new_page, size, scheme):
    page = new_page(address, size, color_scheme=scheme)
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
