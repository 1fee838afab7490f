"""The page: how soon it is painted, what it sends, and how it bears 50 clients at once."""

from __future__ import annotations

import random
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import perf_counter

import httpx2
import typer
from playwright.sync_api import Browser, sync_playwright

import wordpl
from benchmarks import page_explore, page_load
from benchmarks.page_server import PageServer, serving
from benchmarks.reports import make_results

_TABS = {
    "play": ".board, .keyboard",
    "coach": ".results table",
    "explore/matrix": ".matrix canvas",
    "explore/clues": ".distributions .plot",
    "explore/channel": ".plot .curve",
    "explore/frontier": ".plot .curve",
    "analyze": "textarea",
    "results": ".plot .curve",
    "contest": ".tab-contest p",
}
"""With what is useful there."""
_CLUES = "/explore/clues?guess=crate&guess=salet&guess=trace&guess=slate&row=haste:.c.i.:13"
_CLIENTS, _SECONDS = 50, 60

_SLOW = {"offline": False, "latency": 150, "downloadThroughput": 200_000, "uploadThroughput": 200_000}
"""1.6 Mbit/s, and 150 ms there and back."""

_LOADED = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return [paint.startTime, all.reduce((sum, one) => sum + one.transferSize, 0)];
}"""


def rows() -> list[list[str]]:
    """Return what was measured, as `make bench` shows it."""
    with TemporaryDirectory() as folder:
        make_results(Path(folder, "run.sqlite"))
        with serving(f"--results={folder}/run.sqlite") as server:
            return [*_of_server(server), *_load()]


def _of_server(server: PageServer) -> list[list[str]]:
    # Who visits is not the first to ask for the figures of a million trials, which the server then keeps.
    httpx2.get(f"{server.address}/api/results/curves", timeout=120).raise_for_status()
    found = [_suggestions(server.address)]
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"])
        found += [*_visits(chromium, server.address), *_explore(chromium, server.address)]
        chromium.close()
    return found


def _suggestions(address: str) -> list[str]:
    words, chosen = wordpl.load_words("original").guesses, random.Random(1)  # noqa: S311 - the words of a benchmark
    times = []
    with httpx2.Client(base_url=address, timeout=60) as http:
        for _ in range(21):
            turns = [{"guess": chosen.choice(words), "clue": clue, "epsilon": 13} for clue in ("..ic.", "i...c")]
            asked = {"words": "original", "rule": "letterwise", "turns": turns, "epsilon": 13}
            begun = perf_counter()
            http.post("/api/coach/suggestions", json=asked).raise_for_status()
            times.append(perf_counter() - begun)
    what = "page: suggestions from 12,972 guesses after two noisy clues"
    return [what, f"{1e3 * median(times[1:]):.0f} ms", "100 ms", ""]


def _visits(chromium: Browser, address: str) -> list[list[str]]:
    paints, sizes, waits = [], {}, {}
    for tab, useful in _TABS.items():
        context = chromium.new_context()
        page = context.new_page()
        context.new_cdp_session(page).send("Network.emulateNetworkConditions", _SLOW)
        begun = perf_counter()
        page.goto(f"{address}/{tab}", wait_until="commit")
        page.locator(useful).first.wait_for()
        waits[tab] = perf_counter() - begun
        page.wait_for_load_state("networkidle")
        sizes[tab] = page.evaluate(_LOADED)[1]
        context.close()
        paints.append(_second_paint(chromium, f"{address}/{tab}"))
    return [
        ["page: first paint of a tab that was seen before, the slowest tab", f"{max(paints):.0f} ms", "500 ms", ""],
        *(["page: first visit of " + tab, f"{size / 1000:.0f} kB", "100 kB", ""] for tab, size in sizes.items()),
        *([f"page: first use of {tab}, 1.6 Mbit/s, 150 ms", f"{s:.1f} s", "3 s", ""] for tab, s in waits.items()),
    ]


def _second_paint(chromium: Browser, address: str) -> float:
    context = chromium.new_context()
    context.add_init_script("localStorage.setItem('introduced', 'yes')")
    page = context.new_page()
    paints = []
    for _ in range(6):
        page.goto(address, wait_until="networkidle")
        paints.append(page.evaluate(_LOADED)[0])
    context.close()
    return float(median(paints[1:]))


def _explore(chromium: Browser, address: str) -> list[list[str]]:
    page = chromium.new_page()
    page.goto(f"{address}/explore/matrix")
    frames = page_explore.scroll_frames_per_second(page)
    page.goto(address + _CLUES)
    slow = max(page_explore.slider_milliseconds(page))
    page.close()
    return [
        ["page: pictures a second while the clue matrix scrolls", f"{frames:.0f}", "30", ""],
        ["page: four distributions redrawn after the slider moved, the slowest", f"{slow:.0f} ms", "100 ms", ""],
    ]


def _load() -> list[list[str]]:
    load = page_load.measure(_CLIENTS, _SECONDS)
    what = f"page: {_CLIENTS} clients playing and asking for suggestions for {_SECONDS} s"
    answers = sum(load.statuses.values())
    return [
        [f"{what}, errors", f"{load.errors} of {answers:,}", "0", ""],
        [f"{what}, 95th percentile", f"{1e3 * load.percentile():.0f} ms", "500 ms", ""],
        [f"{what}, longest wait of the event loop", f"{1e3 * max(load.lags):.0f} ms", "", ""],
        [f"{what}, largest memory of the server", f"{load.peak_mib:.0f} MiB", "600 MB", ""],
    ]


def main() -> None:
    wordpl.print_table("the page", ["what", "measured", "target", ""], rows())


if __name__ == "__main__":
    typer.run(main)
