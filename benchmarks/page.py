"""The page: how soon it is painted, what it sends, and how it bears 50 clients at once."""

from __future__ import annotations

import random
from statistics import median
from time import perf_counter

import httpx2
from playwright.sync_api import Browser, sync_playwright

import wordpl
from benchmarks import page_explore, page_load
from benchmarks.page_server import serving

_TABS = (
    "play",
    "coach",
    "explore/matrix",
    "explore/clues",
    "explore/channel",
    "explore/frontier",
    "analyze",
    "results",
    "contest",
)
_CLUES = "/explore/clues?guess=crate&guess=salet&guess=trace&guess=slate&row=haste:.c.i.:13"
_CLIENTS, _SECONDS = 50, 60

_LOADED = """() => {
  const all = [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")];
  const ours = all.filter((one) => !one.name.includes("/plotly-"));
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  return [paint.startTime, ours.reduce((sum, one) => sum + one.encodedBodySize, 0)];
}"""


def rows() -> list[list[str]]:
    """Return what was measured, as `make bench` shows it."""
    with serving() as server:
        found = [_suggestions(server.address)]
        with sync_playwright() as playwright:
            chromium = playwright.chromium.launch(
                executable_path="/usr/bin/chromium-headless-shell", args=["--no-sandbox"]
            )
            found += [*_paint(chromium, server.address), *_explore(chromium, server.address)]
            chromium.close()
    return [*found, *_load()]


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


def _paint(chromium: Browser, address: str) -> list[list[str]]:
    paints, sizes = [], []
    for tab in _TABS:
        context = chromium.new_context()
        page = context.new_page()
        page.goto(f"{address}/{tab}", wait_until="networkidle")
        sizes.append(page.evaluate(_LOADED)[1])
        again = []
        for _ in range(5):
            page.goto(f"{address}/{tab}", wait_until="networkidle")
            again.append(page.evaluate(_LOADED)[0])
        paints.append(median(again))
        context.close()
    return [
        ["page: first paint of a tab that was seen before, the slowest tab", f"{max(paints):.0f} ms", "500 ms", ""],
        ["page: first visit of a tab without plotly, the largest tab", f"{max(sizes) / 1000:.0f} kB", "150 kB", ""],
    ]


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


if __name__ == "__main__":
    wordpl.print_table("the page", ["what", "measured", "target", ""], rows())
