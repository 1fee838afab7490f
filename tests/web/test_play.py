"""The tab Play, in a browser."""

import re

import httpx2
import pytest
from playwright.sync_api import expect

from tests.support.pages import (
    NO_ANSWERS,
    WIDE,
    best_bet,
    clues,
    end_of,
    expect_none,
    give_up,
    key,
    played,
    reach,
    rows,
    told_answer,
    typed,
)


def test_a_phone_shows_the_curve_and_advice_that_no_slider_changes(play):
    page = play(size="phone")
    curve, meter = page.get_by_role("figure", name="The best bet"), page.locator(".meter")
    for width, height in ((360, 640), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        expect(curve).to_be_visible(visible=height > 656)
        expect(meter).to_be_visible(visible=height < 656)
        expect_none(page, WIDE, "pixels too wide")
        board = "document.querySelector('.rows').clientHeight - 3 * document.querySelector('.typing').offsetHeight"
        expect_none(page, f"Math.max(0, -({board}))", f"pixels of three rows that are hidden at {width}x{height}")
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    best_bet(page)
    expect(page.locator(".bet")).to_contain_text(re.compile(r"Asking [A-Z]+ at \d+ raises .+ worth it"))
    advice = page.locator(".bet").inner_text()
    expect(page.locator(".controls .plot .curve").first).to_be_visible()  # during play, above the keyboard
    expect(key(page, "Ask")).to_be_in_viewport()
    expect(page.locator(".keys")).to_have_text(["QWERTYUIOP", "ASDFGHJKL", "AskZXCVBNM⌫"])
    page.get_by_role("button", name="clear 25").click()
    expect(page.locator(".meter-text")).to_contain_text("next ask 25")
    expect(page.locator(".bet")).to_have_text(advice)
    page.get_by_role("button", name="any price").click()
    for pressed, end in (("End", 100), ("Home", 0.1)):  # never without noise, in a game whose score is the budget
        page.get_by_label("Epsilon of this row, slider").press(pressed)
        expect(page.locator(".meter-text")).to_have_text(f"Spent 13, next ask {end}.")
    typed(page, "sloth")
    expect(rows(page).nth(1)).to_contain_text("ε 0.1")
    page.set_viewport_size({"width": 360, "height": 500})
    expect(page.locator(".typing")).to_be_in_viewport(ratio=0.9)  # the board scrolls to the row that counts
    page.get_by_role("button", name="More: other games and help").click()
    expect(page.locator("li:has(.typing)")).not_to_be_in_viewport(ratio=1)


def test_a_coached_game_is_played_to_its_end_by_keyboard(play):
    page = play("?help=bet+answers")
    reach(page, "clear 25")
    page.keyboard.press("Enter")
    expect(page.get_by_role("region", name="Board")).to_be_focused()
    for number, word in enumerate(("crate", "sloth"), start=1):
        typed(page, word)
        expect(played(page)).to_have_count(number)
    expect(page.locator(".meter-text")).to_have_text("Spent 50, next ask 25.")
    widths = page.locator(".meter").evaluate("({ children }) => [...children].map(({ style }) => style.width)")
    drawn = [100 * spent / (1.12 * 68.2) for spent in (50, 25)]  # of a little more than the dearest record
    assert [float(width.removesuffix("%")) for width in widths if width] == pytest.approx(drawn, abs=0.01)
    word, _ = best_bet(page)
    page.keyboard.press("Shift+Enter")
    page.keyboard.press("Enter")  # goes back
    expect(page.get_by_role("alertdialog")).to_have_count(0)
    expect(page.get_by_role("region", name="Board")).to_be_focused()
    page.keyboard.press("Shift+Enter")
    reach(page, "Yes, propose")
    page.keyboard.press("Enter")
    heading = page.get_by_role("heading", level=2).first
    expect(heading).to_be_focused()
    won = told_answer(page) == word
    expect(heading).to_have_text("Right. Your score is 50." if won else "Wrong: the game is lost. You spent 50.")
    expect(end_of(page).locator("[aria-busy]")).to_have_count(0)
    expect(page.get_by_role("button", name="Restart this game")).to_be_hidden()
    page.get_by_label("Back to a row").press("Home")
    reach(page, "Go on from here")
    page.keyboard.press("Enter")
    expect(played(page)).to_have_count(1)


def test_no_slip_proposes_or_gives_up_and_what_is_typed_is_asked(play):
    page = play(size="phone", has_touch=True)
    expect(page.locator(".records li")).to_have_count(3)
    expect(page.locator(".help[aria-busy]")).to_have_count(0)  # nothing moves any more
    page.keyboard.type("crate")
    question = page.get_by_role("alertdialog")
    for name in ("Propose CRATE", "Give up"):
        button = page.get_by_role("button", name=name)
        box = button.bounding_box()
        place = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.touchscreen.tap(*place)
        page.wait_for_timeout(80)
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
    page.get_by_role("button", name="any price").click()
    page.keyboard.type("7.5")
    page.get_by_role("button", name="Ask").tap()
    expect(rows(page).first).to_contain_text("ε 7.5")
    page.goto(f"{page.url}&move=ha&move=sloth:13")  # a link that was damaged
    expect(page.locator(".fault")).to_contain_text("Move 2 of this address, “ha”, cannot be made.")
    page.get_by_role("button", name="Go on from here").click()
    expect(key(page, "Ask")).to_be_visible()


def test_a_game_is_played_by_touch_and_a_friend_gets_the_same_noise(play, new_page):
    page = play("", "phone", has_touch=True, permissions=["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="cheap 6").tap()
    for word, button in (("crate", key(page, "Ask")), ("proud", page.get_by_role("button", name="Propose PROUD"))):
        for letter in word:
            key(page, letter).tap()
        button.tap()
        expect(played(page)).to_have_count(1)
    first = clues(page)[0]
    page.get_by_role("button", name="Yes, propose PROUD").tap()
    expect(end_of(page)).to_contain_text("You proposed")
    page.get_by_role("button", name="Challenge a friend").tap()
    expect(end_of(page).get_by_text("Copied.")).to_be_visible()
    _, _, sent = page.evaluate("navigator.clipboard.readText()").partition("Can you find the word? ")
    friend = new_page(sent)
    page.get_by_role("button", name="Share the squares").tap()
    expect(end_of(page).get_by_text("Copied.")).to_have_count(2)
    assert page.evaluate("navigator.clipboard.readText()").startswith("WORDPL original, letterwise: ")
    answer = told_answer(page)
    page.get_by_role("button", name="Same word, fresh noise").tap()
    expect(end_of(page)).to_have_count(0)
    give_up(page)
    assert told_answer(page) == answer
    friend.get_by_role("button", name="cheap 6").click()
    typed(friend, "crate")
    expect(played(friend)).to_have_count(1)
    assert clues(friend)[0] == first.split(";")[0]
    friend.get_by_role("button", name="Restart this game").click()
    expect(friend.locator(".meter-text")).to_have_text("Spent 0, next ask 6.")  # the epsilon that was chosen later


def test_the_word_of_the_day_is_played_once_and_keeps_a_streak(play):
    page = play("?kind=daily")
    expect(page.get_by_text("The word of 20")).to_be_visible()
    give_up(page)
    expect(end_of(page)).to_contain_text("1 played, 0 won, a streak of 0. Other games are not counted.")
    answer = told_answer(page).lower()
    page = play("?kind=daily")  # another browser
    typed(page, NO_ANSWERS[0])
    expect(played(page)).to_have_count(1)
    typed(page, answer)
    expect(end_of(page)).to_contain_text("1 played, 1 won, a streak of 1.")
    page.get_by_role("button", name="WORDPL", exact=True).click()
    expect(played(page)).to_have_count(0)
    expect(page.locator(".setup summary")).to_have_text("Game: WORDPL, original")
    page.get_by_role("button", name="Today's word").click()
    expect(page.get_by_role("heading", name="Right, in 2 guesses.")).to_be_visible()
    expect(page.get_by_role("list", name="Games by the number of guesses").locator("li").nth(1)).to_contain_text("1")


def test_the_best_bet_is_written_as_its_tiles_are_in_every_alphabet(address, new_page):
    body = {"answers": "größe\nstraß"}
    page = new_page(f"{address}/play?words={httpx2.post(f'{address}/api/words', json=body).json()['name']}")
    for letter in "größe":  # no key of a keyboard that tests have
        page.get_by_role("group", name="Keyboard").get_by_text(letter if letter == "ß" else letter.upper()).click()
    key(page, "Ask").click()
    expect(played(page)).to_have_count(1)
    expect(page.get_by_role("button", name=re.compile("Propose (GRÖßE|STRAß)"))).to_be_visible()


def test_what_is_typed_stays_with_its_row(play):
    page = play("?kind=wordle&words=original")
    live = page.locator("#live")
    page.keyboard.type("cratex")  # whose last letter has no place
    expect(live).to_have_text("CRATE")
    expect(page.locator(".typing")).to_have_attribute("aria-label", "You are typing CRATE")
    page.keyboard.press("Backspace")
    expect(live).to_have_text("E deleted")
    page.keyboard.press("Enter")
    expect(page.locator("#play-fault")).to_have_text("Type a word of 5 letters.")
    page.reload()
    expect(page.locator(".typing")).to_have_attribute("aria-label", "You are typing CRAT")
    typed(page, "e")
    expect(played(page)).to_have_count(1)


def test_a_game_is_taken_up_and_a_word_that_is_refused_is_there_again(play, address):
    page = play("?epsilon=25&help=guesses")
    page.get_by_role("button", name="cheap 6").click()
    expect(page.locator(".help")).to_contain_text("Next best guess at epsilon 6, by bits to learn")
    page.get_by_role("button", name="clear 25").click()
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    typed(page, "zzzzz")
    expect(page.locator("#play-fault")).to_be_visible()
    expect(page.locator(".typing")).to_have_attribute("aria-label", "You are typing ZZZZZ")
    page.keyboard.press("Backspace")
    expect(page.locator("#play-fault")).to_be_hidden()
    page.keyboard.type("z")
    page.keyboard.press("Shift+Enter")  # it is not staked, either
    expect(page.locator("#play-fault")).to_contain_text("“zzzzz” is not in the word list")
    page.goto(f"{address}/play")
    expect(played(page)).to_have_count(1)
    expect(page).to_have_url(re.compile("help=guesses&epsilon=25&game="))
    expect(page.get_by_role("figure", name="The best bet")).to_be_hidden()
    page.get_by_role("button", name="New game").click()
    expect(played(page)).to_have_count(0)
    expect(page).to_have_url(re.compile(r"epsilon=25&help=guesses&game=[^&]*$"))
    for query, fault, game in (
        ("game=AAAA", "This server has no such game; begin a new one.", "WORDPL, original"),
        ("kind=wordle&words=gone&hard=1", "There is no word list of that name here;", "Wordle, nyt2023"),
    ):
        page.goto(f"{address}/play?{query}")
        expect(page.locator(".fault:visible")).to_contain_text(fault)
        page.get_by_role("button", name="New game").click()
        expect(page.locator(".setup summary")).to_have_text(f"Game: {game}")


def test_a_word_whose_marks_are_all_correct_is_proposed_and_is_right(play):
    page = play("?words=nyt2023&epsilon=1000&help=none")
    began = page.url
    give_up(page)
    answer = told_answer(page)
    page.goto(began)
    expect(page.locator(".typing")).to_be_visible()
    typed(page, answer.lower())
    expect(page.locator(".bet")).to_have_text("All marks are correct: propose it?")
    typed(page, answer.lower())
    expect(played(page)).to_have_count(2)
    page.get_by_label("Best bet", exact=True).check()
    best_bet(page)
    page.keyboard.type(answer.lower())
    page.keyboard.press("Shift+Enter")
    question = f"Propose {answer}? Its chance is "
    expect(page.get_by_role("alertdialog")).to_contain_text(question)
    page.get_by_role("button", name="Yes, propose").click()
    expect(page.get_by_role("heading", name="Right. Your score is 2,000.")).to_be_visible()
    expect(rows(page)).to_have_text([re.compile("ε 1,000$"), re.compile("ε 1,000$"), re.compile("right$")])
    expect(page.locator(".marks li")).to_have_count(0)  # the records are of games with another list


def test_the_form_asks_what_a_game_has_and_says_what_the_server_refuses(play):
    page = play()
    form = page.locator(".setup")
    form.locator("summary").click()
    hard, given, kinds = map(form.get_by_label, ("Hard mode", "The first guess is given", "Game"))
    for kind, has_hard, rule in (
        *(("fibble", False, "counted"), ("unlimited", False, "letterwise")),
        *((kind, True, "counted") for kind in ("wordle", "daily", "adversarial")),
    ):
        kinds.select_option(kind)
        expect(form.get_by_label("Repeat rule")).to_have_value(rule)
        words = {"fibble": "fibble", "unlimited": "original"}.get(kind, "nyt2023")
        expect(form.get_by_label("Words")).to_have_value(words)
        expect(hard).to_be_visible(visible=has_hard)
        expect(given).to_be_visible(visible=kind == "fibble")
    hard.select_option("extra")
    form.get_by_role("button", name="Start this game").click()
    expect(form.locator("summary")).to_have_text("Game: Wordle, adversary, nyt2023, extra hard mode")
    error = {"message": "no", "field": "hard"}
    page.route("**/api/play/games", lambda route: route.fulfill(status=422, json={"error": error}))
    page.get_by_role("button", name="New game").click()
    fault = form.locator(".field:has-text('Hard mode') .fault")
    expect(fault).to_have_text("No.")
    expect(fault).to_be_visible()  # the form opens
    page.unroute_all()
    busy, choice = [], page.locator(".choose")
    page.route("**/api/play/games", lambda route: (busy.append(choice.get_attribute("aria-busy")), route.continue_()))
    kinds.select_option("unlimited")  # which has no hard mode
    form.get_by_role("button", name="Start this game").click()
    expect(form.locator("summary")).to_have_text("Game: WORDPL, unlimited, original")
    assert busy == ["true"]
