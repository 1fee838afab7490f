"""The read-only API of the contest."""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from tests.contest.test_audit import OURS, SETTING, SHORT, submission_of
from tests.web.conftest import ADDRESS
from tests.web.ledgers import CODE, NASTY, add, make_contest, make_nasty
from wordpl.contest import sandbox
from wordpl.contest.ledger import Ledger
from wordpl.contest.limits import Limits
from wordpl.contest.receipt import read_receipt
from wordpl.contest.submit import play_entry
from wordpl.reporting.leaderboard import entry_record
from wordpl.web.app import make_app
from wordpl.web.settings import Settings


@pytest.fixture(scope="module")
def contest(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    path = tmp_path_factory.mktemp("contest") / "contest.sqlite"
    return path, make_contest(path)


@pytest.fixture(scope="module")
def site(contest):
    with TestClient(make_app(Settings(ledger=contest[0])), base_url=ADDRESS) as made:
        yield made


def read(site: TestClient, path: str, status: int = 200):
    answer = site.get(f"/api/contest{path}")
    assert answer.status_code == status, answer.text
    return answer.json()


def message(site: TestClient, path: str, status: int) -> str:
    return read(site, path, status)["error"]["message"]


def cli(*arguments) -> Any:
    done = subprocess.run(
        [sys.executable, "-m", "wordpl", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    return json.loads(done.stdout)


# The leaderboard.


def test_without_a_ledger_it_says_how_to_show_one(client):
    assert "--ledger" in message(client, "", 404)


def test_a_ledger_that_is_not_made_yet_is_told(tmp_path):
    with TestClient(make_app(Settings(ledger=tmp_path / "none.sqlite")), base_url=ADDRESS) as site:
        assert "wordpl submit" in message(site, "", 404)


def test_another_file_is_told_in_a_sentence(tmp_path):
    path = tmp_path / "contest.sqlite"
    path.write_text("no ledger at all")
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        assert "contest.sqlite" in message(site, "", 422)


def test_the_boards_are_those_of_the_command(site, contest):
    told = {record["id"]: record for record in cli("leaderboard", "--ledger", contest[0], "--json")}
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


def test_ann_beats_the_record_and_bob_does_not(site):
    rows = read(site, "?percentile=5")["boards"][0]["rows"]
    assert [(row["name"], row["rank"], row["clears"]) for row in rows] == [("Ann", 1, True), ("Bob", 2, False)]
    assert rows[0]["record"] == 15.6 and rows[0]["improvement_percent"] > 5


def test_entries_without_a_place_are_told_beside_the_table(site):
    remarks = {one["name"]: one["text"] for one in read(site, "")["boards"][0]["remarks"]}
    assert remarks["Dan"] == "is running"
    assert "flagged" in remarks["Eve"] and "knows the answer" in remarks["Eve"]
    assert "ValueError" in remarks["Fay"]


def test_a_name_or_an_id_finds_entries(site, contest):
    for match in ("ann", contest[1]["Ann"]):
        found = read(site, f"?match={match}")
        assert found["entries"] == 1 and found["boards"][0]["rows"][0]["name"] == "Ann"
    assert read(site, "?match=nobody")["boards"] == []


@pytest.mark.parametrize("query", ["percentile=7", "percentile=x", "match=" + "a" * 101])
def test_what_is_out_of_bounds_is_refused(query, site):
    assert read(site, f"?{query}", 422)["error"]["field"] == query.partition("=")[0]


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
        assert after["head"] != before["head"]


# An entry.


def test_an_entry_has_all_that_the_command_tells(site, contest):
    path, ids = contest
    with Ledger(path, read_only=True) as ledger:
        for name, identity in ids.items():
            entry = ledger.entry(identity)
            record = entry_record(ledger, entry)
            found = read(site, f"/entries/{identity}")
            assert [file["name"] for file in found["source"]] == list(record.pop("source"))
            standings = {f"p{one.pop('percentile'):02d}": one for one in found["standings"]}
            assert {key for key in record if key[0] == "p" and key[1:].isdigit()} == set(standings)
            for key, value in record.items():
                if key == "flag":
                    assert not entry.flag or found["flag"] == value
                elif key in standings:
                    assert {k: v for k, v in standings[key].items() if k in value} == value
                else:
                    assert found[key] == value, (name, key)


def test_of_a_running_entry_nothing_of_its_trials_is_told(site, contest):
    identity = contest[1]["Dan"]
    found = read(site, f"/entries/{identity}")
    hidden = ("trials", "verdicts", "timeouts", "flag", "secret", "seed")
    assert found["state"] == "running" and not any(found[name] for name in hidden)
    assert found["standings"] == found["reasons"] == [] and found["chain"]["finished"] is None
    assert read(site, f"/entries/{identity}/curve")["points"] == []
    assert "over" in message(site, f"/entries/{identity}/log", 409)


def test_the_chain_and_the_receipt_are_those_of_the_ledger(site, contest, tmp_path):
    path, ids = contest
    with Ledger(path, read_only=True) as ledger:
        entry = ledger.entry(ids["Ann"])
        receipt, head = ledger.receipt(entry), ledger.head
    chain = read(site, f"/entries/{entry.id}")["chain"]
    assert chain["head"] == head
    assert (chain["entered"]["number"], chain["entered"]["hash"]) == (entry.key, receipt.entered.hash)
    assert chain["finished"]["number"] == entry.finished and chain["opened"]["hash"] == receipt.opened.hash
    answer = site.get(f"/api/contest/entries/{entry.id}/receipt")
    assert "attachment" in answer.headers["content-disposition"]
    (tmp_path / "receipt.json").write_text(answer.text)
    assert str(read_receipt(tmp_path / "receipt.json")) == str(receipt)


def test_the_curve_passes_through_the_standings(site, contest):
    identity = contest[1]["Ann"]
    curve = read(site, f"/entries/{identity}/curve")
    points = {point["budget"]: point for point in curve["points"]}
    assert 3 < len(points) <= 43 and curve["error"] == 0.05
    for standing in read(site, f"/entries/{identity}")["standings"]:
        if standing["budget"] is not None:
            point = points[standing["budget"]]
            assert point["win_rate"] == pytest.approx(standing["win_rate"])
            assert point["interval"] == pytest.approx(standing["win_rate_interval"])
    rates = [point["win_rate"] for point in curve["points"]]
    assert rates == sorted(rates)
    assert all(low <= point["win_rate"] <= high for point in curve["points"] for low, high in [point["interval"]])


def test_the_log_has_every_trial(site, contest):
    path, ids = contest
    answer = site.get(f"/api/contest/entries/{ids['Ann']}/log")
    lines = [json.loads(line) for line in answer.text.splitlines()]
    with Ledger(path, read_only=True) as ledger:
        rows = list(ledger.rows(ledger.entry(ids["Ann"])))
    assert [line["trial"] for line in lines] == [row.trial for row in rows] == list(range(len(rows)))
    assert lines[0]["log"] == [
        {"guess": "salet", "epsilon": rows[0].log[0][1], "clue": "...ci"},
        {"guess": "crate", "epsilon": rows[0].log[1][1], "clue": "ccccc"},
    ]
    assert [line["verdict"] for line in lines] == [row.verdict for row in rows]
    assert "attachment" in answer.headers["content-disposition"]


def test_a_source_is_text_to_save_and_text_to_see(site, contest):
    ids = contest[1]
    answer = site.get(f"/api/contest/entries/{ids['Ann']}/source/0")
    assert answer.text == f"{CODE}# Ann"
    assert answer.headers["content-type"] == "text/plain; charset=utf-8"
    assert answer.headers["content-disposition"] == 'attachment; filename="mine.py"'
    assert answer.headers["x-content-type-options"] == "nosniff"
    (file,) = read(site, f"/entries/{ids['Ann']}/source")
    assert file["name"] == "mine.py" and "    pass" in file["text"]
    assert message(site, f"/entries/{ids['Ann']}/source/1", 404)
    assert read(site, f"/entries/{ids['Bob']}/source") == []


@pytest.mark.parametrize("part", ["", "/curve", "/receipt", "/log", "/source", "/source/0", "/audit"])
def test_an_entry_that_is_not_there_is_told(part, site):
    assert "no entry" in message(site, f"/entries/0123456789ab{part}", 404)
    assert read(site, f"/entries/NOT{part}", 422)["error"]["field"] == "id"


# Audits.


def audited(site: TestClient, identity: str) -> dict:
    answer = site.post(f"/api/contest/entries/{identity}/audit")
    assert answer.status_code == 202, answer.text
    ends = time.monotonic() + 120
    while (found := read(site, f"/entries/{identity}/audit"))["running"]:
        assert time.monotonic() < ends
        time.sleep(0.05)
    return found["result"]


@pytest.mark.heavy
def test_an_audit_tells_what_the_command_tells(tmp_path, contest):
    path = Path(shutil.copy(contest[0], tmp_path))
    with Ledger(path) as ledger:
        made = ledger.enter("Gus", submission_of(OURS), SETTING, Limits(), "test", stop=SHORT)
        entry = play_entry(ledger, made, submission_of(OURS), SETTING, launcher=sandbox.find())
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        assert read(site, f"/entries/{entry.id}/audit") == {"running": False, "trials": 0, "of": 0, "result": None}
        honest = audited(site, entry.id)
        assert honest["entry"] == [] and not honest["only_terms"] and honest["current"]
        again = audited(site, entry.id)
        assert again == honest, "nothing has happened in between"
        forged = audited(site, contest[1]["Ann"])
        (told,) = cli("audit", contest[1]["Ann"], "--ledger", path, "--json")["entries"]
        assert forged["entry"] == told["faults"] != []
        assert audited(site, contest[1]["Dan"])["only_terms"]
        with Ledger(path) as ledger:
            ledger.set_records({0.05: 11.5})
        assert not read(site, f"/entries/{entry.id}/audit")["result"]["current"]
        assert audited(site, entry.id)["current"]


# Ledgers of others.


def test_whatever_names_hold_comes_out_visible_and_bounded(tmp_path):
    path = tmp_path / "contest.sqlite"
    ids = make_nasty(path)
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        told = json.dumps(read(site, ""), ensure_ascii=False)
        told += "".join(json.dumps(read(site, f"/entries/{identity}"), ensure_ascii=False) for identity in ids)
    for sign in ("\u202e", "\u200b", "\ufeff", "\\n", "\\u0000", "\\u001b", '"link": "javascript'):
        assert sign not in told
    assert "<script>document.title='owned'</script>" in told, "markup is text as any other"
    assert len(NASTY) == len(ids)


DAMAGE = (
    ("UPDATE entries SET flag = ?", '{"e_value": "x"}'),
    ("UPDATE entries SET flag = ?", json.dumps({"e_value": 1, "e_values": {"\ud800": 1}, "raised": False})),
    ("UPDATE entries SET limits = ?", '{"game_seconds": 1e999}'),
    ("UPDATE entries SET state = ?", "<b>"),
    ("UPDATE trials SET log = ?", "[[1, 2, 3]]"),
    ("UPDATE trials SET log = ?", '[["salet", 1.0, 999999]]'),
    ("UPDATE trials SET chance = ?", 1e300),
    ("UPDATE trials SET budget = ?", "many"),
    ("UPDATE standings SET budget = ?", b"\xff"),
    ("UPDATE standings SET percentile = ? WHERE percentile = 0.5", 0.7),
    ("UPDATE events SET payload = ?", "null"),
    ("UPDATE events SET payload = ?", '{"records": {"5": 1e400}, "margin": -1}'),
    ("UPDATE entries SET source = ?", '{"main": 1, "files": {"a": 2}}'),
    ("UPDATE contest SET commitment = ?", "\x1b[31m"),
    ("DELETE FROM trials WHERE trial = ?", 3),
    ("DELETE FROM standings WHERE 1 = ?", 1),
)


@pytest.fixture(scope="module")
def single(tmp_path_factory) -> Path:
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
        (identity,) = database.execute("SELECT id FROM entries").fetchone()
    database.close()
    site = TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS)  # without what a server does as it starts
    for part in ("", *(f"/entries/{identity}{part}" for part in ("", "/curve", "/log", "/receipt", "/source"))):
        answer = site.get(f"/api/contest{part}")
        assert answer.status_code in (200, 422), (part, answer.text)
