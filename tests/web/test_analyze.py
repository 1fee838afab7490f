"""The tab Analyze, in a browser."""

import re

from playwright.sync_api import Locator, Page, expect

from tests.support.helpers import ORIGINAL
from tests.support.pages import enter
from wordpl import RULES, clue

SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"


def fill(page: Page, text: str, guesses: str = "", answer: str = "") -> None:
    page.get_by_label("Share text").fill(text)
    page.get_by_label("Guesses, if").fill(guesses)
    page.get_by_label("Answer, if").fill(answer)
    page.get_by_role("button", name="Analyze").click()


def reviews(page: Page) -> Locator:
    return page.locator(".review")


def test_a_share_text_is_analyzed(address, new_page):
    page = new_page(f"{address}/analyze", "phone")
    # An example is there at once, and what is pasted goes in its place.
    expect(page.locator(".results")).to_contain_text("This is an example.")
    expect(reviews(page)).to_have_count(3)
    expect(page).to_have_url(f"{address}/analyze")
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("slink .....")
    expect(page.get_by_label("Share text")).to_have_value("slink .....")
    page.get_by_role("button", name="Analyze").click()
    expect(page.locator(".results")).not_to_contain_text("This is an example.")
    page.locator("summary", has_text="which game").click()
    page.get_by_label("Words").select_option("original")
    fill(page, SQUARES, "crate slink solar")
    expect(page.get_by_role("heading", name="Solved in 3 guesses")).to_be_visible()
    expect(page.locator(".grades")).to_have_text(re.compile(r"Skill\s*86\s*Luck\s*66"))
    expect(reviews(page)).to_have_count(3)
    expect(reviews(page).nth(1)).to_contain_text("The best guess was lorry, with 4.40 bits")
    expect(reviews(page).first.get_by_role("img")).to_have_attribute("aria-label", re.compile("R present, A present"))
    # The game is in the address.
    page.reload()
    expect(reviews(page)).to_have_count(3)
    expect(page.get_by_label("Share text")).to_have_value(SQUARES)
    result = page.locator(".results > .panel").first
    expect(result).not_to_contain_text("may be missing")
    fill(page, SQUARES.replace("3/6", "4/6"), "crate slink solar")
    expect(result).to_contain_text("The text says 4/6, but has 3 rows; a row may be missing.")
    page.get_by_label("Game", exact=True).select_option("wordpl")
    page.get_by_label("Share text").fill(SQUARES)
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordle")


def test_a_noisy_game_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/analyze")
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("crate=..icc@40\nhaste=.c.i.@9\ntardy ccccc@60\ntardy ccccc@13\nchair")
    expect(page.get_by_label("Words")).to_have_value("original")
    expect(page.get_by_label("Repeat rule")).to_have_value("letterwise")
    page.get_by_label("Answer, if").press("Enter")
    expect(reviews(page)).to_have_count(4)
    expect(reviews(page).nth(3)).to_contain_text("A waste: TARDY was")
    result = page.locator(".results > .panel").first
    expect(result).to_contain_text("A budget of 122 in 4 asks")
    expect(result).to_contain_text("You proposed CHAIR, at under 0.01%; the best bet was TARDY")
    expect(result).to_contain_text("1 ask came when the answer was certain already, and cost 13")
    # Where the answer is known, the false marks are shown.
    expect(page.locator(".flipped")).to_have_count(0)
    enter(page.get_by_label("Answer, if"), "TARDY")
    lies = [("crate", "..icc"), ("haste", ".c.i.")]
    false = [sum(map(str.__ne__, seen, clue(guess, "tardy").show())) for guess, seen in lies]
    for number, count in enumerate([*false, 0, 0]):
        expect(reviews(page).nth(number).locator(".flipped")).to_have_count(count)
    page.get_by_role("link", name="Go on in Coach").click()
    expect(page.locator(".turns > li")).to_have_count(4)


def test_true_clues_are_those_of_the_model(address, new_page):
    pairs = [*zip(ORIGINAL.guesses[::20], ORIGINAL.answers, strict=False), ("seems", "essay"), ("eerie", "geese")]
    page = new_page(f"{address}/coach")
    drawn = """async ([pairs, rule]) => {
        const { trueClue } = await import("/static/tiles.js");
        return pairs.map(([guess, answer]) => trueClue(guess, answer, rule));
    }"""
    for rule in RULES:
        assert page.evaluate(drawn, [pairs, rule]) == [clue(*pair, rule=rule).show() for pair in pairs]
