"""Texts of a stranger's results file and ledger, in every format that comes out: they are shown, and act on nothing."""

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, redirect_stdout
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from starlette.testclient import TestClient

from tests.support import plain
from tests.support.ledgers import make_contest
from tests.support.pictures import Page
from wordpl import Store, draw, write_report
from wordpl.base.sanitizing import csv_cell, latex_cell, markdown_cell, visible
from wordpl.contest import Ledger
from wordpl.contest.board import contest_csv, print_board, read_board
from wordpl.reporting import print_comparison, print_evaluations, print_tournament
from wordpl.reporting.outcome_tables import outcome_records, print_runs
from wordpl.reporting.tables import TABLE_FORMATS, TableStyle, print_json
from wordpl.simulation import compare_outcomes, pairing, read_outcomes
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

pytestmark = pytest.mark.heavy

PIECES = ('" onfocus="x', "' onload='x", "<", "&", "\x1b[31m", "\u202e", "</title><script>x</script>", "]]>", "--><b>")
OF_TASKS = ("strategy", "family", "words", "rule", "channel", "code")
OF_RUNS = ("command", "wordpl", "python", "numpy", "scipy", "numba", "platform", "begun", "ended")
OF_ENTRIES = ("name", "main", "call", "contest_files", "author", "link", "reason")


def name_all(path: Path, table: str, columns: Sequence[str], value: str, where: str = "1") -> None:
    with closing(sqlite3.connect(path)) as database, database:
        for column in columns:
            database.execute(f"UPDATE {table} SET {column} = {value} WHERE {where}".replace("COLUMN", column))  # noqa: S608


def forge(folder: Path, text: str) -> None:
    """A results file and a ledger with this text in all places."""
    results, ledger, sql = folder / "r.sqlite", folder / "c.sqlite", "'" + text.replace("'", "''") + "'"
    plain.three_settings(results)
    make_contest(ledger)
    name_all(results, "tasks", OF_TASKS, f"{sql} || COLUMN")
    name_all(results, "runs", OF_RUNS, sql)
    name_all(results, "trials", ["reason"], sql, "reason != ''")
    name_all(ledger, "entries", OF_ENTRIES, sql)
    name_all(ledger, "entries", ["ended"], sql, "ended != ''")
    name_all(ledger, "games", ["reason", "log"], sql)
    name_all(ledger, "contest", ["words", "channel"], f"{sql} || COLUMN")


def said(show: Callable[..., None], *given: Any) -> str:
    out = io.StringIO()
    with redirect_stdout(out):
        show(*given)
    return out.getvalue()


def is_plain(text: str) -> bool:
    return all(line.isprintable() for line in text.split("\n"))


def tables_of(folder: Path) -> Iterator[tuple[Callable[..., None], Any]]:
    """What prints tables of the files, and of what."""
    with Store(folder / "r.sqlite", read_only=True) as store:
        found = read_outcomes(store)
        alike = [one for one in found if one.task.words.endswith("six")]
        comparison = compare_outcomes(pairing.pairs_of(alike))
        yield from ((print_evaluations, found), (print_comparison, comparison), (print_tournament, comparison))
    with Ledger(folder / "c.sqlite", read_only=True) as ledger:
        yield print_board, read_board(ledger)


def html_is_harmless(text: str, markup: str) -> None:
    page = Page(markup)
    assert len(page.scripts) <= 1 and "<script>x" not in markup and "--><b>" not in markup
    assert not [name for _, found in page.tags for name in found if name.startswith("on")]
    assert all(found.get("href", "#").startswith("#") for _, found in page.tags)
    assert "\x1b" not in markup and "\u202e" not in markup and visible(text) in page.text


def test_a_strangers_text_is_shown_in_every_format_and_acts_on_nothing(tmp_path):
    """With that text in all places of a results file and a ledger. `tests/base/test_sanitizing.py` has cells."""
    text, folder = "".join(PIECES), tmp_path
    forge(folder, text)
    for show, of in tables_of(folder):
        for form in TABLE_FORMATS:
            shown = said(show, of, TableStyle(form))
            assert is_plain(shown)
            cells = {
                "csv": (csv_cell(text), visible(text)),
                "markdown": (markdown_cell(text),),
                "latex": (latex_cell(text),),
            }
            assert any(cell in shown.replace('""', '"') for cell in cells.get(form, [""])), form
            assert form != "csv" or len({len(row) for row in csv.reader(io.StringIO(shown))}) == 1
    with Store(folder / "r.sqlite", read_only=True) as store:
        found = read_outcomes(store)
        assert is_plain(said(print_runs, text, store.provenance(), TableStyle()))
        for one in json.loads(said(print_json, outcome_records(found))):
            assert one["words"].startswith(text) and one["strategy"].startswith(text)
        alike = compare_outcomes(pairing.pairs_of([one for one in found if one.task.words.endswith("six")]))
        write_report(store, folder / "r.html", title=text)
        (picture, data) = draw(store, folder / "p.svg", data=True)
        store.export(folder / "t.csv")
        store.export(folder / "t.json")
    report = (folder / "r.html").read_text("utf-8")
    html_is_harmless(text, report)
    labels = [found["aria-label"] for _, found in Page(report).tags if "aria-label" in found]
    assert any(visible(text) in label for label in labels)
    for shown in (found._repr_html_(), found[0]._repr_html_(), alike._repr_html_()):
        html_is_harmless(text, shown.replace("<table>", "<table><caption></caption>"))
    for part in ElementTree.fromstring(picture.read_text("utf-8")).iter():  # noqa: S314 - it is ours
        assert not part.tag.endswith("script") and not any(name.startswith("on") for name in part.attrib)
    for path in (data, folder / "t.csv"):
        content = path.read_text("utf-8")
        assert is_plain(content) and len({len(row) for row in csv.reader(io.StringIO(content))}) == 1
        assert any(visible(text) in cell for row in csv.reader(io.StringIO(content)) for cell in row)
    assert {row["reason"] for row in json.loads((folder / "t.json").read_text("utf-8"))} == {"", text}
    settings = Settings(results=(folder / "r.sqlite",), ledger=folder / "c.sqlite")
    client = TestClient(make_app(settings), base_url="http://127.0.0.1:8000")
    page = client.get("/api/results/curves")
    assert page.headers["content-type"] == "application/json"
    assert all(visible(text) in visible(one["words"]) for one in page.json()["outcomes"])
    with Ledger(folder / "c.sqlite", read_only=True) as ledger:
        board = read_board(ledger)
    assert is_plain(contest_csv(board))
    told = client.get("/api/contest")
    assert told.headers["content-type"] == "application/json"
    assert any(visible(text) in row["name"] for row in told.json()["rows"])
