"""The painter of pictures, by pictures that are made up here: each place on the frame is known by hand."""

import math

import pytest
from playwright.sync_api import Page

INF = math.inf
PLAIN = {"x": {"label": "x", "range": [0, 4]}, "y": {"label": "y", "range": [0, 1]}}

DRAWN = """async ([picture, height, keys, pointed]) => {
    const { draw } = await import("/static/plot.js");
    const plot = Object.assign(document.createElement("div"), { className: "plot saved" });
    plot.style.height = `${height}px`;
    plot.style.left = 0;
    document.body.append(plot);
    const told = [];
    draw(plot, { ...picture, onpoint: (index) => told.push(index) });
    const [svg, tip] = plot.children;
    const area = Object.fromEntries(["x", "y", "width", "height"]
      .map((name) => [name, Number(plot.querySelector(".area").getAttribute(name))]));
    const across = (x) => (x - area.x) / area.width;
    const up = (y) => 1 - (y - area.y) / area.height;
    const now = () => [tip.hidden ? null : tip.textContent, svg.getAttribute("aria-valuenow"),
      tip.style.left === "auto" ? "before" : "after", svg.getAttribute("aria-valuetext")];
    const states = [now()];
    for (const key of keys) {
      svg.dispatchEvent(key.event ? new PointerEvent(key.event, { pointerType: "mouse" })
        : new KeyboardEvent("keydown", typeof key === "string" ? { key } : key));
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
      size: Number(svg.getAttribute("font-size")), right: svg.clientWidth,
      ring: svg.lastChild.getAttribute("visibility"),
      marks: [...plot.querySelectorAll(".mark")].map((mark) => mark.getAttribute("transform").match(/-?[\\d.]+/g))
        .map(([x, y]) => [across(x), up(y)]),
      texts: [...plot.querySelectorAll("svg > text")].map((text) =>
        [text.textContent, across(text.getAttribute("x")), up(text.getAttribute("y")), text.getAttribute("text-anchor"),
          text.getAttribute("fill"), text.getBBox().x + text.getBBox().width]),
      rules: [...svg.children].filter((one) => one.tagName === "path" && !one.matches(".mark")).slice(1).map(places),
      curves: [...plot.querySelectorAll(".curve")].map(places),
      paths: [...plot.querySelectorAll("svg svg path:not(.curve)")].map(places),
    };
    plot.remove();
    return found;
}"""


def drawn(page: Page, *series: dict, height: int = 480, keys=(), pointed=(), **more) -> dict:
    """What is drawn of these series, with places as parts of the frame, and what is told after each key and pointer."""
    series = tuple({"label": "a", "look": 0, "kind": "line"} | one for one in series)
    return page.evaluate(DRAWN, [PLAIN | {"series": series} | more, height, list(keys), list(pointed)])


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


@pytest.mark.parametrize(
    ("xs", "log", "at"),
    [
        ([1, 10, 100], "auto", math.log(10 / 0.8) / math.log(125 / 0.8)),
        ([1, 10, 99], "auto", 10 / (1.05 * 99)),
        ([0, 10, 100], "auto", 10 / 105),
        ([0, 10, 100], True, math.log(10 / 8) / math.log(125 / 8)),
        ([-4, 10, 20], None, 14 / 25),
        ([-4, 0, -1], None, 0.8),
    ],
)
def test_an_axis_has_room_for_its_points(page, xs, log, at):
    axis = {"label": "x", "log": log}
    points = [{"x": x, "y": 0.5} for x in xs]
    found = drawn(page, {"kind": "points", "points": points}, x=axis)
    assert found["marks"][-2][0] == pytest.approx(at, abs=1e-6)


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
    odds = {"label": "y", "log": "odds", "range": [0.1, 0.9], "ticks": [0.1, 0.25, 0.5], "format": "percent"}
    found = drawn(page, {"kind": "points", "points": [{"x": 1, "y": 0.25}]}, y=odds)
    at = 0.5 - math.log(3) / math.log(9) / 2
    assert found["marks"] == near([(0.25, at)])
    texts = {text: up for text, _, up, *_ in found["texts"]}
    assert texts["25%"] - texts["10%"] == pytest.approx(at)


def test_an_axis_has_room_for_intervals_and_lines(page):
    y = {"label": "y"}
    points = [{"x": 1, "y": 1, "low": 0, "high": 2}]
    assert drawn(page, {"points": points}, y=y)["marks"] == near([(0.25, 1 / 2.1)])
    assert drawn(page, {"points": points}, y=y, lines=[{"y": 4}])["marks"] == near([(0.25, 1 / 4.2)])
    assert drawn(page, {"points": [{"x": 1, "y": 0}]}, y=y)["marks"] == near([(0.25, 0)])
    assert drawn(page, {"points": []}, y=y, x=y)["texts"][2][0] == "0"


def test_labels_stand_at_their_ticks_and_never_on_each_other(page):
    x = {"label": "turns", "range": [0, 4], "ticks": [1, 1.01, 2, [3, "lost"], 5]}
    y = {"label": "won", "range": [0, 1], "ticks": [0, 0.01, 0.5], "format": "percent"}
    lines = [{"y": 0.25, "label": "25%", "look": {"name": "wrong"}}, {"y": INF, "label": "lost games"}]
    found = drawn(page, {"points": []}, x=x, y=y, lines=lines)
    texts = {text: at for text, *at in found["texts"]}
    assert list(texts) == ["won", "turns", "0", "50%", "1", "2", "lost", "25%", "lost games"]
    assert [texts[text][0] for text in ("1", "2", "lost")] == near([0.25, 0.5, 0.75])
    assert texts["25%"][0] == texts["lost games"][0] == pytest.approx(1)
    assert [texts[name][3] for name in ("25%", "lost games", "won")] == ["var(--wrong)", "currentColor", "currentColor"]
    assert 0.25 < texts["25%"][1] < 0.27 and 0.9 < texts["lost games"][1] < 1
    assert texts["50%"][1] - texts["0"][1] == pytest.approx(0.5)
    assert (texts["turns"][2], texts["50%"][2], texts["2"][2]) == ("end", "end", "middle")
    across = [rule[0][2] for rule in found["rules"] if rule[1][0] == "H"]
    assert across == near([0, 0.01, 0.5, 0.25, 1])
    assert [rule[0][1] for rule in found["rules"] if rule[1][0] == "V"] == near([0.25, 0.2525, 0.5, 0.75])
    low = drawn(page, {"points": []}, height=120)
    assert "y" in [text for text, *_ in low["texts"]] and "x" not in [text for text, *_ in low["texts"]]
    end = drawn(page, {"points": []}, x={"label": "x", "range": [0, 4], "ticks": [[4, "a long name"]]})
    assert max(right for *_, right in end["texts"]) <= end["right"]


def test_a_name_stands_where_it_has_room_or_nowhere(page):
    points = [{"x": 2, "y": 0.5}, {"x": 4, "y": 0.5}]
    for label, there in (("short", True), ("very long " * 30, False)):
        texts = [text for text, *_ in drawn(page, {"label": label, "named": True, "points": points})["texts"]]
        assert (label in texts) == there
    name = drawn(page, {"label": "at an end", "named": True, "points": points[1:]})["texts"][-1]
    assert 0.8 < name[1] < 1 and name[0] == "at an end"  # before the point, within the frame
    across = drawn(page, {"label": "b", "named": True, "points": points[:1]}, lines=[{"y": 0.5}])["texts"][-1]
    assert abs(across[2] - 0.5) > 0.02  # beside the line
    unnamed = drawn(page, {"label": "quiet", "points": points})["texts"]
    assert "quiet" not in [text for text, *_ in unnamed]
    x = {"label": "x", "range": [0, 4]}
    for heights, left, low in (([0.9, 0.9, 0.2, 0.1], 0.5, 0.3), ([0.97] * 4, 0, 0.95)):
        bars = [{"x": 0.5 + at, "y": y} for at, y in enumerate(heights)]
        name = drawn(page, {"label": "of bars, " * 4, "named": True, "kind": "bars", "points": bars}, x=x)["texts"][-1]
        assert name[0].startswith("of bars")
        assert name[1] > left and name[2] > low  # above the low bars, and lower only where there is none
    band = {"kind": "band", "named": True, "points": [{"x": x, "low": 0.25, "high": 0.75} for x in (1, 2)]}
    for values, at in (({}, 0.75), ({"high": None}, 0.25)):  # a band has its name at its upper edge, if it has one
        points = [point | values for point in band["points"]]
        assert abs(drawn(page, band | {"points": points})["texts"][-1][2] - at) < 0.02
    story = ("the answer", "best bet")
    for y in (0, 0.02, 0.5, 0.98, 1):  # of curves that meet at an edge neither name lies on the other
        meeting = [{"label": label, "named": True, "points": [{"x": 1, "y": y}]} for label in story]
        names = {text: up for text, _, up, *_ in drawn(page, *meeting, x={"label": "x"})["texts"]}
        assert abs(names[story[0]] - names[story[1]]) > 0.04
    outside = drawn(page, {"label": "away", "named": True, "points": [{"x": 5, "y": 0.5}]})["texts"]
    assert "away" not in [text for text, *_ in outside]


def test_points_are_chosen_by_keys_and_by_the_pointer(page):
    one = {"points": [{"x": x, "y": 0.25, "title": f"a{x}"} for x in (1, 2)]}
    other = {"points": [{"x": 1, "y": 0.75}, {"x": 3, "y": 0.75, "title": "b3"}]}
    keys = ["ArrowRight", "End", "ArrowRight", "ArrowUp", "ArrowDown", "ArrowLeft", "ArrowLeft", "ArrowLeft", "Escape"]
    found = drawn(page, one, other, keys=keys, at=1)
    titles = ["a2", "b3", "b3", "b3", "a2", "b3", "a2", "a1", "a1", None]
    assert [state[0] for state in found["states"]] == titles
    assert [state[1] for state in found["states"]] == ["2", "3", "3", "3", "2", "3", "2", "1", "1", "1"]
    assert found["told"] == [1, 2, 2, 1, 2, 1, 0] and found["ring"] == "hidden"
    assert drawn(page, one, at=0)["states"][0][0] == "a1"
    held = [{"key": "End", name: True} for name in ("ctrlKey", "altKey", "metaKey")] + ["x", "Home"]
    left = [{"event": "pointerleave"}, "Home", {"event": "blur"}]
    states = drawn(page, one, keys=held + left)["states"]
    assert [state[0] for state in states] == [*[None] * 5, "a1", None, "a1", None]
    assert {state[3] for state in states} == {"a1"}  # a slider stands somewhere, and there the first point is
    pointed = [(0.25, 0.25, 38, 0), (0.25, 0.25, 0, 42), (0.75, 0.75, -20, -20), (0.25, 0.75, 0, 0)]
    found = drawn(page, one, other, pointed=pointed)
    assert [state[0] for state in found["states"]] == [None, "a1", None, "b3", None]
    assert [found["states"][at][2] for at in (1, 3)] == ["after", "before"]  # what a point says stays in the picture
    bars = {"kind": "bars", "points": [{"x": 1, "y": 0.75, "title": "bar"}, {"x": 3, "y": 0.5, "title": "low"}]}
    found = drawn(page, bars, pointed=[(0.25, 0.1, 0, 0), (0.25, 1, 0, -30), (0.75, 0.1, 39, 0)])
    assert [state[0] for state in found["states"]] == [None, "bar", None, "low"]


def test_series_are_told_apart_by_colour_dash_and_shape(page):
    entries, marks = page.evaluate(
        """async () => {
          const { SHAPES, legendEntry } = await import("/static/plot.js");
          const names = Object.fromEntries(Object.entries(SHAPES).map(([name, shape]) => [shape, name]));
          const all = Array.from({ length: 25 }, (_, look) => ({ look, mark: true }));
          all.push({ look: 2 }, { look: 2, kind: "points" }, { look: 3, kind: "bars" }, { look: 2, kind: "band" },
            { look: { name: "wrong", dash: "dash" }, mark: "cross" });
          return [all.map((one) => [...legendEntry({ label: "a", ...one }).querySelectorAll("path")].map((path) =>
              [names[path.getAttribute("d")] ?? "", ...["stroke", "stroke-dasharray", "fill", "fill-opacity"]
                .map((name) => path.getAttribute(name) ?? "")].join(" ").replaceAll("var(--", "("))),
            Object.values(SHAPES).map((shape) => shape.replaceAll(/[^A-Za-z]/g, "")).join(" ")];
        }"""
    )
    assert marks == "Maaz Mhvhz MLLLz MLHz Maaz MLML"
    shapes = ("dot", "square", "diamond", "triangle", "ring", "cross")
    for look, (line, mark) in enumerate(entries[:24]):  # rings and crosses are hollow
        colour, dash, shape = f"(series-{1 + look % 6})", ("none", "8 4", "2 4", "9 4 2 4")[look // 6], shapes[look % 6]
        fill = "none" if shape in ("ring", "cross") else colour
        assert (line, mark) == (f" {colour} {dash} none ", f"{shape} {colour}  {fill} ")
    line, mark = entries[2]
    assert entries[24:28] == [entries[0], [line], [mark], [" (series-4) none (series-4) 0.8"]]
    assert entries[28:] == [[" (series-3) 2 4 (series-3) 0.3"], [" (wrong) 8 4 none ", "cross (wrong)  none "]]


@pytest.mark.parametrize(
    ("given", "values"),
    [
        ((11, 19, True, 5), [12, 14, 16, 18]),  # no power of ten is between
        ((9, 19, True, 5), [10, 12, 14, 16, 18]),  # one alone says nothing of a scale
        ((0, 0.6000000000000001, False, 3), [0, 0.2, 0.4, 0.6]),
        ((1, 99, True, 5), [1, 2, 5, 10, 20, 50]),
        ((1, 100, True, 5), [1, 3, 10, 30, 100]),
        ((1e-3, 1e3, True, 5), [1e-3, 1e-2, 0.1, 1, 10, 100, 1000]),
        ((-3, 3, False, 3), [-2, 0, 2]),
        ((0, 1, False, 4), [0, 0.5, 1]),
        ((0, 0.3, False, 3), [0, 0.1, 0.2, 0.3]),
        ((0, 100, False, 5), [0, 20, 40, 60, 80, 100]),
        ((0.1, 100, True, 5), [0.1, 0.3, 1, 3, 10, 30, 100]),
        ((4, 60, True, 5), [5, 10, 20, 50]),
    ],
)
def test_round_values_lie_between_two_ends(page, given, values):
    found = page.evaluate("async (given) => (await import('/static/plot.js')).roundValues(...given)", given)
    assert found == values


def test_a_seed_draws_the_same_everywhere(page):
    """SplitMix with the finaliser of MurmurHash3, in whole numbers of Python."""

    def mixed(bits: int) -> int:
        for factor, shift in ((0x85EBCA6B, 16), (0xC2B2AE35, 13)):
            bits = (bits ^ bits >> shift) * factor % 2**32
        return bits ^ bits >> 16

    golden = 0x9E3779B9
    for seed, stream in ((0, 0), (7, 3), (2**32 - 1, 1)):
        state = (mixed(mixed(seed) + golden * (stream + 1) & 0xFFFFFFFF)) % 2**32
        expected = [mixed((state + golden * (draw + 1)) % 2**32) / 2**32 for draw in range(5)]
        found = page.evaluate(
            """async ([seed, stream]) => {
              const { generator } = await import("/static/random.js");
              return Array.from({ length: 5 }, generator(seed, stream));
            }""",
            [seed, stream],
        )
        assert found == expected


def test_the_pixels_of_clues_are_those_of_their_marks_or_of_their_hits(page):
    one, three, names = page.evaluate(
        """async () => {
          const { clueOf, pixelsOfCodes } = await import("/static/explore/colours.js");
          const style = document.documentElement.style;
          const colours = { raised: "#010203", absent: "#0a0000", present: "#0b0000", correct: "#0c0000" };
          Object.assign(colours, { "ramp-low": "#000000", "ramp-middle": "#640000", "ramp-high": "#c80064" });
          for (const [name, colour] of Object.entries(colours)) style.setProperty(`--${name}`, colour);
          const made = [pixelsOfCodes(2, false), pixelsOfCodes(2, true)].map((all) => all.map((one) => [...one]));
          for (const name of Object.keys(colours)) style.removeProperty(`--${name}`);
          return [...made, [0, 1, 5, 8].map((code) => clueOf(code, 2))];
        }"""
    )

    def pixel(red: int, green: int = 0, blue: int = 0) -> int:
        return 0xFF000000 + (blue << 16) + (green << 8) + red

    assert names == ["..", ".i", "ic", "cc"]
    ramp = [pixel(0), pixel(50), pixel(100), pixel(150, 0, 50), pixel(200, 0, 100)]
    unknown = pixel(1, 2, 3)
    assert one == [[unknown, *(ramp[code // 3 + code % 3] for code in range(9))]]
    marks = [pixel(10), pixel(11), pixel(12)]
    assert three == [[unknown, *(marks[c // 3] for c in range(9))], [unknown, *(marks[c % 3] for c in range(9))]]
