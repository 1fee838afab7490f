"""The channel in a browser: sliders move the tile, the row and the promise; mistakes stand beside their field."""

import re

from playwright.sync_api import Page, expect

VIEW = "/explore/channel"


def panel(page: Page, heading: str):
    return page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))


def clue(page: Page) -> str:
    return panel(page, "One row").get_by_role("img").nth(1).get_attribute("aria-label")


def test_the_slider_moves_everything(explore, new_page):
    page = new_page(explore, "phone")
    tile = panel(page, "One tile").locator("tbody tr").first
    expect(tile).to_contain_text("57.6%")
    expect(panel(page, "One row")).to_contain_text("All 5 marks survive with probability 6.35%")
    expect(panel(page, "What a clue can tell")).to_contain_text("0.889 bits")
    expect(panel(page, "What it promises")).to_contain_text("the promise is at most 148, and at least 1/148")
    expect(page.locator(".plot .curve").first).to_be_visible()
    slider = page.get_by_label("Epsilon, slider")
    slider.press("End")
    expect(tile).to_contain_text("100%")
    expect(panel(page, "What it promises")).to_contain_text("at this epsilon next to nothing is promised")
    expect(page).to_have_url(f"{explore}?epsilon=inf")
    assert "flipped" not in clue(page)
    slider.press("Home")
    expect(tile).to_contain_text("33.8%")
    expect(page.locator("#live")).to_have_text(re.compile("kept with probability .* 33.8%"))


def test_drawing_again_gives_other_noise_and_the_address_keeps_it(explore, new_page):
    page = new_page(f"{explore}?epsilon=2")
    expect(panel(page, "One row").get_by_role("img")).to_have_count(2)
    seen = {clue(page)}
    for seed in range(2, 6):
        page.get_by_role("button", name="Draw again").click()
        expect(page).to_have_url(f"{explore}?epsilon=2&seed={seed}")
        seen.add(clue(page))
    assert len(seen) > 1
    shown = clue(page)
    page.reload()
    expect(panel(page, "One row").get_by_role("img").nth(1)).to_have_attribute("aria-label", shown)


def test_the_prior_moves_the_posterior(explore, new_page):
    page = new_page(explore, "phone")
    promise = panel(page, "What it promises")
    expect(promise).to_contain_text("From 50% before, haste goes to 73.1%. Any clue leaves it from 0.669% to 99.3%.")
    page.get_by_label("Probability of the answer before the clue").press("Home")
    expect(promise).to_contain_text("From 1% before")
    expect(page).to_have_url(f"{explore}?prior=1")


def test_a_mistake_stands_beside_its_field_until_it_is_mended(explore, new_page):
    page = new_page(explore)
    answer = page.get_by_label("Answer", exact=True)
    answer.fill("castle")
    fault = page.locator(".field", has=answer).locator(".fault")
    expect(fault).to_have_text("'castle' has 6 letters, the words have 5.")
    expect(answer).to_have_attribute("aria-invalid", "true")
    answer.fill("crane")
    expect(fault).to_be_hidden()
    expect(panel(page, "What it promises")).to_contain_text("crane")
    page.get_by_label("Another answer").fill("<b>x")
    expect(page.get_by_text("has characters that are not letters").first).to_be_visible()
    assert page.locator("b").count() == 0


def test_an_address_that_makes_no_sense_shows_the_usual_and_fibble_is_chosen_there(explore, new_page):
    page = new_page(f"{explore}?epsilon=1e99&seed=x&prior=<b>&channel=none")
    expect(panel(page, "One tile").locator("tbody tr").first).to_contain_text("57.6%")
    expect(panel(page, "What it promises")).to_contain_text("From 50% before")
    page.get_by_label("Channel", exact=True).select_option("fibble")
    expect(panel(page, "One tile")).to_contain_text("A mark is kept with probability 80%")
    expect(page.get_by_label("Epsilon, slider")).to_be_hidden()
    expect(panel(page, "One row").locator(".tile.flipped")).to_have_count(1)
    expect(page).to_have_url(f"{explore}?channel=fibble")
