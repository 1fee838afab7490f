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

from tests.support.helpers import SMALL, Sometimes
from tests.support.pictures import Page
from wordpl import Store, WordplError, make_task, sweep, write_report
from wordpl.reporting import report
from wordpl.reporting.markup import clean
from wordpl.reporting.tables import estimate
from wordpl.simulation import TaskFilter
from wordpl.simulation.pairing import pairs_of

pytestmark = pytest.mark.heavy


SPECS = (
    "TwoGuess(12.125)",
    "TwoGuess(20)",
    "TwoGuess(40)",
    "Greedy((20, 9), 2)",
    "Greedy(9)",
    "Greedy(20)",
    "Greedy(inf)",
)


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


def test_what_is_shown_of_too_much_is_the_best_pairs_and_the_last_runs(stored, tmp_path, monkeypatch):
    monkeypatch.setattr(report, "MOST_PAIRS", 3)
    monkeypatch.setattr(report, "_MAX_RUNS", 1)
    monkeypatch.setattr(report, "MOST_CURVES", 4)
    path = Path(shutil.copy(stored, tmp_path))
    with Store(path, command="the last") as store:
        sweep([make_task(SPECS[0], words=SMALL)], 41, store=store)
        found = [one for one in store.evaluations() if one.errors < one.trials]
    page = written(path, tmp_path / "r.html")
    pairs = sorted(pairs_of(found), key=lambda pair: min(one.posterior_win_rate for one in pair), reverse=True)
    (rows,) = (rows for caption, rows in page.tables.items() if caption.startswith("Differences"))
    shown = [[*map(float, row[1:3])] for row in rows if row[0] == "posterior win rate"]
    assert shown == [pytest.approx([one.posterior_win_rate for one in pair], abs=6e-5) for pair in pairs[:3]]
    assert f"{len(pairs) - 3} more pairs can be compared" in page.text
    assert "2 runs, the last 1 of which are shown." in page.text
    assert [row[0] for row in page.tables["Runs"][1:]] == ["the last"]
    assert "are drawn; choose others" not in page.text
    monkeypatch.setattr(report, "MOST_CURVES", 2)
    for most, compared in ((120, 4), (119, 1)):  # 3 pairs of 40 games each
        monkeypatch.setattr(report, "MOST_TRIALS_OF_ALL", most)
        page = written(path, tmp_path / "r.html")
        (rows,) = (rows for caption, rows in page.tables.items() if caption.startswith("Differences"))
        assert len({row[0] for row in rows[1:] if len(row) > 1} - {"win rate"}) == compared
    assert "Only the first 2 of 4 curves are drawn; choose others with --strategy." in page.text
    assert len({line["label"] for picture in page.pictures for line in picture["series"]}) == 2


def test_each_picture_says_what_it_shows(page):
    said = {one["name"]: (one["title"], one["x"]["label"], one["y"]["label"]) for one in page.pictures}
    assert said == {
        "budgets": ("Smallest budget to win a share of games", "win rate", "budget"),
        "wins": ("Win rate", "mean budget of a game", "win rate"),
        "turns": ("Turns", "turns", "share of games"),
        **{f"p{n:02}": (f"{n}th percentile", "epsilon", "budget") for n in (5, 50, 95)},
    }
    assert any(": won " in told and "epsilon 12.125:" in told for told in page.points["wins"])
    rules = {one["name"]: [line["y"] for line in one["lines"]] for one in page.pictures}
    assert rules == {name: [0.05, 0.5, 0.95] if name == "wins" else [] for name in said}
    (turns,) = (one for one in page.pictures if one["name"] == "turns")
    xs = [point["x"] for point in turns["series"][0]["points"]]
    assert turns["x"]["ticks"] == [*xs[:-1], [xs[-1], "lost"]]


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
    assert {attrs["href"][1:] for _, attrs in _of(page, "a")} == {attrs["id"] for _, attrs in _of(page, "section")}


def _of(page: Page, tag: str) -> list[tuple[str, dict[str, Any]]]:
    return [found for found in page.tags if found[0] == tag]


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
