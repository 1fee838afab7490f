"""The contest in a browser: it is read, audited, handed in to and watched, on a desktop and on a phone."""

import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Route, expect

from tests.support.contests import CODE, NASTY
from tests.support.pages import follow
from wordpl.contest import Queue, write_template

LONG = 120_000
"""Milliseconds for what the machine has to do beside other work."""
STRATEGY = b"""class Mine:
    def __init__(self, epsilon=20.0):
        self.epsilon = epsilon
    def first_move(self):
        return "crate", self.epsilon
    def next_move(self, guess, epsilon, clues):
        return "crate", 0
"""


@pytest.fixture(scope="module")
def accepting(start_server, short_runs, tmp_path_factory) -> tuple[str, str]:
    """The address of a server that takes uploads, and a token."""
    path = tmp_path_factory.mktemp("uploads") / "contest.sqlite"
    with Queue(path) as queue:
        token = queue.tokens.make("Ann", 100)
    return start_server("--ledger", path, "--accept", env=short_runs), token


def fits(page: Page) -> None:
    """Nothing makes the page wider than the screen."""
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


# The leaderboard and an entry.


def test_the_leaderboard_leads_to_an_entry(address, new_page, contest):
    page = new_page(f"{address}/contest", "phone")
    rows = page.get_by_role("table").first.locator("tbody tr")
    expect(rows).to_have_count(3)
    expect(rows.first).to_contain_text("Ann")
    expect(rows.first).to_contain_text("10.4")
    expect(rows.nth(1)).to_contain_text("listed record")  # by budget, between Ann and Bob
    expect(page.get_by_text("Dan is running")).to_be_visible()
    page.get_by_role("link", name="Win 95%").click()
    expect(page).to_have_url(re.compile("percentile=95"))
    page.get_by_label("Name or id").fill("bob")
    expect(rows).to_have_count(2)
    page.get_by_label("Name or id").fill("")
    expect(rows).to_have_count(3)
    page.get_by_role("table").first.get_by_role("link", name="Ann", exact=True).click()
    expect(page).to_have_url(f"{address}/contest/entry/{contest[1]['Ann']}")
    expect(page.get_by_role("heading", name="Ann")).to_be_visible()
    standings = page.get_by_role("region", name="Standings").locator("tbody tr")
    expect(standings).to_have_count(3)
    for row in standings.all_inner_texts():  # beside the posterior win rate, what was won is of what was played
        share, wins, trials = re.search(
            r"([\d.]+)%: (\d+) of (\d+)", row.replace(",", "").replace("0: 0", "0%: 0")
        ).groups()
        assert float(share) == pytest.approx(100 * int(wins) / int(trials), rel=0.01)
    expect(page.locator(".plot .curve").first).to_be_visible(timeout=LONG)
    expect(page.get_by_role("button", name="SVG of Win rate against budget")).to_be_visible()
    author = page.get_by_role("link", name="Ann of <b>A</b>")
    expect(author).to_have_attribute("href", "https://example.org/ann?a=b&c=d")
    expect(author).to_have_attribute("rel", re.compile("noopener.*nofollow"))
    page.get_by_text("mine.py").click()
    expect(page.get_by_role("region", name="Source of mine.py")).to_have_text(f"{CODE}# Ann".replace("\t", "    "))
    for name, part in {"Save the log: every game, move by move": "log", "Save it": "source/0"}.items():
        link = f"/api/contest/entries/{contest[1]['Ann']}/{part}"
        expect(page.get_by_role("link", name=name, exact=True)).to_have_attribute("href", link)


def test_entries_without_a_result_say_why(address, new_page, contest):
    page = new_page(f"{address}/contest/entry/{contest[1]['Dan']}")
    expect(page.get_by_text("Nothing of its games is shown before the run is over.")).to_be_visible()
    for heading in ("Standings", "Verdicts", "Win rate against budget"):
        expect(page.get_by_role("heading", name=heading)).to_have_count(0)
    follow(page, f"/contest/entry/{contest[1]['Fay']}")
    expect(page.get_by_text("At start: it raised ValueError: <i>no</i>.")).to_be_visible()
    assert page.goto(f"{address}/contest/entry/0123456789ab").status == 404
    expect(page.get_by_text("The contest has no entry with this id.")).to_be_visible()


def test_nothing_that_a_contestant_chose_acts_on_the_page(start_server, nasty, new_page):
    site = start_server("--ledger", nasty[0])
    page = new_page(f"{site}/contest/submit", "phone")
    page.on("dialog", lambda dialog: pytest.fail(dialog.message))
    foreign = []
    page.on("request", lambda asked: foreign.append(asked.url) if not asked.url.startswith(site) else None)
    for at in ("", *(f"/entry/{identity}" for identity in nasty[1])):
        follow(page, f"/contest{at}")
        expect(page.locator("[aria-busy]")).to_have_count(0)
        expect(page.locator("table").first).to_be_visible()
        if at:
            expect(page.locator(".plot .curve").first).to_be_visible(timeout=LONG)
        else:
            expect(page.get_by_text(NASTY[0], exact=True).first).to_be_visible()
        expect(page.locator("main :is(script, img, iframe, textarea, [onload], [onerror])")).to_have_count(0)
        assert page.evaluate("[...document.links].every((link) => link.origin === location.origin)")
        fits(page)
        assert not re.search("[\u202e\u200b\ufeff\x00\x1b]", page.locator("main").inner_text())
        assert page.title() != "owned"
    assert foreign == []


# Uploads.


def test_a_submission_is_handed_in_and_watched_to_its_end(accepting, new_page, tmp_path):
    site, token = accepting
    page = new_page(f"{site}/contest", "phone")
    with page.expect_download() as download:
        page.get_by_role("link", name="template").click()
    path = tmp_path / "template.py"
    write_template(path)  # but for where the file lies
    assert path.read_text().replace(str(path), "my_strategy.py") == Path(download.value.path()).read_text()
    page.get_by_role("link", name="hand it in").click()
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_text("A token is needed.")).to_be_visible()
    expect(page.get_by_text("A file is needed.")).to_be_visible()
    page.get_by_label("File").set_input_files({"name": "notes.txt", "mimeType": "", "buffer": b"no strategy"})
    expect(page.get_by_text("A file whose name ends in .py or .zip is expected.")).to_be_visible()
    page.get_by_label("File").set_input_files({"name": "mine.py", "mimeType": "", "buffer": STRATEGY})
    expect(page.get_by_text("mine.py, 218 bytes")).to_be_visible()
    page.get_by_label("Call").fill("Mine(epsilon=21)")
    page.get_by_label("Link").fill("ftp://example.org/🎲")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.get_by_label("Link")).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_text("Link “ftp://example.org/🎲” is not allowed").first).to_be_visible()
    page.get_by_label("Link").fill("https://example.org/mine")
    page.get_by_label("Publish the source").check()
    page.get_by_text("More", exact=True).click()
    page.get_by_label("Your part of the seed").fill("heads")
    fits(page)
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page).to_have_url(re.compile("/contest/submission/[0-9a-f]{16}$"))
    expect(page.locator(".steps [aria-current]")).to_have_text("Done", timeout=LONG)
    expect(page.locator(".findings li").first).to_contain_text("passed starts")
    fits(page)
    page.reload()
    expect(page.get_by_text("Only its author sees this page.")).to_be_visible()
    page.get_by_label("Token").fill("wrong")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_label("Token")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Token").fill(token)
    page.get_by_label("Keep it until I close this browser tab").check()
    page.get_by_role("button", name="Show it").click()
    expect(page.locator(".steps [aria-current]")).to_have_text("Done")
    page.get_by_role("link", name=re.compile("^Ann")).click()
    expect(page.get_by_role("link", name="example.org/mine")).to_be_visible()
    page.get_by_text("Seed and digests").click()
    expect(page.get_by_text("heads")).to_be_visible()
    follow(page, "/contest/submit")
    expect(page.get_by_role("link", name="mine.py").first).to_be_visible()


def test_a_file_that_cannot_start_is_refused_with_the_check(accepting, new_page):
    site, token = accepting
    page = new_page(f"{site}/contest/submit")
    page.get_by_label("Token").fill(token)
    page.get_by_label("File").set_input_files({"name": "bad.py", "mimeType": "", "buffer": b"class Mine\n    pass\n"})
    page.get_by_role("button", name="Submit", exact=True).click()
    expect(page.locator(".steps [aria-current]")).to_have_text("Refused", timeout=LONG)
    expect(page.locator(".findings li")).to_have_text(["failed starts"])
    expect(page.get_by_text("SyntaxError: expected “:”")).to_have_count(1)  # said once
    expect(page.get_by_role("region", name="Commands")).to_contain_text("wordpl check")
    page.get_by_role("link", name="Hand in another strategy").click()
    expect(page).to_have_url(f"{site}/contest/submit")


def submission(state: str, **more: Any) -> dict[str, Any]:
    texts = {"id": "0" * 16, "name": "Ann", "file": "mine.py", "call": "", "received": "2026-11-22T03:10:00+00:00"}
    rest = {"position": None, "games": 0, "games_at_most": None, "findings": [], "reason": "", "entry": None}
    return {**texts, **rest, "state": state, **more}


def test_a_submission_is_followed_past_failures_of_the_server_and_can_be_withdrawn(address, new_page):
    answers: list[Any] = [
        submission("waiting", position=3),
        lambda route: route.abort(),
        lambda route: route.fulfill(status=502, body="no JSON"),
        submission("waiting", position=1),
    ]
    """The last one is given again and again."""
    asked = []

    def answer(route: Route) -> None:
        assert route.request.headers["authorization"] == "Bearer secret"
        asked.append(route.request.method)
        if route.request.method == "DELETE":
            answers[0] = submission("refused", reason="its author has <b>withdrawn</b> it")
        now = answers.pop(0) if len(answers) > 1 else answers[0]
        now(route) if callable(now) else route.fulfill(json=now)

    page = new_page(f"{address}/api/health")
    page.clock.install()
    page.route(f"**/api/contest/submissions/{'0' * 16}", answer)
    page.goto(f"{address}/contest/submission/{'0' * 16}")
    page.get_by_label("Token").fill("secret")
    page.get_by_role("button", name="Show it").click()
    expect(page.get_by_text("3 in the queue.")).to_be_visible(timeout=LONG)
    while len(answers) > 1:
        page.clock.fast_forward(60_000)
    expect(page.get_by_text("It is the next one.")).to_be_visible(timeout=LONG)
    page.get_by_role("button", name="Withdraw").press("Enter")
    page.get_by_role("button", name="Really withdraw?").press("Enter")
    expect(page.locator(".steps [aria-current]")).to_have_text("Refused", timeout=LONG)
    expect(page.get_by_text("Its author has <b>withdrawn</b> it.")).to_be_visible()
    expect(page.get_by_role("button", name="withdraw")).to_have_count(0)
    before = len(asked)
    page.clock.fast_forward(60_000)
    page.evaluate("fetch('/api/health').then(() => null)")
    assert len(asked) == before, "what is over is asked for again"
