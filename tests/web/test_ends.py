"""Every kind of game of the page is played to each of its ends, in a browser, and its story is told."""

import re

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.support.helpers import SMALL
from tests.support.pages import (
    NO_ANSWERS,
    best_bet,
    end_of,
    expect_none,
    follow,
    give_up,
    played,
    rows,
    told_answer,
    typed,
)
from wordpl import load_words

WORDS = [word for word in SMALL.answers if word in load_words("nyt2023").answer_index]
TELLING = ("crate", "sloth", "bumpy")
"""Guesses that leave few answers, so that the rest of a long game is quickly analyzed. None is an answer."""
KINDS = {
    "wordpl": "kind=wordpl&words={few}&channel=whole_clue&epsilon=1000",
    "unlimited": "kind=unlimited&words={few}&epsilon=1000",
    "wordle": "kind=wordle&words={few}",
    "adversarial": "kind=adversarial&words={few}",
    "Fibble": "kind=fibble&words={few}",
}


@pytest.fixture(scope="module")
def few(address: str) -> str:
    """The name of a list of few words, whose games are quickly analyzed."""
    lists = {"answers": "\n".join(WORDS), "guesses": "\n".join([*WORDS, *TELLING, NO_ANSWERS[0]])}
    return str(httpx2.post(f"{address}/api/words", json=lists).json()["name"])


def begin(page: Page, address: str) -> None:
    """Begin the game of an address anew."""
    follow(page, address)
    expect(end_of(page)).to_have_count(0)
    expect(rows(page).first).to_be_visible()


def guess(page: Page, word: str) -> bool:
    """Guess a word; returns whether the game is over."""
    count = played(page).count()
    typed(page, word)
    expect(played(page)).to_have_count(count + 1)
    return end_of(page).count() > 0


def win(page: Page, kind: str, answer: str) -> None:
    if kind == "adversarial":
        over = False
        for word in TELLING:
            over = guess(page, word)
        while not over:
            over = guess(page, best_bet(page)[0].lower())
    elif not guess(page, answer):
        guess(page, answer)  # for nothing: it was certain
        page.keyboard.type(answer)
        page.keyboard.press("Shift+Enter")
        page.get_by_role("button", name="Yes, propose").click()
        expect(end_of(page)).to_contain_text("after row 1. Asking on was a waste, which cost 1,000.")


def check_end(page: Page, kind: str, heading: str) -> None:
    if kind in ("wordle", "adversarial"):
        unsaid = r"\blied?\b" + "|[Tt]he answer was" * (kind == "adversarial")
        expect(page.locator(".play")).not_to_contain_text(re.compile(unsaid))
    expect(page.get_by_role("heading", level=2).first).to_have_text(re.compile(heading))
    expect(end_of(page).locator("[aria-busy]")).to_have_count(0)
    expect(page.locator(".replay .plot > svg")).to_be_visible()
    luck = "from" if kind == "adversarial" else r"luck \d+, each from"
    expect(end_of(page)).to_contain_text(re.compile(rf"Skill (\d+|–), {luck} 0 to 99"))
    expect(page.locator(".fault:visible")).to_have_count(0)
    expect(page.get_by_role("button", name="New game")).to_have_count(1)
    if kind in ("wordle", "Fibble"):
        cut = "document.querySelector('.rows').scrollHeight - document.querySelector('.rows').clientHeight"
        expect_none(page, cut, "pixels of rows that are cut off")
    page.get_by_label("Back to a row").focus()
    page.keyboard.press("Home")
    expect(page.locator(".replay .note").first).to_have_text(re.compile(r"^Row 1\b"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_game_is_told_at_each_of_its_ends(new_page, address, few, kind):
    """It is given up, and with the answer that is told then, won and lost; but one against the adversary takes long to
    lose, an unlimited one cannot be lost, and `test_seen_play.py` has a game of WORDPL that is."""
    page = new_page(f"{address}/play?{KINDS[kind].format(few=few)}")
    faults: list[str] = []
    page.on("console", lambda said: faults.append(said.text) if said.type == "error" else None)
    expect(rows(page).first).to_be_visible()
    began = page.url
    guess(page, NO_ANSWERS[0])
    give_up(page)
    check_end(page, kind, "^You gave up")
    answer = told_answer(page).lower()
    story = page.url
    end_of(page).get_by_role("link", name="Open in Analyze").click()
    expect(page.locator(".tab-analyze .review").first).to_be_visible()
    expect(page.locator(".grade", has_text="Luck").first).to_be_visible(visible=kind != "adversarial")
    if kind == "unlimited":
        expect(page.get_by_label("Share text")).to_have_value(re.compile(r"not found, 1 guess \(unlimited\)\n"))
    follow(page, story)
    if kind == "adversarial":  # which has no answer
        for name in ("Open in Coach", "Open in Analyze"):
            expect(page.get_by_role("link", name=name)).to_have_attribute("href", re.compile("limit=50(?!.*answer=)"))
    end_of(page).get_by_role("link", name="Open in Coach").click()
    expect(page.locator(".tab-coach .standing")).not_to_have_text("…")
    expect(page.locator(".fault:visible")).to_have_count(0)
    begin(page, f"{began}&help=bet" if kind == "adversarial" else began)
    win(page, kind, answer)
    check_end(page, kind, "^Right")
    if kind in ("wordle", "Fibble"):
        begin(page, began)
        while not guess(page, next(word for word in WORDS if word != answer)):
            pass
        check_end(page, kind, "^Out of guesses")
    assert not faults
