"""Where numbers stand: in pictures whose places are known by hand, in tables, and in the files of both."""

import csv
import math
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Page, expect

from tests.support.pages import end_of, give_up, played, typed
from wordpl import Store
from wordpl.base.sanitizing import csv_cell
from wordpl.simulation import WIN_RATES, known_frontier
from wordpl.simulation.outcomes import read_outcomes

INF = math.inf
PLAIN = {"x": {"label": "x", "range": [0, 4]}, "y": {"label": "y", "range": [0, 1]}}

DRAWN = """async ([picture, keys, pointed]) => {
    const { draw } = await import("/static/plot.js");
    const plot = Object.assign(document.createElement("div"), { className: "plot saved" });
    plot.style.left = 0;
    document.body.append(plot);
    const told = [];
    draw(plot, { ...picture, onpoint: (index) => told.push(index) });
    const [svg, tip] = plot.children;
    const area = Object.fromEntries(["x", "y", "width", "height"]
      .map((name) => [name, Number(plot.querySelector(".area").getAttribute(name))]));
    const across = (x) => (x - area.x) / area.width;
    const up = (y) => 1 - (y - area.y) / area.height;
    const now = () => [tip.hidden ? null : tip.textContent, svg.getAttribute("aria-valuenow")];
    const states = [now()];
    for (const key of keys) {
      svg.dispatchEvent(new KeyboardEvent("keydown", { key }));
      states.push(now());
    }
    for (const [x, y, right, below] of pointed) {
      const box = svg.getBoundingClientRect();
      svg.dispatchEvent(new PointerEvent("pointermove", { clientX: box.left + area.x + area.width * x + right,
        clientY: box.top + area.y + area.height * (1 - y) + below }));
      states.push(now());
    }
    // The commands of a path with absolute places.
    const places = (path) => {
      let [x, y] = [0, 0];
      return [...path.getAttribute("d").matchAll(/([MLHVZ])([^A-Z]*)/g)].map(([, command, text]) => {
        const numbers = text.split(/[ ,]/).filter(Boolean).map(Number);
        if (command === "H") [x] = numbers;
        else if (command === "V") [y] = numbers;
        else if (command !== "Z") [x, y] = numbers;
        return [command, across(x), up(y)];
      });
    };
    const found = {
      states, told,
      role: svg.getAttribute("role"), label: svg.getAttribute("aria-label"), most: svg.getAttribute("aria-valuemax"),
      marks: [...plot.querySelectorAll(".mark")].map((mark) => mark.getAttribute("transform").match(/-?[\\d.]+/g))
        .map(([x, y]) => [across(x), up(y)]),
      texts: [...plot.querySelectorAll("svg > text")].map((text) =>
        [text.textContent, across(text.getAttribute("x")), up(text.getAttribute("y"))]),
      curves: [...plot.querySelectorAll(".curve")].map(places),
      paths: [...plot.querySelectorAll("svg svg path:not(.curve)")].map(places),
    };
    plot.remove();
    return found;
}"""


def drawn(page: Page, *series: dict, keys=(), pointed=(), **more) -> dict:
    """What is drawn of these series, with places as parts of the frame, and what is told after each key and pointer."""
    series = tuple({"label": "a", "look": 0, "kind": "line"} | one for one in series)
    return page.evaluate(DRAWN, [PLAIN | {"series": series} | more, list(keys), list(pointed)])


def near(places):
    return [pytest.approx(place, abs=1e-6) for place in places]


def path(*places):
    """The commands of a path, each with its place."""
    return [[command, *near(place)] for command, *place in places]


def test_what_has_no_end_lies_on_the_frame_and_what_is_outside_is_cut(page):
    points = [(0, 0.5), (1, INF), (2, None), (3, 0.25), (9, 0.5), (3, 1.5)]
    line = {"mark": True, "points": [{"x": x, "y": y, "title": "t"} for x, y in points]}
    found = drawn(page, line)
    assert found["marks"] == near([(0, 0.5), (0.25, 1), (0.75, 0.25)])
    assert (found["most"], found["role"], found["label"]) == ("3", "slider", "y against x")
    assert found["curves"] == [path(("M", 0, 0.5), ("M", 0.75, 0.25), ("L", 2.25, 0.5), ("L", 0.75, 1.5))]
    band = [{"x": 0, "low": None, "high": 0.5}, {"x": 2, "y": 1}, {"x": 4, "low": 0.25, "high": None}]
    found = drawn(page, {"kind": "band", "points": band}, y={"label": "y", "range": [0, 2]})
    assert found["paths"] == [path(("M", 0, 0.25), ("L", 1, 1), ("L", 1, 0.125), ("L", 0, 0), ("Z", 0, 0))]
    assert (found["curves"], found["role"]) == ([], "img")
    steps = [{"x": 1, "y": 0.25}, {"x": 2, "y": 0.5}]
    (curve,) = drawn(page, {"kind": "step", "points": steps})["curves"]
    assert curve == path(
        ("M", 0.25, 0.25), ("H", 0.5, 0.25), ("V", 0.5, 0.5), ("H", 1, 0.5), ("V", 1, 0.5)
    )  # what is reached is not lost
    alone = drawn(page, {"points": [{"x": 1, "y": 0.5, "low": 0.25, "high": None}]})
    assert alone["marks"] == near([(0.25, 0.5)]) and alone["paths"][0][:2] == path(("M", 0.25, 0.25), ("V", 0.25, 1))
    odds = [{"x": x, "y": y} for x, y in ((0, 0), (1, 0.5), (2, 1))]
    axis = {"label": "y", "log": "odds", "range": [0.1, 0.9]}
    (curve,) = drawn(page, {"points": odds}, y=axis)["curves"]
    assert curve == path(("M", 0, 0), ("L", 0.25, 0.5), ("L", 0.5, 1))


def test_bars_stand_side_by_side_and_odds_are_drawn_by_their_logarithms(page):
    bars = [{"kind": "bars", "points": [{"x": 1, "y": y}]} for y in (0.5, 1)]
    for at, bar in enumerate(drawn(page, *bars, x={"label": "x", "range": [0, 2]})["paths"]):
        left, right, top = 0.3 + 0.2 * at, 0.5 + 0.2 * at, (0.5, 1)[at]
        corners = [("M", left, 0), ("V", left, top), ("H", right, top), ("V", right, 0)]
        wanted = [[command, pytest.approx(x, abs=0.01), pytest.approx(y)] for command, x, y in corners]
        assert bar[:4] == wanted
    spread = {"kind": "bars", "points": [{"x": 1, "y": 0.5, "low": 0.25, "high": None}]}
    upright, _ = drawn(page, spread, x={"label": "x", "range": [0, 2]})["paths"][::-1]
    assert upright[:2] == path(("M", 0.5, 0.25), ("V", 0.5, 1))
    odds = {"label": "y", "log": "odds", "range": [0.1, 0.9]}
    at = 0.5 - math.log(3) / math.log(9) / 2
    assert drawn(page, {"kind": "points", "points": [{"x": 1, "y": 0.25}]}, y=odds)["marks"] == near([(0.25, at)])


def test_an_axis_has_room_for_all_that_is_on_it_and_labels_at_its_ticks(page):
    for xs, log, at in (
        ([1, 10, 100], "auto", math.log(10 / 0.8) / math.log(125 / 0.8)),
        ([1, 10, 99], "auto", 10 / (1.05 * 99)),
        ([0, 10, 100], "auto", 10 / 105),
        ([-4, 10, 20], None, 14 / 25),
    ):
        points = {"kind": "points", "points": [{"x": x, "y": 0.5} for x in xs]}
        assert drawn(page, points, x={"label": "x", "log": log})["marks"][-2][0] == pytest.approx(at, abs=1e-6)
    wide = {"points": [{"x": 1, "y": 1, "low": 0, "high": 2}]}
    assert drawn(page, wide, y={"label": "y"})["marks"] == near([(0.25, 1 / 2.1)])
    x = {"label": "turns", "range": [0, 4], "ticks": [1, 1.01, 2, [3, "lost"], 5]}
    y = {"label": "won", "range": [0, 1], "ticks": [0, 0.01, 0.5], "format": "percent"}
    lines = [{"y": 0.25, "label": "25%"}, {"y": INF, "label": "lost games"}]
    texts = {text: at for text, *at in drawn(page, {"points": []}, x=x, y=y, lines=lines)["texts"]}
    assert list(texts) == ["won", "turns", "0", "50%", "1", "2", "lost", "25%", "lost games"]
    assert [texts[text][0] for text in ("1", "2", "lost")] == near([0.25, 0.5, 0.75])
    assert texts["50%"][1] - texts["0"][1] == pytest.approx(0.5) and 0.25 < texts["25%"][1] < 0.27


def test_points_are_chosen_by_keys_and_by_the_pointer(page):
    one = {"points": [{"x": x, "y": 0.25, "title": f"a{x}"} for x in (1, 2)]}
    other = {"points": [{"x": 1, "y": 0.75}, {"x": 3, "y": 0.75, "title": "b3"}]}
    keys = ["ArrowRight", "End", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Escape"]
    found = drawn(page, one, other, keys=keys, at=1)
    titles = ["a2", "b3", "b3", "b3", "a2", "b3", "a2", "a1", "a1", None]
    assert [state[0] for state in found["states"]] == titles
    assert [state[1] for state in found["states"]] == ["2", "3", "3", "3", "2", "3", "2", "1", "1", "1"]
    assert found["told"] == [1, 2, 2, 1, 2, 1, 0]
    assert drawn(page, one, at=0)["states"][0][0] == "a1"
    found = drawn(page, one, other, pointed=[(0.25, 0.25, 38, 0), (0.25, 0.25, 0, 42), (0.75, 0.75, -20, -20)])
    assert [state[0] for state in found["states"]] == [None, "a1", None, "b3"]
    bars = {"kind": "bars", "points": [{"x": 1, "y": 0.75, "title": "bar"}, {"x": 3, "y": 0.5, "title": "low"}]}
    found = drawn(page, bars, pointed=[(0.25, 0.1, 0, 0), (0.75, 0.1, 39, 0)])
    assert [state[0] for state in found["states"]] == [None, "bar", "low"]


def test_the_tables_of_results_tell_what_was_not_reached(page):
    found = page.evaluate(
        """async () => {
          const { tables } = await import("/static/results/tables.js");
          const made = tables();
          const [below, above, inside] = [["below", 12.346, 11, 13],
            ["above", null, null, null], ["inside", 30, 29, null]]
            .map(([place, budget, ...interval]) => ({ place, budget, interval }));
          const [under, none, percentile] = [["under_bound", 5, 1, null], ["percentile", null, 1, null],
            ["percentile", 41.2345, 1, null]].map(([place, budget, ...interval]) => ({ place, budget, interval }));
          made.fill([{ label: "B()", budgets: [under, none, percentile], outcomes: [] },
            { label: "A()", budgets: [below, above, inside], outcomes: [{
            epsilon: "inf", mean_budget: 20, win_rate: 0.5,
            win_rate_interval: [0.4, 0.6], verdicts: { WIN: 1, LOSS: 1, TIMEOUT: 12345, ERROR: 0 }, turns: null }, {
            epsilon: 9.12345, mean_budget: 20, win_rate: 0, win_rate_interval: [0, 1], turns: 2.5, verdicts: {} }] }],
            [{ name: "win_rate", heading: "win rate", kind: "share", has_interval: true },
            { name: "turns", heading: "turns", kind: "mean", has_interval: false }]);
          const texts = ({ cells }) => [...cells].map((cell) => cell.textContent);
          const read = () => [...made.querySelectorAll("tr")].map(texts);
          const before = read();
          for (const table of made.querySelectorAll("table")) table.querySelectorAll("th button")[1].click();
          return [before, read()];
        }"""
    )
    noisy, exact = (
        ["A()", "9.12345", "20", "0 [0, 100%]", "2.5", "–"],
        ["A()", "∞", "20", "50% [40%, 60%]", "–", "12,345"],
    )
    found, by_number = found
    assert by_number[1:3] == [noisy, exact] and [row[0] for row in by_number[4:]] == ["A()", "B()"]
    assert found == [
        ["strategy", "epsilon", "mean budget", "win rate", "turns", "timeout"],
        exact,
        noisy,
        ["strategy", "to win 5%", "to win 50%", "to win 95%"],
        ["B"],
        ["B()", "no estimate [1, ∞]", "not reached [1, ∞]", "41.23 [1, ∞]"],
        ["A"],
        ["A()", "≤ 12.35 [11, 13]", "not reached [∞, ∞]", "30 [29, ∞]"],
    ]


def test_a_table_sorts_by_numbers_with_what_is_empty_last_and_folds(page):
    cells = page.evaluate(
        """async () => {
          const { sheet } = await import("/static/sheet.js");
          const table = sheet("numbers");
          const read = () => [...table.querySelectorAll("td")].map((cell) => cell.textContent).join(" ");
          const columns = [{ name: "n", of: ([n]) => n }];
          table.put(columns, [[2], [null], [10], [1]]);
          const seen = [read()];
          for (let click = 0; click < 2; click += 1) {
            table.querySelector("th button").click();
            seen.push(read());
          }
          table.put(columns, Array.from({ length: 20 }, (_, n) => [n]));
          return [...seen, table.querySelector("[scope=rowgroup]").textContent, table.querySelectorAll("td").length];
        }"""
    )
    assert cells == ["2 – 10 1", "1 2 10 –", "10 2 1 –", "12 of 20 rows", 12]


SVG = "{http://www.w3.org/2000/svg}"


def saved(page: Page, kind: str, name: str) -> bytes:
    """The file that a button gives."""
    with page.expect_download() as download:
        page.get_by_role("button", name=f"{kind} of {name}", exact=True).click()
    assert re.fullmatch(rf"wordpl-[a-z-]+\.{kind.lower()}", download.value.suggested_filename)
    return Path(download.value.path()).read_bytes()


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(content.decode().splitlines()))


def check_picture(page: Page, name: str, *texts: str) -> None:
    """A picture is saved whole, with its title and these texts, and needs nothing of the page."""
    picture = saved(page, "SVG", name).decode()
    assert "var(" not in picture and 'height="100%" fill="#ffffff"' in picture
    root = ElementTree.fromstring(picture)  # noqa: S314 - our own
    lines = [text.text for text in root.iter(f"{SVG}text")]
    assert all(text in "".join(lines) for text in (name, *texts)) and max(map(len, lines)) <= 101, "none is cut off"
    assert saved(page, "PNG", name).startswith(b"\x89PNG")


def test_the_frontier_goes_home_with_all_its_digits(address, new_page):
    page = new_page(f"{address}/explore/frontier?rate=5")
    expect(page.locator(".plot .curve").first).to_be_visible()
    frontier = known_frontier()
    check_picture(page, "The frontier", page.locator("figcaption").inner_text())
    points = rows_of(saved(page, "CSV", "The frontier"))
    assert points[0] == ["curve", "budget", "games won", "low", "high"]
    for name, label in (("best", "smallest known"), ("bound", "the bound")):
        found = [(float(x), float(y)) for curve, x, y, *_ in points if curve == label]
        assert found == list(zip(frontier[name], WIN_RATES, strict=True))
    budgets = {row[0]: float(row[1]) for row in rows_of(saved(page, "CSV", "Budgets at the chosen win rate"))[1:]}
    assert budgets["the bound"] == pytest.approx(frontier["bound"][WIN_RATES.index(0.05)], rel=1e-12)


def test_results_and_a_story_go_home(address, new_page, files, play):
    page = new_page(f"{address}/results?file=first.sqlite")
    page.get_by_role("region", name="Statistics").get_by_role("button", name="win rate", exact=True).click()
    head, *rows = rows_of(saved(page, "CSV", "Statistics"))
    with Store(files[0], read_only=True) as store:
        expected = sorted(outcome.win_rate for outcome in read_outcomes(store))
    assert [float(row[head.index("win rate")]) for row in rows] == expected, "as it was sorted"
    assert head[:5] == ["strategy", "epsilon", "mean budget", "trials", "win rate"] and len(rows) == 5
    assert [row[head.index("p95")] for row in rows].count("inf") >= 2
    page = play("?kind=wordle", color_scheme="dark")
    for asks, word in enumerate(("crate", "sloth"), 1):  # which leave few answers, so that the game is quickly analyzed
        typed(page, word)
        expect(played(page)).to_have_count(asks)
    give_up(page)
    expect(end_of(page)).to_be_visible()
    check_picture(page, "Story of the game", "best bet", "the answer", "guesses")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # as before


def test_a_cell_is_no_formula_and_keeps_its_digits(page):
    texts = ["=1+1", "+x", "-x", "@a", "\u2212x", " =x", "'=x", "＝x", "\t=x", "a,b", 'a"b', "x\ny", "e\u202e", "crate"]
    numbers = [1 / 3, -5, 1e-12, 2000000]
    page.evaluate(
        """async (row) => {
          const { savingRows } = await import("/static/save.js");
          document.body.append(savingRows("cells", () => [[...row, Infinity, null]]));
        }""",
        [*texts, *numbers],
    )
    (row,) = rows_of(saved(page, "CSV", "cells"))
    assert row[: len(texts)] == [csv_cell(text) for text in texts]
    assert [float(cell) for cell in row[len(texts) : -2]] == numbers
    assert row[-2:] == ["inf", ""] and math.isinf(float(row[-2]))
