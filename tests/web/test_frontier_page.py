"""The frontier in a browser: a win rate is chosen with the keyboard, and the budgets are read."""

from playwright.sync_api import Page, expect

from tests.support.pages import follow
from wordpl.simulation import WIN_RATES, known_errors, known_frontier

VIEW = "/explore/frontier"


def budget(page: Page, name: str):
    rows = page.get_by_role("region", name="Budgets at the chosen win rate").locator("tbody tr")
    return rows.filter(has=page.get_by_role("cell", name=name, exact=True)).locator("td").nth(1)


def expected(name: str, percent: int) -> str:
    at = WIN_RATES.index(percent / 100)
    error = known_errors().get(name, [0.0] * 99)[at]
    return f"{known_frontier()[name][at]:.4g}" + (f" ± {error:.2g}" if error else "")


def test_the_slider_moves_with_the_keyboard_and_the_budgets_follow(explore, new_page):
    page = new_page(explore, "phone")
    expect(page.locator(".plot .curve").first).to_be_visible()
    expect(budget(page, "best")).to_have_text(expected("best", 50))
    ratio = known_frontier()["best"][49] / known_frontier()["bound"][49]
    expect(budget(page, "best").locator("xpath=following-sibling::td[1]")).to_have_text(f"{ratio:.2f}")
    for name, kind in (("best", "smallest known"), ("bound", "no strategy can pass"), ("Median", "our record")):
        expect(budget(page, name).locator("xpath=following-sibling::td[2]")).to_have_text(kind)
    expect(budget(page, "bound, 2 clues")).to_have_text("27.29")  # it is 27.296; more would be no bound
    expect(budget(page, "privacy, any clues")).to_have_text("7.746")  # it is 7.7467
    drawn = ["MaxClueEntropy", "smallest known", "the bound", "our records", "published records"]
    expect(page.locator(".plot .name")).to_have_text(drawn)
    page.get_by_label("the bound with two clues").check()
    expect(page.locator(".plot .name")).to_have_text([*drawn[:3], "bound, 2 clues", *drawn[3:]])
    page.get_by_label("the bound with two clues").uncheck()
    chart = page.get_by_role("figure", name="No strategy can pass the bound: to win 50% of games takes at least 23.03.")
    expect(chart.locator("figcaption")).to_contain_text("The smallest budget known is 36.24 ± 0.019, with Median.")
    chart.get_by_text("Numbers").click()
    expect(chart.get_by_role("row", name="smallest known 36.24")).to_be_visible()
    slider = page.get_by_label("Win rate", exact=True)
    slider.press("End")
    expect(budget(page, "bound")).to_have_text(expected("bound", 99))
    expect(budget(page, "2 clues")).to_have_count(0)
    expect(page).to_have_url(f"{explore}?rate=99")
    best, bound = (expected(name, 99) for name in ("best", "bound"))
    expect(page.locator("#live")).to_have_text(
        f"99% of games won: smallest budget known {best}, no strategy below {bound}."
    )
    follow(page, f"{VIEW}?rate=5&clues=1&more=privacy")
    expect(budget(page, "privacy, 1 clue")).to_have_text("4.802")
    page.get_by_label("Number of clues for privacy accounting").select_option("2")
    expect(page).to_have_url(f"{explore}?rate=5&more=privacy&clues=2")
