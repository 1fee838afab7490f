"""`wordpl contest board --out`: whatever a contestant chose stays text in a table, a page and a CSV file."""

import csv
import json
import shutil
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, refused
from tests.support import ledgers
from tests.support.ledgers import SETTING, finish, sql, submission, trials
from tests.support.pictures import Page
from wordpl import Verdict, WordplError
from wordpl.contest import Ledger, StopRule, audit_entry, audit_ledger
from wordpl.contest.ledger.entries import LARGEST_SOURCE, Credit, Entry
from wordpl.simulation.known_budgets import RECORDS

AUTHOR = "<script>alert(1)</script> @octocat #7 [x](y) | `c` **b** https://evil.example ![i](j)"[:80]
CODE = "'''</pre><script>alert(2)</script>'''\nx = '\x1b[31m'\n"


def enter(ledger: Ledger, name: str = "Mine", credit: Credit | None = None, code: str = CODE) -> Entry:
    return ledgers.enter(ledger, name, submission=submission(code), stop=StopRule(), credit=credit)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A ledger with a finished entry, for each test to copy."""
    found = tmp_path_factory.mktemp("ledger") / "contest.sqlite"
    with Ledger(found) as ledger:
        entry = enter(ledger, credit=Credit(AUTHOR, "https://example.org/a?b=c&d=e", True))
        ledger.describe(entry, "=HYPERLINK(1);x", "contest")
        ledger.add(entry, trials([1000], Verdict.TIMEOUT, 0.0))
        finish(ledger, entry)
    return found


@pytest.fixture
def path(finished, tmp_path):
    return Path(shutil.copy(finished, tmp_path))


def out(cli: Cli, path: Path, name: str, *more: str) -> str:
    run = cli("contest", "board", "--ledger", str(path), "--out", str(path.with_name(name)), *more)
    assert run.code == 0, run.err
    return path.with_name(name).read_text()


def test_a_page_shows_names_and_source_as_text(cli, path):
    page = Page(out(cli, path, "board.html"))
    assert AUTHOR in page.text and "</pre><script>alert(2)" in page.text
    assert not any("alert" in script for script in page.scripts)


def test_a_table_for_a_readme(cli, path):
    lines = out(cli, path, "board.md").splitlines()
    assert lines[0].startswith("### Contest ")
    head, _, *rows = (line for line in lines if line.startswith("|"))
    assert len(rows) == 3
    for row in rows:
        assert row.replace("\\|", "").count("|") == head.count("|")
        assert "](<https://example.org/a?b=c&d=e>)" in row
        assert "<script" not in row.replace("\\<", "") and "@<!-- -->octocat" in row and "@octocat" not in row


def test_the_csv_of_the_contest(cli, path):
    text = out(cli, path, "results.csv", "--format", "contest")
    assert text.splitlines()[0] == "strategy;p05;p50;p95;timeouts"
    (row,) = csv.DictReader(text.splitlines(), delimiter=";")
    assert row == {"strategy": "'=HYPERLINK(1);x", "p05": "9.5", "p50": "9.5", "p95": "9.5", "timeouts": "1"}


def test_a_running_entry_tells_nothing_in_any_format(cli, tmp_path):
    path = tmp_path / "contest.sqlite"
    with Ledger(path) as ledger:
        ledger.add(enter(ledger), trials(range(500)))
    assert out(cli, path, "a.csv", "--format", "contest").splitlines()[1] == "Mine;;;;"
    for name in ("a.md", "a.html"):
        assert "9.5" not in out(cli, path, name).replace("9\\.5", "9.5")


# Author, link and source.


LINKS = 'http://example.org javascript:alert(1) https:// https://a/<b> https://a/)b https://a/"b https://user@evil/'


def test_links_and_authors_that_are_refused():
    for link in (*LINKS.split(), "https://a b", "https://a/\n", "https://a/" + "b" * 200):
        with pytest.raises(WordplError, match="such as https"):
            Credit(link=link)
    for author in ("a\nb", "\x1b[31m", " x", "y" * 81, "\u202egpj", "a\u200bb"):
        with pytest.raises(WordplError, match="author"):
            Credit(author=author)


def test_the_source_is_kept_if_allowed_and_no_other(tmp_path, cli, path):
    (record,) = json.loads(cli("contest", "board", "--ledger", str(path), "--json").out)
    assert (record["author"], record["source"]) == (AUTHOR, {"mine.py": CODE})
    with Ledger(tmp_path / "other.sqlite") as ledger:
        assert enter(ledger).source == ""
        with pytest.raises(WordplError, match="256 KiB"):
            enter(ledger, "Large", Credit(publishes_source=True), " " * (LARGEST_SOURCE + 1))
        assert len(ledger.entries()) == 1


@pytest.mark.heavy
def test_an_audit_finds_another_source_or_author(path):
    sql(path, "UPDATE entries SET author = 'Somebody', source = replace(source, 'alert', 'alarm')")
    with Ledger(path, read_only=True) as ledger:
        found = " ".join(audit_entry(ledger, ledger.entries()[0], SETTING)[:2])
    assert "id does not follow from its terms" in found and "source is not what was entered" in found


def test_a_link_that_somebody_wrote_into_the_file_is_not_made_one(cli, path):
    sql(path, "UPDATE entries SET link = 'javascript:alert(1)'")
    for name in ("a.html", "a.md"):
        said = refused(cli, "contest", "board", "--ledger", str(path), "--out", str(path.with_name(name)))
        assert "its id does not follow from its terms" in said
        assert not path.with_name(name).exists()


# The records and the margin are the ledger's.


def test_records_are_read_from_the_ledger_as_they_stood_when_an_entry_was_made(cli, path):
    run = cli("contest", "record", "5=9.7", "95=68.5", "--margin", "10", "--ledger", str(path))
    assert run.code == 0 and "5th 9.7, 50th 36.9, 95th 68.5; entries must beat them by 10%" in run.err
    with Ledger(path) as ledger:
        finish(ledger, enter(ledger, "Later", code="# later\n"))
        assert not [fault for fault in audit_ledger(ledger) if "record" in fault]
    first, later = json.loads(cli("contest", "board", "--ledger", str(path), "--json").out)
    assert [first[key]["record"] for key in ("p05", "p50", "p95")] == list(RECORDS.values())
    assert [later[key]["record"] for key in ("p05", "p50", "p95")] == [9.7, 36.9, 68.5]
    assert (first["p05"]["clears"], later["p05"]["clears"]) == (True, False)


@pytest.mark.parametrize("record", ["6=3", "5=-1", "5=inf", "x=y"])
def test_records_that_are_refused(cli, path, record):
    refused(cli, "contest", "record", record, "--ledger", str(path))
