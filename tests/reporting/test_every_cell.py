"""Every cell of the tables, plots, report, JSON and page of a results file, computed from its trials by plain NumPy.

The trials are made by `tests/support/plain.py`, which also says what follows from them.
"""

import csv
import io
import json
import math
import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy
from starlette.testclient import TestClient

from tests.support import plain
from tests.support.cells import alike, are_shown, grouped, is_shown, parts, printed
from tests.support.pictures import Page
from tests.support.plain import INF, QUANTILES, Ends, Made, facts
from wordpl import draw, write_report
from wordpl.cli.runs import print_score
from wordpl.reporting.outcome_tables import crossing_rows, outcome_records, print_budgets, print_evaluations
from wordpl.reporting.plot_points import MARKERS
from wordpl.reporting.tables import TableStyle
from wordpl.simulation import curves, known_budgets, read_outcomes
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

pytestmark = pytest.mark.heavy


@pytest.fixture(scope="module", params=[plain.three_settings, plain.of_the_contest])
def kept(request, tmp_path_factory) -> tuple[Path, list[Made]]:
    path = tmp_path_factory.mktemp("cells") / "r.sqlite"
    return path, request.param(path)


def of_tasks(made: Sequence[Made], rows: list[list[str]]) -> list[tuple[Made, list[str]]]:
    """The rows that begin with the label of a curve and an epsilon, with their tasks: each task has one."""
    by_name = {(label, float(epsilon.replace("∞", "inf"))): rest for label, epsilon, *rest in rows}
    assert len(rows) == len(by_name) == len(made)
    return [(one, by_name[one.label, one.epsilon]) for one in made]


# What follows from the trials


def percentiles(one: Made) -> list[tuple[float, Ends] | None]:
    """The percentiles for a table: None for one that is infinite because a won game was played without noise."""
    found, n = facts(one), len(one.trials)
    told = [found[name] < INF or found["wins"] <= math.ceil((n - 1) * q) for name, q in QUANTILES.items()]
    values = [(found[name], found[f"{name}_interval"]) for name in QUANTILES]
    return [value if is_told else None for is_told, value in zip(told, values, strict=True)]


def known() -> dict[str, list[float]]:
    """The budgets to compare with."""
    best = pd.read_csv(Path(known_budgets.__file__).with_name("data") / "frontier.csv").set_index("win_rate")
    best = best.loc[list(QUANTILES.values())]
    return {"contest's record": [15.6, 36.9, 75.0], "smallest known": [*best["best"]], "proved bound": [*best["bound"]]}


def crossings(made: Sequence[Made]) -> dict[str, list[tuple[str, float, Ends]]]:
    """The smallest budgets of each curve of two epsilons: place, budget and interval."""
    lines = {label: line for label, line in plain.by_curve(made).items() if len(line) > 1}
    found = {label: [plain.crossing(line, q) for q in QUANTILES.values()] for label, line in lines.items()}
    if is_contest(made):
        for points in found.values():
            for i, (place, budget, ends) in enumerate(points):
                if place != "percentile" and budget < known()["proved bound"][i]:
                    points[i] = "under_bound", math.nan, ends
    return found


def is_contest(made: Sequence[Made]) -> bool:
    return {one.task.setting.words.name for one in made} == {"original"}


def budget_is_shown(cells: Sequence[str], point: tuple[str, float, Ends], largest: float) -> bool:
    place, budget, ends = point
    sign = {"below": "≤", "above": ">", "under_bound": "<bound"}.get(place, "")
    value, text = largest if place == "above" else budget, cells[0].removeprefix(sign)
    number = text == "" if place == "under_bound" else is_shown(text, value) or abs(float(text) / value - 1) < 0.005
    return cells[0].startswith(sign) and number and all(map(is_shown, cells[1:], ends))


def largest_budget(made: Sequence[Made], label: str) -> float:
    return max(one.column("budget").mean() for one in made if one.label == label)


def record(one: Made, made: Sequence[Made]) -> dict[str, Any]:
    """A task in JSON."""
    row, found = one.task.row, facts(one)
    terms = {name: getattr(row, name) for name in ("strategy", "words", "rule", "channel", "format", "seed", "code")}
    terms |= {"task": one.task.id, "epsilon": row.epsilon, "noiseless": row.epsilon == INF, "engine": row.engine}
    found = terms | {"confidence": 0.95} | found
    for key, value in found.items():
        if key in ("epsilon", "mean_budget"):
            found[key] = "inf" if value == INF else value
        elif isinstance(value, float | tuple):
            ends = [None if math.isinf(x) else x for x in np.atleast_1d(value).tolist()]
            found[key] = ends if isinstance(value, tuple) else ends[0]
    found["turns"] = {str(turn): n for turn, n in found["turns"].items()}
    budgets = []
    for q, (place, budget, ends) in zip(QUANTILES.values(), crossings(made).get(one.label, ()), strict=False):
        shown = [at if math.isfinite(at) else None for at in (budget, *ends)]
        budgets.append({"win_rate": q, "place": place, "budget": shown[0], "interval": shown[1:]})
    return found | {"curve": {"label": one.label, "budgets": budgets}}


def turn_shares(one: Made, among: Sequence[Made]) -> list[tuple[str, float, Ends]]:
    """The share of games won on each turn on which any was, and of those that were lost."""
    found, n = facts(one), len(one.trials)
    every = [turn for other in among for turn in facts(other)["turns"]]
    counts = {str(turn): found["turns"].get(turn, 0) for turn in range(min(every), max(every) + 1)}
    counts["lost"] = n - found["wins"]
    return [(turn, count / n, plain.wilson(count, n)) for turn, count in counts.items()]


# Tables and JSON


def test_each_cell_of_the_tables(store, made, capsys):
    evaluations = read_outcomes(store)
    head, *rows = printed(capsys, print_evaluations, evaluations)
    assert head[:7] == [
        *("strategy", "epsilon", "trials", "win rate", "win rate_low", "win rate_high", "posterior win rate")
    ]
    assert head[7:] == [*(f"{name}{end}" for name in QUANTILES for end in ("", "_low", "_high")), "turns"]
    for one, (trials, *cells) in of_tasks(made, rows):
        found = facts(one)
        assert trials == str(found["trials"])
        assert are_shown(cells[:3], found["win_rate"], found["win_rate_interval"])
        assert is_shown(cells[3], found["posterior_win_rate"], found["posterior_win_rate_interval"])
        for i, value in enumerate(percentiles(one)):
            at = cells[4 + 3 * i : 7 + 3 * i]
            assert at == [""] * 3 if value is None else are_shown(at, *value)
        assert cells[13] == ("" if found["mean_turns"] is None else f"{found['mean_turns']:.3f}")
    head, *_ = printed(capsys, print_budgets, curves(evaluations))
    assert head == ["strategy", *(f"{q}%{end}" for q in (5, 50, 95) for end in ("", "_low", "_high"))]
    print_budgets(curves(evaluations), TableStyle("markdown"))
    head, *_ = capsys.readouterr().out.splitlines()
    names = [f"{q}% | interval of {q}%" for q in (5, 50, 95)]
    assert head.replace("\\", "") == f"| strategy | {' | '.join(names)} |"
    rows, lines = crossing_rows(curves(evaluations))[0], crossings(made)
    beside = known() if is_contest(made) else {}
    assert [row[0] for row in rows] == [*sorted(lines), *beside]
    for label, *cells in rows[: len(lines)]:
        largest, pairs = largest_budget(made, label), zip(cells[::2], cells[1::2], strict=True)
        shown = [[cell, *parts(ends)] for cell, ends in pairs]
        assert all(budget_is_shown(cell, at, largest) for cell, at in zip(shown, lines[label], strict=True)), shown
    assert [list(map(float, row[1::2])) for row in rows[len(lines) :]] == [pytest.approx(x) for x in beside.values()]
    notes, places = crossing_rows(curves(evaluations))[1], {place for line in lines.values() for place, *_ in line}
    said = [("<bound: the win rates put", {"under_bound"}), ("the smallest percentile of", {"percentile"})]
    for note, where in (*said, ("from the posterior win rates", {"below", "inside", "above", "under_bound"})):
        assert any(note in one for one in notes) == bool(where & places), note


def test_each_cell_of_the_table_of_one_task(store, made, capsys):
    for one in made:
        found, (evaluation,) = facts(one), (o for o in read_outcomes(store) if o.task.id == one.task.id)
        values = {name: (found[key], found[f"{key}_interval"]) for name, key in (
            ("win rate", "win_rate"), ("posterior win rate", "posterior_win_rate"))}  # fmt: skip
        values |= {f"budget, {int(100 * QUANTILES[name])}th percentile": value
                   for name, value in zip(QUANTILES, percentiles(one), strict=True) if value}  # fmt: skip
        _, *rows = printed(capsys, print_score, evaluation)
        assert [row[0] for row in rows] == [*values]
        html = Page(evaluation._repr_html_().replace("<table>", "<table><caption></caption>")).tables[""]
        for (name, *cells), (title, value, ends) in zip(rows, html[1:], strict=False):
            assert are_shown(cells, *values[name]) and title == name
            near = zip([value, *parts(ends)], [values[name][0], *values[name][1]], strict=True)
            assert all(is_shown(cell, at) or abs(float(cell) / at - 1) < 0.01 for cell, at in near)
        print_score(evaluation, TableStyle())
        below = capsys.readouterr().out.rpartition("┘\n")[2]
        mean, slowest = 1e3 * found["seconds_per_move"], 1e3 * found["slowest_move"]
        assert f"time per move: {mean:.3g} ms, the slowest {slowest:.3g} ms" in below
        assert f"slowest game {one.column('seconds').max():.2g} s; the contest allows 10 s" in below
        assert f"lost by a timeout: {found['timeouts']}; by an error: {found['errors']}" in below
        assert all(f"{x['trials']} trials lost: {x['reason']}" in below for x in found["reasons"])
        games = ", ".join(f"{n} on turn {turn}" for turn, n in found["turns"].items())
        assert (f"turns of won games: {found['mean_turns'] or 0:.3f} on average ({games})" in below) == bool(games)


def test_each_value_of_the_json_the_frame_and_the_page(kept, store, made):
    expected = {one.task.id: record(one, made) for one in made}
    found = json.loads(json.dumps(outcome_records(read_outcomes(store)), allow_nan=False))
    assert alike({one["task"]: one for one in found}, expected)
    frame = store.table().set_index(["strategy", "seed"])
    for one in made:
        row = frame.loc[(one.task.row.strategy, str(one.task.seed))]
        for name, value in facts(one).items():
            if name.endswith("_interval"):
                ends = [row[name.replace("interval", end)] for end in ("low", "high")]
                assert ends == pytest.approx(value, rel=1e-4), name
            elif isinstance(value, float | int):
                assert row[name] == pytest.approx(value), name
    client = TestClient(make_app(Settings(results=(kept[0],))), base_url="http://127.0.0.1:8000")
    shown = client.get("/api/results/curves").json()
    lines = {one["curve"]["label"]: one["curve"] for one in expected.values()}
    assert alike(shown["curves"], [lines[label] for label in sorted(lines)])
    for one in made:
        shares = turn_shares(one, [one]) if one.epsilon == INF else []
        found = [(None if turn == "lost" else int(turn), share, ends) for turn, share, ends in shares]
        told = [dict(zip(("turns", "share", "interval"), one_turn, strict=True)) for one_turn in found]
        expected[one.task.id] |= {"file": "r.sqlite", "curve": sorted(lines).index(one.label), "turn_shares": told}
    assert alike({one["task"]: one for one in shown["outcomes"]}, expected)
    assert (shown["tasks"], shown["trials"]) == (len(made), sum(len(one.trials) for one in made))


# Plots and reports


def points(made: Sequence[Made], kind: str) -> dict[str, list[tuple[Any, ...]]]:
    """What each panel of a picture shows: curve, place or turn, value and interval of each point."""
    noisy = [one for one in made if one.epsilon < INF]
    exact = [one for one in made if one.epsilon == INF]
    found: dict[str, list[tuple[Any, ...]]] = {}
    if kind == "all":
        beside = known() if is_contest(made) else {}
        found["budgets"] = [
            (label, q, budget, *ends)
            for label, line in crossings(made).items()
            for q, (_, budget, ends) in zip(QUANTILES.values(), line, strict=True)
        ] + [(name, q, x) for name, xs in beside.items() for q, x in zip(QUANTILES.values(), xs, strict=True)]
        found["wins"] = [
            (one.label, facts(one)["mean_budget"], facts(one)["win_rate"], *facts(one)["win_rate_interval"])
            for one in noisy
        ]
        turns = [(one.label, turn, x, *ends) for one in exact for turn, x, ends in turn_shares(one, exact)]
        found |= {"turns": turns} if turns else {}
    varying = [label for label, line in plain.by_curve(noisy).items()
               if len(line) > 1 and any(len(set(one.column("budget"))) > 1 for one in line)]  # fmt: skip
    for name in QUANTILES:
        found[name] = [
            (one.label, one.epsilon, facts(one)[name], *facts(one)[f"{name}_interval"])
            for one in noisy
            if kind == "percentiles" or one.label in varying
        ]
    return found


def in_order(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Rows of texts and numbers, in six digits, in one order."""
    plainly = [[f"{x:.6g}" if isinstance(x, float) else str(x) for x in row if x == x] for row in rows]
    return sorted(tuple(row) for row in plainly)


@pytest.mark.parametrize("kind", ["all", "percentiles"])
def test_each_point_of_a_plot_and_of_its_data(store, made, kind, figures, tmp_path):
    _, data = draw(store, tmp_path / "p.svg", kind, data=True)
    rows = list(csv.DictReader(io.StringIO(data.read_text("utf-8"))))
    expected = points(made, kind)
    assert {row["panel"] for row in rows} == expected.keys()
    for panel, wanted in expected.items():
        found = [row for row in rows if row["panel"] == panel]
        values = [[float(row[key]) for key in ("y", "low", "high") if row[key]] for row in found]
        xs = [row["x"] if panel == "turns" else float(row["x"]) for row in found]
        told = [(row["curve"], x, *value) for row, x, value in zip(found, xs, values, strict=True)]
        assert in_order(told) == in_order(wanted), panel
        by_id = {one.task.id: (one.label, str(one.epsilon)) for one in made}
        assert all((row["curve"], row["epsilon"]) == by_id[row["task"]] for row in found if row["task"])
    places = [place for line in crossings(made).values() for place, *_ in line]
    assert [row["place"] for row in rows if row["place"]] == (places if kind == "all" else [])
    # The figure has these points, and an infinite one as a cross.
    axes = dict(zip(dict.fromkeys(row["panel"] for row in rows), figures[0].axes, strict=True))
    for panel, wanted in expected.items():
        lines, ys = axes[panel].lines, [float(y) for _, _, y, *_ in wanted]
        bars = {tuple(bar[:, 1].round(6)) for part in axes[panel].collections for bar in part.get_segments()}
        ends = [row[-2:] for row in wanted if len(row) == 5]
        if panel == "turns":
            turns = [text.get_text() for text in axes[panel].get_xticklabels()]
            assert turns[-1] == "lost" and {turn for _, turn, *_ in wanted} == {*turns}
            at = [round(bar.get_x() + bar.get_width() / 2) for bar in axes[panel].patches]
            told = [(x, bar.get_height()) for x, bar in zip(at, axes[panel].patches, strict=True)]
            last = int(turns[-2]) + 2
            assert in_order(told) == in_order([(last if x == "lost" else int(x), float(y)) for _, x, y, *_ in wanted])
            assert bars == {(round(low, 6), round(high, 6)) for low, high in ends}
        elif panel == "budgets":
            reach = {label: largest_budget(made, label) for label in crossings(made)}
            ys = [reach[label] if label in reach and place == "above" else y
                  for (label, *_), place, y in zip(wanted, [*places, *[""] * 9], ys, strict=False)]  # fmt: skip
            marks = [float(y) for line in lines for y in line.get_ydata()[:1] if line.get_linestyle() != "-"]
            solid = [float(line.get_ydata()[0]) for line in lines if line.get_color() == "k" and len(line.get_xdata())]
            assert {f"{y:.6g}" for y in ys} == {f"{y:.6g}" for y in (*marks, *solid)}
            upright = [
                line.get_ydata() for line in lines if len(line.get_xdata()) == 2 and not np.ptp(line.get_xdata())
            ]
            top = axes[panel].get_ylim()[1]
            assert max(filter(math.isfinite, marks)) < top
            assert in_order(map(tuple, upright)) == in_order([(max(low, 1e-9), min(high, top)) for low, high in ends])
            signs = Counter(line.get_marker() for line in lines if len(line.get_xdata()) == 1)
            assert [signs["^"], signs["v"]] == [places.count("above"), places.count("below")]
            assert [text.get_text() for text in axes[panel].get_xticklabels()] == ["5%", "50%", "95%"]
        else:
            drawn = [line for line in lines if line.get_marker() in tuple(MARKERS)]
            at = [point for line in drawn for point in zip(*line.get_data(), strict=True)]
            assert in_order(at) == in_order([(float(x), float(y)) for _, x, y, *_ in wanted])
            ends = [x[1:] for x in wanted if math.isfinite(sum(x[1:]))]
            assert {(round(low, 6), round(high, 6)) for *_, low, high in ends} <= bars
            texts = {text.get_text() for text in axes[panel].texts}
            assert ("∞ (lost)" in texts) == any(INF in row for row in wanted)
            assert ("infinite throughout" in texts) == (set(ys) == {INF})
            crosses = [x for line in lines if line.get_marker() == "x" for x in line.get_xdata()]
            assert sorted(crosses) == sorted(x for _, x, y, *_ in wanted if y == INF)
    legend = {text.get_text() for text in figures[0].legends[0].get_texts()}
    assert legend & {*known()} == ({*known()} if is_contest(made) and kind == "all" else set())


HEADS = {
    "Settings": ["words", "rule", "channel", "format", "seed", "engine", "strategies", "tasks", "games"],
    "Statistics of each task": ["epsilon", "trials", "win rate", "posterior win rate", "p05", "p50", "p95", "turns"],
    "Smallest budget to win 5%, 50% and 95% of games": ["strategy", "to win 5%", "to win 50%", "to win 95%"],
    "Why games were lost other than by a wrong proposal": ["reason", "games"],
    "Tasks": ["epsilon", "games", "id", "code", "time of a move"],
}


def test_each_cell_and_point_of_a_report(store, made, tmp_path):
    write_report(store, tmp_path / "r.html")
    page = Page((tmp_path / "r.html").read_text("utf-8"))
    for name, head in HEADS.items():
        assert page.tables.get(name, [head])[0] == head
    for one, (trials, rate, posterior, *cells) in of_tasks(made, grouped(page.tables["Statistics of each task"])):
        found, turns = facts(one), cells.pop()
        assert trials == str(found["trials"])
        assert are_shown(parts(rate), found["win_rate"], found["win_rate_interval"])
        assert is_shown(posterior, found["posterior_win_rate"], found["posterior_win_rate_interval"])
        for cell, value in zip(cells, percentiles(one), strict=True):
            assert cell == "" if value is None else are_shown(parts(cell), *value)
        assert turns == ("" if found["mean_turns"] is None else f"{found['mean_turns']:.3f}")
    names = page.tables["How games ended"][0][1:]
    for one, cells in of_tasks(made, grouped(page.tables["How games ended"])):
        told = dict(zip(names, map(int, cells), strict=True))
        ended = {name.lower(): n for name, n in facts(one)["verdicts"].items()}
        assert told == {name: ended[name] for name in told} and sum(told.values()) == len(one.trials)
    reasons = [[one.label, x["reason"], str(x["trials"])] for one in made for x in facts(one)["reasons"]]
    assert grouped(page.tables.get("Why games were lost other than by a wrong proposal", [[]])) == reasons
    for one, (trials, task, code, ms) in of_tasks(made, grouped(page.tables["Tasks"])):
        assert (int(trials), task, code) == (len(one.trials), one.task.id, one.task.row.code[:8])
        assert ms == f"{1e3 * facts(one)['seconds_per_move']:.2g} ms"
    _, *rows = page.tables["Smallest budget to win 5%, 50% and 95% of games"]
    lines, beside = crossings(made), known() if is_contest(made) else {}
    for label, *cells in rows[: len(lines)]:
        largest = largest_budget(made, label)
        assert all(budget_is_shown(parts(cell), at, largest) for cell, at in zip(cells, lines[label], strict=True))
    assert {row[0]: [*map(float, row[1:])] for row in rows[len(lines) :]} == beside
    settings = [[one.task.setting.words.name, str(one.task.seed), one.label.split("(")[0]] for one in made]
    for words, *_, seed, _, strategies, tasks, trials in page.tables["Settings"][1:]:
        here = [(name, len(one.trials)) for one, (*at, name) in zip(made, settings, strict=True) if at == [words, seed]]
        assert (int(strategies), int(tasks)) == (len({name for name, _ in here}), len(here))
        assert trials == f"{sum(n for _, n in here):,}"
    (run,) = page.tables["Runs"][1:]
    assert run[:3] == ["wordpl sweep", f"{sum(len(one.trials) for one in made):,}", str(len(made))]
    versions = dict(zip(page.tables["Runs"][0], run, strict=True))
    told = [versions[name] for name in ("python", "numpy", "scipy")]
    assert told == [platform.python_version(), np.__version__, scipy.__version__]
    # The pictures have the points of the plots, and say their numbers.
    for picture in page.pictures:
        wanted, said = points(made, "all")[picture["name"]], list[tuple[Any, ...]]()
        for line in picture["series"]:
            for point in line["points"]:
                values = [point[key] for key in ("y", "low", "high") if point.get(key) is not None]
                said.append((line["label"], point["x"], *map(float, values)))
                assert (point.get("mark") == "cross") == (point.get("y") == "inf"), point
                if "title" in point and picture["name"] != "budgets":
                    y, low, high = map(float, values)
                    assert are_shown(parts(point["title"])[-3:], y, (low, high))
                    is_lost = isinstance(x := point["x"], int) and x == picture["x"]["ticks"][-1][0]
                    turn = "lost" if is_lost else f"on turn {x}"
                    what = {"wins": "won", "turns": turn}.get(picture["name"], picture["name"])
                    assert f": {what} " in point["title"]
                    heads = [f"{one.label}, epsilon {one.epsilon:g}:".replace("inf", "∞") for one in made]
                    assert point["title"].startswith(tuple(heads)), point["title"]
                elif "title" in point:
                    at = [*QUANTILES.values()].index(point["x"])
                    cells = point["title"].removeprefix(f"{line['label']}: to win {100 * point['x']:.0f}%: ")
                    largest = largest_budget(made, line["label"])
                    assert budget_is_shown(parts(cells), lines[line["label"]][at], largest), point["title"]
        if picture["name"] == "turns":
            last = max(int(turn) for _, turn, *_ in wanted if turn != "lost")
            wanted = [(label, last + 2 if turn == "lost" else turn, *rest) for label, turn, *rest in wanted]
        assert in_order([(a, str(b), *c) for a, b, *c in said]) == in_order([(a, str(b), *c) for a, b, *c in wanted])
