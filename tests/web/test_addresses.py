"""Addresses of the page and texts that name a game: what is read from them, what is written, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx2
import pytest
from playwright.sync_api import expect

from tests.support.helpers import ORIGINAL
from tests.support.pages import NO_ANSWERS, follow, percent, read, shown
from wordpl import RULES, clue
from wordpl.model.words import fold_word


@pytest.mark.parametrize(
    ("path", "told", "without"),
    [
        ("/play?epsilon=inf", "epsilon=inf cannot be read: a number above 0, up to 1,000,000 is expected.", "/play"),
        ("/?scene=99", "scene=99 cannot be read: a whole number from 0 to 4 is expected.", "/"),
        ("/?calls=HPHPHPHPHPH", "at most 10 letters H or P is expected.", "/"),
        (f"/coach?{'&'.join(['row=crate:.....'] * 101)}", "At most 100 of “row” can be read, not 101.", "/coach"),
        ("/explore/__proto__", "There is nothing at /explore/__proto__.", "/explore"),
        ("/nope", "There is nothing at /nope.", "/"),
        ("/Coach", "There is nothing at /Coach.", "/coach"),
        (
            "/coach?known=%E0%A4%A&row=crate:..icc",
            "A % in this address is not followed by two hexadecimal digits.",
            "/coach?row=crate%3A..icc",
        ),
        ("/explore/matrix?at=crate:zzzzz", "“zzzzz” is not in the word list original", "/explore/matrix"),
        ("/coach?game=wordle&epsilon=3", "Only the clues of WORDPL have an epsilon.", "/coach?game=wordle"),
        (
            "/coach?game=wordpl&limit=6",
            "A game of WORDPL has as many guesses as its player asks.",
            "/coach?game=wordpl",
        ),
        ("/coach?channel=ball:1", "The clues of Wordle have no noise, so it has no channel.", "/coach"),
        ("/analyze?game=fibble&hard=1", "Only Wordle has a hard mode.", "/analyze?game=fibble"),
        (f"/results?match={'x' * 201}", f"match={'x' * 60} cannot be read: a text of at most 200 chara", "/results"),
        ("/explore/clues?epsilon=3&guess=", "a text of 1 to 60 characters is expected.", "/explore/clues?epsilon=3"),
        (f"/explore/matrix?at=crate:{NO_ANSWERS[0]}", f"{NO_ANSWERS[0]} is never the answer.", "/explore/matrix"),
        ("/explore/matrix?pin=zzzzz&at=crate:haste", "“zzzzz” is not in", "/explore/matrix?at=crate%3Ahaste"),
    ],
)
def test_what_is_refused_is_said_and_one_can_go_on_without_it(page, address, path, told, without):
    if path == "/nope" or "%" in path:
        page.goto(address + path)
    else:
        follow(page, path)
    assert "There is nothing at" not in told or httpx2.get(address + path).status_code == 404
    expect(page.get_by_role("heading", name="This address cannot be read")).to_be_visible()
    expect(page.locator("h1 + .fault").first).to_contain_text(told)
    link = page.get_by_role("link", name="Go on without it")
    expect(link).to_have_attribute("href", without)
    link.click()
    expect(page.locator(".tab h1").first).to_be_attached()
    expect(page.get_by_role("heading", name="This address cannot be read")).to_have_count(0)


def test_what_an_address_has_too_much_is_said(page):
    follow(page, "/coach?words=original&x=1&yy=2")
    expect(page.get_by_role("status").first).to_have_text("This page does not know “x”, “yy” of its address.")
    expect(page.get_by_role("heading", name="Coach")).to_be_visible()


CUT = ["slink:....i:abc", "dough:ccc:13", "crate:zzzzz:13", "crate:ccccc:-3", "crate:..icc", "crate:..icc:", "sli"]


def test_a_row_that_was_cut_is_said_beside_it_and_gives_no_advice(new_page, address):
    page = new_page(f"{address}/coach?row={'&row='.join(CUT)}&row=haste:.c.i.:9")
    lost = page.locator(".turns > li", has=page.locator("code"))
    expect(lost).to_contain_text(CUT)
    expect(lost.locator(".fault")).to_contain_text(["This row cannot be read: a guess, its clue"] * len(CUT))
    expect(page.get_by_role("link", name="Analyze this game")).to_be_hidden()
    page.get_by_role("button", name="E: absent").click()  # another row can be changed meanwhile
    expect(page).to_have_url(re.compile("row=haste%3A.c.ii%3A9"))
    for row in CUT:
        expect(page.locator(".results")).to_be_hidden()
        page.get_by_role("button", name=f"Remove {row}", exact=True).click()
    expect(page.get_by_role("region", name="Best next guesses").locator("tbody tr")).to_have_count(10)


def test_letters_are_folded_as_in_python_and_each_has_a_capital_of_its_own(page):
    cases = json.loads((Path(__file__).parents[1] / "model" / "folded_words.json").read_text(encoding="utf-8"))
    folded, shown, lengths = page.evaluate(
        "async (typed) => { const { capitals, fold, lengthOf } = await import('/static/rows.js');"
        "return [fold, capitals, lengthOf].map((work) => typed.map(fold).map(work)); }",
        [case["typed"] for case in cases],
    )
    assert folded == [case["word"] for case in cases] == [fold_word(word) for word in shown]
    assert lengths == [len(word) for word in folded] == [len(word) for word in shown]


WORDLE = {"game": "wordle", "words": "nyt2023", "rule": "counted", "channel": None, "limit": 6}
FIBBLE = {"game": "fibble", "words": "fibble", "rule": "counted", "channel": "fibble", "limit": 9}
NOISY = {"game": "wordpl", "words": "original", "rule": "letterwise", "channel": "randomized_response", "limit": None}


def test_a_pasted_text_names_its_game(page):
    own, ball = WORDLE | {"words": "original", "limit": 3}, {"words": "nyt2022", "rule": "counted", "channel": "ball:1"}
    eight = {"words": "nyt2022", "rule": "letterwise", "limit": 8}
    levels = FIBBLE | {"words": "original", "channel": "levels:9,3,1,1,1,1", "limit": 7}
    for text, before, after in (
        ("WORDPL nyt2022, counted, ball:1: right with a budget of 13, 1 ask", WORDLE, NOISY | ball),
        ("hey\nWORDPL original, letterwise: not found, 2 asks", FIBBLE, NOISY),
        ("crate ..icc 13", FIBBLE, NOISY),
        ("crate=..icc @ 12.5\nhaste", own, NOISY),
        ("crate:..icc,9,5", WORDLE, NOISY),
        ("Fibble, 1 lie, nyt2022 4/9", NOISY, FIBBLE | {"words": "nyt2022"}),
        ("Fibble, 3 lies, fibble X/9", WORDLE, FIBBLE | {"channel": "fibble:3"}),
        ("Fibble, 1 lie, fibble, letterwise 4/9", FIBBLE, FIBBLE | {"rule": "letterwise"}),
        ("Fibble, 2 lies, original, levels:9,3,1,1,1,1 2/7", NOISY, levels),
        ("Wordle nyt2022, letterwise 2026-11-22 3/8*", NOISY, WORDLE | eight),
        ("Wordle, adversary, original X/50", own, own | {"limit": 50}),
        ("Wordle 1234 3/6", own, own),
        ("Wordle 1,234 X/6*", NOISY, WORDLE),
        ("wordle 5 3/6", FIBBLE, WORDLE),
        ("crate ..icc", own, own),
        ("crate ..icc 13", NOISY | ball, NOISY | ball),
    ):
        assert read(page, "game_fields", "gameOf", text, before) == after, text


def test_guesses_go_with_a_text_that_has_rows_without_words(page):
    squares = "Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"
    for text in ("", squares, "..icc", "00122\nhaste 22222", "bbygg"):
        assert read(page, "game_fields", "guessesFor", text, "crate") == "crate"
    for text in ("crate .ii..\n", "crate ⬛🟨⬛⬛⬛", "אבג .ii"):
        assert read(page, "game_fields", "guessesFor", text, "crate") == ""


def test_a_link_to_coach_or_analyze_has_the_whole_game(page):
    rows = [{"guess": "crate", "clue": "..icc", "epsilon": 13}, {"guess": "haste", "clue": ".c.i.", "epsilon": 9.5}]
    other = WORDLE | {"words": "original", "rule": "letterwise", "limit": 50}
    end = {"won": False, "proposed": "haste", "answer": "caste", "share": "WORDPL original\n⬛"}
    pasted = "crate=..icc@13\nhaste=.c.i.@9.5"
    for name, values, path, query in (
        ("coachAddress", (NOISY, rows), "/coach", {"game": "wordpl", "row": ["crate:..icc:13", "haste:.c.i.:9.5"]}),
        ("coachAddress", (other, rows[:1]), "/coach", {**other, "row": "crate:..icc"}),
        ("coachAddress", (FIBBLE | {"channel": "fibble:2", "hard": True}, []), "/coach",
         {"game": "fibble", "channel": "fibble:2"}),
        ("coachAddress", (WORDLE | {"hard": True}, []), "/coach", {"game": "wordle", "hard": "1"}),
        ("analyzeAddress", (WORDLE | {"hard": "extra"}, []), "/analyze", {"game": "wordle", "hard": "extra"}),
        ("analyzeAddress", (WORDLE, rows[:1], end | {"proposed": None}), "/analyze",
         {"game": "wordle", "text": "crate=..icc", "answer": "caste"}),
        ("analyzeAddress", (NOISY, rows, end | {"won": True}), "/analyze",
         {"game": "wordpl", "text": f"{pasted}\nhaste", "answer": "caste"}),
        ("analyzeAddress", (NOISY, rows), "/analyze", {"game": "wordpl", "text": pasted}),
        ("analyzeAddress", (NOISY | {"kind": "unlimited"}, rows, end | {"won": True, "proposed": None}), "/analyze",
         {"game": "wordpl", "text": f"WORDPL original\n{pasted}"}),
    ):  # fmt: skip
        found = urlsplit(read(page, "game_fields", name, *values))
        wanted = {key: value if isinstance(value, list) else [str(value)] for key, value in query.items() if value}
        assert (found.path, parse_qs(found.query)) == (path, wanted)


def test_numbers_are_those_that_people_read(page):
    write = "async (all) => (async (dom) => all.map(([f, ...a]) => dom[f](...a)))(await import('/static/dom.js'))"
    sizes = [sign * digit * 10.0**power for power in range(-4, 12) for digit in (1, 4.9726, 8.5) for sign in (1, -1)]
    chances = [0, 1, 0.99994, 0.9996, *(10.0**power for power in range(-9, 0)), *(k / 997 for k in range(1, 997, 7))]
    cases: dict[tuple[Any, ...], str] = {
        ("shown", size, digits): "-" * (size < 0) + shown(abs(size), digits) for size in sizes for digits in (2, 4, 6)
    }
    cases |= {("percent", chance, digits): percent(chance, digits) for chance in chances for digits in (2, 3)}
    cases |= {
        ("shown", 1e15): "over 1,000 trillion",
        ("shown", -2e15): "under −1,000 trillion",
        ("shown", 1e300): "over 1,000 trillion",
        ("shown", 2.5e12): "2.5 trillion",
        ("shown", 9.9e-5): "under 0.0001",
        ("shown", -1e-5): "about 0",
        ("shown", 0): "0",
        ("shown", None): "–",
        ("shown", "inf"): "∞",
        ("shown", 27.296, 4, "floor"): "27.29",
        ("percent", None): "–",
        ("counted", 1, "entry", "entries"): "1 entry",
        ("counted", 1200, "guess", "guesses"): "1,200 guesses",
        ("counted", 0, "row"): "0 rows",
    }
    for case, found in zip(cases, page.evaluate(write, [list(case) for case in cases]), strict=True):
        assert found == cases[case], case


def test_true_clues_are_those_of_the_model(page):
    pairs = [*zip(ORIGINAL.guesses[::20], ORIGINAL.answers, strict=False), ("seems", "essay"), ("eerie", "geese")]
    drawn = "async ([pairs, rule]) => pairs.map(((tiles) => (pair) => tiles.trueClue(...pair, rule))"
    for rule in RULES:
        found = page.evaluate(f"{drawn}(await import('/static/tiles.js')))", [pairs, rule])
        assert found == [clue(*pair, rule=rule).show() for pair in pairs]


def test_a_row_of_an_address_has_its_epsilon(page):
    for text, noisy, epsilon in (
        ("CRATE!:..icc", False, "inf"),
        ("crate!:..icc:inf", True, "inf"),
        ("crate!:..icc:12,5", True, 12.5),
        ("crate!:..icc:0", True, 0),
    ):
        row = {"guess": "crate!", "clue": "..icc", "epsilon": epsilon}
        assert read(page, "rows", "readRow", text, noisy) == row, text
    assert read(page, "rows", "readRow", "crate:..icc:13", False) is None


def test_an_epsilon_that_is_typed_is_read_or_not(page):
    read_as = {" 13 ": 13, "12,5": 12.5, "0.001": 0.001, "1e6": 1e6, "∞": "inf", "Infinity": "inf", "1,2345": 1.2345}
    read_as |= dict.fromkeys(("1,000", "1000001", "0", "-1", "", " ", "x", "1,2,3", "NaN"))
    for text, epsilon in read_as.items():
        assert read(page, "epsilon", "readEpsilon", text) == epsilon, text


def test_the_address_of_a_game_has_its_moves(page):
    asks = [{"action": "ask", "word": word, "epsilon": spent} for word, spent in (("crate", 13), ("haste", None))]
    for words, end, kept in (
        ("list-9", {"action": "propose", "word": "tardy"}, {"words": "list-9", "propose": "tardy"}),
        ("original", {"action": "give_up"}, {"gave_up": "yes"}),
    ):
        found = read(page, "play/game", "addressOf", {"id": "x1", "words": words, "moves": [*asks, end]})
        always = {"game": "x1", "move": ["crate:13", "haste"]}
        assert {name: value for name, value in found.items() if value is not None} == always | kept
