"""The contest over HTTP, and in a browser on a desktop and on a phone."""

import json
import math
import re
import shutil
from pathlib import Path

import pytest
from playwright.sync_api import expect
from starlette.testclient import TestClient

from tests.support.ledgers import NASTY, add, make_nasty
from tests.support.pages import WIDE, expect_none, follow, numbers_of, shown
from tests.web.conftest import ADDRESS, answered
from wordpl import parse_strategy
from wordpl.contest import Ledger, write_template
from wordpl.contest.records import MARGIN
from wordpl.simulation import known_frontier
from wordpl.simulation.known_budgets import RECORDS
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


def test_the_board_is_by_budget_follows_its_fields_and_has_the_template(address, new_page, tmp_path):
    page = new_page(f"{address}/contest", "phone")
    rows = page.get_by_role("table").first.locator("tbody tr")
    expect(rows).to_have_text([re.compile(name) for name in ("Ann.*10.4", "listed record", "Cat", "Bob")])
    expect(page.locator("p.standing")).to_have_text(
        f"The record that the contest lists for 5%: 15.6. To beat it, reach {15.6 * (1 - MARGIN):.6g} or less,"
        f" {100 * MARGIN:.4g}% below. Our own strategy, which is not handed in, spends {parse_strategy('Fifth').total}."
    )
    words = page.locator("pre .line span").evaluate_all("some => some.map((one) => one.getClientRects().length)")
    assert len(words) > 8 and set(words) == {1}  # none is broken in two
    expect(page.get_by_text("is open: 100 games played so far")).to_be_visible()
    with page.expect_download() as download:
        page.get_by_role("link", name="template").click()
    path = tmp_path / "template.py"
    write_template(path)  # but for where the file lies
    assert path.read_text().replace(str(path), "my_strategy.py") == Path(download.value.path()).read_text()
    expect(page.get_by_text("whose first move is")).to_contain_text(re.compile('return ".*: a word to ask'))
    expect(page.get_by_text("The organiser says: Mail <b>it</b> to ann@example.org")).to_be_visible()
    page.get_by_label("Name or id").fill("bob")
    expect(rows).to_have_count(2)
    page.get_by_role("link", name="Win 50%").click()
    expect(page).to_have_url(re.compile("percentile=50&match=bob"))
    page.get_by_label("Name or id").fill("")
    author = page.get_by_role("link", name="Ann of <b>A</b>")
    expect(author).to_have_attribute("href", "https://example.org/ann?a=b&c=d")
    records = ", ".join(f"{100 * rate:g}% for {budget:g}" for rate, budget in RECORDS.items())
    points = numbers_of(page.get_by_role("figure", name=re.compile(f"What there is to beat: .* win {records}")))
    for at, name, curve in ((0, "the bound", "bound"), (99, "smallest known", "best")):
        budget = shown(known_frontier()[curve][0], 6)
        expect(points.nth(at).locator("td")).to_have_text([name, budget, "0.01", "–", "–"])


def test_nothing_that_a_contestant_chose_acts_on_the_page(served, tmp_path, new_page):
    make_nasty(tmp_path / "contest.sqlite")
    site = served("--ledger", tmp_path / "contest.sqlite").address
    page = new_page(f"{site}/coach", "phone")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    foreign = []
    page.on("request", lambda asked: foreign.append(asked.url) if not asked.url.startswith(site) else None)
    follow(page, "/contest")
    expect(page.locator("[aria-busy]")).to_have_count(0)
    expect(page.get_by_text(NASTY[0], exact=True).first).to_be_visible()
    expect(page.locator("main :is(script, img, iframe, textarea, [onload], [onerror])")).to_have_count(0)
    expect_none(page, "[...document.links].filter(({ origin }) => origin !== location.origin).length", "foreign links")
    expect_none(page, WIDE, "pixels too wide")
    expect(page.locator("main")).not_to_contain_text(re.compile("[\u202e\u200b\ufeff\x00\x1b]"))
    expect(page).to_have_title("Contest · WORDPL")
    assert foreign == []
