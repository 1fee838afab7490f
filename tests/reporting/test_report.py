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
from hypothesis import given
from hypothesis import strategies as st

import wordpl
from tests.support.contests import NASTY, name_nastily
from tests.support.helpers import SMALL, Sometimes
from tests.support.pictures import Page
from wordpl import Store, WordplError, make_task, sweep, write_report
from wordpl.reporting import report
from wordpl.reporting.comparison_tables import signed_estimate
from wordpl.reporting.markup import clean
from wordpl.reporting.outcome_tables import crossing_cell, outcome_records
from wordpl.reporting.plot_points import Look, panels_of
from wordpl.reporting.tables import estimate, interval, number
from wordpl.simulation import TaskFilter, curves, read_outcomes

pytestmark = pytest.mark.heavy

TAGS = {
    "html", "head", "meta", "title", "style", "body", "header", "nav", "main", "section", "h1", "h2", "h3", "p", "ul",
    "li", "a", "div", "span", "small", "code", "dl", "dt", "dd", "table", "caption", "thead", "tbody", "tr", "th", "td",
    "script", "noscript",
}  # fmt: skip
SPECS = ("TwoGuess(12)", "TwoGuess(20)", "TwoGuess(40)", "Greedy((20, 9), 2)", "Greedy(9)", "Greedy(20)", "Greedy(inf)")


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


def test_tables_have_the_statistics_of_the_records(stored, page):
    with Store(stored) as store:
        records: dict[str, dict[str, Any]] = {
            one["task"]: one for one in map(dict, outcome_records(read_outcomes(store)))
        }
    ids = [row[2] for row in page.tables["Tasks"][1:] if len(row) > 1]
    assert set(ids) == set(records) and len(ids) == len(records)
    rows = [row for row in page.tables["Statistics of each task"][1:] if len(row) > 1]
    for identity, (epsilon, trials, *cells) in zip(ids, rows, strict=True):
        record = records[identity]
        assert trials == str(record["trials"]) == "40"
        assert epsilon in ("–", "∞", number(float(record["epsilon"]), 6))
        assert cells.pop(1) == estimate(record["posterior_win_rate"], record["posterior_win_rate_interval"])[0]
        names = ("win_rate", "p05", "p50", "p95")
        found = [(record[name], record[f"{name}_interval"]) for name in names]
        told = [" ".join(estimate(value, ends)) for value, ends in found]
        assert cells[:4] in (told, [told[0], *[""] * 3]) and ("" not in cells[:4] or record["noiseless"])
    verdicts = [row for row in page.tables["How games ended"] if len(row) > 1]
    for identity, row in zip(ids, verdicts[1:], strict=True):
        told = dict(zip(verdicts[0][1:], map(int, row[1:]), strict=True))
        assert told == {name.lower(): n for name, n in records[identity]["verdicts"].items() if name.lower() in told}
        assert sum(told.values()) == 40
    rows = page.tables["Why games were lost other than by a wrong proposal"]
    assert ["Sometimes()"] in rows and any("lost the thread" in row[0] for row in rows if len(row) > 1)


def test_games_of_wordle_are_counted_in_guesses(tmp_path):
    with Store(tmp_path / "w.sqlite") as store:
        task = make_task("Greedy(inf)", words=SMALL, format="wordle:4")
        (found,) = sweep([task], 30, store=store)
        write_report(store, tmp_path / "w.html")
    page = Page((tmp_path / "w.html").read_text("utf-8"))
    within = [f"within {n} {' '.join(estimate(*rate))}" for n, rate in found.win_rates_within.items()]
    assert page.points == {"guesses": [f"Greedy(), epsilon ∞: {text}" for text in within]}


def test_comparisons_are_those_of_compare(stored, tmp_path):
    with Store(stored) as store:
        found = {outcome.task.strategy: outcome for outcome in read_outcomes(store)}
    pair = (found["Greedy(epsilon=9.0)"], found["TwoGuess(epsilon=12.0)"])
    page = written(stored, tmp_path / "r.html", where=TaskFilter(epsilons=(9, 12, 40)))
    rows = next(rows for name, rows in page.tables.items() if name.startswith("Differences, small"))
    at = rows.index(["Greedy(epsilon=9.0) and TwoGuess(), epsilon 9 and 12: 40 games"])
    shares, *told = rows[at + 1 : at + 6]
    (compared,) = wordpl.simulation.compare_outcomes([pair]).pairs
    assert [row[0] for row in told] == ["posterior win rate", "p05", "p50", "p95"]
    assert shares[:3] == ["win rate", *(f"{rate:.4f}" for rate in compared.win_rates)]
    assert compared.win_rates == tuple(outcome.win_rate for outcome in pair)
    assert told[0][1:3] == [f"{one.posterior_win_rate:.4f}" for one in pair]
    for row, one in zip(told, compared.differences, strict=True):
        assert row[3] == " ".join(signed_estimate(one.difference, one.interval)).strip()


# One file, which loads nothing


def test_the_file_needs_and_allows_no_other(page):
    (policy,) = (attrs["content"] for tag, attrs in page.tags if attrs.get("http-equiv"))
    told = dict(part.split(" ", 1) for part in policy.split("; "))
    assert told["default-src"] == "'none'"
    assert len(page.scripts) == 1
    assert not re.search(r"^\s*import\b|\bimport\(|\bfetch\(|XMLHttpRequest", page.scripts[0], re.MULTILINE)
    hashes = [base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() for text in page.scripts]
    assert told["script-src"].split() == [f"'sha256-{one}'" for one in hashes]
    assert not {"connect-src", "img-src", "font-src", "object-src", "frame-src"} & set(told)
    for _, attrs in page.tags:
        assert not {"src", "srcset"} & set(attrs)
        assert attrs.get("href", "#").startswith("#") and "style" not in attrs
    assert {attrs["href"][1:] for _, attrs in _of(page, "a")} == {attrs["id"] for _, attrs in _of(page, "section")}


def _of(page: Page, tag: str) -> list[tuple[str, dict[str, Any]]]:
    return [found for found in page.tags if found[0] == tag]


def test_pictures_have_the_values_of_their_points_and_say_them(stored, page):
    """`tests/reporting/test_plots.py` holds the points to the records."""
    pictures = {picture["name"]: picture for picture in page.pictures}
    assert [*pictures] == ["budgets", "wins", "p05", "p50", "p95", "turns"]
    with Store(stored) as store:
        panels = panels_of("all", [(curve, Look()) for curve in curves(read_outcomes(store))])
    for panel in panels:
        for line, drawn in zip(panel.lines, pictures[panel.name]["series"], strict=False):
            assert drawn["label"] == line.label
            for point, at in zip(line.points, drawn["points"], strict=True):
                values = [float("nan" if at[name] is None else at[name]) for name in ("y", "low", "high")]
                assert values == pytest.approx([point.y, *point.interval], rel=1e-5, nan_ok=True)
                assert at["x"] == point.x or point.x == "lost"
                value = " ".join(estimate(point.y, point.interval))
                if panel.name == "budgets":
                    value = f"{crossing_cell(point.place, point.y, line.reach)} {interval(point.interval, 3)}"
                assert at["title"].startswith(line.label) and at["title"].endswith(f" {value}")


def test_the_same_source_gives_the_same_bytes(stored, tmp_path):
    before = stored.read_bytes()
    written(stored, tmp_path / "a.html")
    written(stored, tmp_path / "b.html")
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    assert stored.read_bytes() == before


# Names


@pytest.fixture
def nasty(stored, tmp_path):
    path = Path(shutil.copy(stored, tmp_path))
    name_nastily(path, (*NASTY, "\u2028</script><!--<script>"))
    return path


def test_no_markup_gets_through(nasty, tmp_path):
    page = written(nasty, tmp_path / "n.html", title=NASTY[0])
    assert {tag for tag, _ in page.tags} <= TAGS
    assert len(page.scripts) == 1
    for _, attrs in page.tags:
        assert not any(name.startswith("on") for name in attrs)
        assert attrs.get("href", "#").startswith("#")
    for text in NASTY[:1] + NASTY[5:]:
        assert clean(text, 100) in page.text
    assert "\x1b" not in page.text and "\u202e" not in page.text


@given(st.text())
def test_shown_texts_are_bounded_lines(text):
    assert len(clean(text, 20)) <= 20
    assert len(clean(text).splitlines()) <= 1


# What cannot be written


def test_nothing_to_report_and_a_damaged_file_are_a_line(stored, tmp_path):
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
    assert not target.exists()


def test_what_is_too_large_is_a_line(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "MAX_TASKS", 3)
    with pytest.raises(WordplError, match="shows at most 3 tasks, not 8; choose some with --strategy"):
        written(stored, tmp_path / "r.html")
    assert list(tmp_path.iterdir()) == []
