"""The clue matrix in a browser."""

import csv
import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

import wordpl
from tests.support.pages import NO_ANSWERS, expect_none, spoken


@pytest.fixture
def explore(address: str) -> str:
    return f"{address}/explore/matrix"


def matrix(page: Page):
    return page.get_by_role("application", name=re.compile("guesses by"))


def expect_cell(page: Page, guess: str, answer: str) -> None:
    """The line above the matrix tells this cell."""
    said = spoken(guess, str(wordpl.clue(guess, answer)))
    expect(page.locator(".cell-info .tiles")).to_have_attribute("aria-label", said)
    expect(page.locator(".cell-info strong")).to_have_text(answer.upper())


DRAWN = """async (matrix, places) => {
    const { property } = await import("/static/dom.js");
    await new Promise(requestAnimationFrame);
    const colours = ["absent", "present", "correct"].map(property);
    const context = matrix.querySelector("canvas").getContext("2d");
    const at = ([x, y]) => `#${[...context.getImageData(x, y, 1, 1).data.slice(0, 3)]
      .map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    return places.map((place) => ".ic"[colours.indexOf(at(place))] ?? "?").join("");
}"""
"""The marks at places of the canvas."""


def expect_drawn(page: Page, places: list[list[int]], marks: str) -> None:
    for _ in range(300):
        if (found := matrix(page).evaluate(DRAWN, places)) == marks:
            return
        page.wait_for_timeout(50)
    assert found == marks


def search(page: Page, guess: str = "", answer: str = "") -> None:
    page.get_by_label("Find a guess").fill(guess)
    page.get_by_label("Find an answer").fill(answer)
    page.get_by_role("button", name="Find").click()


def test_a_guess_and_an_answer_are_found_and_the_address_keeps_the_place(explore, new_page):
    page = new_page(f"{explore}?pin=zonal&pin=zonal", "phone")
    expect(matrix(page).locator("canvas")).to_be_visible()
    expect(matrix(page)).to_have_attribute("aria-label", "Clue matrix, 12972 guesses by 2315 answers")
    expect(page.locator(".pick")).to_have_text(["zonal ×"])  # a row is pinned once
    search(page, "Zesty", "haste")
    expect_cell(page, "zesty", "haste")
    words = wordpl.load_words("original")
    places = words.guess_index["zesty"] + 1, words.answer_index["haste"] + 1
    told = f"row {places[0]:,} of 12,972, column {places[1]:,} of 2,315"
    expect(page.locator(".cell-info .note")).to_have_text(told)
    expect(page).to_have_url(re.compile("at=zesty%3Ahaste"))
    expect(page.locator("#live")).to_contain_text("ZESTY for HASTE: Z absent")
    page.reload()
    expect_cell(page, "zesty", "haste")
    expect_none(page, "!(document.querySelector('.matrix').scrollTop > 10_000)", "not at its place")
    page.route("**/find?*word=slate*", lambda route: None)  # it is held
    with page.expect_event("requestfailed"):  # what comes late was another search
        search(page, guess="slate")
        search(page, guess="crtae")
    expect(page.locator(".field", has=page.get_by_label("Find a guess")).locator(".fault")).to_contain_text("“crate”?")
    search(page, guess="crate")
    expect_cell(page, "crate", "crate")  # where it is the answer
    search(page, answer=NO_ANSWERS[0])
    never = f"{NO_ANSWERS[0].upper()} can be guessed, but it is never the answer."
    expect(page.locator(".field", has=page.get_by_label("Find an answer")).locator(".fault")).to_have_text(never)
    expect_cell(page, "crate", "crate")


def test_the_marks_are_drawn_where_they_belong(explore, new_page, original):
    page = new_page(explore)
    places = [[62 + 55 * j + 11 * k + 3, 57 + 22 * i + 2] for i in range(15) for j in range(12) for k in range(5)]
    expected = "".join(str(wordpl.clue(g, a)) for g in original.guesses[:15] for a in original.answers[:12])
    expect_drawn(page, places, expected)
    page.route("**/tile?*", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.goto(f"{explore}?pin=zonal")
    expect(page.get_by_role("button", name="Unpin ZONAL")).to_be_visible()  # before its clues are here
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of what you see").click()
    head, pinned, *seen = csv.reader(Path(download.value.path()).read_text().splitlines())
    assert head[1:] == list(original.answers[: len(head) - 1]) and len(head) > 12 and len(seen) > 15
    guesses = ("zonal", *original.guesses[: len(seen)])
    assert [pinned, *seen] == [[g, *(str(wordpl.clue(g, a)) for a in head[1:])] for g in guesses]
    page.unroute("**/tile?*")
    page.get_by_role("button", name="Unpin ZONAL").click()
    matrix(page).evaluate("(matrix) => { matrix.scrollTop = 22 * 40; matrix.scrollLeft = 55 * 3; }")
    expected = "".join(str(wordpl.clue(g, a)) for g in original.guesses[40:55] for a in original.answers[3:15])
    expect_drawn(page, places, expected)


def test_the_matrix_is_walked_by_keys_and_rows_are_pinned(explore, new_page, original):
    page = new_page("about:blank")
    page.route("**/tile?*", lambda route: route.fulfill(status=500), times=1)  # which is asked for again
    page.goto(explore)
    grid, note = matrix(page), page.locator(".cell-info .note")
    for key, row, column in (("Control+End", 12972, 2315), ("Control+Home", 1, 1)):
        grid.press(key)
        expect(note).to_have_text(f"row {row:,} of 12,972, column {column:,} of 2,315")
    assert grid.evaluate("one => one.scrollWidth") == 62 + 55 * 2315, "the last answer can be seen"
    for at in range(6):
        word, said = original.guesses[at].upper(), page.locator("#live")
        expect(said).to_contain_text(f"{word} for ")
        grid.press("Enter")
        expect(said).to_have_text(f"{word} is pinned.")
        grid.press("ArrowDown")
    pins = page.get_by_role("group", name="Pinned rows").get_by_role("button")
    expect(pins).to_have_text([f"{word} ×" for word in original.guesses[1:6]])  # of too many the first goes
    grid.press("ArrowUp")
    expect(page.locator("#live")).to_contain_text(f"{original.guesses[5].upper()} for ")
    grid.press("Enter")
    expect(page.locator("#live")).to_have_text(f"{original.guesses[5].upper()} is no longer pinned.")
    page.get_by_role("button", name=f"Unpin {original.guesses[1].upper()}").click()
    expect(pins).to_have_count(3)
    expect(page).to_have_url(re.compile("&".join(f"pin={word}" for word in original.guesses[2:5])))


def test_the_matrix_is_pointed_at_and_seen_from_afar(explore, new_page, original):
    page = new_page(f"{explore}?zoom=3")
    grid, legend = matrix(page), page.locator(".matrix-key.note")
    expect(legend).to_contain_text("2 for each correct mark, 1 for each present one; 10 is the answer itself.")
    grid.click(position={"x": 62 + 8 * 10 + 4, "y": 57 + 8 * 20 + 4})
    expect_cell(page, original.guesses[20], original.answers[10])
    expect(legend).to_contain_text("elsewhere")  # one has come closer
    grid.click(position={"x": 20, "y": 20})  # the corner is no name
    expect(page).to_have_url(f"{explore}?at={original.guesses[20]}%3A{original.answers[10]}")
    page.goto(explore)
    expect(grid.locator("canvas")).to_be_visible()
    grid.hover(position={"x": 62 + 2 * 55 + 20, "y": 57 + 3 * 22 + 10})
    expect_cell(page, original.guesses[3], original.answers[2])
    for number, row in enumerate((5, 2)):  # by the name of a row, below those that are pinned
        grid.click(position={"x": 20, "y": 57 + 22 * number + 22 * row + 10})
        expect(page.get_by_role("button", name=f"Unpin {original.guesses[row].upper()}")).to_be_visible()
    for at, row in enumerate((5, 2, 0)):
        grid.hover(position={"x": 62 + 55 + 20, "y": 57 + 22 * at + 10})
        expect_cell(page, original.guesses[row], original.answers[1])
    away = page.get_by_role("button", name="Zoom out")
    for _ in range(5):
        away.click()
    expect(away).to_be_disabled()
    pins = f"pin={original.guesses[5]}&pin={original.guesses[2]}"
    expect(page).to_have_url(f"{explore}?{pins}&zoom=0")  # to point is not to mean
    page.get_by_label("Repeat rule").select_option("counted")
    expect(page).to_have_url(re.compile("rule=counted"))
    page.get_by_label("Words", exact=True).select_option("fibble")
    expect(page).to_have_url(f"{explore}?zoom=0&rule=counted&words=fibble")  # its places are others
    text = {"answers": "planet\nplanes\nsilver"}  # whose codes have two bytes
    name = page.request.post(f"{explore.partition('/explore')[0]}/api/words", data=text).json()["name"]
    page.goto(f"{explore}?words={name}&at=planes:planet")
    expect_cell(page, "planes", "planet")
