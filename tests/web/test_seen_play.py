"""Play with answers of the server: what is read of a new game, of one that goes on, and of each kind at its ends.

`test_texts.py` has what each number and text is made of, by answers that are made up.
"""

import re

import httpx2
import pytest
from playwright.sync_api import Page, expect

from tests.support.helpers import ORIGINAL, SMALL
from tests.support.pages import (
    NO_ANSWERS,
    best_bet,
    end_of,
    faults,
    follow,
    give_up,
    last_answers,
    percent,
    played,
    read,
    rows,
    shown,
    spoken,
    told_answer,
    typed,
)
from wordpl import Posterior, load_words


@pytest.mark.parametrize(
    ("query", "about", "game", "most"),
    [
        ("?kind=unlimited&channel=ball:1", "Each guess costs; the right one ends the game.",
         "WORDPL, unlimited, original, ball of radius 1", 5),
        ("?kind=wordpl&rule=counted", "One proposal: wrong loses.", "WORDPL, original, counted", 5),
        ("?kind=daily", "The word of 20", "Wordle, word of the day, nyt2023", 6),
        ("?kind=wordle&hard=1&words=original", "", "Wordle, original, hard mode", 6),
        ("?kind=adversarial&hard=extra", "The adversary has no word in mind",
         "Wordle, adversary, nyt2023, extra hard mode", 5),
        ("?kind=fibble&channel=fibble:3&given=0", "3 false marks in each row",
         "Fibble, fibble, 3 false marks in each row", 9),
    ],
)  # fmt: skip
def test_a_new_game_says_what_it_is_and_what_it_costs(play, query, about, game, most):
    page = play(query)
    expect(page.locator(".setup summary")).to_have_text(f"Game: {game}")
    expect(page.locator(".bet")).to_contain_text(about)
    expect(rows(page)).to_have_count(most)
    expect(page.get_by_role("button", name="Propose")).to_have_count(int("kind=wordpl" in query))
    costs = page.get_by_role("group", name="How clear the next clue is").get_by_role("button")
    if not game.startswith("WORDPL"):
        expect(costs.or_(page.locator(".meter, .plot, .note a"))).to_have_count(0)
        return
    expect(page.locator(".meter-text")).to_have_text("Spent 0, next ask 13.")
    game = {"channel": "ball:1" if "ball" in query else None, "length": 5}
    lies = [read(page, "epsilon", "liesIn", epsilon, game) for epsilon in (6, 13, 25)]
    texts = [name + said for name, said in zip(("cheap 6", "fair 13", "clear 25"), lies, strict=True)]
    expect(costs).to_have_text([*texts, "otherany price"])
    label = f"The best bet: After 0 spent, the best bet is ABACK, at {percent(1 / 2315)}."
    expect(page.get_by_role("figure", name="The best bet")).to_have_attribute("aria-label", label)


def test_a_game_of_wordpl_is_read_from_its_first_row_to_its_end(play):
    page = play("?help=bet+answers+bits+guesses")
    answers = last_answers(page)
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    word, chance = best_bet(page)
    told, row = answers["help"].json(), answers[re.search("game=([^&]*)", page.url)[1]].json()["rows"][0]
    assert told["bets"][-1]["word"].upper() == word
    expect(page.locator(".bet")).to_have_text(f"Best bet {word}, {chance}. {told['advice']['text']}")
    for said in (f"{shown(told['bits'])} bits left to find.", "Next best guess at epsilon 13, by bits to learn"):
        expect(page.locator(".help")).to_contain_text(said)
    guesses = [
        "".join([one["word"], shown(one["bits"], 3), shown(one["expected_remaining"], 3), percent(one["chance"])])
        for one in told["guesses"]
    ]
    table = page.get_by_role("region", name="The best next guesses").locator("tr")
    expect(table).to_have_text(["guessbitsanswers leftchance", *guesses])
    expect(page.get_by_role("figure")).to_have_attribute(
        "aria-label", re.compile(f"After 13 spent.* {word}, at {chance}")
    )
    expect(rows(page).first.get_by_role("img")).to_have_attribute("aria-label", spoken("crate", row["clue"]))
    expect(page.locator("#live")).to_have_text(f"crate: {spoken('crate', row['clue'])}.")
    assert faults(page) == []
    page.get_by_role("button", name="Put it into the row").or_(page.locator(".help .pick")).nth(1).click()
    typing = f"You are typing {told['answers'][1]['word'].upper()}"
    expect(page.locator(".typing")).to_have_attribute("aria-label", typing)
    belief = Posterior(ORIGINAL).update("crate", 13, row["clue"])
    for name in (word, next(other for other in ("HASTE", "PROUD") if other != word)):
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)  # which would take the next key
        for _ in range(5):
            page.keyboard.press("Backspace")
        page.keyboard.type(name[:4].lower())
        expect(page.get_by_role("button", name="Propose")).to_have_text("Propose ")  # not the best bet
        page.keyboard.type(name[4].lower())
        page.keyboard.press("Shift+Enter")
        odds = percent(belief.probabilities[ORIGINAL.answer_index[name.lower()]])
        question = f"Propose {name}? Its chance is {odds}. Wrong loses the game."
        expect(page.locator("dialog")).to_have_text(f"{question}Go backYes, propose {name}")
    page.get_by_role("button", name="Yes, propose").click()
    expect(end_of(page)).to_be_visible()
    expect(end_of(page).locator("[aria-busy]")).to_have_count(0)
    check_end(page, answers, name)


def check_end(page: Page, answers: dict, proposed: str) -> None:
    """The end of a game of one row that was lost."""
    story, judged, records = (answers[name].json() for name in ("story", "analysis", "records"))
    game = answers[re.search("game=([^&]*)", page.url)[1]].json()
    answer, (row,), (true,) = game["result"]["answer"], game["rows"], game["result"]["true_clues"]
    assert answer.upper() != proposed
    expect(page.locator("h2 + p")).to_have_text(f"The answer was {answer.upper()}.")
    expect(page.get_by_text("A dashed frame is a mark that was false")).to_have_count(int(row["clue"] != true))
    expect(rows(page)).to_have_text(["CRATEε 13", f"{proposed}wrong"])
    board = [spoken("crate", row["clue"], true), proposed]
    for tiles, said in zip(rows(page).get_by_role("img").all(), board, strict=True):
        expect(tiles).to_have_attribute("aria-label", said)
    for said in (*read(page, "play/story", "sentences", game, story), f"luck {judged['luck']}, each from 0 to 99.",
                 "A number is the price of an ask; = proposes a word.",
                 f"The best play from the start: {', '.join(judged['line'])}."):  # fmt: skip
        expect(end_of(page)).to_contain_text(said)
    asked = [
        "".join([mine, *(f"= {move['word']}" if move["action"] == "propose" else
                         f"{move['word']} {shown(move['epsilon'], 3)}" for move in moves)])
        for mine, *moves in zip(("crate 13", proposed.lower()), *(one["moves"] for one in records), strict=True)
    ]  # fmt: skip
    table = end_of(page).get_by_role("region", name="What the best known strategies would have asked where you were")
    expect(table.locator("tr")).to_have_text(["you5th50th95th", *asked])
    own = [
        f"right, {shown(one['spent'], 5)}" if one["won"] else f"wrong, proposed {one['proposed']}" for one in records
    ]
    named = [f"{one['name']} ({one['percentile']}th percentile): {end}" for one, end in zip(records, own, strict=True)]
    expect(end_of(page).locator("summary")).to_have_text(named)


# Each kind of game at each of its ends.

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


def check_any_end(page: Page, kind: str, heading: str) -> None:
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
    page.get_by_label("Back to a row").press("Home")
    expect(page.locator(".replay .note").first).to_have_text(re.compile(r"^Row 1\b"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_game_is_told_at_each_of_its_ends(new_page, address, few, kind):
    """It is given up, and with the answer that is told then, won and lost; but one against the adversary takes long to
    lose, an unlimited one cannot be lost, and above is a game of WORDPL that is."""
    page = new_page(f"{address}/play?{KINDS[kind].format(few=few)}")
    expect(rows(page).first).to_be_visible()
    began = page.url
    guess(page, NO_ANSWERS[0])
    give_up(page)
    check_any_end(page, kind, "^You gave up")
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
    check_any_end(page, kind, "^Right")
    if kind in ("wordle", "Fibble"):
        begin(page, began)
        while not guess(page, next(word for word in WORDS if word != answer)):
            pass
        check_any_end(page, kind, "^Out of guesses")
