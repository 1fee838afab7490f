"""Play as it is read: each text, link, field and number of a new game, of one that goes on, and of its end."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.support.pages import (
    best_bet,
    end_of,
    expect_seen,
    faults,
    last_answers,
    link,
    percent,
    played,
    shown,
    spoken,
    typed,
)
from wordpl import channel_family

FLIPPED = "A dashed frame is a mark that was false; the true one is in its corner."
KEYS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
MARKS = {".": "absent", "i": "present", "c": "correct"}
SWITCHES = ("Best bet", "Most probable answers", "Bits left", "Next best guess")
SCENES = "What is [whose secret](/?scene=1), [epsilon](/?scene=2), [the promise](/?scene=3), [the right time to"
SCENES += " propose](/?scene=4)?"
RECORDS = ["14.3 wins 5%", "36.3 wins 50%", "68.2 wins 95%"]
EMPTY = "«An empty row: type a word»"


def keyboard(enter: str, row: dict | None, noisy: bool) -> list[str]:
    """The keys of the screen after a row; of several marks of a letter, the tests have none that differ."""
    marks = dict(zip(row["guess"], row["clue"], strict=True)) if row else {}
    said = f", {'last shown as ' if noisy else ''}"
    mark = {key: said + MARKS[marks[key]] for key in marks}
    keys = ["".join(f"<{key.upper()}{mark.get(key, '')}>" for key in row) for row in KEYS]
    return [*keys[:2], f"<{enter}>{keys[2]}<Delete the last letter>"]


def helped(*on: str) -> str:
    return "".join(f"[{'x' if name in on else ' '}] {name}" for name in SWITCHES)


def offers(page: Page, *usual: str) -> str:
    """The ways to another game, of which one begins this one anew."""
    again = ["Restart this game"] * page.get_by_role("button", name="Restart this game").is_visible()
    new = ["New game"] if "Today's word" in usual else []  # the word of the day is played once
    return "".join(f"<{name}>" for name in [*new, *again, *usual])


def costs(chosen: int, channel: str = "randomized_response") -> str:
    """The choices of epsilon with the lies to expect."""
    lies = [channel_family(channel)(epsilon, 5) for epsilon in (6, 13, 25)]
    texts = []
    for name, noise in zip(("cheap 6", "fair 13", "clear 25"), lies, strict=True):
        shares = noise.matrix().toarray()[:, 0]
        mean = sum(p * sum(code // 3**k % 3 > 0 for k in range(5)) for code, p in enumerate(shares))
        number = shown(mean, 2)
        texts.append(f"<{name}{number} {'lie' if number == '1' else 'lies'}>")
    return "".join(text + "*" * (at == chosen) for at, text in enumerate(texts)) + "<otherany price>"


@pytest.mark.parametrize(
    ("query", "about", "game", "usual"),
    [
        ("?kind=unlimited&channel=ball:1", "Some marks are lies. Each guess costs; the right one ends the game.",
         "WORDPL, unlimited, original, ball of radius 1", ("Today's word", "WORDPL")),
        ("?kind=wordpl&rule=counted&epsilon=25",
         "Some marks are lies. Each ask costs; the lowest sum is best. One proposal: wrong loses.",
         "WORDPL, original, counted", ("Today's word",)),
        ("?kind=daily", "The word of {day}, the same for everybody.", "Wordle, word of the day, nyt2023", ("WORDPL",)),
        ("?kind=wordle&hard=1&words=original", "", "Wordle, original, hard mode", ("Today's word", "WORDPL")),
        ("?kind=adversarial&hard=extra", "The adversary has no word in mind: it gives the clue that leaves most words.",
         "Wordle, adversary, nyt2023, extra hard mode", ("Today's word", "WORDPL")),
        ("?kind=fibble&channel=fibble:3&given=0", "3 false marks in each row, but a right guess is not lied about.",
         "Fibble, nyt2023, 3 false marks in each row", ("Today's word", "WORDPL")),
    ],
)  # fmt: skip
def test_a_new_game_says_what_it_is_and_what_it_costs(play, query, about, game, usual):
    page = play(query)
    sealed = page.evaluate(
        "async () => (await import('/static/play/game.js')).play({ words: 'original',"
        " id: new URLSearchParams(location.search).get('game') }, [])"
    )
    priced = game.startswith("WORDPL")
    spent = 25 if "epsilon=25" in query else 13
    proposes = ["<Propose>"] if game.startswith("WORDPL, original") else []
    cost = [costs([6, 13, 25].index(spent), sealed["channel"]), f"Spent 0, next ask {spent}."] if priced else []
    bet = f"After 0 spent, the best bet is ABACK, at {percent(1 / 2315)}."
    lines = [
        "Play", EMPTY, about.format(day=sealed["day"]), *proposes, *cost, "<More: other games and help><Give up>",
        *keyboard("Ask" if proposes else "Enter", None, priced), f"Game: {game}", offers(page, *usual), "Help",
        helped(*SWITCHES[: int(priced)]),
        *([bet, "«chance of the best bet against budget spent»", SCENES] if priced else []),
    ]  # fmt: skip
    expect_seen(page.get_by_role("main"), [line for line in lines if line])
    expect(page.get_by_role("list", name="Rows").locator("li")).to_have_count(sealed["max_rows"] or 5)
    assert (sealed["max_rows"] is None) == (priced or "adversary" in game)


def test_what_is_typed_while_another_game_begins_is_for_that(play):
    page = play("?kind=wordle")
    page.keyboard.type("zz")  # which is for this one
    page.route("**/api/play/games", lambda route: (page.keyboard.type("cra"), route.continue_()))
    before = page.url
    page.get_by_role("button", name="New game").click()
    expect(page).not_to_have_url(before)
    expect(page.locator(".typing")).to_have_attribute("aria-label", "You are typing CRA")


def test_a_game_of_wordpl_is_read_from_its_first_row_to_its_end(play):
    page = play("?help=bet+answers+bits+guesses")
    answers = last_answers(page)
    typed(page, "crate")
    expect(played(page)).to_have_count(1)
    word, chance = best_bet(page)
    told, row = answers["help"].json(), answers[re.search("game=([^&]*)", page.url)[1]].json()["rows"][0]
    guesses = [
        " | ".join([f"<{one['word']}>", shown(one["bits"], 3), shown(one["expected_remaining"], 3),
                    percent(one["chance"])]) for one in told["guesses"]
    ]  # fmt: skip
    lines = [
        "Play", f"«{spoken('crate', row['clue'])}»ε 13", EMPTY, f"Best bet {word}, {chance}. {told['advice']['text']}",
        f"<Propose {word}>", costs(1), "Spent 13, next ask 13.", "<More: other games and help><Give up>", *RECORDS,
        *keyboard("Ask", row, True), "Game: WORDPL, original", offers(page, "Today's word"), "Help",
        helped(*SWITCHES), f"After 13 spent, the best bet is {word}, at {chance}.",
        "«chance of the best bet against budget spent»", f"{shown(told['bits'])} bits left to find.",
        "Most probable answers", *(f"<{one['word']}>{percent(one['chance'])}" for one in told["answers"]),
        "and 2,305 more", "Next best guess, by bits to learn", "guess | bits | left | chance", *guesses, SCENES,
    ]  # fmt: skip
    expect_seen(page.get_by_role("main"), lines)
    expect(page.locator("#live")).to_have_text(f"crate: {spoken('crate', row['clue'])}.")
    page.emulate_media(color_scheme="dark")
    page.locator(".setup summary").click()
    assert faults(page) == []
    page.locator(".setup summary").click()
    page.get_by_role("button", name="Put it into the row").or_(page.locator(".help .pick")).nth(1).click()
    typing = f"You are typing {told['answers'][1]['word'].upper()}"
    expect(page.locator(".typing")).to_have_attribute("aria-label", typing)
    best = told["bets"][-1]["chance"]
    for name in (word, next(other for other in ("HASTE", "PROUD") if other != word)):
        page.keyboard.press("Escape")
        expect(page.locator("dialog")).to_have_count(0)  # which would take the next key
        for _ in range(5):
            page.keyboard.press("Backspace")
        page.keyboard.type(name[:4].lower())
        expect(page.get_by_role("button", name="Propose")).to_have_text("Propose ")  # not the best bet
        page.keyboard.type(name[4].lower())
        page.keyboard.press("Shift+Enter")
        odds = percent(best) if name == word else f"at most {percent(min(best, 1 - best))}"
        question = f"Propose {name}? Its chance is {odds}. Wrong loses the game."
        expect_seen(page.locator("dialog"), [question, f"<Go back><Yes, propose {name}>"])
    page.get_by_role("button", name="Yes, propose").click()
    expect(end_of(page)).to_be_visible()
    expect(end_of(page).locator("[aria-busy]")).to_have_count(0)
    check_end(page, answers, row, (word, chance), name)


def check_end(page: Page, answers: dict, row: dict, bet: tuple[str, str], proposed: str) -> None:
    """The end of a game of one row that was lost."""
    (told,), judged, records = (answers[name].json() for name in ("story", "analysis", "records"))
    game = answers[re.search("game=([^&]*)", page.url)[1]].json()
    answer, true = game["result"]["answer"], game["result"]["true_clues"][0]
    assert answer.upper() != proposed
    lies = " and ".join(one.upper() for one, a, b in zip("crate", row["clue"], true, strict=True) if a != b)
    stood = f"Row 1{f' lied about {lies}' if lies else ' told no lie'}: {answer.upper()} stood at"
    at = percent(told["answer_chance"])
    asked = [
        " | ".join([mine, *(f"= {move['word']}" if move["action"] == "propose" else
                            f"{move['word']} at {shown(move['epsilon'], 3)}" for move in moves)])
        for mine,
        moves in zip(("crate at 13", proposed.lower()), zip(*(one["moves"] for one in records), strict=True),
        strict=True)
    ]  # fmt: skip
    ends = [(f"wrong, proposed {one['proposed']}", f"right, {shown(one['spent'], 5)}") for one in records]
    own = [end[one["won"]] for one, end in zip(records, ends, strict=True)]
    expect_seen(page.get_by_role("main"), [
        "Play", "Wrong: the game is lost. You spent 13.", f"The answer was «{answer.upper()}».",
        *([FLIPPED] if lies else []),
        "Spent 13.", *RECORDS, f"«{spoken('crate', row['clue'], true)}»ε 13", f"«{proposed}»wrong",
        f"Back to a row: 1 of 1{{Back to a row: 1 of 1: {stood} {at}.}}", f"{stood} {at}.",
        "<Go on from here>" + link("See the channel that did this", "/explore/channel", guess="crate", answer=answer,
                                   epsilon=13),
        f"After 1 row the best bet was {bet[0]}, at {bet[1]}.", "«chance against budget spent»",
        "What happened", f"Row 1 told most: it brought {answer.upper()} to {at}.",
        f"You proposed {proposed}, at {percent(told['proposed_chance'])}. The best bet was {bet[0]}, at {bet[1]}.",
        "<New game><Play this game again><Same word, fresh noise><Challenge a friend><Share the squares>",
        link("Open in Coach", "/coach", game="wordpl", row=f"crate:{row['clue']}:13")
        + link("Open in Analyze", "/analyze", game="wordpl", text=f"crate={row['clue']}@13\n{proposed.lower()}",
               answer=answer),
        "Skill and luck", f"Skill –, luck {judged['luck']}, each from 0 to 99. Luck is about 50 on average. Analyze"
        " has each"
        " row.", f"Best from the start: {', '.join(judged['line'])}.",
        "What the best known strategies would have asked", "you | 5th | 50th | 95th", *asked,
        "Each strategy was made for its percentile; = proposes a word. Their own games with the same answer and noise:",
        *(f"{one['name']} ({one['percentile']}th percentile): {end}" for one, end in zip(records, own, strict=True)),
        "Game: WORDPL, original", "<Today's word>", SCENES,
    ])  # fmt: skip
    for own in end_of(page).locator("summary").all():
        own.click()
    assert faults(page) == []
