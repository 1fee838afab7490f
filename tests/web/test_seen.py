"""Coach and Analyze with answers of the server: what they show of them, and what their fields and links do.

`test_texts.py` has what each number and text is made of, by answers that are made up.
"""

import math
import re
from typing import Any
from urllib.parse import urlencode

from playwright.sync_api import Page, expect

from tests.support.helpers import ORIGINAL
from tests.support.pages import enter, last_answers, percent, read, spoken
from wordpl import GameFormat, Setting, channel_family, clue, load_words
from wordpl.wordle import Assistant


def expect_standing(page: Page, assistant: Assistant, noisy: bool = False) -> dict[str, Any]:
    """Wait until Coach shows what it makes of the record of an assistant, and return that."""
    standing = assistant.record(10, 200)
    told = {
        name: read(page, "coach/standing", name, standing, noisy) for name in ("sentence", "bestBet", "answersList")
    }
    expect(page.locator(".standing")).to_have_text(told["sentence"])
    expect(page.locator(".standing + p")).to_have_text(told["bestBet"])
    expect(page.locator("h2", has_text="Answers left").locator("+ div")).to_have_text(told["answersList"]["text"])
    table = page.get_by_role("region", name="Best next guesses").locator("tr")
    expect(table).to_have_text(
        ["".join(row) for row in read(page, "coach/standing", "suggestionTable", standing, {}, noisy)["rows"]]
    )
    return dict(standing)


def test_coach_in_wordle_shows_what_is_left_and_what_to_guess(address, new_page):
    page = new_page(f"{address}/coach?words=original&row=crate:..icc&hard=1&why=haste&by=parts")
    setting = Setting(ORIGINAL, "counted", format=GameFormat(6))
    assistant = Assistant(setting, criterion="parts", hard=True, kernels=True)
    assistant.take((assistant.read("crate=..icc"),))
    first, second = (one["word"] for one in expect_standing(page, assistant)["suggestions"][:2])
    reasons = assistant.why("haste")
    expect(page.locator(".reasons")).to_contain_text(f"haste: {reasons.statistics.bits:.4f} bits")
    rows = [spoken("haste", part.clue) for part in reasons.parts]
    tiles = page.locator(".reasons tbody .tiles")
    expect(tiles).to_have_count(len(rows))
    assert tiles.evaluate_all("all => all.map(({ ariaLabel }) => ariaLabel)") == rows
    compared = urlencode({"rule": "counted", "guess": [first, second], "epsilon": "inf"}, doseq=True)
    analyzed = urlencode({"game": "wordle", "words": "original", "hard": "1", "text": "crate=..icc"})
    for name, address_of in (
        ("Analyze this game", f"/analyze?{analyzed}"),
        ("Compare clues", f"/explore/clues?words=original&{compared}&row=crate%3A..icc%3Ainf"),
    ):
        expect(page.get_by_role("link", name=name)).to_have_attribute("href", address_of)
    expect(page.locator("#live")).to_have_text(re.compile(rf"to learn\. Best guess that .* Best guess: {first}\.$"))
    page.get_by_label("Any word").press("Enter")
    expect(page.locator("#live")).to_have_text(f"haste: {reasons.statistics.bits:.2f} bits")
    page.get_by_role("button", name="Remove CRATE").click()  # the reasons are those of the game as it is
    assistant.undo()
    told = f"parts the answers into {len(assistant.why('haste').parts)} groups"
    expect(page.locator(".reasons")).to_contain_text(told)
    page.go_back()
    page.get_by_role("button", name=f"Guess {second}").click()
    expect(page.get_by_label("Next guess", exact=True)).to_have_value(second)
    expect(page.get_by_role("button", name=re.compile("^[A-Z]: absent$"))).to_have_count(2 + 5)  # five to be marked
    expect(page).to_have_url(re.compile(f"next={second}&why"))


def test_coach_in_wordpl_shows_what_is_likely_and_whether_to_propose(address, new_page):
    page = new_page(f"{address}/coach?row=crate:..icc:13&row=haste:.c.i.:9")
    assistant = Assistant(Setting(ORIGINAL), 13, kernels=True)
    turns = tuple(map(assistant.read, ("crate=..icc@13", "haste=.c.i.@9")))
    assistant.take(turns)
    answers = expect_standing(page, assistant, noisy=True)["answers"]
    expect(page.get_by_label("Epsilon of HASTE", exact=True)).to_have_value("9")
    page.get_by_role("button", name="Show more").click()
    expect(page.locator(".chances li")).to_have_text([f"{one['word']}{percent(one['chance'])}" for one in answers])
    page.get_by_label("Epsilon of the next guess", exact=True).fill("30")
    clearer = Assistant(Setting(ORIGINAL), 30, kernels=True)
    clearer.take(turns)
    expect_standing(page, clearer, noisy=True)
    expect(page).to_have_url(re.compile("epsilon=30"))
    page.goto(f"{address}/coach?epsilon=9")  # only WORDPL has one
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordpl")


def test_coach_in_fibble_shows_which_marks_may_be_false(address, new_page):
    page = new_page(f"{address}/coach?game=fibble&channel=fibble:2&row=crate:..icc&row=sloth:ci...")
    setting = Setting(load_words("fibble"), "counted", channel_family("fibble:2"), format=GameFormat(9))
    assistant = Assistant(setting, math.inf, kernels=True)
    assistant.take((assistant.read("crate=..icc"), assistant.read("sloth=ci...")))
    expect_standing(page, assistant)
    expect(page.get_by_label("Noise")).to_have_value("fibble:2")
    cells = page.get_by_role("region", name="Chance that each mark is false").locator("td")
    chances = [percent(chance, 2) for row in assistant.false_marks() for chance in row]
    expect(cells).to_have_text([letter.upper() + chance for letter, chance in zip("cratesloth", chances, strict=True)])
    entropy = page.get_by_label("Ranked by").locator("[value=clue_entropy]")
    expect(entropy).to_be_disabled()  # clues with lies differ in how much of their entropy is noise
    page.get_by_label("Game", exact=True).select_option("wordle")
    expect(entropy).to_be_enabled()
    page.get_by_label("Ranked by").select_option("clue_entropy")
    expect(page).to_have_url(re.compile("by=clue_entropy"))
    page.get_by_label("Hard mode").select_option("1")  # which Fibble has not
    page.get_by_label("Game", exact=True).select_option("fibble")
    expect(page.get_by_label("Ranked by")).to_have_value("information_gain")
    expect(page.locator(".standing")).to_contain_text("answers and 7 guesses remain")


SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"


def test_analyze_shows_its_example_and_that_a_long_text_has_no_link(address, new_page):
    page = new_page("about:blank")
    answers = last_answers(page)
    page.goto(f"{address}/analyze")
    expect(page.get_by_role("heading", name="Solved in 3 guesses")).to_be_visible()
    found = answers["analyze"].json()
    rows = [(turn["guess"], turn["clue"]) for turn in found["turns"]]
    assert rows == [("crate", ".ii.."), ("slink", "ci..."), ("solar", "ccccc")]
    game = {"game": "wordle", "words": "nyt2023", "rule": "counted", "channel": None, "limit": 6}
    told = [part["text"] for part in read(page, "analyze/review", "review", found, game)]
    whole = "".join(["This is an example. Paste your own game over it.", *told])
    expect(page.locator(".results")).to_have_text(whole)
    expect(page.locator("#live")).to_have_text(f"Solved in 3 guesses. Skill {found['skill']}, luck {found['luck']}.")
    page.get_by_label("Share text").focus()  # what is pasted goes in the place of the example
    page.keyboard.insert_text("slink .....")
    expect(page.get_by_label("Share text")).to_have_value("slink .....")
    page.get_by_label("Game", exact=True).select_option("wordpl")
    page.get_by_label("Share text").fill(SQUARES + " " * 1000)  # each of them would fit
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordle")
    page.set_viewport_size({"width": 390, "height": 844})  # where what is found stands far below
    enter(page.get_by_label("Guesses, if"), "crate slink solar")
    expect(page).to_have_url(re.compile("text=Wordle.*&guesses=crate"))
    expect(page.get_by_role("heading", name="Solved in 3 guesses")).to_be_in_viewport()
    page.reload()
    expect(page.get_by_role("heading", name="Solved in 3 guesses")).to_be_in_viewport()
    enter(page.get_by_label("Guesses, if"), "crate slink solar" + " " * 1000)
    expect(page.get_by_text("This text is too long to stand in a link.")).to_be_visible()
    expect(page).not_to_have_url(re.compile("text=|guesses="))
    page.get_by_label("Share text").fill(SQUARES.replace("3/6", "4/6"))
    page.get_by_role("button", name="Analyze").click()
    expect(page.get_by_text("The text says 4/6, but has 3 rows; a row may be missing.")).to_be_visible()
    expect(page.locator(".results")).not_to_contain_text(re.compile("This is an example|too long"))
    page.get_by_label("Hard mode").select_option("1")
    page.get_by_role("button", name="Analyze").click()
    expect(page.locator(".fault:visible")).to_contain_text("breaks hard mode")
    expect(page.locator(".review")).to_have_count(0)


def test_a_noisy_game_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/analyze?game=wordpl&epsilon=20")  # of clues that name none
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("crate=..icc@40\nhaste=.c.i.@9\ntardy ccccc@60\ntardy ccccc@13\nchair")
    expect(page.get_by_label("Words")).to_have_value("original")
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_label("Answer, if").press("Enter")
    sent: dict[str, Any] = {"words": "original", "rule": "letterwise", "guesses": "", "answer": None, "hard": False}
    sent |= {"text": page.get_by_label("Share text").input_value(), "channel": "randomized_response", "epsilon": 20}
    assert asked.value.post_data_json == sent | {"game": None}
    result = page.locator(".results > .panel").first
    expect(result).to_contain_text("You proposed CHAIR, at under 0.01%; the best bet was TARDY")
    expect(result).to_contain_text("1 ask came when the answer was certain already, and cost 13")
    expect(page.locator(".flipped")).to_have_count(0)
    enter(page.get_by_label("Answer, if"), "TARDY")
    lies = [("crate", "..icc"), ("haste", ".c.i.")]
    false = [sum(map(str.__ne__, seen, clue(guess, "tardy").show())) for guess, seen in lies]
    for number, count in enumerate([*false, 0, 0]):
        expect(page.locator(".review").nth(number).locator(".flipped")).to_have_count(count)
    page.get_by_role("link", name="Go on in Coach").click()
    expect(page.locator(".turns > li")).to_have_count(4)
    page.route("**/api/analyze", lambda route: route.fulfill(status=500), times=1)
    page.goto(f"{address}/analyze?text=crate+..icc+13")
    expect(page.locator(".fault:visible")).to_contain_text("The server cannot answer this now (status 500).")
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordpl")
    page.get_by_label("Guesses, if").fill("slink solar")  # which are of no text with words
    page.get_by_label("Share text").fill("crate .ii..\nslink ci...")  # nor is it noisy because the one before was
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_role("button", name="Analyze").click()
    assert (asked.value.post_data_json["guesses"], asked.value.post_data_json["game"]) == ("", "wordle:6")
