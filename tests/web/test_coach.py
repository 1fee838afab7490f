"""The tab Coach, in a browser."""

import json
import re
from itertools import product

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.pages import enter, read
from wordpl import Clue, Posterior, RandomizedResponse, channel_family, clue, load_words

MARKS = ".ic"


def suggested(page: Page) -> Locator:
    """The words of the table."""
    return page.get_by_role("region", name="Best next guesses").locator("button.pick")


def likeliest(clue: str, channel: str = "randomized_response") -> re.Pattern[str]:
    """The most probable answer after the clue to CRATE and one to HASTE, and its chance."""
    belief = Posterior("original", channel=channel_family(channel)).update("crate", 13, clue)
    word, chance = belief.update("haste", 9, ".c.i.").top
    return re.compile(rf"^{word}\s*{100 * chance:.3g}%$")


def turns(page: Page) -> Locator:
    return page.locator(".turns > li")


def add(page: Page, guess: str, clue: str) -> None:
    """Enter a guess and its clue with the mouse."""
    page.get_by_label("Next guess", exact=True).fill(guess)
    tiles = page.get_by_role("group", name=f"Clue to {guess.upper()}").last.get_by_role("button")
    for at, mark in enumerate(clue):
        for _ in range(MARKS.index(mark)):
            tiles.nth(at).click()
    page.get_by_role("button", name="Add this clue").click()


def test_a_noisy_game_is_coached_with_clicks(address, new_page):
    page = new_page("about:blank", "phone")
    page.route("**/api/words*", lambda route: (page.wait_for_timeout(1000), route.continue_()))  # lists come late
    page.goto(f"{address}/coach")
    page.get_by_text("Game: Wordle, nyt2023").click()
    page.get_by_label("Game").select_option("wordpl")
    expect(page.get_by_role("button", name="Add this clue")).to_be_hidden()  # before there is a guess
    add(page, "crate", "..icc")
    expect(turns(page)).to_have_count(1)
    expect(page.locator(".standing:focus")).to_be_in_viewport()  # on a phone the advice, not a keyboard over it
    enter(page.get_by_label("Epsilon of the next guess", exact=True), "9", "Tab")
    add(page, "haste", ".c.i.")
    expect(turns(page)).to_have_count(2)
    expect(page).to_have_url(re.compile(r"row=crate%3A..icc%3A13&row=haste%3A.c.i.%3A9"))
    best = page.locator(".chances li").first
    expect(best).to_have_text(likeliest("..icc"))
    page.get_by_role("button", name="Change CRATE").click()
    enter(page.get_by_label("Guess 1", exact=True), "cratr")
    expect(turns(page).first).to_contain_text("“cratr” is not in the word list")  # it stays CRATE, and can be changed
    turns(page).first.get_by_role("button", name="E: correct").click()
    expect(turns(page).first.get_by_role("button", name="E: absent")).to_be_visible()
    expect(best).to_have_text(likeliest("..ic."))
    page.get_by_label("Noise").select_option("whole clue")
    expect(best).to_have_text(likeliest("..ic.", "whole_clue"))
    expect(page.locator(".next .means")).to_contain_text("rows without a lie")
    expect(page.get_by_label("Epsilon of the next guess", exact=True)).to_have_value("9")
    expect(suggested(page).first).to_have_text("spiny")
    suggested(page).first.click()
    expect(page.get_by_label("Next guess", exact=True)).to_have_value("spiny")
    page.get_by_role("button", name="Remove CRATE").click()
    expect(turns(page)).to_have_count(1)


def test_a_row_is_typed_before_the_list_is_known_renamed_and_removed(address, new_page):
    page = new_page("about:blank")
    for door in ("words*", "coach/suggestions"):
        page.route(f"**/api/{door}", lambda route: None)  # it is held
    page.goto(f"{address}/coach?words=original")
    word = page.get_by_label("Next guess", exact=True)
    enter(word, "haste")
    page.keyboard.press("2")
    page.keyboard.press("y")
    with page.expect_response("**/api/words*"):
        page.unroute_all()  # what is held goes on
    expect(suggested(page)).to_have_count(10)
    for pressed in "B1.":
        page.keyboard.press(pressed)
    expect(page).to_have_url(re.compile(r"next=haste%3Aci\.i\.$"))  # what is typed so far is in the address
    page.keyboard.press("Enter")  # on the button that adds it
    expect(page).to_have_url(re.compile(r"row=haste%3Aci\.i\.$"))
    for typed, key, first in (("slink", "Escape", "H"), ("Baste", "Enter", "B")):
        page.get_by_role("button", name="Change HASTE").click()
        enter(page.get_by_label("Guess 1", exact=True), typed, key)
        expect(turns(page).get_by_role("button", name=f"{first}: correct")).to_be_focused()
    expect(page).to_have_url(re.compile(r"row=baste%3Aci\.i\.$"))
    page.get_by_role("button", name="Remove BASTE").click()
    expect(page).not_to_have_url(re.compile("row="))
    page.go_back()  # what was removed is not lost
    expect(page).to_have_url(re.compile(r"row=baste%3Aci\.i\.$"))
    expect(turns(page)).to_have_count(1)
    enter(word, "hastr")  # it is said before the clue is typed
    hints = page.locator(".hints button")
    expect(hints).to_have_text(["haste", "hasty", "Use hastr all the same"])
    expect(turns(page)).to_have_count(1)
    hints.first.click()
    expect(word).to_have_value("haste")


def test_contradictions_are_explained_and_mended(address, new_page):
    page = new_page(f"{address}/coach?words=original&row=crate:c....&row=haste:c....")
    told = page.locator(".contradiction")
    expect(told).to_contain_text("Clue 2 (haste=c....) rules everything out")
    expect(told.get_by_role("button", name=re.compile("^Guess "))).not_to_have_count(0)
    left = sum(str(clue("haste", word, rule="counted")) == "c...." for word in load_words().answers)
    told.get_by_role("button", name=f"Remove row 1, crate: {left} answers fit the rest").click()
    expect(page).to_have_url(re.compile(r"[?&]words=original&row=haste%3Ac\.\.\.\.$"))
    expect(turns(page)).to_have_count(1)
    expect(told).to_have_count(0)
    expect(page.locator(".standing")).to_have_text(re.compile(rf"^{left} answers and 5 guesses remain"))
    page.get_by_role("region", name="Best next guesses").get_by_role("button", name="Why").first.click()
    expect(page.locator(".reasons tbody tr").first).to_be_visible()


def test_what_an_epsilon_means_follows_from_its_channel(page):
    for epsilon, channel, text in (
        (1e6, None, "no mark is false"),
        (40, None, "more than 99.9 of 100 marks true, hardly ever a lie"),
        ("inf", "ball:1", "9.1 of 100 rows without a lie, 0.91 lies a row"),  # 10 of the 11 clues in the ball
    ):
        assert read(page, "epsilon", "meaning", epsilon, {"channel": channel}) == text
    assert read(page, "epsilon", "liesIn", 1000, {}) == "about 0 lies"
    lies = 8 - 8 * RandomizedResponse(8.0, 8).keep
    assert read(page, "epsilon", "liesIn", 8, {"length": 8}) == f"{lies:.2g} lies"
    for name, epsilon in product(("randomized_response", "whole_clue", "ball:1"), (4.0, 9.0, 12.0)):
        chances = channel_family(name)(epsilon, 5).matrix().toarray()[:, 0]  # where all marks are absent
        lies = sum(chance * sum(mark > 0 for mark in Clue(code).marks) for code, chance in enumerate(chances))
        share = 1 - lies / 5 if name == "randomized_response" else chances[0]
        text = read(page, "epsilon", "meaning", epsilon, {"channel": name})
        found = re.fullmatch(r"([\d.]+) of 100 (?:marks true|rows without a lie), ([\d.]+) lies? a row", text)
        assert float(found[1]) == pytest.approx(100 * share, rel=0.05), text
        assert float(found[2]) == pytest.approx(lies, rel=0.05), text


def test_a_pasted_row_is_taken_and_stays_with_a_list_that_has_it_not(address, new_page):
    page = new_page(f"{address}/coach")
    paste = """(box, text) => {
      const clipboardData = new DataTransfer();
      clipboardData.setData("text", text);
      box.dispatchEvent(new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }));
    }"""
    for text, rows in (
        ("crate: ..icc\n", "game=wordle&row=crate%3A..icc$"),
        ("sloth i..ci 13", "game=wordpl&row=sloth%3Ai..ci%3A13$"),  # a game of WORDPL, which has other words
        ("crate:..icc:9", "game=wordpl&row=sloth%3Ai..ci%3A13&row=crate%3A..icc%3A9$"),
    ):
        page.get_by_label("Next guess", exact=True).evaluate(paste, text)
        expect(page).to_have_url(re.compile(rows))
    page.get_by_label("Words").select_option("")
    expect(page.get_by_label("Words")).to_have_value("original")
    typed = "haste\ncaste\ntasty\nsloth"
    page.get_by_label("Answers, one per line").fill(typed)
    page.get_by_role("button", name="Use these words").click()
    expect(page.get_by_label("Words").locator(":checked")).to_have_text("a list of your own (4 answers, 5 letters)")
    kept = page.evaluate("Object.entries(localStorage).filter(([name]) => name.startsWith('list:list-'))")
    assert [json.loads(text) for _, text in kept] == [{"answers": typed, "guesses": None}]
    expect(page).to_have_url(re.compile("row=sloth%3Ai..ci%3A13&row=crate%21%3A..icc%3A9"))
    expect(page.locator(".standing")).to_contain_text("In effect ")
    expect(page.locator(".fault:visible")).to_have_count(0)
    page.get_by_role("link", name="Compare clues").click()
    expect(page.get_by_text("After SLOTH")).to_have_text("After SLOTH at 13, CRATE at 9, change these clues.")
    expect(page.locator(".distributions .plot")).to_have_count(2)


def test_known_letters_narrow_the_answers_and_stay_in_the_address(address, new_page):
    page = new_page(f"{address}/coach?words=original&known=..a.e&has=r%3A-4")
    expect(page.get_by_label("In the word; r:-4")).to_have_value("r:-4")
    absent, entries = page.get_by_label("Not in the word"), page.evaluate("history.length")
    absent.fill("stn")  # it is there, since one of the letters is used
    expect(page).to_have_url(re.compile(r"known=..a.e&has=r%3A-4&absent=stn"))
    assert page.evaluate("history.length") == entries  # Back goes by rows, not by letters
    left = [w for w in load_words().answers if w[2] + w[4] == "ae" and "r" in w[:3] and not set(w) & set("stn")]
    expect(page.get_by_text(" ".join(left), exact=True)).to_be_visible()
    page.get_by_label("Hard mode").select_option("extra")
    expect(page.locator(".fault:visible")).to_contain_text("leave out the letters")
    page.get_by_role("button", name="New game").click()
    expect(absent).to_have_value("")
    add(page, "crate", ".....")
    expect(suggested(page)).to_have_text([re.compile("^[^crate]{5}$")] * 10)
    fitting = sum(not set(word) & set("crate") for word in load_words().answers)
    expect(page.get_by_text(f"And {fitting - 20} more.")).to_be_visible()
    enter(page.get_by_label("Guesses in all"), "1", "Tab")
    expect(page.locator(".standing")).to_have_text(f"No guess is left. The answer is one of {fitting} words.")


def test_what_another_game_has_not_goes_and_what_it_needs_is_there(address, new_page):
    page = new_page(f"{address}/coach")
    page.get_by_text("Paste a game").click()
    text, taken = page.get_by_label("Share text, or guesses with their clues"), "crate ..icc 9\nslink ..... 13"
    for pasted, kept in (("crate", True), (taken, False)):
        text.fill(pasted)
        page.get_by_role("button", name="Take these rows").click()
        expect(page.locator(".paste .field .fault:visible")).to_have_count(int(kept))
        expect(text).to_be_visible(visible=kept)
    expect(page).to_have_url(re.compile(r"row=crate%3A..icc%3A9&row=slink%3A.....%3A13$"))
    turns(page).last.get_by_role("button", name="S: absent").click()
    expect(page).to_have_url(re.compile(r"slink%3Ai....%3A13$"))
    enter(page.get_by_label("Epsilon of the next guess", exact=True), "7")
    page.get_by_label("Game", exact=True).select_option("wordle")
    expect(page).to_have_url(re.compile(r"game=wordle&row=crate%3A..icc&row=slink%3Ai....$"))
    expect(page.get_by_text("baste haste paste taste waste", exact=True)).to_be_visible()  # since no mark lies now
    page.get_by_label("Game", exact=True).select_option("wordpl")
    expect(page.get_by_label("Epsilon of the next guess", exact=True)).to_have_value("13")
    page.goto(f"{address}/coach?game=fibble&row=crate:..ci.")
    marks = page.get_by_role("heading", name="Which marks may be false")
    expect(marks).to_be_visible()
    expect(page.get_by_role("link", name="Compare clues")).to_be_hidden()  # Explore has not the clues of Fibble
    page.get_by_text("Letters that you know").click()
    page.get_by_label("Letters in their places").fill("..a")
    expect(page.locator(".fault:visible")).to_contain_text("is not a pattern of 5 places")
    expect(marks).to_be_hidden()
    expect(page.locator(".standing")).to_have_text("")
