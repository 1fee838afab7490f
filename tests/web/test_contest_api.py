"""The read-only API of the contest."""

import json
import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.audits import OURS, SETTING, SHORT
from tests.support.contests import CODE, NASTY, add
from tests.support.ledgers import enter
from tests.support.submissions import submission_of
from tests.web.conftest import ADDRESS, answered
from wordpl.contest import Ledger, play_entry, sandbox
from wordpl.contest.board.leaderboard import entry_record
from wordpl.web import audits as audits_module
from wordpl.web.app import make_app
from wordpl.web.audits import AuditOut, Audits
from wordpl.web.problems import BusyError
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


# An entry.


def test_an_entry_has_all_that_the_command_tells(site, contest):
    path, ids = contest
    with Ledger(path, read_only=True) as ledger:
        for name, identity in ids.items():
            entry = ledger.entry(identity)
            record = json.loads(json.dumps(entry_record(ledger, entry)))
            found = read(site, f"/entries/{identity}")
            assert [file["name"] for file in found.pop("source")] == list(record.pop("source"))
            assert found == record, name


def test_of_a_running_entry_nothing_of_its_trials_is_told(site, contest):
    identity = contest[1]["Dan"]
    found = read(site, f"/entries/{identity}")
    assert not {"trials", "verdicts", "timeouts", "reasons", "flag", "p05", "p50", "p95"} & set(found)
    assert found["state"] == "running" and found["secret"] is found["seed"] is None
    assert read(site, f"/entries/{identity}/curve")["points"] == []
    assert "over" in message(site, f"/entries/{identity}/log", 409)


def test_the_curve_passes_through_the_standings(site, contest):
    curve, entry = (read(site, f"/entries/{contest[1]['Ann']}{part}") for part in ("/curve", ""))
    points = {point["budget"]: point for point in curve["points"]}
    assert 3 < len(points) <= 43
    for standing in (entry["p05"], entry["p50"], entry["p95"]):
        point = points[standing["budget"]]
        assert point["win_rate"] == pytest.approx(standing["win_rate"])
        assert point["interval"] == pytest.approx(standing["win_rate_interval"])


def test_the_log_has_every_trial(site, contest):
    path, ids = contest
    answer = site.get(f"/api/contest/entries/{ids['Ann']}/log")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    with Ledger(path, read_only=True) as ledger:
        rows = list(ledger.rows(ledger.entry(ids["Ann"])))
    assert [(line["trial"], line["verdict"]) for line in lines] == [(row.trial, row.verdict) for row in rows]
    assert lines[0]["log"] == [
        {"guess": "salet", "epsilon": rows[0].log[0][1], "clue": "...ci"},
        {"guess": "crate", "epsilon": rows[0].log[1][1], "clue": "ccccc"},
    ]
    assert "attachment" in answer.headers["content-disposition"]


def test_a_source_is_text_to_save_and_text_to_see(site, contest):
    ids = contest[1]
    answer = site.get(f"/api/contest/entries/{ids['Ann']}/source/0")
    assert answer.text == f"{CODE}# Ann"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="mine.py"'
    (file,) = read(site, f"/entries/{ids['Ann']}/source")
    assert file["name"] == "mine.py" and "    pass" in file["text"]
    assert message(site, f"/entries/{ids['Ann']}/source/1", 404)
    assert read(site, f"/entries/{ids['Bob']}/source") == []


@pytest.mark.parametrize("part", ["", "/curve", "/log", "/source", "/source/0", "/audit"])
def test_an_entry_that_is_not_there_is_told(part, site):
    for unknown in ("0123456789ab", "999999", "NOT", "%"):
        assert "no entry" in message(site, f"/entries/{unknown}{part}", 404)


# Audits.


def audited(site: TestClient, identity: str) -> dict:
    answered(site.post(f"/api/contest/entries/{identity}/audit"), 202)
    ends = time.monotonic() + 120
    while (found := read(site, f"/entries/{identity}/audit"))["running"]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    return found["result"]


def test_an_audit_tells_what_the_command_tells(tmp_path, contest, cli):
    path = Path(shutil.copy(contest[0], tmp_path))
    with Ledger(path) as ledger:
        made = enter(ledger, "Gus", submission=submission_of(OURS), stop=SHORT)
        entry = play_entry(ledger, made, submission_of(OURS), SETTING, launcher=sandbox.find())
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        assert read(site, f"/entries/{entry.id}/audit") == {"running": False, "trials": 0, "of": 0, "result": None}
        honest = audited(site, entry.id)
        assert honest["entry"] == [] and not honest["only_terms"] and honest["current"]
        again = audited(site, entry.id)
        assert again == honest, "nothing has happened in between"
        forged = audited(site, contest[1]["Ann"])
        (told,) = json.loads(cli("contest", "audit", contest[1]["Ann"], "--ledger", str(path), "--json").out)["entries"]
        assert forged["entry"] == told["faults"] != []
        assert audited(site, contest[1]["Dan"])["only_terms"]
        with Ledger(path) as ledger:
            ledger.set_records({0.05: 11.5})
        assert not read(site, f"/entries/{entry.id}/audit")["result"]["current"]
        assert audited(site, entry.id)["current"]


@pytest.fixture(scope="module")
def single(tmp_path_factory) -> tuple[Path, str]:
    """A ledger with one entry, and its id."""
    path = tmp_path_factory.mktemp("single") / "contest.sqlite"
    with Ledger(path) as ledger:
        return path, add(ledger, "Ann").id


def test_an_audit_is_given_up_when_the_server_ends(single):
    audits = Audits()
    audits._ends.set()
    audits.start(*single)
    audits._executor.shutdown()
    assert audits.find(single[1], "") == AuditOut(running=False, trials=0, of=0, result=None)


def test_an_audit_that_runs_is_not_begun_again_and_only_some_wait(single, monkeypatch):
    audits, begun = Audits(), []
    monkeypatch.setattr(audits._executor, "submit", lambda *given: begun.append(given))
    for _ in range(3):
        audits.start(*single)
    assert len(begun) == 1
    for number in range(audits_module._WAITING):
        audits.start(single[0], f"{number:012x}")
    with pytest.raises(BusyError):
        audits.start(single[0], "f" * 12)
    assert len(begun) == audits_module._WAITING + 1
    audits.close()


# Ledgers of others.


def test_whatever_names_hold_comes_out_visible_and_bounded(nasty):
    path, ids = nasty
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)
    told = json.dumps(read(site, ""), ensure_ascii=False)
    told += "".join(json.dumps(read(site, f"/entries/{identity}"), ensure_ascii=False) for identity in ids)
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


@pytest.mark.parametrize(("statement", "value"), DAMAGE)
def test_no_ledger_makes_the_server_fail(statement, value, single, tmp_path):
    path = Path(shutil.copy(single[0], tmp_path))
    database = sqlite3.connect(path)
    with database:
        database.execute("PRAGMA foreign_keys = OFF")
        assert database.execute(statement, (value,)).rowcount > 0
        (identity,) = database.execute("SELECT id FROM entries").fetchone()
    database.close()
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)  # without what a server does as it starts
    for part in ("", *(f"/entries/{identity}{part}" for part in ("", "/curve", "/log", "/source"))):
        answer = site.get(f"/api/contest{part}")
        assert answer.status_code in (200, 422), (part, answer.text)
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
