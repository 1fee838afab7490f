"""Reports: the statistics are those of the tables, everything is in one file, and names in it are text."""

import base64
import hashlib
import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.cells import grouped
from tests.support.helpers import SMALL, Sometimes
from tests.support.pictures import Page
from wordpl import Evaluation, Store, WordplError, make_task, sweep, write_report
from wordpl.reporting import report
from wordpl.reporting.markup import Html, Section, free_text, table
from wordpl.reporting.markup import page as page_of
from wordpl.reporting.tables import estimate
from wordpl.simulation import TaskFilter, curves, read_outcomes
from wordpl.simulation.pairing import pairs_of

pytestmark = pytest.mark.heavy


SPECS = [*(f"TwoGuess({epsilon})" for epsilon in (12.125, 20, 40)), "Greedy((20, 9), 2)"]
SPECS += [f"Greedy({epsilon})" for epsilon in (9, 20, "inf")]


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """A results file with curves, a schedule, a task without noise, and one whose games end by errors."""
    path = tmp_path_factory.mktemp("report") / "run.sqlite"
    tasks = [make_task(text, words=SMALL) for text in SPECS]
    with Store(path) as store:
        sweep([*tasks, make_task(Sometimes(), words=SMALL)], 40, store=store)
    return path


def written(source: Path, target: Path, **more: Any) -> Page:
    with Store(source, read_only=True) as opened:
        write_report(opened, target, **more)
    return Page(target.read_text("utf-8"))


@pytest.fixture(scope="module")
def page(stored, tmp_path_factory):
    return written(stored, tmp_path_factory.mktemp("page") / "deep" / "run.html")


# Statistics


def test_games_of_wordle_are_counted_in_guesses(tmp_path):
    with Store(tmp_path / "w.sqlite") as store:
        task = make_task("Greedy(inf)", words=SMALL, format="wordle:4")
        (found,) = sweep([task], 30, store=store)
        write_report(store, tmp_path / "w.html")
    page = Page((tmp_path / "w.html").read_text("utf-8"))
    within = [f"within {n} {' '.join(estimate(*rate))}" for n, rate in found.win_rates_within.items()]
    assert page.points == {"guesses": [f"Greedy(), epsilon ∞: {text}" for text in within]}
    (shown,) = page.pictures
    said = "Games of Wordle won within a number of guesses", "guesses", "win rate"
    assert (shown["title"], shown["x"]["label"], shown["y"]["label"]) == said


SECTIONS = ["run", "curves", "statistics", "budgets", "comparisons", "verdicts", "reasons", "tasks", "provenance"]
SAID = (
    "4 strategies, 8 tasks, 320 games, from run.sqlite",
    "small, letterwise, randomized_response, seed 1, 40 trials",
    "The 95% interval of each is below it: Wilson's for win rates",
)


def test_each_section_has_its_heading_and_the_page_says_how_to_read_it(stored, page, tmp_path):
    assert [said for said in SAID if said not in page.text] == []
    written(stored, tmp_path / "r.html")
    text = (tmp_path / "r.html").read_text("utf-8")
    heads, links = (
        re.findall(pattern, text)
        for pattern in (r'<section id="(\w+)"><h2>([^<]*)</h2>', r'<a href="#(\w+)">([^<]*)</a>')
    )
    assert heads == links and [name for name, _ in heads] == SECTIONS
    of_schedule = {label for label, epsilon, *_ in grouped(page.tables["Statistics of each task"]) if epsilon == "–"}
    assert of_schedule == {"Greedy(epsilon=(20.0, 9.0), n_guesses=2)"}, "its label has its epsilons"
    ended = [[int(cell) for cell in cells] for _, _, *cells in grouped(page.tables["How games ended"])]
    assert all(map(sum, zip(*ended, strict=True))), "a verdict that no game had has no column"


def test_a_table_scrolls_and_tells_its_texts_from_its_numbers():
    head = '<tr><th scope="col">a</th><th scope="col" class="number">b</th><th scope="col">c</th></tr>'
    group = '<tr><th scope="rowgroup" colspan="3" class="group"><span class="given">g&lt;</span></th></tr>'
    row = '<tr><th scope="row">x</th><td class="number">1</td><td>y</td></tr>'
    grid = f"<table><caption>t</caption><thead>{head}</thead><tbody>{group}{row}</tbody><tbody>{row}</tbody></table>"
    found = table("t", ["a", "b", "c"], [("g<", [["x", "1", "y"]]), ("", [["x", "1", "y"]])], ["c"])
    assert found == f'<div class="scroll" role="region" aria-label="t" tabindex="0">{grid}</div>'


def test_a_page_that_draws_nothing_runs_nothing():
    text = page_of("a" * 301, ["b"], [Section("s", "S", Html("<p>x</p>"), "how to read it")])
    page = Page(text)
    policy = next(attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv"))
    assert "script-src 'none'" in policy and "style-src 'unsafe-inline'" in policy and page.scripts == []
    assert text.startswith('<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">')
    assert '<section id="s"><h2>S</h2><p class="note">how to read it</p><p>x</p></section>' in text
    assert f">{'a' * 299}…</h1>" in text and free_text("a" * 301) == f'<span class="given">{"a" * 299}…</span>'


def test_only_strategies_that_play_are_compared_and_reasons_of_all_epsilons_are_added(stored):
    def read() -> list[Evaluation]:
        return read_outcomes(stored, TaskFilter(["TwoGuess", "Greedy(epsilon=20.0)"]))

    assert len(report.comparison_parts(read())) == 1
    *found, greedy = sorted(read(), key=lambda one: one.task.family == "Greedy()")
    for one in found:
        one.results["verdict"] = "CRASH"
        one.results["reason"] = [*("a" * n for n in range(1, 7)), *["often"] * 34]
    assert report.comparison_parts([*found, greedy]) == []
    (section,) = report._reasons(curves(found))
    ((_, *rows),) = Page(section.body).tables.values()
    assert [row[-1] for row in grouped(rows)] == ["102", "3", "3", "3", "3"]


def test_what_is_shown_of_too_much_is_the_best_pairs_and_the_last_runs(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "MOST_PAIRS", 3)
    monkeypatch.setattr(report, "_MAX_RUNS", 1)
    monkeypatch.setattr(report, "MOST_CURVES", 4)
    path = Path(shutil.copy(stored, tmp_path))
    with Store(path, command="the last") as store:
        sweep([make_task(SPECS[-1], words=SMALL)], 41, store=store)
        found = [one for one in store.evaluations() if one.errors < one.trials]
    page = written(path, tmp_path / "r.html")
    pairs = sorted(pairs_of(found), key=lambda pair: min(one.posterior_win_rate for one in pair), reverse=True)
    (rows,) = (rows for caption, rows in page.tables.items() if caption.startswith("Differences"))
    shown = [[*map(float, row[1:3])] for row in rows if row[0] == "posterior win rate"]
    assert shown == [pytest.approx([one.posterior_win_rate for one in pair], abs=6e-5) for pair in pairs[:3]]
    assert f"{len(pairs) - 3} more pairs can be compared" in page.text
    assert "seed 1, 40 to 41 trials" in page.text
    assert "2 runs, the last 1 of which are shown." in page.text
    assert [row[0] for row in page.tables["Runs"][1:]] == ["the last"]
    assert "are drawn; choose others" not in page.text
    others = written(path, tmp_path / "r.html", where=TaskFilter(["TwoGuess"])).text
    assert "1 run. The same command" in others, "the last run added none of their trials"
    monkeypatch.setattr(report, "MOST_CURVES", 2)
    assert len({row[0] for row in rows[1:] if len(row) > 1} - {"win rate"}) == 4
    monkeypatch.setattr(report, "MOST_TRIALS_OF_ALL", 119)  # 3 pairs of 40 games each
    page = written(path, tmp_path / "r.html")
    (rows,) = (rows for caption, rows in page.tables.items() if caption.startswith("Differences"))
    assert len({row[0] for row in rows[1:] if len(row) > 1} - {"win rate"}) == 1
    assert "Only the first 2 of 4 curves are drawn; choose others with --strategy." in page.text
    assert len({line["label"] for picture in page.pictures for line in picture["series"]}) == 2


def test_each_picture_says_what_it_shows(page):
    """`test_plots.py` has its title and labels."""
    assert any(": won " in told and "epsilon 12.125:" in told for told in page.points["wins"])
    forms = {one["name"]: [one[axis].get(key) for axis in "xy" for key in ("format", "log")] for one in page.pictures}
    assert forms == {
        "budgets": ["percent", None, None, "auto"],
        "wins": [None, "auto", "percent", None],
        "turns": [None, None, "percent", None],
        **{key: [None, "auto", None, None] for key in ("p05", "p50", "p95")},
    }
    rates = [one[axis] for one in page.pictures for axis in "xy" if one[axis]["label"] == "win rate"]
    assert [axis["range"] for axis in rates] == [[0, 1], [0, 1.02]], "there is room for a curve at 1"
    assert [axis["ticks"] for axis in rates] == [[0, 0.05, 0.25, 0.5, 0.75, 0.95]] * 2
    kinds = {(one["name"], line["kind"]) for one in page.pictures for line in one["series"]}
    assert kinds == {(name, "bars" if name == "turns" else "line") for name in forms}
    rules = {one["name"]: [line["y"] for line in one["lines"]] for one in page.pictures}
    assert rules == {name: [0.05, 0.5, 0.95] if name == "wins" else [] for name in forms}
    (turns,) = (one for one in page.pictures if one["name"] == "turns")
    assert turns["x"]["ticks"][-1] == [turns["series"][0]["points"][-1]["x"], "lost"]


# One file, which loads nothing


def test_the_file_needs_and_allows_no_other(page):
    (policy,) = (attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    told = dict(part.split(" ", 1) for part in policy.split("; "))
    assert told["default-src"] == told["base-uri"] == told["form-action"] == "'none'"
    assert [attrs["content"] for tag, attrs in page.tags if attrs.get("name") == "referrer"] == ["no-referrer"]
    assert len(page.scripts) == 1
    assert not re.search(r"^\s*import\b|\bimport\(|\bfetch\(|XMLHttpRequest", page.scripts[0], re.MULTILINE)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in page.scripts]
    assert told["script-src"].split() == [f"'sha256-{one}'" for one in hashes]
    assert not {"connect-src", "img-src", "font-src", "object-src", "frame-src"} & set(told)
    for _, attrs in page.tags:
        assert not {"src", "srcset"} & set(attrs)
        assert attrs.get("href", "#").startswith("#") and "style" not in attrs
    links, sections = ([attrs for tag, attrs in page.tags if tag == name] for name in ("a", "section"))
    assert {attrs["href"][1:] for attrs in links} == {attrs["id"] for attrs in sections}


def test_the_same_source_gives_the_same_bytes(stored, tmp_path):
    before = stored.read_bytes()
    written(stored, tmp_path / "a.html")
    written(stored, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    written(stored, tmp_path / "b.html", title="Mine & yours")
    for name, title in (("a", "run.sqlite"), ("b", "Mine &amp; yours")):
        shown = (tmp_path / f"{name}.html").read_text("utf-8")
        assert f"<title>{title}</title>" in shown and f">{title}</h1>" in shown
    assert stored.read_bytes() == before


# What cannot be written


def test_two_versions_of_a_strategy_are_two(stored, page, tmp_path):
    path = Path(shutil.copy(stored, tmp_path))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE tasks SET code = 'x' WHERE strategy LIKE 'TwoGuess%40%'")
    one, two = (int(each.tables["Settings"][1][6]) for each in (page, written(path, tmp_path / "r.html")))
    assert two == one + 1


def test_nothing_to_report_a_damaged_file_and_too_much_are_a_line(stored, tmp_path, monkeypatch):
    target = tmp_path / "r.html"
    path = Path(shutil.copy(stored, tmp_path))
    with closing(sqlite3.connect(path)) as database, database:
        database.execute("UPDATE trials SET budget = 9e999 WHERE trial = 7")
    for source, where, more, said in (
        (stored, target, {"where": TaskFilter(["nobody"])}, "has no results: no task has strategy nobody"),
        (path, target, {}, r"run\.sqlite is damaged: .*"),
    ):
        with pytest.raises(WordplError, match=said):
            written(source, where, **more)
    monkeypatch.setattr(report, "MAX_TASKS", 3)
    with pytest.raises(WordplError, match="shows at most 3 tasks, not 8; choose some with --strategy"):
        written(stored, target)
    assert not target.exists()
