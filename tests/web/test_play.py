"""The tab Play, in a browser."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.helpers import ORIGINAL
from tests.web.test_axe import faults

NO_ANSWERS = [word for word in ORIGINAL.guesses if word not in ORIGINAL.answer_index][:6]
"""Guesses that never win, whatever the server has drawn."""
LONG = "absolute\nabstract\nbacteria\nbaseball\nbathroom"


@pytest.fixture
def play(address, new_page):
    def open_game(query: str = "", size: str = "desktop", **options: str) -> Page:
        page = new_page(f"{address}/play{query}", size, **options)
        expect(rows(page).first).to_be_visible()
        return page

    return open_game


def rows(page: Page):
    return page.get_by_role("list", name="Rows", exact=True).locator("li")


def played(page: Page):
    """The rows that have a clue."""
    return rows(page).filter(has=page.locator(".tile[data-mark]"))


def typed(page: Page, word: str) -> None:
    page.keyboard.type(word)
    page.keyboard.press("Enter")


def tapped(page: Page, word: str) -> None:
    for letter in word:
        page.get_by_role("group", name="Keyboard").get_by_role(
            "button", name=re.compile(f"^{letter}(,|$)", re.I)
        ).click()
    page.get_by_role("group", name="Keyboard").get_by_role("button", name="Enter").click()


@pytest.mark.parametrize(("size", "enter"), [("desktop", typed), ("phone", tapped)])
def test_a_noisy_game_to_its_end(play, size, enter):
    page = play(size=size)
    expect(page).to_have_url(re.compile(r"/play\?game=[\w-]+$"))
    box = page.get_by_label("Epsilon of this row", exact=True)
    expect(box).to_have_value("13")
    enter(page, "crate")
    expect(played(page)).to_have_count(1)
    expect(rows(page).first).to_contain_text("ε 13")
    expect(page.locator("#live")).to_contain_text("crate: C ")
    box.fill("2.5")
    box.press("Tab")
    enter(page, "crate")
    expect(played(page)).to_have_count(2)
    expect(rows(page).nth(1)).to_contain_text("ε 2.5")
    expect(page.locator(".meter-text")).to_have_text("Spent 15.5; the next ask adds 2.5.")
    for letter in "haste":
        page.keyboard.press(letter)
    page.get_by_role("button", name="Propose HASTE").click()
    end = page.get_by_role("region", name="How it ended")
    heading = end.get_by_role("heading", level=2)
    expect(heading).to_be_focused()
    assert heading.inner_text() in ("Wrong. Your score is infinite.", "Right. Your score is 15.5.")
    answer = end.locator("p .tiles").first.get_attribute("aria-label").lower()
    assert re.fullmatch("[a-z]{5}", answer)
    shared = end.get_by_label("Text to share").input_value()
    assert shared.startswith("WORDPL original")
    assert "@2.5" in shared
    expect(end.get_by_role("region", name="Skill and luck of each turn").locator("tbody tr")).to_have_count(2)
    asked = end.get_by_role("region", name="What the strategies of the records would have asked where you were")
    expect(asked.locator("tbody tr")).to_have_count(3)
    expect(asked.locator("tbody tr").first).to_contain_text("trace at 10")
    expect(end.locator("details:has(.board)")).to_have_count(3)
    for tile in page.locator(".board .tile.flipped").all():
        assert tile.get_attribute("data-was") != tile.get_attribute("data-mark")
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")


def test_ordinary_wordle_to_its_end(play):
    page = play("?kind=wordle")
    expect(rows(page)).to_have_count(6)
    expect(page.get_by_label("Epsilon of this row", exact=True)).to_have_count(0)
    end = page.get_by_role("region", name="How it ended")
    for number, word in enumerate(NO_ANSWERS, start=1):
        typed(page, word)
        expect(played(page)).to_have_count(number)
    expect(end.get_by_role("heading", level=2)).to_have_text(re.compile(r"Not found\."))
    expect(page.locator(".board .flipped")).to_have_count(0)
    address = page.url
    end.get_by_role("button", name="New game").click()
    expect(played(page)).to_have_count(0)
    expect(page).not_to_have_url(address)
    page.go_back()
    expect(end).to_be_visible()
    expect(page).to_have_url(address)


def test_a_reload_and_another_tab_keep_the_game(play):
    page = play("?kind=fibble&lies=2")
    expect(played(page)).to_have_count(1)  # the first guess is given
    typed(page, "crate")
    expect(played(page)).to_have_count(2)
    clues = [tile.get_attribute("aria-label") for tile in played(page).locator(".tiles").all()]
    page.reload()
    expect(played(page)).to_have_count(2)
    page.get_by_role("link", name="Coach").click()
    page.get_by_role("link", name="Play", exact=True).click()
    expect(played(page)).to_have_count(2)
    for at, clue in enumerate(clues):
        expect(played(page).locator(".tiles").nth(at)).to_have_attribute("aria-label", clue)
    expect(page).to_have_url(re.compile(r"kind=fibble&lies=2&game="))


def test_a_word_that_is_not_in_the_list_is_said_and_can_be_mended(play):
    page = play()
    typed(page, "crat")
    fault = page.locator("#play-fault")
    expect(fault).to_have_text("Type a word of 5 letters.")
    typed(page, "k")
    expect(fault).to_contain_text("'cratk' is not among the guesses of original; did you mean")
    expect(rows(page)).to_have_count(1)
    page.keyboard.press("Backspace")
    expect(fault).to_be_hidden()
    typed(page, "e")
    expect(played(page)).to_have_count(1)


def test_typing_into_a_field_is_not_taken_for_the_board(play):
    page = play()
    box = page.get_by_label("Epsilon of this row", exact=True)
    box.fill("")
    box.press_sequentially("abc")
    box.press("Enter")
    expect(page.get_by_text("A number above 0 up to 1,000,000.")).to_be_visible()
    expect(rows(page).locator(".tile:not(:empty)")).to_have_count(0)
    box.fill("inf")
    box.press("Tab")
    expect(page.get_by_text("A number above 0 up to 1,000,000.")).to_be_visible()
    page.get_by_label("Epsilon of this row, slider").focus()
    page.keyboard.press("ArrowRight")
    expect(page).to_have_url(re.compile(r"epsilon=\d"))
    page.keyboard.type("ab")
    expect(rows(page).locator(".tile:not(:empty)")).to_have_count(2)


def test_help_is_switched_on_piece_by_piece_and_a_word_of_it_can_be_used(play):
    page = play("?kind=wordle")
    help_panel = page.get_by_role("region", name="Help")
    asked = []
    page.on("request", lambda request: asked.append(request.url) if "/help" in request.url else None)
    typed(page, "salet")
    expect(played(page)).to_have_count(1)
    assert asked == []
    help_panel.get_by_label("Bits left").check()
    expect(help_panel).to_contain_text("bits left to find")
    expect(help_panel.locator(".chances")).to_have_count(0)
    help_panel.get_by_label("Most probable answers").check()
    expect(help_panel.locator(".chances li").first).to_be_visible()
    help_panel.get_by_label("Next best guess").check()
    best = help_panel.locator("table button.pick").first
    word = best.inner_text()
    best.click()
    expect(rows(page).nth(1)).to_have_text(word, ignore_case=True)
    page.reload()
    expect(help_panel.get_by_label("Bits left")).to_be_checked()
    expect(help_panel.locator(".chances li").first).to_be_visible()


def test_a_game_that_the_server_has_let_go_of_is_said_with_a_way_on(address, new_page):
    page = new_page(f"{address}/play?kind=wordle&game=long-gone")
    expect(page.locator("p.fault")).to_have_text("The server has no such game any more; begin a new one.")
    page.get_by_role("button", name="New game").click()
    expect(rows(page)).to_have_count(6)
    expect(page).to_have_url(re.compile(r"kind=wordle&game=(?!long-gone)"))


def test_the_game_is_chosen_in_the_form_and_todays_word_is_one_click_away(play):
    page = play()
    page.locator("summary").click()
    page.get_by_label("Game", exact=True).select_option("Wordle, adversarial host")
    page.get_by_label("Hard mode").check()
    page.get_by_role("button", name="Start this game").click()
    expect(page).to_have_url(re.compile(r"kind=adversarial&hard=1&game="))
    expect(page.get_by_text("The host has no word in mind")).to_be_visible()
    page.get_by_role("button", name="Today's word").click()
    expect(page).to_have_url(re.compile(r"kind=daily&game="))
    expect(page.get_by_text("The word of 20")).to_be_visible()


def test_two_windows_of_one_game_agree(play, new_page):
    page = play("?kind=wordle")
    other = new_page(page.url)
    expect(rows(other)).to_have_count(6)
    typed(page, "salet")
    expect(played(page)).to_have_count(1)
    typed(other, "sloth")
    expect(other.locator("#play-fault")).to_contain_text("this move is for another")
    expect(played(other)).to_have_count(1)
    expect(rows(other).nth(1)).to_have_text("sloth", ignore_case=True)
    other.keyboard.press("Enter")
    expect(played(other)).to_have_count(2)


def test_axe_finds_nothing_in_a_game_and_at_its_end(play):
    page = play("?help=answers+bits+guesses", "phone", color_scheme="dark")
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    expect(page.get_by_role("region", name="The best next guesses")).to_be_visible()
    # Help that is about to change is pale.
    expect(page.get_by_text("11.18 bits left")).to_have_count(0)
    expect(page.locator(".help[aria-busy]")).to_have_count(0)
    typed(page, "zzzzz")
    expect(page.locator("#play-fault")).to_be_visible()
    page.locator("summary").click()
    assert faults(page) == []
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("button", name="Really give up?").click()
    expect(page.get_by_role("heading", name="You gave up.")).to_be_visible()
    end = page.get_by_role("region", name="How it ended")
    expect(end.locator("details:has(.board)")).to_have_count(3)
    for own in end.locator("summary").all():
        own.click()
    assert faults(page) == []


def test_a_pasted_list_of_eight_letters_fits_a_phone(play):
    page = play(size="phone")
    page.locator("summary").click()
    page.get_by_label("Words", exact=True).select_option("Paste a list of your own…")
    page.get_by_label("Answers, one per line").fill(LONG)
    page.get_by_role("button", name="Use these words").click()
    page.get_by_role("button", name="Start this game").click()
    expect(page).to_have_url(re.compile(r"words=list-"))
    expect(rows(page).first.locator(".tile")).to_have_count(8)
    keys = page.get_by_role("group", name="Keyboard").get_by_role("button")
    expect(keys).to_have_count(len(set("".join(LONG.split()))) + 2)
    typed(page, "abstract")
    expect(played(page)).to_have_count(1)
    assert page.evaluate("() => document.documentElement.scrollWidth <= innerWidth")
    board = page.get_by_role("region", name="Board")
    assert board.evaluate("board => board.scrollWidth <= board.clientWidth")


def test_a_server_that_has_gone_away_is_said_and_the_game_goes_on_when_it_is_back(play):
    page = play()
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    page.route("**/api/**", lambda route: route.abort())
    typed(page, "sloth")
    expect(page.locator("#play-fault")).to_contain_text("The server does not answer")
    expect(rows(page).nth(1)).to_have_text("sloth", ignore_case=True)
    page.unroute("**/api/**")
    expect(page.locator("#offline")).to_be_hidden()
    expect(played(page)).to_have_count(1)
    typed(page, "sloth")
    expect(played(page)).to_have_count(2)
