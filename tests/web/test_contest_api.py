"""The read-only API of the contest."""

import json
import shutil
import sqlite3
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.contests import NASTY, add
from tests.web.conftest import ADDRESS, answered
from wordpl.contest import Ledger
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

pytestmark = pytest.mark.heavy  # ledgers with thousands of games


@pytest.fixture(scope="module")
def site(contest):
    with TestClient(make_app(Settings(ledger=contest[0])), base_url=ADDRESS) as made:
        yield made


def read(site: TestClient, path: str, status: int = 200):
    return answered(site.get(f"/api/contest{path}"), status)


def message(site: TestClient, path: str, status: int) -> str:
    return read(site, path, status)["error"]["message"]


# The leaderboard.


def test_without_a_ledger_it_says_how_to_show_one(client, tmp_path):
    assert "--ledger" in message(client, "", 404)
    path = tmp_path / "contest.sqlite"
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)
    assert "wordpl contest submit" in message(site, "", 404)
    path.write_text("no ledger at all")
    assert "contest.sqlite" in message(site, "", 422)


def test_the_boards_are_those_of_the_command(site, contest, cli):
    printed = json.loads(cli("contest", "board", "--ledger", str(contest[0]), "--json").out)
    told = {record["id"]: record for record in printed}
    for percentile, key in ((5, "p05"), (50, "p50"), (95, "p95")):
        found = read(site, f"?percentile={percentile}")
        assert [board["contest"] for board in found["boards"]] == [True, False]
        rows = [row for board in found["boards"] for row in board["rows"]]
        ranked = {id for id, record in told.items() if key in record and record["ranked"] and record[key]["rank"]}
        assert {row["id"] for row in rows} == ranked
        for row in rows:
            record = told[row["id"]]
            for name, value in record[key].items():
                assert row[name] == value, name
            assert (row["name"], row["author"], row["link"]) == (record["name"], record["author"], record["link"])
        budgets = [row["budget"] for row in found["boards"][0]["rows"]]
        assert budgets == sorted(budgets)


# Ledgers of others.


def test_whatever_names_hold_comes_out_visible_and_bounded(nasty):
    path, ids = nasty
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)
    told = json.dumps(read(site, ""), ensure_ascii=False)
    for sign in ("\u202e", "\u200b", "\ufeff", "\\n", "\\u0000", "\\u001b", '"link": "javascript'):
        assert sign not in told
    assert "<script>document.title='owned'</script>" in told, "markup is text as any other"
    assert len(NASTY) == len(ids)


DAMAGE = (
    ("UPDATE entries SET flag = ?", json.dumps({"e_value": 1, "e_values": {"\ud800": 1}, "raised": False})),
    ("UPDATE entries SET limits = ?", '{"game_seconds": 1e999}'),
    ("UPDATE trials SET chance = ?", 1e300),
    ("UPDATE standings SET percentile = ? WHERE percentile = 0.5", 0.7),
    ("UPDATE contest SET records = ?", "null"),
    ("UPDATE entries SET source = ?", '{"main": 1, "files": {"a": 2}}'),
    ("DELETE FROM trials WHERE trial = ?", 3),
)
"""What the answers of a server could trip over; `test_no_cell_makes_a_traceback` tries every cell of a ledger."""


@pytest.fixture(scope="module")
def single(tmp_path_factory) -> Path:
    """A ledger with one entry."""
    path = tmp_path_factory.mktemp("single") / "contest.sqlite"
    with Ledger(path) as ledger:
        add(ledger, "Ann")
    return path


@pytest.mark.parametrize(("statement", "value"), DAMAGE)
def test_no_ledger_makes_the_server_fail(statement, value, single, tmp_path):
    path = Path(shutil.copy(single, tmp_path))
    database = sqlite3.connect(path)
    with database:
        database.execute("PRAGMA foreign_keys = OFF")
        assert database.execute(statement, (value,)).rowcount > 0
    database.close()
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)  # without what a server does as it starts
    of_trials = statement.startswith(("UPDATE trials", "DELETE FROM trials"))
    assert site.get("/api/contest").status_code == (200 if of_trials else 422), "only the trials are not shown"


def test_an_event_shows_up_at_once(tmp_path, contest):
    path = Path(shutil.copy(contest[0], tmp_path))
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        before = read(site, "")
        assert before["records"][0]["budget"] == 15.6 and not before["closed"]
        with Ledger(path) as ledger:
            ledger.set_records({0.05: 11.5}, 0.1)
            ledger.clear(ledger.entry(contest[1]["Eve"]), "we <b>looked</b>")
        after = read(site, "")
        assert after["records"][0]["budget"] == 11.5 and after["margin_percent"] == pytest.approx(10)
        assert [row["name"] for row in after["boards"][0]["rows"]] == ["Eve", "Ann", "Bob"]
        assert "we <b>looked</b>" in str(after["boards"][0]["remarks"])
        assert after["version"] != before["version"]
