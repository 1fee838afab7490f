"""A server and a browser for the tests of the page."""

from __future__ import annotations

import contextlib
import functools
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect, sync_playwright
from starlette.testclient import TestClient

from tests.cli.conftest import cli  # noqa: F401 - a fixture
from wordpl.web.app import make_app
from wordpl.web.settings import Settings

ADDRESS = "http://127.0.0.1:8000"
expect.set_options(timeout=60_000)

SIZES = {"desktop": (1280, 900), "phone": (360, 740)}


@pytest.fixture(autouse=True, scope="session")
def no_warming() -> Iterator[None]:
    """Applications of this process load nothing ahead.

    The thread that does it, and FastAPI while it makes the routes of the next application, turn warnings off for the
    whole process. Where both do, a warning that one has turned off is an error here. Servers of their own do load.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wordpl.web.app.start_warming", lambda: None)
        yield


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    with TestClient(make_app(Settings()), base_url=ADDRESS) as made:
        yield made


Start = Callable[..., str]


@contextlib.contextmanager
def servers(folder: Callable[[str], Path]) -> Iterator[Start]:
    """Start `wordpl serve` with options, each in a folder of its own; gives its address. All end as servers should."""
    running: list[subprocess.Popen[str]] = []

    def start(*options: str | Path) -> str:
        server = subprocess.Popen(
            [sys.executable, "-m", "wordpl", "serve", "--port", "0", *map(str, options)],
            cwd=folder("server"),
            stderr=subprocess.PIPE,
            text=True,
        )
        running.append(server)
        found = re.search(r"http://\S+(?=/)", server.stderr.readline())
        assert found, server.stderr.read()
        return found[0]

    yield start
    for server in running:
        server.send_signal(signal.SIGTERM)
    for server in running:
        said = server.communicate(timeout=60)[1]
        assert server.returncode == 0, said
        assert "Traceback" not in said, said


@pytest.fixture(scope="session")
def plain_server(tmp_path_factory) -> Iterator[Start]:
    """The address of a server without options. It keeps nothing of its visitors, so all modules share one."""
    with servers(tmp_path_factory.mktemp) as start:
        yield functools.cache(start)


@pytest.fixture(scope="module")
def start_server(plain_server, tmp_path_factory) -> Iterator[Start]:
    """Start `wordpl serve` with options; returns its address. It ends with the module's tests, unless it is shared."""
    with servers(tmp_path_factory.mktemp) as start:
        yield lambda *options: start(*options) if options else plain_server()


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    expect.set_options(timeout=60_000)
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(
            executable_path="/usr/bin/chromium", args=["--no-sandbox", "--disable-dev-shm-usage"]
        )
        yield found
        found.close()


@pytest.fixture
def new_page(browser: Browser) -> Iterator[Callable[..., Page]]:
    """Open a page of a size of `SIZES`, whose visitor has been here before; an error of a script fails the test."""
    opened, errors = [], []

    def open_page(address: str, size: str = "desktop", **options) -> Page:
        width, height = SIZES[size]
        context = browser.new_context(viewport={"width": width, "height": height}, **options)
        context.set_default_timeout(60_000)
        context.add_init_script("localStorage.setItem('introduced', 'yes')")
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
