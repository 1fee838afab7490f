"""What Explore, Results and Contest make of the answers of the server: the data of their pictures, as the painter is
given them, their tables, and what their controls change; and the control of epsilon."""

import csv
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

import wordpl
from tests.support.pages import enter, last_answers, percent, read, spoken
from tests.web.conftest import SHORT
from wordpl.simulation import WIN_RATES, known_frontier
from wordpl.simulation.known_budgets import RECORDS

INF = "inf"


def picture(page: Page, at: int = 0) -> Any:
    """The data of a picture that is on the page."""
    plot = page.locator(".plot:has(> svg)").nth(at)
    expect(plot).to_be_visible()
    return plot.evaluate("plot => JSON.parse(JSON.stringify(plot.plot.picture))")


# Results.

FILL = """async ([curves, x, wanted]) => {
    const { pictures } = await import("/static/results/pictures.js");
    const told = [];
    const made = pictures(wanted, (labels) => told.push(labels));
    document.body.append(made);
    made.fill(curves, x);
    const read = () => JSON.parse(JSON.stringify([...made.querySelectorAll("section")].map((section) =>
      [section.querySelector("h2").textContent, section.hidden ? null
        : { ...section.querySelector(".plot").plot.picture, label: section.querySelector("figcaption").textContent }]),
      (_, value) => (value === Infinity ? "∞" : value)));
    const before = Object.fromEntries(read());
    const boxes = [...made.querySelectorAll("input")];
    const legend = boxes.map(({ checked, value }) => [value, checked]);
    boxes.at(-1).click();
    const after = Object.fromEntries(read());
    made.remove();
    return { before, legend, after, told };
}"""


def outcome(epsilon: float | str | None, win_rate: float, p50: float | None = None, **more) -> dict[str, Any]:
    made: dict[str, Any] = {
        "epsilon": epsilon,
        "mean_budget": 3 * epsilon if isinstance(epsilon, int) else INF,
        "win_rate": win_rate,
    }
    made |= {"win_rate_interval": [win_rate - 0.1, win_rate + 0.1], "trials": 12345, "noiseless": False}
    for name, score in (("p05", 20.0), ("p50", p50), ("p95", None)):
        made |= {name: score, f"{name}_interval": [score, None]}
    return made | more


def fill(page: Page, curves: list[tuple[str, list]], x: str = "epsilon", wanted=(), budgets=()) -> Any:
    lines = [{"label": label, "outcomes": outcomes, "budgets": dict(budgets).get(label, [])}
             for label, outcomes in curves]  # fmt: skip
    return page.evaluate(FILL, [lines, x, list(wanted)])


def test_the_curves_of_results_have_the_numbers_of_their_games(page):
    spent = outcome(10, 0.6, 41.2345, mean_budget=1234.56)
    curves = [
        ("Two(a=1)", [outcome(5, 0.2), spent, outcome(None, 0.9), outcome(INF, 1.0)]),
        ("Two(a=2)", [outcome(5, 0.3)]),
        ("One()", [outcome(5, 0.1)]),
    ]
    found = fill(page, curves)["before"]
    wins = found["Win rate"]
    assert wins["label"] == "Most games, 60% at epsilon 10, are won by Two(a=1)."
    assert [one["label"] for one in wins["series"]] == ["Two(a=1)", "Two(a=2)", "One"]
    assert [(point["x"], point["y"], point["low"], point["high"]) for point in wins["series"][0]["points"]] == [
        (5, 0.2, 0.1, pytest.approx(0.3)),
        (10, 0.6, 0.5, 0.7),
    ]
    assert wins["series"][0]["points"][1]["title"].split("\n") == [
        *("Two(a=1)", "epsilon 10, mean budget 1,234.56", "won 60% [50%, 70%]"),
        *("p05 20 [20, ∞]", "p50 41.235 [41.235, ∞]", "p95 ∞ [∞, ∞]", "12,345 games"),
    ]
    spent = fill(page, curves, "budget")["before"]
    assert [point["x"] for point in spent["Win rate"]["series"][0]["points"]] == [15, 1234.56]
    assert [point["x"] for point in spent["Median score"]["series"][0]["points"]] == [5, 10]
    median, lost = found["Median score"], found["95th percentile score"]
    assert median["label"] == "The least budget, 41.235 at epsilon 10, is that of Two(a=1)."
    assert [(point["y"], point["mark"]) for point in median["series"][0]["points"]] == [("∞", True), (41.2345, True)]
    assert median["lines"] == lost["lines"] == [{"y": "∞", "label": "∞ (lost)"}]
    assert lost["label"] == "All of these lose too many games for a score."
    fifth = found["5th percentile score"]
    assert {(one["y"], one["low"], one["high"]) for one in fifth["series"][0]["points"]} == {(20, 20, "∞")}
    assert fifth["lines"] == [] and found["Turns at epsilon = ∞"] is None


def test_curves_that_are_wanted_are_drawn_and_a_choice_is_told(page):
    curves = [(f"{name}()", [outcome(5, 0.5 + (name == "D") / 10)]) for name in "ABCD"]
    found = fill(page, curves)
    assert found["legend"] == [["A()", True], ["B()", True], ["C()", True], ["D()", False]]
    assert found["told"] == [["A()", "B()", "C()", "D()"]]
    says = "Of the 3 curves drawn (of 4): Most games, 50% at epsilon 5, are won by A and B and C."  # which tie
    assert found["before"]["Win rate"]["label"] == says
    assert found["after"]["Win rate"]["label"] == "Most games, 60% at epsilon 5, are won by D."
    least = [{"place": "above", "budget": 1}, {"place": "below", "budget": 9}, {"place": "inside", "budget": 9}]
    found = fill(page, curves, budgets={"D()": least})["legend"]  # at first those that win for the least
    assert [label for label, checked in found if checked] == ["D()", "A()", "B()"]
    found = fill(page, curves, wanted=["D()", "B()", "gone"])
    assert [label for label, checked in found["legend"] if checked] == ["B()", "D()"]


def test_turns_without_noise_are_bars_and_the_lost_stand_apart(page):
    shares = [
        {"turns": turns, "share": share, "interval": [0.1, 0.7]} for turns, share in ((2, 0.25), (7, 0.5), (None, 0.25))
    ]
    exact = outcome(INF, 0.75, noiseless=True, turn_shares=shares)
    found = fill(page, [("A()", [exact]), ("B()", [outcome(INF, 0.5, noiseless=True, turn_shares=shares[:1])])])
    turns = found["before"]["Turns at epsilon = ∞"]
    assert turns["label"] == "Most games, 75%, are won by A." and found["before"]["Win rate"] is None
    assert turns["x"]["ticks"] == [2, 3, 4, 5, 6, 7, [9, "lost"]] and turns["x"]["range"] == [1, 10]
    first, _, lost = turns["series"][0]["points"]
    assert (first["x"], first["name"], first["y"], first["low"], first["high"]) == (2, 2, 0.25, 0.1, 0.7)
    assert first["title"] == "A()\nwon on turn 2: 25% [10%, 70%]\n12,345 games"
    assert (lost["x"], lost["name"]) == (9, "lost") and lost["title"].startswith("A()\nlost: 25%")


def test_files_are_read_a_few_at_a_time(address, new_page):
    page, asked, now = new_page("about:blank"), [], {"status": 200}
    answer = {"files": [], "terms": "a_b, c_d_e", "tasks": 1234, "trials": 123456, "left_out": 7, "statistics": []}
    answer |= {"curves": [{"label": f"{name}()", "budgets": []} for name in "ABC"]}
    answer |= {"outcomes": [outcome(5, 0.5, curve=at, verdicts={}) for at in range(3)]}
    answer |= {"error": {"message": "too odd", "field": "match"}}

    def curves(route):
        asked.append(route.request.url.partition("curves")[2])
        route.fulfill(json=answer, status=now["status"])

    versions = [{"name": name, "version": "1"} for name in "abc"]
    page.route("**/api/results", lambda route: route.fulfill(json=versions))
    page.route("**/api/results/curves*", curves)
    page.clock.install()
    page.goto(f"{address}/results")
    expect(page.locator("progress")).to_have_class("done")
    assert asked == ["?file=a", "?file=a&file=b", ""]
    said = "123,456 games of 1,234 settings: a b, c d e. 7 more are left out; narrow the filter to see them."
    expect(page.get_by_text(said).first).to_be_visible()
    page.get_by_label("B()").uncheck()
    expect(page).to_have_url(f"{address}/results?curve=A%28%29&curve=C%28%29")
    now["status"] = 422
    page.get_by_label("Only strategies or words that contain").fill("twos")
    page.clock.run_for(1000)
    expect(page.locator(".fault:visible")).to_have_text("Too odd.")


# The frontier.


def test_the_curves_of_the_frontier_are_those_that_are_asked_for(address, new_page):
    page = new_page(f"{address}/explore/frontier?rate=25&more=clues&more=record")
    expect(page.locator(".plot .curve").first).to_be_visible()
    privacy = page.get_by_label("privacy accounting", exact=True)
    page.route("**/api/frontier?clues=3", lambda route: None)  # it is held
    with page.expect_event("requestfailed"):  # what comes late was of another choice
        privacy.check()
        privacy.uncheck()
    page.unroute_all()
    privacy.check()
    expect(page.locator("td").get_by_text("privacy, 3 clues", exact=True)).to_have_count(1)
    drawn = picture(page)
    known = known_frontier()
    series = {one["label"]: one for one in drawn["series"]}
    assert "bound, 2 clues" not in series
    assert {one["y"]: one["x"] for one in series["published records"]["points"]} == RECORDS
    assert series["the bound"]["points"][49]["title"] == "the bound: 50% at 23.03"
    assert series["impossible"]["points"] == [
        {"x": x, "low": y, "high": None} for x, y in zip([0, known["bound"][0], *known["bound"]],
                                                         [None, None, *WIN_RATES], strict=True)
    ]  # fmt: skip
    assert drawn["lines"][0]["y"] == 0.25
    expect(page).to_have_url(f"{address}/explore/frontier?rate=25&more=clues&more=record&more=privacy")
    privacy.uncheck()
    slider = page.get_by_label("Win rate", exact=True)
    slider.press("ArrowRight")
    expect(page.locator("figcaption")).to_contain_text("to win 26% of games takes")
    slider.press("End")
    best, bound = (f"{known[name][98]:.4g}" for name in ("best", "bound"))
    said = re.compile(f"99% of games won: smallest budget known {best}.*, no strategy below {bound}")
    expect(page.locator("#live")).to_have_text(said)


# Clues.


def test_the_clues_to_guesses_share_a_scale_and_a_clue_is_marked_in_all(address, new_page):
    page = new_page("about:blank")
    told = last_answers(page)
    page.goto(f"{address}/explore/clues?guess=crate&guess=zesty&epsilon=6")
    figures = page.locator(".distributions section")
    expect(figures).to_have_count(2)
    guesses = told["distributions"].json()["guesses"]
    most = max(chance for guess in guesses for chance in guess["exact"])
    for at in (0, 1):
        drawn = picture(page, at)
        assert drawn["y"]["range"] == [0, most]
    code = sorted(range(243), key=guesses[0]["noisy"].__getitem__)[-3]
    chances = [f"{percent(one['noisy'][code])}, without noise {percent(one['exact'][code])}" for one in guesses]
    for key in ("Home", "ArrowRight", "ArrowRight"):
        figures.first.get_by_role("slider").press(key)
    for figure, said in zip(figures.all(), chances, strict=True):
        expect(figure.locator(".tip")).to_contain_text(said)
    told = f"{spoken('zesty', str(wordpl.Clue(code)))}: {chances[1]}"
    expect(figures.last.get_by_role("slider")).to_have_attribute("aria-valuetext", told)
    page.get_by_label("Epsilon of the clues below", exact=True).fill("inf")
    expect(page).to_have_url(re.compile("epsilon=inf"))
    gain = wordpl.score_word(wordpl.Posterior("original"), float("inf"), "zesty")["information_gain"]
    expect(figures.last.locator(".cell-info .note").first).to_have_text(f"tells {gain:.2f} bits")
    order = sorted(range(243), key=lambda code: -guesses[1]["exact"][code])  # of equal ones the first comes first
    bars = [(at, guesses[1]["exact"][code], str(wordpl.Clue(code))) for at, code in enumerate(order, start=1)]
    drawn = picture(page, 1)["series"][0]["points"]
    assert [(bar["x"], pytest.approx(bar["y"]), bar["name"]) for bar in drawn] == bars


def test_the_fields_of_clues_are_followed(address, new_page):
    page = new_page(f"{address}/explore/clues?epsilon=6&guess=crate&guess=zesty")
    figures = page.locator(".distributions section")
    page.get_by_label("Guess 2").fill("")
    page.get_by_label("Guess 1").fill("haste")
    page.get_by_label("Guess 3").fill("zzzzz")
    page.keyboard.press("Tab")
    expect(page.locator(".field", has=page.get_by_label("Guess 3")).locator(".fault")).to_contain_text("zzzzz")
    page.get_by_label("Guess 3").fill("")
    page.keyboard.press("Tab")
    expect(figures.get_by_role("heading")).to_have_text(["HASTE"])
    expect(page).to_have_url(f"{address}/explore/clues?epsilon=6&guess=haste")
    three = page.request.post(f"{address}/api/words", data={"answers": SHORT}).json()["name"]
    page.goto(f"{address}/explore/clues?words={three}&guess=cat&row=cat:c..:9")
    expect(page.locator(".slider .means")).to_have_text(read(page, "epsilon", "meaning", 13, {"length": 3}))
    page.get_by_label("Words").select_option("original")
    expect(page).to_have_url(f"{address}/explore/clues?words=original")
    expect(page.get_by_text("Before any clue.")).to_be_visible()
    expect(page.locator(".slider .means")).to_have_text(read(page, "epsilon", "meaning", 13, {}))


# Contest.

ROW = {"rank": 1, "id": "a1b2", "name": "Ann", "author": "", "link": "https://example.org/ann", "score": 12.34567}
ROW |= {"interval": [12, None], "beats_record": True}
LOST = ROW | {"rank": None, "id": "c3", "name": "", "link": "https://example.org/c", "author": "Cat", "score": None}
LOST |= {"interval": [50, None], "beats_record": False}
BOARD = {
    "percentile": 50,
    "title": "Autumn",
    "stage": "provisional",
    "record": {"percentile": 50, "budget": 41.5, "best_known": 36.26},
    "margin_percent": 2,
    "rows": [ROW, LOST],
    "remarks": [{"id": "f9", "name": "", "text": "is open"}, {"id": "g1", "name": "Eve", "text": "waits"}],
    "left_out": 1234,
    "entries": 2,
    "version": "1",
    "hashes": {"provisional": "abc", "final": "def"},
    "seeds": {},
    "how_to_submit": "",
}  # fmt: skip


def test_a_board_shows_what_its_server_says(address, new_page):
    page, now = new_page("about:blank"), [BOARD]
    page.clock.install()
    page.route("**/api/contest?*", lambda route: route.fulfill(json=now[0]))
    page.goto(f"{address}/contest?percentile=50")
    board = page.get_by_role("region", name="Autumn, 50th percentile")
    expect(board.locator("tbody tr")).to_have_count(3)
    rows = [["1", "Ann", "12.35 [12, ∞]", "yes", "example.org/ann"], ["–", "listed record", "41.5", "", ""]]
    rows += [["–", "c3", "∞ [50, ∞]", "no", "Cat"]]
    for row, cells in zip(board.locator("tbody tr").all(), rows, strict=True):
        expect(row.locator("td")).to_have_text([re.compile(f"^{re.escape(cell) or '–?'}$") for cell in cells])
    expect(board.get_by_role("link", name="Cat")).to_have_attribute("rel", "noopener nofollow noreferrer")
    main = page.get_by_role("main")
    for said in ("1,234 more are not shown", "f9: is open", "Eve: waits", "provisional: abc"):
        expect(main).to_contain_text(said)
    (points,) = (one["points"] for one in picture(page)["series"] if one["label"] == "records")
    assert {one["y"]: one["x"] for one in points} == RECORDS
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV of Autumn, 50th percentile").click()
    saved = list(csv.reader(Path(download.value.path()).read_text().splitlines()))
    assert [[*row[1:5], row[6]] for row in saved] == [
        ["name", "score", "score low", "score high", "author"],
        *(["Ann", "12.34567", "12", "inf", "https://example.org/ann"], ["listed record", "41.5", "", "", ""]),
        ["", "inf", "50", "inf", "Cat"],
    ]
    now[0] = BOARD | {"title": "Winter", "version": "1b"}
    page.clock.fast_forward(30_000)
    expect(page.get_by_role("region", name="Winter, 50th percentile")).to_be_visible()
    now[0] = BOARD | {"rows": [], "record": None, "entries": 0, "left_out": 0, "version": "2"}
    now[0] |= {"stage": "final", "seeds": {"final": "s3"}, "how_to_submit": "Mail it."}
    page.clock.fast_forward(30_000)
    for said in ("There are no entries yet.", "The contest is closed."):
        expect(main).to_contain_text(said)
    expect(main).to_contain_text("final: def, of the seed s3")
    expect(main).not_to_contain_text("Mail it.")
    expect(page.locator("#live")).to_have_text("The leaderboard has changed.")
    page.get_by_label("Name or id").fill(" x ")
    page.clock.run_for(1000)
    expect(main).to_contain_text("No entry matches.")
    expect(page).to_have_url(f"{address}/contest?percentile=50&match=x")


def test_a_control_of_epsilon_takes_what_it_can_use_and_says_what_not(address, new_page):
    page = new_page(f"{address}/explore/channel")
    box, slider = page.get_by_label("Epsilon", exact=True), page.get_by_label("Epsilon, slider")
    for typed, value, query in (("2,5", "2.5", "2.5"), ("inf", "∞", "inf"), ("0", "0", "inf")):
        enter(box, typed)
        expect(box).to_have_value(value)
        expect(page).to_have_url(f"{address}/explore/channel?epsilon={query}")
    fault = "“0” does not work: type a number above 0, up to 1,000,000, or inf."
    expect(page.get_by_text(fault)).to_be_visible()
    for key, value in (("Home", "0.1"), ("End", "∞"), ("ArrowLeft", "100")):
        slider.press(key)
        expect(box).to_have_value(value)
