"""The frame around the tabs, in a browser."""

import json
import signal

import httpx2
from playwright.sync_api import expect

from tests.support.pages import clues, faults, played, typed


def test_a_server_that_goes_away_is_said_and_games_go_on_when_it_is_back(served, new_page):
    server = served()
    address = server.address
    page = new_page(f"{address}/coach?row=crate:..icc:13")
    expect(page.locator(".tab-coach tbody tr").first).to_be_visible()
    own = {"answers": "crate\nhaste"}
    name = httpx2.post(f"{address}/api/words", json=own).json()["name"]
    page.evaluate("kept => localStorage.setItem(...kept)", [f"list:{name}", json.dumps(own)])
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
    expect(page.locator("h1 + .fault")).to_have_text("The server does not answer. This page tries again by itself.")
    assert faults(page) == []
    server = served("--port", server.port)
    assert server.address == address
    expect(page.locator("h1")).to_have_text("Results")
    expect(page.locator("#offline")).to_be_hidden()
    expect(typing.locator(".review")).to_have_count(1)  # the example had three
    expect(played(game)).to_have_count(2)
    expect(game.locator(".controls .fault:visible")).to_have_count(0)
    assert clues(game)[:1] == clue
    other = new_page(game.url)
    expect(played(other)).to_have_count(2)
    assert clues(game) == clues(other)
    typing.goto(f"{address}/analyze")  # what was typed is kept, and judged when that is asked for
    expect(text).to_have_value("crate=..icc@13")
    expect(answer).to_have_value("hast")
    busy = [504, 429]
    page.goto(f"{address}/coach?words={name}")  # which this server has not had yet
    expect(page.locator(".standing")).to_have_text("2 answers and 6 guesses remain: 1 bit to learn.")
    page.route("**/suggestions", lambda route: route.fulfill(status=busy.pop()) if busy else route.continue_())
    page.reload()
    expect(page.locator(".standing")).to_have_text("2 answers and 6 guesses remain: 1 bit to learn.")
    assert not busy


def test_settings_are_kept_whatever_the_system_says_and_paper_is_light(address, new_page):
    page = new_page(f"{address}/contest", color_scheme="dark")
    html, theme = page.locator("html"), page.locator("#theme")
    page.get_by_role("button", name="Settings").click()
    for button in (theme, page.locator("#palette")):
        button.click()
    page.reload()
    for name, kept in (("theme", "light"), ("palette", "contrast")):
        expect(html).to_have_attribute(f"data-{name}", kept)
    page.get_by_role("button", name="Settings").click()
    theme.click()
    for event, look in (("beforeprint", "light"), ("afterprint", "dark")):
        page.evaluate("name => dispatchEvent(new Event(name))", event)
        expect(html).to_have_attribute("data-theme", look)


PREVENTED = """([selector, type, values]) => {
    let prevented;
    addEventListener(type, (event) => { prevented = event.defaultPrevented; event.preventDefault(); }, { once: true });
    document.querySelector(selector).dispatchEvent(new (type === "click" ? MouseEvent : KeyboardEvent)(type,
        { bubbles: true, cancelable: true, ...values }));
    return prevented;
}"""


def test_a_link_opens_here_unless_another_window_is_wanted(address, new_page):
    page = new_page(f"{address}/contest")
    expect(page).to_have_title("Contest · WORDPL")
    for wanted in ({"ctrlKey": True}, {"button": 1}):
        assert not page.evaluate(PREVENTED, ["[href='/play']", "click", wanted]), wanted
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Play").click()
    expect(page.locator(".typing")).to_be_visible()
    expect(page.get_by_role("region", name="Board")).to_be_focused()  # so that Propose is the next stop
    page.keyboard.press("Tab")
    expect(page.get_by_role("button", name="Propose")).to_be_focused()
    page.get_by_role("navigation", name="Tabs").get_by_role("link", name="Coach").click()
    expect(page.locator("main")).to_be_focused()
    page.go_back()
    expect(page.locator(".typing")).to_be_visible()
    assert page.evaluate(PREVENTED, ["body", "keydown", {"key": "a"}])
    page.get_by_role("button", name="Give up").click()
    expect(page.get_by_role("alertdialog")).to_be_visible()
    page.go_back()
    expect(page).to_have_title("Contest · WORDPL")
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    assert not page.evaluate(PREVENTED, ["body", "keydown", {"key": "a"}])  # nothing of Play listens any more
