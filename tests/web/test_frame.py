"""The frame around the tabs, in a browser."""

import signal

from playwright.sync_api import expect

from tests.support.pages import clues, faults, focused, played, typed


def test_the_frame_is_walked_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/contest")
    expect(page.locator("h1")).to_be_visible()
    order = ["Skip to the content", "WORDPL", "How it works", "Play", "Coach", "Explore", "Analyze", "Results",
             "Contest", "Settings", "Dark", "High contrast"]  # fmt: skip
    for name in order:
        page.keyboard.press("Tab")
        assert focused(page) == name
        if name == "Settings":
            page.keyboard.press("Enter")
        outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", name
    page.keyboard.press("Enter")
    expect(page.locator("html")).to_have_attribute("data-palette", "contrast")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Space")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.keyboard.press("Escape")
    expect(page.locator("#settings")).to_be_hidden()
    expect(page.get_by_role("button", name="Settings")).to_be_focused()
    page.reload()  # the settings are kept
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.locator("html")).to_have_attribute("data-palette", "contrast")
    expect(page.locator("h1")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.closest('main') !== null")


def test_a_tab_gets_the_focus_and_nothing_that_is_open_over_it_stays(address, new_page):
    page = new_page(f"{address}/contest")
    page.get_by_role("link", name="Coach").press("Enter")
    expect(page.locator("#view")).to_be_focused()
    page.get_by_label("Words", exact=True).select_option(label="Paste a list of your own…")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("navigation", name="Tabs").locator("[aria-current=page]")).to_have_text("Contest")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_the_header_is_one_row_and_its_current_tab_is_seen(address, new_page):
    page = new_page(f"{address}/contest", color_scheme="dark")
    current = page.locator(".top [aria-current=page]")
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 568})
        page.reload()
        expect(current).to_have_text("Contest")
        parts = (".brand", ".top nav", ".top [aria-current]", ".top > button")
        brand, tabs, tab, settings = (page.locator(part).bounding_box() for part in parts)
        middles = [box["y"] + box["height"] / 2 for box in (brand, tabs, tab, settings)]
        assert max(middles) - min(middles) < 2, f"not one row at {width}"
        assert tabs["x"] <= tab["x"] and tab["x"] + tab["width"] <= settings["x"], f"the tab is cut off at {width}"
        assert page.evaluate("document.documentElement.scrollWidth") <= width
    background = "(part) => getComputedStyle(part).backgroundColor"
    assert page.locator("body").evaluate(background) == "rgb(18, 22, 28)"
    page.emulate_media(media="print")
    assert page.locator("body").evaluate(background) == "rgb(255, 255, 255)", "the dark theme prints dark"


def test_nothing_moves_for_those_who_want_it_so(address, new_page):
    page = new_page(f"{address}/play", reduced_motion="reduce")
    expect(page.locator(".tile").first).to_be_visible()
    moving = """[...document.querySelectorAll("*")].filter((one) => {
        const style = getComputedStyle(one);
        const times = [style.transitionDuration, style.animationDuration].join(",").split(",");
        return times.some((time) => parseFloat(time) > 0);
    }).map((one) => one.outerHTML.slice(0, 100))"""
    assert page.evaluate(moving) == []


def test_a_server_that_goes_away_is_said_and_pages_and_games_go_on_when_it_is_back(served, new_page):
    server = served()
    address = server.address
    page = new_page(f"{address}/coach?row=crate:..icc:13")
    expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
    typing = new_page(f"{address}/analyze")
    text, answer = typing.get_by_label("Share text"), typing.get_by_label("Answer, if")
    text.fill("crate=..icc@13")
    answer.fill("haste")
    game = new_page(f"{address}/play?kind=fibble&channel=fibble:2")
    expect(played(game)).to_have_count(1)  # the first guess is given
    clue = clues(game)
    server.end(signal.SIGKILL)
    typed(game, "sloth")
    expect(game.locator("#offline")).to_contain_text("The server has gone away")
    typing.get_by_role("button", name="Analyze").click()
    expect(typing.locator("#offline")).to_contain_text("The server has gone away")
    answer.fill("hast")
    page.get_by_role("link", name="Results").click()
    expect(page.locator("#offline")).to_contain_text("The server has gone away")
    assert faults(page) == []
    server = served("--port", server.port)
    assert server.address == address
    expect(page.locator("h1")).to_have_text("Results")
    expect(page.locator("#offline")).to_be_hidden()
    expect(typing.locator(".review")).to_be_visible()
    expect(played(game)).to_have_count(2)
    assert clues(game)[:1] == clue
    other = new_page(game.url)
    expect(played(other)).to_have_count(2)
    assert clues(game) == clues(other)
    typing.goto(f"{address}/analyze")  # what was typed is kept, and judged when that is asked for
    expect(text).to_have_value("crate=..icc@13")
    expect(answer).to_have_value("hast")
    expect(typing.locator(".review")).to_have_count(0)
    # It was started with nothing to show, and says how to show it.
    expect(page.get_by_role("region", name="Commands")).to_contain_text("wordpl serve --results results/sweep.sqlite")
    page.get_by_role("link", name="Contest").click()
    expect(page.get_by_role("region", name="Commands")).to_contain_text("wordpl serve --ledger")
