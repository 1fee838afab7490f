"""The read-only API of the contest."""

import json
import math
import shutil
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from tests.support.contests import add
from tests.web.conftest import ADDRESS, answered
from wordpl import parse_strategy
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
    assert "wordpl contest start" in message(site, "", 404)
    path.write_text("no ledger at all")
    assert "contest.sqlite" in message(site, "", 422)


def test_the_board_is_that_of_the_command(site, contest, cli):
    printed = json.loads(cli("contest", "board", "--ledger", str(contest[0]), "--json").out)
    for percentile, key, best_known in ((5, "p05", "Fifth"), (50, "p50", "Median"), (95, "p95", "NinetyFifth")):
        found = read(site, f"?percentile={percentile}")
        told = {entry["id"]: entry for entry in printed["entries"] if entry[key]}
        assert (
            {row["id"] for row in found["rows"]} == told.keys() == {contest[1][name] for name in ("Ann", "Bob", "Cat")}
        )
        for row in found["rows"]:
            entry = told[row["id"]] | told[row["id"]][key]
            same = ("name", "author", "link", "rank", "score", "interval", "beats_record")
            assert {name: row[name] for name in same} == {name: entry[name] for name in same}
        assert found["record"]["best_known"] == parse_strategy(f"{best_known}()").total
        scores = [row["score"] or math.inf for row in found["rows"]]
        assert scores == sorted(scores)
        assert found["hashes"] == printed["hashes"] and found["seeds"] == {}
        assert (found["percentile"], found["how_to_submit"]) == (percentile, "")
    with Ledger(contest[0], read_only=True) as ledger:
        secret = ledger.contest
        reasons = {"more than 10 s of CPU", "ValueError", secret.provisional_seed, secret.final_seed}
    assert not [text for text in reasons if text in json.dumps(found)]


def test_a_name_finds_its_entries_and_each_of_them_is_asked_for_anew(site, contest):
    for match, names in (("ann", ["Ann"]), ("BOB", ["Bob"]), ("", ["Ann", "Bob", "Cat", "Dan", "Fay"]), ("zzz", [])):
        found = read(site, f"?match={match}")
        assert ([one["name"] for one in found["remarks"]], found["entries"]) == (names, len(names))
    assert read(site, "?match=bob")["rows"][0]["rank"] == 3
    assert found["margin_percent"] == 5.0


def test_what_is_left_out_of_a_long_board_is_counted(site, monkeypatch):
    whole = read(site, "")
    monkeypatch.setattr("wordpl.web.api.contest.MAX_ROWS", 1)
    first = read(site, "")
    assert (first["rows"], first["remarks"], whole["left_out"]) == (whole["rows"][:1], whole["remarks"][:1], 0)
    assert first["left_out"] == len(whole["rows"]) - 1 + whole["entries"] - 1 > 0


def test_an_event_shows_up_at_once(tmp_path, contest):
    path = Path(shutil.copy(contest[0], tmp_path))
    with TestClient(make_app(Settings(ledger=path)), base_url=ADDRESS) as site:
        before = read(site, "")
        assert before["record"]["budget"] == 15.6 and before["stage"] == "provisional"
        with Ledger(path) as ledger:
            add(ledger, "Gus", 9.0)
        after = read(site, "")
        assert [row["name"] for row in after["rows"]] == ["Gus", "Ann", "Cat", "Bob"]
        assert after["version"] != before["version"]
        with Ledger(path) as ledger:
            ledger.mark("closing")
            ledger.mark("closed")
        closed = read(site, "")
        assert closed["stage"] == "final" and len(closed["seeds"]) == 2
