"""Addresses of the page, in a browser: what cannot be read is refused or said, and never guessed."""

import json
import re
from pathlib import Path

import httpx2
import pytest
from playwright.sync_api import expect

from tests.support.pages import NO_ANSWERS, enter, faults, follow
from wordpl.model.words import fold_word


@pytest.mark.parametrize(
    ("path", "told", "without"),
    [
        ("/play?epsilon=inf", "epsilon=inf cannot be read: a number above 0, up to 1,000,000 is expected.", "/play"),
        ("/?scene=99", "scene=99 cannot be read: a whole number from 0 to 4 is expected.", "/"),
        ("/?seed=10000", "seed=10000 cannot be read: a whole number from 0 to 9999 is expected.", "/"),
        ("/?calls=HPHPHPHPHPH", "at most 10 letters H or P is expected.", "/"),
        (f"/coach?{'&'.join(['row=crate:.....'] * 101)}", "row is given 101 times; at most 100 can be read.", "/coach"),
        ("/explore/__proto__", "There is nothing at /explore/__proto__.", "/explore"),
        ("/nope", "There is nothing at /nope.", "/"),
        ("/Coach", "There is nothing at /Coach.", "/coach"),
        (
            "/coach?known=%E0%A4%A&row=crate:..icc",
            "A % in this address is not followed by two hexadecimal digits.",
            "/coach?row=crate%3A..icc",
        ),
        ("/explore/matrix?at=crate:zzzzz", "“zzzzz” is not among the guesses of original", "/explore/matrix"),
        ("/coach?game=wordle&epsilon=3", "Only the clues of WORDPL have an epsilon.", "/coach?game=wordle"),
        (
            "/coach?game=wordpl&limit=6",
            "A game of WORDPL has as many guesses as its player asks.",
            "/coach?game=wordpl",
        ),
        ("/coach?channel=ball:1", "The clues of Wordle have no noise, so it has no channel.", "/coach"),
        ("/analyze?game=fibble&hard=1", "Only Wordle has a hard mode.", "/analyze?game=fibble"),
        ("/coach?limit=101", "limit=101 cannot be read: a whole number from 1 to 100 is expected.", "/coach"),
        ("/coach?next=crate:..q", "next=crate:..q cannot be read: a guess, perhaps with its clue", "/coach"),
        ("/play?help=bet+x", "none, or some of bet answers bits guesses is expected.", "/play"),
        ("/results?file=other.sqlite", "file=other.sqlite cannot be read", "/results"),
        (f"/results?match={'x' * 201}", f"match={'x' * 60} cannot be read: a text of at most 200 chara", "/results"),
        (f"/explore/channel?channel={'x' * 101}", "a text of 1 to 100 characters is expected", "/explore/channel"),
        ("/explore/channel?seed=4294967296", "a whole number from 0 to 4294967295 is expected", "/explore/channel"),
        ("/explore/clues?epsilon=3&guess=", "a text of 1 to 60 characters is expected.", "/explore/clues?epsilon=3"),
        ("/explore/matrix?at=crate", "a guess and an answer, as crate:haste, is expected.", "/explore/matrix"),
        (f"/explore/matrix?at=crate:{NO_ANSWERS[0]}", f"{NO_ANSWERS[0]} is never the answer.", "/explore/matrix"),
        ("/explore/matrix?pin=zzzzz&at=crate:haste", "“zzzzz” is not among", "/explore/matrix?at=crate%3Ahaste"),
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
    expect(page).to_have_title("This address cannot be read · WORDPL")
    assert path != "/nope" or faults(page) == []
    link = page.get_by_role("link", name="Go on without it")
    expect(link).to_have_attribute("href", without)
    link.click()
    expect(page.locator(".tab h1").first).to_be_attached()
    if without == "/explore":
        expect(page).to_have_title("The channel · WORDPL")
    expect(page.get_by_role("heading", name="This address cannot be read")).to_have_count(0)


def test_what_an_address_has_too_much_is_said(page):
    follow(page, "/coach?words=original&x=1&yy=2")
    expect(page.get_by_role("status").first).to_have_text("This page does not know “x”, “yy” of its address.")
    expect(page.get_by_role("heading", name="Coach")).to_be_visible()


def test_a_number_may_have_a_comma_and_an_address_a_slash_at_its_end(new_page, address):
    page = new_page(f"{address}/explore/channel/?epsilon=12,5")
    box = page.get_by_label("Epsilon", exact=True)
    expect(box).to_have_value("12.5")
    enter(box, "1,000")  # which may mean two things
    expect(page.get_by_text("“1,000” does not work: type a number above 0, up to 1,000,000, or inf.")).to_be_visible()
    page.goto(f"{address}/analyze")
    page.get_by_label("Share text").fill("crate=..icc@12,5")
    page.get_by_role("button", name="Analyze").click()
    expect(page.locator(".review").first).to_contain_text("epsilon 12.5")


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
