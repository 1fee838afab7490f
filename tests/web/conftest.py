"""One server, one browser and one application for the tests of the page."""

import re
import signal
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx2
import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.testclient import TestClient

from tests.cli.conftest import cli  # noqa: F401 - a fixture
from tests.support.forked import Forked
from tests.support.helpers import SMALL
from tests.support.ledgers import make_contest
from tests.support.pages import rows
from wordpl import Store, make_task, parse_strategy, sweep
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

ADDRESS = "http://127.0.0.1:8000"
SHORT = "\n".join(["cat", "bat", "rat", "tar", "art", "ape", "pea", "eat", "tea", "ate"])
expect.set_options(timeout=60_000)

SIZES = {"desktop": (1280, 900), "phone": (360, 740)}
SPECS = ("TwoGuess(epsilon=5)", "TwoGuess(epsilon=20)", "Greedy(epsilon=12)", "Greedy(epsilon=20)", "Greedy(inf)")


@pytest.fixture(autouse=True, scope="session")
def no_warming() -> Iterator[None]:
    """Applications of this process load nothing ahead.

    The thread that does it, and FastAPI while it makes the routes of the next application, turn warnings off for the
    whole process. Where both do, a warning that one has turned off is an error here. Servers of their own do load.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordpl.web.app.warm", lambda: None)
        yield


@pytest.fixture(autouse=True)
def same_day(monkeypatch: pytest.MonkeyPatch) -> None:
    """The answers are the same in every run, so that no test fails or passes by chance."""
    monkeypatch.setattr("wordpl.web.games.today", lambda: date(2026, 11, 22))


@pytest.fixture
def short(client: TestClient) -> str:
    """The name of the list `SHORT`, which the server has beside its own."""
    return client.post("/api/words", json={"answers": SHORT}).json()["name"]


def answered(response: Any, status: int = 200) -> Any:
    """The JSON of an answer with this status."""
    assert response.status_code == status, response.text
    return response.json()


def refusal(response: Any, status: int = 422) -> tuple[str, str | None]:
    """The message and the field of a refusal in the one form."""
    found = answered(response, status)
    assert set(found) == {"error"}
    error = found["error"]
    assert set(error) == {"message", "field"} and "\n" not in error["message"] and "Traceback" not in error["message"]
    return error["message"], error["field"]


@pytest.fixture(scope="session")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(Settings()), base_url=ADDRESS) as made:
        yield made


@pytest.fixture(scope="session")
def contest(tmp_path_factory) -> tuple[Path, dict[str, str]]:
    """A ledger with entries of all kinds, and their ids by name."""
    path = tmp_path_factory.mktemp("contest") / "contest.sqlite"
    return path, make_contest(path)


def fill(path: Path, *specs: str) -> Path:
    """Make a results file with 40 games of each strategy."""
    with Store(path) as store:
        sweep([make_task(parse_strategy(spec), words=SMALL) for spec in specs], 40, store=store)
    return path


@pytest.fixture(scope="session")
def files(tmp_path_factory) -> list[Path]:
    """Two results files, and one that is broken."""
    folder = tmp_path_factory.mktemp("results")
    (folder / "broken.sqlite").write_text("no database " * 100)
    return [
        fill(folder / "first.sqlite", *SPECS),
        fill(folder / "second.sqlite", "NGuess(n_guesses=2, epsilon=9)"),
        folder / "broken.sqlite",
    ]


class Served(Forked):
    """`wordpl serve` with these options, at a free port unless they name one."""

    def __init__(self, *options: object, **how: Any) -> None:
        super().__init__("serve", "--port=0", *options, **how)
        line = self.stderr.readline()
        found = re.search(r"http://127.0.0.1:(\d+)(?=/)", line)
        assert found, line + self.stderr.read()
        self.address, self.port = found[0], int(found[1])

    def end(self, signum: int = signal.SIGTERM, times: int = 1) -> str:
        """End it as servers should; returns what it has said."""
        for _ in range(times):
            self.send_signal(signum)
        said = "".join(self.communicate())
        assert self.returncode == (-signum if signum == signal.SIGKILL else 0), said
        assert "Traceback" not in said, said
        return said


@pytest.fixture(scope="session")
def served(tmp_path_factory) -> Iterator[Callable[..., Served]]:
    """Start servers, each in a folder of its own."""
    servers: list[Served] = []

    def start(*options: object, **how: Any) -> Served:
        servers.append(Served(*options, cwd=tmp_path_factory.mktemp("server"), **how))
        return servers[-1]

    yield start
    for server in servers:
        if server.returncode is None:
            server.end()


ACCOUNTED = (
    "from wordpl.web.api import frontier\nfrontier.approximate_budget = lambda rate, clues, answers: 9 * clues + rate"
)
"""Privacy accounting takes seconds; `test_explore_api.py` has it as it is."""


@pytest.fixture(scope="session")
def address(served, files, contest) -> str:
    """The address of the server that all tests share: it shows results and a contest."""
    how = "--how-to-submit=Mail <b>it</b> to ann@example.org"
    results = [f"--results={path}" for path in files]
    made = served(*results, "--ledger", contest[0], how, code=ACCOUNTED).address
    while not httpx2.get(f"{made}/api/health").json()["compiled"]:
        pass  # else a page may say that it compiles, in place of what a test waits for
    return made


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path="/usr/bin/chromium-headless-shell",
            # Each process more that a page has of its own costs 0.1 s.
            args=["--no-sandbox", "--disable-dev-shm-usage", "--in-process-gpu", "--renderer-process-limit=1"],
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="module")
def page(browser: Browser, address: str) -> Iterator[Page]:
    """One page for all tests of a file, which call functions of its modules."""
    context, errors = browser.new_context(), []
    opened = context.new_page()
    opened.on("pageerror", lambda error: errors.append(str(error)))
    opened.goto(f"{address}/contest")  # which compiles nothing
    yield opened
    context.close()
    assert not errors


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page of a size of `SIZES`; an error of a script fails the test."""
    opened, errors = [], []

    def open_page(address: str, size: str = "desktop", **options) -> Page:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)
        opened.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if "Content Security Policy" in said.text else None)
        page.goto(address)
        return page

    yield open_page
    for context in opened:
        context.close()
    assert not errors


@pytest.fixture
def play(address, new_page):
    def open_game(query: str = "", size: str = "desktop", **options) -> Page:
        page = new_page(f"{address}/play{query}", size, **options)
        expect(rows(page).first).to_be_visible()
        return page

    return open_game
