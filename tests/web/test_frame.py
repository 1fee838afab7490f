"""The frame around the tabs, in a browser."""

import pytest
from playwright.sync_api import expect

from wordpl.web.app import TABS

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module")
def address(start_server) -> str:
    return start_server()


@pytest.mark.parametrize("tab", TABS)
def test_each_tab_is_shown_at_its_own_address(address, new_page, tab):
    page = new_page(f"{address}/{tab}")
    current = page.get_by_role("navigation", name="Tabs").locator("[aria-current=page]")
    expect(current).to_have_attribute("href", f"/{tab}")
    expect(page.locator("h1").first).to_have_text(current.inner_text())


def test_a_first_visit_explains_the_game_in_three_pictures_and_a_second_does_not(address, browser):
    context = browser.new_context()
    page = context.new_page()
    page.goto(address)
    dialog = page.get_by_role("dialog", name="How WORDPL works")
    expect(dialog.locator("section")).to_have_count(3)
    dialog.get_by_role("button", name="Play").click()
    expect(dialog).to_have_count(0)
    page.reload()
    expect(page.locator("h1").first).to_be_visible()
    expect(dialog).to_have_count(0)
    context.close()


def test_back_returns_to_the_tab_before(address, new_page):
    page = new_page(f"{address}/play")
    page.get_by_role("link", name="Coach").click()
    expect(page).to_have_url(f"{address}/coach")
    page.go_back()
    expect(page.locator("nav a[aria-current=page]")).to_have_text("Play")
