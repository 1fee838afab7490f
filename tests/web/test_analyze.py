"""The tab Analyze, in a browser."""

import re
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.support.pages import enter
from wordpl import clue


def reviews(page: Page) -> Locator:
    return page.locator(".review")


def test_a_noisy_game_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/analyze")
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("crate=..icc@40\nhaste=.c.i.@9\ntardy ccccc@60\ntardy ccccc@13\nchair")
    expect(page.get_by_label("Words")).to_have_value("original")
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_label("Answer, if").press("Enter")
    sent: dict[str, Any] = {"words": "original", "rule": "letterwise", "guesses": "", "answer": None, "hard": False}
    sent |= {"text": page.get_by_label("Share text").input_value(), "channel": "randomized_response", "epsilon": 13}
    assert asked.value.post_data_json == sent | {"game": None}
    result = page.locator(".results > .panel").first
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
    page.goto(f"{address}/analyze?hard=1&text=crate=..icc%0Ataste=.cccc%0Ahaste=ccccc&words=original")
    page.get_by_role("link", name="Go on in Coach").click()
    expect(page.get_by_label("Hard mode")).to_have_value("1")


def test_what_few_need_is_folded_away_on_a_phone_unless_it_is_used_or_wrong(address, new_page):
    page = new_page(f"{address}/analyze", "phone")
    answer, more = page.get_by_label("Answer, if"), page.locator("summary", has_text="which game")
    expect(reviews(page)).to_have_count(3)
    expect(answer).to_be_hidden()
    more.click()
    answer.fill("zzzzz")
    page.get_by_label("Guesses, if").fill("zzzzz")
    more.click()
    expect(answer).to_be_hidden()
    page.get_by_role("button", name="Analyze").click()
    expect(answer).to_be_visible()
    page.goto(f"{address}/analyze?text=crate+.ii..")  # a game that is linked takes nothing of what was typed
    expect(page.locator("#live")).to_have_text(re.compile(r"^Not solved in 1 guess\. Skill none, luck \d+\.$"))
    for box in (answer, page.get_by_label("Guesses, if")):
        expect(box).to_have_value("")
    other = new_page(f"{address}/analyze?game=fibble")  # another game than that of the example
    expect(other.get_by_label("Game", exact=True)).to_have_value("fibble")
    expect(other.locator(".results")).to_be_empty()
    other.get_by_label("Share text").fill("Fibble, 2 lies, nyt2023 4/9")
    other.goto(f"{address}/analyze")  # what was typed is kept, and names its game again
    expect(other.get_by_label("Noise")).to_have_value("fibble:2")
    page.goto(f"{address}/analyze?text=⬛🟨🟨⬛⬛")
    expect(page.get_by_label("Guesses, if")).to_be_visible()  # they are missing
    page.get_by_label("Hard mode").select_option("1")
    page.get_by_label("Game", exact=True).select_option("fibble")
    expect(page.get_by_label("Hard mode")).to_be_hidden()
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_role("button", name="Analyze").click()
    sent = asked.value.post_data_json
    assert [sent[name] for name in ("hard", "channel", "game", "epsilon")] == [False, "fibble", "wordle:9", "inf"]
