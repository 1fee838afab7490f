"""Accessibility: axe on every tab and view, curves that are told apart, and pages that are small and fit a window."""

import re

import pytest
from playwright.sync_api import expect

from tests.support.pages import SENT, WIDE, expect_none, faults
from tests.web.conftest import SIZES

GAME = "row=crate:..icc:13&row=haste:.c.i.:9"

# Addresses with typical content, and what is there once a view is whole.
VIEWS = {
    "play": ("/play?help=answers bits guesses", ".tab-play .tile"),
    "coach": (f"/coach?{GAME}&why=haste", ".tab-coach tbody tr"),
    "coach of Fibble": ("/coach?game=fibble&channel=fibble:2&limit=3&row=crate:..ci.", ".false-mark"),
    "matrix": ("/explore/matrix", "canvas"),
    "clues": (f"/explore/clues?guess=crate&guess=salet&{GAME}", ".distributions .plot"),
    "channel": ("/explore/channel", "h2"),
    "frontier": ("/explore/frontier", ".plot .curve"),
    "analyze": ("/analyze?text=crate%3D..icc%4013%0Ahaste%3D.c.i.%409", ".tab-analyze .review"),
    "results": ("/results", ".plot .curve"),
    "contest": ("/contest", ".tab-contest tbody tr"),
    "start": ("/", ".hundred"),
}

VALUES = """() => [...document.querySelectorAll('main :is(input, select)')]
    .map((one) => (one.type === 'checkbox' ? Number(one.checked) : one.value)).filter((one) => one !== '').join(' ')"""
BEGINS = {
    "play": "13 168 wordpl original letterwise randomized_response 0 1 0 1 1 1",
    "matrix": "original letterwise word word",
    "clues": "original letterwise crate salet 13 168",
    "channel": "crate haste proud 5 135 randomized_response 1",
    "frontier": "50 0 0 0 0 0",
    "analyze": "13 168 0 wordpl original letterwise randomized_response",
    "start": "0 5 5",
}
"""The values of the fields with which views begin."""

SHIFTED = """() => new Promise((done) => {
    const sum = (list) => list.getEntries().reduce((so, { value }) => so + value, 0);
    new PerformanceObserver((list) => done(sum(list))).observe({ type: "layout-shift", buffered: true });
    setTimeout(done, 200, 0);
})"""
LOOKS = """all => all.map((legend) => [...legend.querySelectorAll('.swatch')]
    .map((one) => one.innerHTML.replace(/var\\(--[^)]*\\)/g, '')))"""
"""The looks of the entries of each legend to somebody who sees no colour."""
SMALL = """() => [...document.querySelectorAll('a, button, input, select, summary, textarea')]
    .filter((one) => one.checkVisibility() && !one.matches('.skip'))
    .filter((one) => Math.min(one.offsetWidth, one.offsetHeight) < 24).map((one) => one.outerHTML)"""
"""Targets that are too small (WCAG 2.2, 2.5.8)."""


@pytest.mark.parametrize(("number", "view"), list(enumerate(VIEWS)))
def test_a_view_is_at_its_address_is_small_and_fits_and_axe_finds_nothing(address, new_page, number, view):
    """Axe, the dearest part, sees every second view on a phone in the dark and the others on a desktop in the light.

    Views differ in what they hold, not in how they are styled; two have the one palette, and the next two the other.
    """
    path, whole = VIEWS[view]
    page = new_page(address + path, color_scheme="light")  # with an empty cache
    expect(page.locator(whole).first).to_be_visible()
    expect(page.locator("[aria-busy]")).to_have_count(0)
    assert page.evaluate(SHIFTED) < 0.1, "parts of the view moved while it came"
    if view in BEGINS:
        assert page.evaluate(VALUES) == BEGINS[view]
    for looks in page.locator(".legend:visible").evaluate_all(LOOKS):
        assert len(set(looks)) == len(looks), "two curves differ in nothing but their colour"
    for figure in page.get_by_role("figure").all():
        expect(figure).to_have_attribute("aria-label", re.compile(r"\.$"))  # a sentence says what a chart shows
    tab = re.match(r"/(\w*)", path)[1]
    if tab:
        current = page.get_by_role("navigation", name="Tabs").locator("[aria-current=page]")
        expect(current).to_have_attribute("href", f"/{tab}")
        expect(page.locator("h1").first).to_have_text(tab.capitalize())
    looks = (SIZES["desktop"], "light"), (SIZES["phone"], "dark"), ((640, 450), "light")  # the last: a desktop at 200%
    for look in looks:
        (width, height), scheme = look
        page.set_viewport_size({"width": width, "height": height})
        page.emulate_media(color_scheme=scheme)
        page.evaluate(f"document.documentElement.dataset.palette = '{('standard', 'contrast')[number // 2 % 2]}'")
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        expect(page.locator("[aria-busy]")).to_have_count(0)
        if look == looks[number % 2]:
            assert faults(page) == []
        expect_none(page, SMALL, "targets that are too small")
        expect_none(page, WIDE, f"pixels too wide at {width}")
    sent = page.evaluate(SENT)
    assert 10_000 < sent <= 100_000, f"{sent:,} bytes"
