"""The tab of results in a browser: pictures, tables, filter, files, download, and a sweep that is running."""

import os
import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.support.pages import WIDE, expect_none, faults
from tests.web.conftest import SPECS, fill
from wordpl import Store, write_report

HOSTILE = "<img src=x onerror=document.title='taken'><b>bold</b> %{x} $a$ &lt;"


@pytest.fixture(scope="module")
def changing(served, tmp_path_factory) -> tuple[str, Path]:
    """The address of a server of two files: `live.sqlite`, which is not there yet, and one with hostile names."""
    folder = tmp_path_factory.mktemp("changing")
    live, hostile = folder / "live.sqlite", fill(folder / "hostile.sqlite", *SPECS[:2])
    with closing(sqlite3.connect(hostile)) as database, database:
        database.execute("UPDATE tasks SET family = ?, strategy = ? || epsilon", (HOSTILE, HOSTILE))
    os.utime(hostile, (0, 0))  # else it is soon read again, and what the pointer chose is drawn anew
    return served("--results", live, "--results", hostile).address + "/results", live


def heading(page: Page, text: str):
    return page.get_by_role("heading", name=text, exact=True)


def rows(page: Page, name: str):
    """Rows of a table that have numbers; the others name a family."""
    return page.get_by_role("region", name=name).locator("tbody tr:has(td + td)")


def test_results_are_drawn_and_listed_and_a_filter_is_in_the_address(address, files, new_page):
    tab = f"{address}/results"
    page = new_page(tab, "phone")
    for text in ("Win rate", "5th percentile score", "Median score", "Turns at epsilon = ∞"):
        expect(heading(page, text)).to_be_visible()
    expect(page.locator(".plot .curve").first).to_be_visible()
    said = f"{files[2]} is not a results file that can be opened: file is not a database."
    for text in (said, "240 games of 6 settings: small, letterwise, randomized response, seed 1, 40 trials."):
        expect(page.get_by_text(text).first).to_be_visible()
    heads = page.get_by_role("region", name="Statistics").locator("th[scope=col]")
    shares = ["trials", "win rate", "posterior win rate", "p05", "p50", "p95", "turns"]
    expect(heads).to_have_text(["strategy", "epsilon", "mean budget", *shares])
    page.get_by_label("Only strategies or words that contain").fill("twoguess")
    expect(rows(page, "Statistics")).to_have_count(2)
    expect(page).to_have_url(f"{tab}?match=twoguess")
    expect(heading(page, "Turns at epsilon = ∞")).to_be_hidden()
    page.reload()
    expect(rows(page, "Statistics")).to_have_count(2)
    page.get_by_label("Only strategies or words that contain").fill("twoguess , NGuess")
    expect(rows(page, "Statistics")).to_have_count(3)
    page.get_by_role("button", name="None of the files").click()
    expect(page.get_by_role("main").get_by_text("Choose a file.")).to_be_visible()
    page.get_by_label("second.sqlite", exact=True).check()
    page.get_by_label("Only strategies or words that contain").fill("nguess")
    page.get_by_label("Win rate against").select_option("budget")
    expect(page).to_have_url(re.compile(r"\?file=second.sqlite&x=budget&match=nguess$"))
    expect(rows(page, "Statistics")).to_have_count(1)
    expect(page.locator(".plot svg text").get_by_text("budget of a game")).to_be_visible()
    link = page.get_by_role("link", name="All games of second.sqlite as CSV")
    expect(link).to_have_attribute("href", "/api/results/trials.csv?file=second.sqlite&match=nguess")
    with page.expect_download() as download:
        link.click()
    assert Path(download.value.path()).read_text().count("\n") == 41  # a heading, and 40 games of one strategy


def test_a_sweep_that_is_running_shows_up(changing, new_page):
    address, path = changing
    page = new_page("about:blank")
    page.clock.install()
    page.goto(f"{address}?file=live.sqlite")
    expect(page.get_by_text("no results file")).to_be_visible()
    fill(path, *SPECS[:2])
    page.clock.fast_forward(60_000)
    expect(rows(page, "Statistics")).to_have_count(2)
    fill(path, "NGuess(n_guesses=2, epsilon=9)")
    expect(page.locator("#live")).not_to_contain_text("settings")  # which is said only of what was asked for
    page.clock.fast_forward(60_000)
    expect(rows(page, "Statistics")).to_have_count(3)
    path.unlink()
    page.clock.fast_forward(60_000)
    expect(page.get_by_text("no results file")).to_be_visible()


def test_names_are_text(changing, new_page):
    page = new_page(f"{changing[0]}?file=hostile.sqlite")
    expect(page.locator(".legend")).to_have_text(HOSTILE)
    picture = page.locator("section", has=heading(page, "Win rate")).locator(".plot")
    picture.locator(".mark").first.hover(force=True)
    expect(picture.locator(".tip")).to_contain_text(HOSTILE)
    expect(page.locator("img")).to_have_count(0)
    expect(page).to_have_title("Results · WORDPL")


# A report, which loads nothing.


@pytest.fixture(scope="module")
def report(tmp_path_factory) -> str:
    """The address of a report on a run."""
    folder = tmp_path_factory.mktemp("reports")
    with Store(fill(folder / "run.sqlite", *SPECS), read_only=True) as store:
        write_report(store, folder / "run.html")
    return (folder / "run.html").as_uri()


def test_axe_finds_nothing_and_nothing_is_loaded(report, new_page):
    page, asked = new_page("about:blank", "phone", offline=True, color_scheme="dark"), []
    page.on("console", lambda said: asked.append(said.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(report)
    assert faults(page) == []
    expect_none(page, WIDE, "pixels too wide")
    assert asked == [report]


def test_a_curve_is_hidden_and_a_point_says_its_figures(report, new_page):
    page = new_page(report)
    wins = page.locator('figure[data-panel="wins"] .plot')
    curves = wins.locator(".curve")
    button = page.get_by_role("button", name="Greedy()")
    expect(curves).to_have_count(2)
    button.click()
    expect(curves).to_have_count(1)
    button.click()
    wins.locator(".mark").first.hover()
    expect(wins.locator(".tip")).to_contain_text("Greedy(), epsilon 12: won 0.")
