"""The tab of results in a browser: pictures, tables, filter, files, download, and a sweep that is running."""

import csv
import re
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from tests.helpers import SMALL
from tests.web.conftest import SIZES
from wordpl import Store, parse_strategy, sweep
from wordpl.simulation.sweep import make_task

pytestmark = pytest.mark.heavy

SPECS = ["TwoGuess(epsilon=5)", "TwoGuess(epsilon=20)", "Greedy(epsilon=12)", "Greedy(epsilon=20)", "Greedy(inf)"]
HOSTILE = "<img src=x onerror=document.title='taken'><b>bold</b> %{x} $a$ &lt;"


def fill(path: Path, *specs: str) -> Path:
    with Store(path) as store:
        sweep([make_task(parse_strategy(spec), words=SMALL) for spec in specs], 40, store=store)
    return path


@pytest.fixture(scope="module")
def files(tmp_path_factory) -> list[Path]:
    folder = tmp_path_factory.mktemp("results")
    broken = folder / "broken.sqlite"
    broken.write_text("no database " * 100)
    return [
        fill(folder / "first.sqlite", *SPECS),
        fill(folder / "second.sqlite", "NGuess(n_guesses=2, epsilon=9)"),
        broken,
    ]


@pytest.fixture(scope="module")
def address(start_server, files) -> str:
    return start_server(*(f"--results={path}" for path in files)) + "/results"


def heading(page: Page, text: str):
    return page.get_by_role("heading", name=text, exact=True)


def rows(page: Page, name: str):
    return page.get_by_role("region", name=name).locator("tbody tr")


@pytest.mark.parametrize("size", SIZES)
def test_results_are_drawn_and_listed(address, new_page, size):
    page = new_page(address, size)
    for text in ("Win rate", "5th percentile of the score", "Median of the score", "Turns at epsilon = ∞"):
        expect(heading(page, text)).to_be_visible()
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    expect(rows(page, "Figures")).to_have_count(6)
    expect(rows(page, "Verdicts")).to_have_count(6)
    expect(page.get_by_text("file is not a database")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_hovering_over_a_point_shows_its_numbers(address, new_page):
    page = new_page(f"{address}?match=Greedy")
    point = page.locator("section", has=heading(page, "Win rate")).locator(".points path").first
    expect(point).to_be_visible()
    point.hover(force=True)
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("epsilon 12")


@pytest.mark.parametrize("size", SIZES)
def test_a_filter_is_in_the_address_and_a_link_to_it_works(address, new_page, size):
    page = new_page(address, size)
    page.get_by_label("Only strategies or words that contain").fill("twoguess")
    expect(rows(page, "Figures")).to_have_count(2)
    expect(page).to_have_url(f"{address}?match=twoguess")
    expect(heading(page, "Turns at epsilon = ∞")).to_be_hidden()
    again = new_page(page.url, size)
    expect(rows(again, "Figures")).to_have_count(2)
    again.get_by_label("Only strategies or words that contain").fill("nothing of the kind")
    expect(again.get_by_role("main").get_by_text("Nothing to show.")).to_be_visible()
    expect(heading(again, "Figures")).to_be_hidden()


def test_files_are_chosen_with_the_keyboard(address, new_page):
    page = new_page(address)
    expect(rows(page, "Figures")).to_have_count(6)
    page.get_by_label("first.sqlite").press("Space")
    expect(rows(page, "Figures")).to_have_count(1)
    page.get_by_label("broken.sqlite").press("Space")
    expect(page.get_by_text("file is not a database")).to_be_hidden()
    expect(page).to_have_url(f"{address}?file=second.sqlite")
    page.get_by_label("second.sqlite").press("Space")
    expect(page.get_by_role("main").get_by_text("Choose a file.")).to_be_visible()


def test_win_rate_against_budget(address, new_page):
    page = new_page(f"{address}?match=TwoGuess")
    axis = page.locator("section", has=heading(page, "Win rate")).locator(".xtitle")
    expect(axis).to_have_text("epsilon of an ask")
    page.get_by_label("Win rate against").select_option("budget")
    expect(axis).to_have_text("budget of a game")
    expect(page).to_have_url(re.compile("x=budget"))


@pytest.mark.parametrize("size", SIZES)
def test_download_follows_the_filter(address, new_page, files, size, tmp_path):
    page = new_page(f"{address}?match=Greedy", size)
    expect(rows(page, "Figures")).to_have_count(3)
    with page.expect_download() as started:
        page.locator(".file", has_text="first.sqlite").get_by_role("link", name="Download CSV").click()
    assert started.value.suggested_filename == "first.csv"
    with Store(files[0]) as store:
        store.export(tmp_path / "x.csv", "Greedy")
    assert Path(started.value.path()).read_bytes() == (tmp_path / "x.csv").read_bytes()
    with Path(started.value.path()).open() as file:
        assert len(list(csv.DictReader(file))) == 120


@pytest.mark.parametrize("size", SIZES)
def test_a_sweep_that_is_running_shows_up(start_server, new_page, tmp_path, size):
    path = fill(tmp_path / "live.sqlite", "TwoGuess(epsilon=5)")
    (tmp_path / "words.txt").write_text("\n".join(SMALL.answers))
    page = new_page(start_server("--results", path) + "/results", size)
    expect(rows(page, "Figures")).to_have_count(1)
    command = [
        sys.executable,
        "-m",
        "wordpl",
        "sweep",
        "NGuess(n_guesses=2)",
        "-e",
        "5,10,20",
        "-n",
        "40",
        "-j",
        "1",
        "-q",
    ]
    subprocess.run(
        [*command, "--answers", tmp_path / "words.txt", "--out", path], check=True, capture_output=True, timeout=300
    )
    expect(rows(page, "Figures")).to_have_count(4)
    path.unlink()
    expect(page.get_by_text("no results file")).to_be_visible()


def test_names_are_text(start_server, new_page, tmp_path):
    path = fill(tmp_path / "hostile.sqlite", "TwoGuess(epsilon=5)", "TwoGuess(epsilon=20)")
    with sqlite3.connect(path) as database:
        database.execute("UPDATE tasks SET family = ?, strategy = ? || epsilon", (HOSTILE, HOSTILE))
    database.close()
    page = new_page(start_server("--results", path) + "/results")
    expect(page.locator(".legend")).to_have_text(HOSTILE)
    point = page.locator("section", has=heading(page, "Win rate")).locator(".points path").first
    point.hover(force=True)
    expect(page.locator(".hoverlayer .hovertext").first).to_contain_text("onerror=")
    assert page.locator("img").count() == 0
    assert page.title() == "Results · WORDPL"


def test_without_files_the_tab_says_how_to_make_one(start_server, new_page):
    page = new_page(start_server() + "/results")
    expect(page.get_by_role("region", name="Commands")).to_contain_text("wordpl serve --results results/sweep.sqlite")


@pytest.mark.parametrize(("size", "scheme"), [("desktop", "light"), ("phone", "dark")])
def test_axe_finds_nothing(address, new_page, size, scheme):
    page = new_page(address, size, color_scheme=scheme)
    expect(rows(page, "Figures")).to_have_count(6)
    expect(page.locator(".plot .main-svg").first).to_be_visible()
    found = Axe().run(page)
    assert found.violations_count == 0, found.generate_report()
