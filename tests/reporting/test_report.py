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


def test_games_of_wordle_are_counted_in_guesses(tmp_path):
    with Store(tmp_path / "w.sqlite") as store:
        task = make_task("Greedy(inf)", words=SMALL, format="wordle:4")
        (found,) = sweep([task], 30, store=store)
        write_report(store, tmp_path / "w.html")
    page = Page((tmp_path / "w.html").read_text("utf-8"))
    within = [f"within {n} {' '.join(estimate(*rate))}" for n, rate in found.win_rates_within.items()]
    assert page.points == {"guesses": [f"Greedy(), epsilon ∞: {text}" for text in within]}
    assert [shown["title"] for shown in page.pictures] == ["Games of Wordle won within a number of guesses"]


def test_the_page_says_what_it_has(stored, page, tmp_path):
    for said in (
        "4 strategies, 8 tasks, 320 games, from run.sqlite",
        "small, letterwise, randomized_response, seed 1, 40 trials",
        "The 95% interval of each is below it: Wilson's for win rates",
    ):
        assert said in page.text
    of_schedule = {label for label, epsilon, *_ in grouped(page.tables["Statistics of each task"]) if epsilon == "–"}
    assert of_schedule == {"Greedy(epsilon=(20.0, 9.0), n_guesses=2)"}, "its label has its epsilons"


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
    for name, most in (("MOST_PAIRS", 3), ("_MAX_RUNS", 1), ("MOST_CURVES", 2)):
        monkeypatch.setattr(report, name, most)
    path = Path(shutil.copy(stored, tmp_path))
    with Store(path, command="the last") as store:
        sweep([make_task(SPECS[-1], words=SMALL)], 41, store=store)
        found = [one for one in store.evaluations() if one.errors < one.trials]
    page = written(path, tmp_path / "r.html")
    pairs = sorted(pairs_of(found), key=lambda pair: min(one.posterior_win_rate for one in pair), reverse=True)
    (rows,) = (rows for caption, rows in page.tables.items() if caption.startswith("Differences"))
    shown = [[*map(float, row[1:3])] for row in rows if row[0] == "posterior win rate"]
    assert shown == [pytest.approx([one.posterior_win_rate for one in pair], abs=6e-5) for pair in pairs[:3]]
    assert [row[0] for row in page.tables["Runs"][1:]] == ["the last"]
    assert len({line["label"] for picture in page.pictures for line in picture["series"]}) == 2
    for said in (
        f"{len(pairs) - 3} more pairs can be compared",
        "seed 1, 40 to 41 trials",
        "2 runs, the last 1 of which are shown.",
        "Only the first 2 of 4 curves are drawn; choose others with --strategy.",
    ):
        assert said in page.text
    others = written(path, tmp_path / "r.html", where=TaskFilter(["TwoGuess"])).text
    assert "1 run. The same command" in others, "the last run added none of their trials"


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
