"""The clue matrix in a browser."""

import re

from playwright.sync_api import Page, expect

import wordpl

NAMES = {".": "absent", "i": "present", "c": "correct"}

VIEW = "/explore/matrix"


def matrix(page: Page):
    return page.get_by_role("application", name=re.compile("guesses by"))


def spoken(guess: str, clue: str) -> str:
    return ", ".join(f"{letter.upper()} {NAMES[mark]}" for letter, mark in zip(guess, clue, strict=True))


def expect_cell(page: Page, guess: str, answer: str) -> None:
    """The line above the matrix tells this cell."""
    expect(page.locator(".cell-info .tiles")).to_have_attribute(
        "aria-label", spoken(guess, str(wordpl.clue(guess, answer)))
    )
    expect(page.locator(".cell-info strong")).to_have_text(answer.upper())


def drawn_at(page: Page, places: list[list[int]]) -> str:
    """The marks whose colours the canvas has at these places."""
    return matrix(page).evaluate(
        """async (matrix, places) => {
          const { markColours } = await import("/static/explore/colours.js");
          await new Promise(requestAnimationFrame);
          const colours = [...markColours()];
          const context = matrix.querySelector("canvas").getContext("2d");
          const at = ([x, y]) => new Uint32Array(context.getImageData(x, y, 1, 1).data.buffer)[0];
          return places.map((place) => ".ic"[colours.indexOf(at(place))] ?? "?").join("");
        }""",
        places,
    )


def search(page: Page, guess: str = "", answer: str = "") -> None:
    page.get_by_label("Find a guess").fill(guess)
    page.get_by_label("Find an answer").fill(answer)
    page.get_by_role("button", name="Find").click()


def test_a_guess_and_an_answer_are_found_and_the_address_keeps_the_place(explore, new_page):
    page = new_page(f"{explore}?pin=zonal", "phone")
    expect(matrix(page).locator("canvas")).to_be_visible()
    assert page.locator(".screen").evaluate("(one) => one.getBoundingClientRect().bottom <= innerHeight")
    search(page, "Zesty", "haste")
    expect_cell(page, "zesty", "haste")
    expect(page).to_have_url(re.compile("at=zesty%3Ahaste"))
    expect(page.locator("#live")).to_contain_text("ZESTY for HASTE: Z absent")
    page.reload()
    expect_cell(page, "zesty", "haste")
    assert matrix(page).evaluate("matrix => matrix.scrollTop") > 10_000
    search(page, guess="crtae")
    expect(page.locator(".field", has=page.get_by_label("Find a guess")).locator(".fault")).to_contain_text("“crate”?")


def test_the_marks_are_drawn_where_they_belong(explore, new_page, original):
    page = new_page(explore)
    expect(matrix(page).locator("canvas")).to_be_visible()
    page.wait_for_load_state("networkidle")
    places = [[62 + 55 * j + 11 * k + 3, 57 + 22 * i + 2] for i in range(15) for j in range(12) for k in range(5)]
    expected = [str(wordpl.clue(g, a)) for g in original.guesses[:15] for a in original.answers[:12]]
    assert drawn_at(page, places) == "".join(expected)


def test_the_row_of_a_guess_is_pinned_by_click_and_key_and_stays_after_a_reload(explore, new_page, original):
    page = new_page(f"{explore}?at=crate:haste")
    expect_cell(page, "crate", "haste")
    pins = page.get_by_role("group", name="Pinned rows").get_by_role("button")
    matrix(page).press("Enter")
    expect(page.locator("#live")).to_have_text("CRATE is pinned.")
    expect(page).to_have_url(re.compile("pin=crate"))
    matrix(page).press("Control+Home")
    expect_cell(page, original.guesses[0], original.answers[0])
    matrix(page).click(position={"x": 20, "y": 57 + 22 + 33})  # the name of the second of the rows below
    expect(pins).to_have_text(["crate ×", f"{original.guesses[1]} ×"])
    page.reload()
    matrix(page).press("Control+End")
    expect_cell(page, "zymic", "zonal")
    page.wait_for_load_state("networkidle")
    matrix(page).hover(position={"x": 200, "y": 57 + 11})  # a cell of the first pinned row
    expect(page.locator(".cell-info .tiles")).to_have_attribute("aria-label", re.compile("^C .*, R .*, A .*, T .*, E "))
    answer = page.locator(".cell-info strong").inner_text().lower()
    left = matrix(page).evaluate("(matrix) => matrix.scrollLeft")
    column = original.answers.index(answer)
    places = [[62 + 55 * column - left + 11 * k + 3, 57 + 22 * row + 2] for row in range(2) for k in range(5)]
    expected = [str(wordpl.clue(guess, answer)) for guess in ("crate", original.guesses[1])]
    assert drawn_at(page, places) == "".join(expected)
    matrix(page).click(position={"x": 20, "y": 57 + 11})
    expect(page).not_to_have_url(re.compile("pin=crate"))
    page.get_by_role("button", name=f"Unpin {original.guesses[1].upper()}").click()
    expect(pins).to_have_count(0)


def test_long_words_of_ones_own_run_from_right_to_left_if_their_letters_do(explore, new_page):
    words = ["אבגדהו", "אזחטיכ", "למנסעפ"]  # only the first letter of the first two is the same
    page = new_page(explore)
    page.get_by_label("Words", exact=True).select_option("")
    page.get_by_label("Answers, one per line").fill("\n".join(words))
    page.get_by_role("button", name="Use these words").click()
    expect(page.get_by_role("application", name="Clue matrix, 3 guesses by 3 answers")).to_be_visible()
    search(page, *words[:2])
    expect_cell(page, *words[:2])
    expect(page.locator(".cell-info .tiles")).to_have_css("direction", "rtl")
    page.mouse.move(0, 0)
    drawn = drawn_at(page, [[72 + 66 + 11 * k + 5, 66 + 3] for k in range(6)])
    assert drawn == ".....c", "the mark of the first letter is not at the right"
