"""The tab Play, in a browser."""

import json
import re
from datetime import date, timedelta

from playwright.sync_api import Page, expect

from tests.support.pages import (
    NO_ANSWERS,
    best_bet,
    clues,
    end_of,
    give_up,
    key,
    played,
    reach,
    rows,
    told_answer,
    typed,
)

SCENES = {"whose secret": 1, "epsilon": 2, "the promise": 3, "the right time to propose": 4}
"""The scenes that explain the words of Play."""


def tapped(page: Page, word: str) -> None:
    for letter in word:
        key(page, letter).tap()
    key(page, "Ask").tap()


def test_budgets_of_records_are_beside_games_with_one_proposal_alone(new_page, address):
    for kind, records in (("wordpl", 3), ("unlimited", 0)):
        page, asked = new_page(f"{address}/analyze"), []
        page.on("request", lambda request, asked=asked: asked.append(request.url))
        page.goto(f"{address}/play?kind={kind}")
        expect(rows(page).first).to_be_visible()
        typed(page, NO_ANSWERS[0])
        best_bet(page)  # asked for after the records
        expect(page.locator(".records li")).to_have_count(records)
        assert any(url.endswith("/play/records") for url in asked) == (records > 0)


def test_the_stake_is_said_first_and_advice_does_not_depend_on_the_slider(play):
    page = play(size="phone")
    expect(page.locator(".bet")).to_have_text(
        "Some marks are lies. Each ask costs; the lowest sum is best. One proposal: wrong loses."
    )
    marks = page.locator(".records li")
    expect(marks).to_have_text(["14.3 wins 5%", "36.3 wins 50%", "68.2 wins 95%"])
    places = [18, 47, 89]  # percent of the meter, which ends at 1.12 times the dearest
    for mark, place in zip(marks.all(), places, strict=True):
        expect(mark).to_have_attribute("style", re.compile(rf"^left: {place}\.\d+%"))
    for word, number in SCENES.items():
        expect(page.get_by_role("link", name=word)).to_have_attribute("href", re.compile(rf"scene={number}\b"))
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    best_bet(page)
    # While the server still compiles, the best bet comes without advice; the page asks again when it is ready.
    expect(page.locator(".bet")).to_contain_text(re.compile(r"Asking [A-Z]+ at \d+ raises .+ worth it"))
    expect(page.locator(".help[aria-busy]")).to_have_count(0)
    advice = page.locator(".bet").inner_text()
    page.set_viewport_size({"width": 390, "height": 844})
    curve = page.locator(".controls .plot .curve")  # during play, above the keyboard
    expect(curve).to_be_visible()
    expect(key(page, "Ask")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(curve).to_have_count(0)
    expect(page.get_by_role("figure", name="The best bet")).to_be_visible()
    page.get_by_role("button", name="clear 25").click()
    expect(page.locator(".meter-text")).to_contain_text("next ask 25")
    expect(page.locator(".bet")).to_have_text(advice)


def test_a_coached_game_is_played_to_its_story_by_keyboard(play):
    page = play("?help=bet+answers")
    expect(page).to_have_url(re.compile(r"&game=[\w-]+$"))
    reach(page, "clear 25")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Board")).to_be_focused()
    for number, word in enumerate(("crate", "sloth", "bumpy"), start=1):
        typed(page, word)
        expect(played(page)).to_have_count(number)
        expect(page.locator(".chances .number").first).to_be_visible()
    expect(page.locator(".meter-text")).to_have_text("Spent 75, next ask 25.")
    expect(page.locator(".help[aria-busy]")).to_have_count(0)
    word, chance = best_bet(page)
    curve = page.get_by_role("figure", name=f"The best bet: After 75 spent, the best bet is {word}, at {chance}.")
    # From before the first row to after each.
    expect(curve.locator(".curve")).to_have_attribute("d", re.compile("^[^L]*(L[^L]*){3}$"))
    expect(page.locator(".chances li").first).to_contain_text(word.lower())
    page.keyboard.press("Shift+Enter")
    question = page.get_by_role("alertdialog")
    expect(question).to_contain_text(re.compile(rf"Propose {word}\? Wrong \w.* of 100 times, and wrong loses"))
    page.keyboard.press("Enter")  # goes back
    expect(question).to_have_count(0)
    page.keyboard.press("Shift+Enter")
    reach(page, "Yes, propose")
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", level=2).first
    expect(heading).to_be_focused()
    answer = told_answer(page)
    won = answer == word
    expect(heading).to_have_text("Right. Your score is 75." if won else "Wrong. All 75 that you spent is lost.")
    expect(end_of(page)).to_contain_text(f"You proposed the best bet, {word}, at {chance}.")
    asked = end_of(page).get_by_role("region", name="What the best known strategies would have asked where you were")
    expect(asked.locator("tbody tr").first).to_contain_text("trace at 10")
    expect(page.locator(".plot .mark")).to_have_count(3)
    lied = [row.locator(".flipped").count() > 0 for row in played(page).all()[:3]]
    rings = page.locator(".plot .mark").evaluate_all(
        "marks => marks.map((mark) => mark.getAttribute('fill') === 'none')"
    )
    assert rings == lied, "a row with a lie is not drawn as one on the line"
    page.get_by_label("Back to a row").focus()
    page.keyboard.press("Home")
    link = page.get_by_role("link", name="See the channel that did this")
    expect(link).to_have_attribute("href", f"/explore/channel?guess=crate&answer={answer.lower()}&epsilon=25")
    reach(page, "Go on from here")
    page.keyboard.press("Enter")
    expect(played(page)).to_have_count(1)


def test_no_slip_proposes_or_gives_up_and_what_is_typed_is_asked(play):
    page = play(size="phone", has_touch=True)
    expect(page.locator(".records li")).to_have_count(3)  # nothing moves any more
    page.keyboard.type("crate")
    question = page.get_by_role("alertdialog")
    for name in ("Propose CRATE", "Give up"):
        button = page.get_by_role("button", name=name)
        box = button.bounding_box()
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        for pause in (80, 200, 400, 600):
            page.touchscreen.tap(*place)
            page.wait_for_timeout(pause)
            page.touchscreen.tap(*place)
            expect(question).to_be_visible()
            page.keyboard.press("Escape")
        page.mouse.dblclick(*place)
        expect(question).to_be_visible()
        page.keyboard.press("Escape")
        button.focus()
        for _ in range(20):  # the key is held
            page.keyboard.down("Enter")
        page.keyboard.up("Enter")
        expect(question).to_be_visible()
        page.keyboard.press("Escape")
    page.get_by_role("button", name="any").click()
    page.keyboard.type("7.5")
    page.get_by_role("button", name="Ask").tap()
    expect(rows(page).first).to_contain_text("ε 7.5")
    expect(page.get_by_role("region", name="Board")).to_be_focused()  # for the next word
    page.goto(f"{page.url}&move=ha&move=sloth:13")  # a link that was damaged
    expect(page.locator(".fault")).to_contain_text("Move 2 of this address, “ha”, cannot be made.")
    expect(played(page)).to_have_count(1)
    page.get_by_role("link", name="Go on from here").click()
    expect(key(page, "Ask")).to_be_visible()
    typed(page, "sloth")
    expect(played(page)).to_have_count(2)


def test_a_game_is_played_by_touch_and_a_friend_gets_the_same_noise(play, new_page):
    page = play("", "phone", has_touch=True, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="cheap 6").tap()
    tapped(page, "crate")
    expect(played(page)).to_have_count(1)
    tapped(page, "haste")
    expect(played(page)).to_have_count(2)
    first = clues(page)[0]
    best_bet(page)
    for letter in "proud":
        key(page, letter).tap()
    page.get_by_role("button", name="Propose PROUD").tap()
    expect(page.get_by_role("alertdialog")).to_contain_text(re.compile(r"Wrong (at least )?\d+ of 100 times"))
    page.get_by_role("button", name="Yes, propose PROUD").tap()
    expect(end_of(page)).to_contain_text("You proposed")
    page.get_by_role("button", name="Challenge a friend").tap()
    expect(end_of(page).get_by_text("Copied.")).to_be_visible()
    friend = new_page(page.evaluate("navigator.clipboard.readText()"))
    expect(rows(friend)).to_have_count(6)  # one to type, and five to come
    friend.get_by_role("button", name="cheap 6").click()
    typed(friend, "crate")
    expect(played(friend)).to_have_count(1)
    assert clues(friend)[0] == first.split(";")[0]


def test_the_word_of_the_day_is_played_once_and_keeps_a_streak(play):
    page = play("?kind=daily")
    expect(page.get_by_text("The word of 20")).to_be_visible()
    give_up(page)
    expect(end_of(page)).to_contain_text("1 played, 0 won, a streak of 0.")
    answer = told_answer(page).lower()
    page = play("?kind=daily")  # another browser
    typed(page, NO_ANSWERS[0])
    expect(played(page)).to_have_count(1)
    typed(page, answer)
    expect(end_of(page)).to_contain_text("1 played, 1 won, a streak of 1.")
    name, kept = page.evaluate("Object.entries(localStorage).find(([name]) => name.startsWith('play:daily'))")
    ((today, game),) = json.loads(kept).items()
    days = {str(date.fromisoformat(today) - timedelta(days=back)): game for back in (0, 1, 3)}
    page.evaluate("([name, kept]) => localStorage.setItem(name, kept)", [name, json.dumps(days)])
    page.get_by_role("button", name="WORDPL", exact=True).click()
    expect(played(page)).to_have_count(0)
    page.get_by_role("button", name="Today's word").click()
    expect(page.get_by_role("heading", name="Right, in 2 guesses.")).to_be_visible()
    expect(end_of(page)).to_contain_text("3 played, 3 won, a streak of 2.")
    expect(page.get_by_role("list", name="Games by the number of guesses").locator("li").nth(1)).to_contain_text("3")
