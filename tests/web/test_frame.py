"""The frame around the tabs, in a browser."""

import re
import subprocess
import sys

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
    expect(page.get_by_role("navigation", name="Tabs").locator("[aria-current=page]")).to_have_text("Play")


def focused(page) -> str:
    """The name of what has the focus."""
    return page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText.trim()")


def test_the_frame_is_walked_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/contest")
    expect(page.locator("h1")).to_be_visible()
    order = ["Skip to the content", "WORDPL", "Play", "Coach", "Explore", "Analyse", "Results", "Contest",
             "How it works", "Dark", "High contrast"]  # fmt: skip
    for name in order:
        page.keyboard.press("Tab")
        assert focused(page) == name
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", name
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-palette", "contrast")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()  # the settings are kept
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-palette", "contrast")
    expect(page.locator("h1")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_a_tab_that_is_chosen_gets_the_focus(address, new_page):
    page = new_page(f"{address}/contest")
    page.get_by_role("link", name="Coach").focus()
    page.keyboard.press("Enter")
    expect(page).to_have_url(f"{address}/coach")
    expect(page.locator("#view")).to_be_focused()


def test_a_dialog_keeps_the_focus_and_gives_it_back(address, new_page):
    page = new_page(f"{address}/contest")
    page.get_by_role("button", name="How it works").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog", name="How WORDPL works")
    expect(dialog).to_be_visible()
    for _ in range(4):
        page.keyboard.press("Tab")
        # What is behind the dialog cannot be reached; the browser itself can.
        assert page.evaluate("document.activeElement === document.body || !!document.activeElement.closest('dialog')")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    expect(page.get_by_role("button", name="How it works")).to_be_focused()


def test_nothing_moves_for_those_who_want_it_so(address, new_page):
    page = new_page(f"{address}/play", reduced_motion="reduce")
    expect(page.locator(".tile").first).to_be_visible()
    moving = """[...document.querySelectorAll("*")].filter((one) => {
        const style = getComputedStyle(one);
        const times = [style.transitionDuration, style.animationDuration].join(",").split(",");
        return times.some((time) => parseFloat(time) > 0);
    }).map((one) => one.outerHTML.slice(0, 100))"""
    assert page.evaluate(moving) == []


@pytest.mark.parametrize("tab", TABS)
def test_text_of_twice_the_size_fits(address, new_page, tab):
    page = new_page(f"{address}/{tab}")
    page.set_viewport_size({"width": 640, "height": 450})  # the desktop's at 200%
    expect(page.locator("h1").first).to_be_visible()
    page.wait_for_load_state("networkidle")
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")


def serve_at(port: int) -> tuple[subprocess.Popen[str], str]:
    command = [sys.executable, "-m", "wordpl", "serve", "--port", str(port)]
    server = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    found = re.search(r"http://\S+(?=/)", server.stderr.readline())
    assert found, server.stderr.read()
    return server, found[0]


def test_a_server_that_goes_away_is_said_and_the_page_goes_on_when_it_is_back(new_page):
    server, address = serve_at(0)
    try:
        page = new_page(f"{address}/coach?row=crate:..icc:13")
        expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
        server.kill()
        server.communicate()
        page.get_by_role("link", name="Results").click()
        expect(page.locator("#offline")).to_contain_text("The server has gone away")
        expect(page.get_by_role("button", name="Try again")).to_be_visible()
        server, again = serve_at(int(address.rpartition(":")[2]))
        assert again == address
        expect(page.locator("h1")).to_have_text("Results")
        expect(page.locator("#offline")).to_be_hidden()
        # The same in the middle of a tab: what could not be had is asked for again.
        page.goto(f"{address}/coach?row=crate:..icc:13")
        expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
        server.kill()
        server.communicate()
        page.get_by_label("Ranked by").select_option(index=1)
        expect(page.locator("#offline")).to_contain_text("The server has gone away")
        server, again = serve_at(int(address.rpartition(":")[2]))
        expect(page.locator("#offline")).to_be_hidden()
        expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
        expect(page.locator(".fault:visible")).to_have_count(0)
    finally:
        server.kill()
        server.communicate()
