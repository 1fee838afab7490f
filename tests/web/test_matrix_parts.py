"""Parts of the matrix that are given made-up data: where cells are, and how they come."""

import math

import pytest

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
def test_cells_come_in_tiles_at_most_four_at_once_and_are_asked_for_again_if_one_fails(page, size, words):
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


def test_the_names_of_columns_run_upwards_and_have_room(page):
    """At 5 pixels a column, every third has its name, and so has that of the cursor."""
    drawn = page.evaluate(
        """async () => {
          const { MatrixPicture } = await import("/static/explore/matrix_picture.js");
          const [done, context] = [[], {}];
          for (const name of ["save", "restore", "translate", "rotate", "fillText"]) {
            context[name] = (...values) => done.push([name, ...values]);
          }
          const view = { context, colour: { text: "t", "on-accent": "a", mono: "m" }, left: 62, top: 57,
            fill: (...values) => done.push(["fill", ...values]) };
          const words = Array.from("abcdefghij");
          MatrixPicture.prototype.names.call(view, words, [3, 4, 5, 6], 4, 5, (offset) => [offset, 51], true);
          return done.filter(([name]) => !["save", "restore"].includes(name));
        }"""
    )
    names = [(3, 0), (6, 3)]  # with their places among those that are seen
    expected: list[list] = []
    for number, at in names:
        expected += [
            ["translate", 5 * at + 6.5, 51],
            ["rotate", -math.pi / 2],
            ["fillText", "abcdefghij"[number], 0, 0],
        ]
    expected += [["translate", 7.5, 51], ["rotate", -math.pi / 2], ["fill", "accent", -6, -8.5, 57, 17]]
    assert drawn == [*expected, ["fillText", "e", 0, 0]]


def test_rows_are_drawn_with_letters_gaps_and_a_frame_around_the_cursor(page):
    """Two rows of 22 pixels from 100 on, of two columns of 55 from 62 on; the cursor is on the second of both."""
    drawn = page.evaluate(
        """async () => {
          const { MatrixPicture } = await import("/static/explore/matrix_picture.js");
          const [done, context] = [[], {}];
          const log = (name) => (...values) => done.push([name, ...values.filter((one) => typeof one !== "function")]);
          context.drawImage = log("image");
          context.strokeRect = (...values) => done.push(["frame", context.strokeStyle, context.lineWidth, ...values]);
          const view = { cell: { row: 8, column: 5 }, cells: { guesses: [] }, context, columns: [4, 5], left: 62,
            colour: { page: "p", accent: "a" }, zoom: { width: 55, marks: true, letters: true },
            x: (column) => 62 + 55 * (column - 4), clipped: (...values) => { log("clip")(...values); values.at(-1)(); },
            marked: (rows) => `marks of ${rows}`, lettered: (rows) => `letters of ${rows}`, fill: log("fill"),
            names: (words, rows, cursor, size, place) => done.push(["names", rows, cursor, size, place(11)]) };
          const rows = { rows: [7, 8], y: 100, height: 22, from: 90, to: 140 };
          MatrixPicture.prototype.drawRows.call(view, rows, 300);
          done.push("far");
          view.zoom = { width: 4 };
          MatrixPicture.prototype.drawRows.call(view, { ...rows, rows: [9], height: 12 }, 300);
          return done;
        }"""
    )
    near, far = drawn[: drawn.index("far")], drawn[drawn.index("far") + 1 :]
    assert near == [
        ["clip", 62, 90, 300, 140], ["image", "marks of 7,8", 62, 100, 110, 44],
        *(["image", "letters of 7,8", x, 100, 55, 44] for x in (62, 117)),
        *(["fill", "page", x - 1.5, 100, 3, 44] for x in (62, 117)),
        *(["fill", "page", 62, y, 110, 1] for y in (121, 143)),
        ["frame", "p", 4, 116, 121, 55, 22], ["frame", "a", 2, 116, 121, 55, 22],
        ["clip", 0, 90, 62, 140], ["names", [7, 8], 8, 22, [6, 111]],
    ]  # fmt: skip
    assert far == [
        ["clip", 62, 90, 300, 140], ["image", "marks of 9", 62, 100, 8, 12],
        ["clip", 0, 90, 62, 140], ["names", [9], 8, 12, [6, 111]],
    ]  # fmt: skip


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
