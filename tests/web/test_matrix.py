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
    const colours = ["absent", "present", "correct", "page", "accent"].map(property);
    const context = matrix.querySelector("canvas").getContext("2d");
    const at = ([x, y]) => `#${[...context.getImageData(x, y, 1, 1).data.slice(0, 3)]
      .map((part) => part.toString(16).padStart(2, "0")).join("")}`;
    return places.map((place) => ".ic_a"[colours.indexOf(at(place))] ?? "?").join("");
}"""
"""What is at places of the canvas: a mark, the ground, or the accent, in the colours of the theme."""


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
    below = "document.querySelector('.screen').getBoundingClientRect().bottom > innerHeight"
    expect_none(page, below, "the matrix does not fit the window")
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
    page.get_by_role("button", name="Zoom in").click()
    middle = matrix(page).evaluate(
        """(matrix) => [["Top", "Height", 90, 12972], ["Left", "Width", 62, 2315]].map(([side, size, names, count]) =>
          (matrix[`scroll${side}`] + (matrix[`client${size}`] - names) / 2)
            / ((matrix.firstChild[`offset${size}`] - names) / count))"""
    )
    assert middle == pytest.approx([place - 0.5 for place in places], abs=0.7)  # what was there stays
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
    orders: list[str] = []
    page.on("request", lambda one: orders.append(one.url) if "/order?" in one.url else None)
    old, failing = {"error": {"message": "old"}}, [409, 404]

    def tile(route):
        at = len(orders) - 1
        route.fulfill(status=failing[at], json=old) if at < 2 else route.continue_()

    page.route("**/tile?*", tile)
    page.reload()  # in the middle of which the server has got another matrix, and has let go of the list
    expect_cell(page, "crate", "crate")


def test_the_marks_are_drawn_where_they_belong(explore, new_page, original):
    page = new_page(explore)
    places = [[62 + 55 * j + 11 * k + 3, 57 + 22 * i + 2] for i in range(15) for j in range(12) for k in range(5)]
    expected = "".join(str(wordpl.clue(g, a)) for g in original.guesses[:15] for a in original.answers[:12])
    expect_drawn(page, places, expected)
    letters = matrix(page).evaluate(DRAWN, [[62 + 55 * 3 + x, 57 + 11] for x in range(4, 51)])
    assert letters.count("?") > 5  # over the marks
    frame = [[116, 84], [171, 84], [130, 78], [130, 100]]  # of the second cell of the second row, in the gaps
    frame += [[1, 84], [137, 3]]  # and behind the names of its row and its column
    gaps = [[117, 59], [172, 59], [130, 78], [130, 100]]
    expect_drawn(page, gaps, "____")
    matrix(page).focus()
    for key in ("ArrowDown", "ArrowRight"):
        matrix(page).press(key)
    expect_drawn(page, frame, "aaaaaa")
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG of what you see").click()
    assert Path(download.value.path()).read_bytes().startswith(b"\x89PNG")
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
    size = matrix(page).evaluate("(matrix) => [matrix.scrollWidth, matrix.scrollHeight]")
    assert size == [62 + 55 * 2315, 57 + 22 * 12972]
    page.emulate_media(color_scheme="dark")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect_drawn(page, places, expected)  # in the colours of the theme
    matrix(page).evaluate("(matrix) => { matrix.scrollTop = 22 * 40; matrix.scrollLeft = 55 * 3; }")
    expected = "".join(str(wordpl.clue(g, a)) for g in original.guesses[40:55] for a in original.answers[3:15])
    expect_drawn(page, places, expected)


def test_the_matrix_is_walked_by_keys_and_rows_are_pinned(explore, new_page, original):
    page = new_page(explore)
    grid, note = matrix(page), page.locator(".cell-info .note")
    for key, row, column in (("Control+End", 12972, 2315), ("Control+Home", 1, 1)):
        grid.press(key)
        expect(note).to_have_text(f"row {row:,} of 12,972, column {column:,} of 2,315")
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
    expect(grid).to_be_focused()
    expect(pins).to_have_count(3)
    expect(page).to_have_url(re.compile("&".join(f"pin={word}" for word in original.guesses[2:5])))


def test_the_matrix_is_pointed_at_and_seen_from_afar(explore, new_page, original):
    page = new_page(f"{explore}?zoom=3")
    grid, legend = matrix(page), page.locator(".matrix-key.note")
    hits = "What a clue hits: 2 for each correct mark, 1 for each present one; 10 is the answer itself."
    expect(legend).to_have_text(f"0 10{hits}")
    page.set_viewport_size({"width": 1100, "height": 800})
    wider = "((one) => one.clientWidth - parseFloat(one.querySelector('canvas').style.width))"
    expect_none(page, f"{wider}(document.querySelector('.matrix'))", "pixels by which it does not follow the window")
    grid.click(position={"x": 62 + 8 * 10 + 4, "y": 57 + 8 * 20 + 4})
    expect_cell(page, original.guesses[20], original.answers[10])
    expect(legend).to_contain_text("present elsewhere")  # one has come closer
    marks = legend.locator(".key-colour").evaluate_all("all => all.map(({ dataset }) => dataset.mark)")
    assert marks == ["c", "i", "."]
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
    closer, away = (page.get_by_role("button", name=f"Zoom {way}") for way in ("in", "out"))
    closer.click()
    expect(closer).to_be_disabled()
    expect(page).to_have_url(re.compile("zoom=6"))
    for _ in range(6):
        expect(away).to_be_enabled()
        away.click()
    expect(away).to_be_disabled()
    pins = f"pin={original.guesses[5]}&pin={original.guesses[2]}"
    expect(page).to_have_url(f"{explore}?{pins}&zoom=0")  # to point is not to mean
    page.get_by_label("Repeat rule").select_option("counted")
    expect(page).to_have_url(re.compile("rule=counted"))
    page.get_by_label("Repeat rule").select_option("letterwise")
    expect(page).not_to_have_url(re.compile("rule="))
    page.get_by_label("Words", exact=True).select_option("fibble")
    expect(page).to_have_url(f"{explore}?zoom=0&words=fibble")  # its places are others


# Parts that are given made-up data: where cells are, and how they come.

CELLS = """async ([shape, wanted, answers]) => {
    const { Cells } = await import("/static/explore/matrix_cells.js");
    const [fetch, asked, held, told] = [window.fetch, [], [], []];
    window.fetch = (path) => { asked.push(path); return new Promise((done) => { held.push(done); }); };
    const cells = new Cells("/x", { rule: "counted" }, shape, { arrived: () => told.push("arrived"),
      failed: ({ status }) => told.push(status), signal: new AbortController().signal });
    const rest = () => new Promise((done) => { setTimeout(done, 5); });
    cells.want(wanted);
    const first = [asked.length];
    for (const [at, answer] of answers.entries()) {
      held.shift()(typeof answer === "number" ? new Response("{}", { status: answer })
        : new Response(Uint8Array.from(answer)));
      while (told.length <= at) await rest();
    }
    first.push(asked.length);
    cells.want(wanted);
    const all = Array.from({ length: shape.guesses }, (_, row) =>
      Array.from({ length: shape.answers }, (_, column) => cells.read({ row, column })));
    window.fetch = fetch;
    return [first, asked, told, all, cells.rightToLeft];
}"""


@pytest.mark.parametrize(("size", "words"), [(1, ("ab", "cd", "ef")), (2, ("אב", "גד", "הו"))])
def test_cells_come_in_tiles_that_are_asked_for_again_if_one_fails(page, size, words):
    """Three guesses by five answers in tiles of two by two, of which the last ones are smaller."""
    shape = {"guesses": 3, "answers": 5, "bytes_per_code": size, "version": "v"}
    names = [*words, "xx", "yy"]
    codes = [[row * 5 + column + 250 * (size - 1) for column in range(5)] for row in range(3)]
    wanted = [[2, row, column] for row in (0, 1) for column in (0, 1, 2)]

    def tile(row: int, column: int) -> list[int]:
        rows, columns = range(2 * row, min(2 * row + 2, 3)), range(2 * column, min(2 * column + 2, 5))
        numbers = b"".join(codes[i][j].to_bytes(size, "little") for i in rows for j in columns)
        lists = (" ".join(list_[i] for i in some) for list_, some in ((words, rows), (names, columns)))
        return list(numbers + "\n".join(lists).encode())

    answers = [tile(0, 0), 404, tile(0, 2), tile(1, 0)]
    first, asked, told, cells, from_right = page.evaluate(CELLS, [shape, wanted, answers])
    order = [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (0, 1)]  # after a failure nothing new until somebody wants it
    paths = [f"/x?rule=counted&version=v&size=2&row={row}&column={column}" for row, column in order]
    assert (first, asked[:6]) == ([4, 5], paths)
    assert told == ["arrived", 404, "arrived", "arrived"]
    here = {(0, 0), (0, 2), (1, 0)}
    for row, line in enumerate(cells):
        for column, cell in enumerate(line):
            whole = {"guess": words[row], "answer": names[column], "code": codes[row][column]}
            assert cell == (whole if (row // 2, column // 2) in here else None)
    assert from_right == (size == 2)


def test_the_cells_of_the_matrix_are_found_by_place_and_key(page):
    """Cells of 20 by 16 pixels under two pinned rows; two columns and two rows are scrolled away."""
    found = page.evaluate(
        """async () => {
          const { MatrixPicture, zooms } = await import("/static/explore/matrix_picture.js");
          const { Grid } = await import("/static/explore/matrix_grid.js");
          const shape = { guesses: 100, answers: 50, length: 5 };
          const view = Object.assign(Object.create(Grid.prototype), { pins: [7, 9], shape,
            cell: { row: 3, column: 4 }, zoom: { width: 20, height: 16 },
            element: { scrollTop: 32, scrollLeft: 40, clientWidth: 262, clientHeight: 189 } });
          const at = (x, y) => view.at(x, y) && [view.at(x, y).row, view.at(x, y).column];
          const places = [[62, 89], [61, 89], [62, 56], [62, 57], [62, 73], [1021, 89], [1022, 89], [62, 1657]];
          const seen = [[view.left, view.header, view.top], view.body, view.seen, places.map((place) => at(...place))];
          view.setCell = () => {};
          const scrolled = (row, column, centre) => {
            view.element = { ...view.element, scrollTop: 32, scrollLeft: 40 };
            view.goTo({ row, column }, { centre });
            return [view.element.scrollTop, view.element.scrollLeft];
          };
          seen.push([scrolled(3, 3, true), scrolled(1, 1), scrolled(20, 30), scrolled(20, 30, true)]);
          const went = [];
          const keyed = Object.assign(Object.create(view), { goTo: ({ row, column }) => went.push([row, column]),
            pin: (row) => went.push(row) });
          const press = (key, more) => keyed.key(new KeyboardEvent("keydown", { key, ...more }));
          for (const key of ["ArrowUp", "ArrowDown", "ArrowLeft", "ArrowRight", "PageUp", "PageDown", "Home", "End",
            "Enter", "x"]) press(key);
          for (const key of ["Home", "End"]) press(key, { ctrlKey: true });
          for (const name of ["altKey", "metaKey"]) press("End", { [name]: true });
          keyed.cell = { row: 98, column: 49 };
          for (const key of ["PageDown", "ArrowRight"]) press(key);
          keyed.cell = null;
          for (const key of ["Enter", "ArrowDown"]) press(key); // no row is meant yet
          seen.push(went);
          const other = Object.assign(Object.create(view), { zoom: { width: 8, height: 8 },
            shape: { ...shape, length: 8 }, element: { ...view.element, scrollTop: 800, scrollLeft: 390 } });
          seen.push([other.left, other.header, other.pinned, other.top, other.seen]);
          const part = { top: 100, bottom: 130, left: 0, right: 128.5 };
          const needed = (pins, width) => MatrixPicture.prototype.needed.call({ pins, zoom: { width }, seen: part });
          seen.push(needed([300], 8), needed([600], 4));
          return [...seen, zooms(5).map(({ width, height, marks, letters }) =>
            [width, height, Boolean(marks), Boolean(letters)])];
        }"""
    )
    assert found[0] == [62, 57, 89]
    assert found[1] == {"width": 200, "height": 100}
    assert found[2] == {"top": 2, "left": 2, "bottom": 8.25, "right": 12}
    assert found[3] == [[2, 2], [2, 4], [3, 2], [7, 2], [9, 2], [2, 49], None, None]
    assert found[4] == [[32, 40], [16, 20], [236, 420], [278, 510]]
    steps = [[2, 4], [4, 4], [3, 3], [3, 5], [0, 4], [8, 4], [3, 0], [3, 49], 3, [0, 0], [99, 49], [99, 49], [98, 49]]
    assert found[5] == [*steps, [19, 26]]  # the first whole row is 18, at 278 / 16, and the first column 26
    assert found[6] == [92, 84, 16, 116, {"top": 100, "left": 48.75, "bottom": 100, "right": 50}]
    assert found[7] == [[128, row, column] for row in (0, 1, 2) for column in (0, 1)]
    assert found[8] == [[512, 0, 0], [512, 1, 0]]
    small = [[size, size, False, False] for size in (1, 2, 4, 8)]
    assert found[9] == [*small, [20, 16, True, False], [55, 22, True, True], [90, 34, True, True]]
