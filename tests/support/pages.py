"""What tests of pages share: keys, the board, requests, pictures, and what axe finds."""

import math
import re
from decimal import ROUND_HALF_UP, Context
from typing import Any

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Locator, Page, expect

from tests.support.helpers import ORIGINAL

NO_ANSWERS = [word for word in ORIGINAL.guesses if word not in ORIGINAL.answer_index][:6]
"""Guesses that never win, whatever the server has drawn."""

SENT = """[...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]
    .reduce((sum, one) => sum + one.transferSize, 0)"""
"""The bytes that came over the network for a page."""

READ = """async ([module, name, values]) => {
    const read = (made) => (Array.isArray(made) ? made.map(read) : !(made instanceof Element) ? made
        : { text: made.textContent, rows: [...made.querySelectorAll("tr")].map((row) =>
            [...row.cells].map((cell) => cell.textContent)) });
    return read((await import(`/static/${module}.js`))[name](...values));
}"""


def read(page: Page, module: str, name: str, *values: Any) -> Any:
    """What a function of a module returns; an element as its text and the cells of its rows."""
    return page.evaluate(READ, [module, name, values])


WIDE = "Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)"
"""Pixels by which a page is wider than the window."""


def shown(value: float | None, digits: int = 4) -> str:
    """A number with so many significant digits, a half away from 0, as people read it; none is infinity."""
    if value is None or value == math.inf:
        return "∞"
    if 0 < value < 1e-4:
        return "under 0.0001"
    return f"{float(Context(digits, ROUND_HALF_UP).create_decimal(repr(float(value)))):,.12g}"


def percent(chance: float, digits: int = 3) -> str:
    """A chance in percent: 0 and 100 only if it is that."""
    if 0 < chance < 1e-4 or 0.9999 < chance < 1:
        return "under 0.01%" if chance < 0.5 else "over 99.99%"
    rounded = float(f"{100 * chance:.{digits}g}")
    return f"{100 * chance if rounded == 100 else rounded:.4g}%" if chance else "0"


def spoken(guess: str, clue: str, true: str | None = None) -> str:
    """What a screen reader says of a clue, and of the marks in which it differs from the true one."""
    names = {".": "absent", "i": "present", "c": "correct"}
    said = ", ".join(f"{letter} {names[mark]}" for letter, mark in zip(guess.upper(), clue, strict=True))
    marks = zip(guess.upper(), clue, true or clue, strict=True)
    lies = ", ".join(f"{letter} was {names[is_true]}" for letter, mark, is_true in marks if mark != is_true)
    return f"{said}; flipped: {lies}" if lies else said


def last_answers(page: Page) -> dict[str, Any]:
    """The last answer of the server to each call from now on, by the last part of its address."""
    answers: dict[str, Any] = {}
    page.on("response", lambda answer: answers.update({answer.url.partition("?")[0].rpartition("/")[2]: answer}))
    return answers


def numbers_of(figure: Locator) -> Locator:
    """The rows of the numbers behind a picture, which need no focus to be opened."""
    figure.locator("details.numbers").evaluate("one => { one.open = true; }")
    numbers = figure.locator("details.numbers tbody tr")
    expect(numbers.first).to_be_visible()
    return numbers


def expect_none(page: Page, script: str, what: str) -> None:
    """Wait until a script gives 0, false or an empty list; `what` says what anything else is."""
    for _ in range(600):
        if not (found := page.evaluate(script)):
            return
        page.wait_for_timeout(100)
    raise AssertionError(f"{what}: {found}")


def follow(page: Page, address: str) -> None:
    """Go to another address of the page as its links do, without loading it again."""
    page.evaluate("address => { history.pushState(null, '', address); dispatchEvent(new Event('popstate')); }", address)


def rows(page: Page):
    return page.get_by_role("list", name="Rows", exact=True).locator("li")


def played(page: Page):
    """The rows that have a clue."""
    return rows(page).filter(has=page.locator(".tile[data-mark]"))


def clues(page: Page) -> list[str | None]:
    """What the rows are read as."""
    return [row.get_attribute("aria-label") for row in played(page).locator(".tiles").all()]


def typed(page: Page, word: str) -> None:
    page.keyboard.type(word)
    page.keyboard.press("Enter")


def key(page: Page, name: str):
    """A key of the page's own keyboard."""
    return page.get_by_role("group", name="Keyboard").get_by_role("button", name=re.compile(f"^{name}(,|$)", re.I))


def give_up(page: Page) -> None:
    page.get_by_role("button", name="Give up").click()
    page.get_by_role("button", name="Yes, give up").click()


def enter(box: Locator, value: str, key: str = "Enter") -> None:
    """Type a value into a field, and leave it by a key."""
    box.fill(value)
    box.press(key)


def end_of(page: Page):
    return page.get_by_role("region", name="How it ended")


def told_answer(page: Page) -> str:
    """The answer, in capitals, once a game is over."""
    tiles = page.locator("h2 + p .tiles")
    expect(tiles).to_have_attribute("aria-label", re.compile("^[A-Z]+$"))
    return str(tiles.get_attribute("aria-label"))


def best_bet(page: Page) -> tuple[str, str]:
    """The word and its chance, once they are there for the rows on the board."""
    expect(page.locator(".help[aria-busy]")).to_have_count(0)
    expect(page.locator(".bet strong")).to_be_visible()
    found = re.match(r"Best bet ([A-Z]+), (.+?%)\.", page.locator(".bet").inner_text())
    assert found
    return found[1], found[2]


def faults(page: Page) -> list[str]:
    """What axe finds, with the first places."""
    found = Axe().run(page).response["violations"]
    return [f"{one['id']}: {[node['html'][:150] for node in one['nodes'][:3]]}" for one in found]


def focused(page) -> str:
    """The name of what has the focus."""
    return page.evaluate("document.activeElement.getAttribute('aria-label') || document.activeElement.innerText.trim()")


def reach(page, name: str, key: str = "Tab") -> None:
    """Go by the keyboard to what has a name that begins so."""
    for _ in range(60):
        page.keyboard.press(key)
        if focused(page).startswith(name):
            return
    raise AssertionError(f"{key} does not reach {name}")
