"""The channel in a browser: one slider moves three mechanisms, and the numbers are those of the package."""

import math

from playwright.sync_api import Page, expect

import wordpl
from tests.support.pages import numbers_of, percent, shown

VIEW = "/explore/channel"


def panel(page: Page, heading: str):
    return page.locator("section", has=page.get_by_role("heading", name=heading, exact=True))


def test_one_slider_moves_three_mechanisms_by_keyboard(explore, new_page):
    page = new_page(explore, "phone")
    channel, compared = wordpl.RandomizedResponse(5), page.get_by_role("region", name="Mechanisms side by side")
    shares = [math.comb(5, lies) * channel.keep ** (5 - lies) * (1 - channel.keep) ** lies for lies in range(6)]
    told = ["57.6%", f"{5 - 5 * channel.keep:.3g}", "0.889", f"{channel.noise_entropy[0]:.3g}"]
    row = ["randomized_response", *told, *(f"{100 * share:.3g}%" for share in shares)]
    expect(compared.locator("tbody tr").first.locator("td")).to_have_text(row)
    expect(panel(page, "What a clue can tell")).to_contain_text("0.889 bits")
    promise = panel(page, "What it promises")
    values = promise.locator("tbody tr td:last-child")
    privacy = wordpl.limits.privacy_of(channel, 1)
    deltas = [f"{privacy.delta(part * 5):.3g}" for part in (0.25, 0.5, 0.75)]
    expect(values).to_have_text(["5", *deltas, *(f"{privacy.renyi(order):.4g}" for order in (2, 8))])
    told = page.evaluate("fetch('/api/channel').then((answer) => answer.json())")["promise"]
    expect(promise).to_contain_text(f"multiplies the odds of haste by {told['factor']:.3g};")
    expect(promise).to_contain_text(f"From 50% before, haste goes to {100 * told['curve'][49]['posterior']:.3g}%.")
    expect(promise).to_contain_text(f"The true clues to haste and proud differ in {told['differing']} of 5 marks.")
    names = [*(f"δ at ε = {part}" for part in ("1.25", "2.5", "3.75")), *(f"order {order}, nats" for order in (2, 8))]
    expect(promise.locator("tbody tr td:first-child")).to_contain_text(["ε", *names])
    expect(page.get_by_text("each mark is kept with e^(ε/5) / (2 + e^(ε/5))")).to_be_visible()
    families = ("randomized_response", "whole_clue", "ball:1")
    most = [f"{wordpl.channel_family(name)(5, 5).capacity:.3g} bits by {name} at epsilon 5" for name in families]
    bits = panel(page, "What a clue can tell").locator("figure")
    expect(bits.locator("figcaption")).to_have_text(f"At most, a clue tells {', '.join(most)}.")
    for at, name in ((20, "randomized_response"), (81, "whole_clue"), (142, "ball:1")):
        point = [name, "1", shown(wordpl.channel_family(name)(1, 5).capacity, 6)]
        expect(numbers_of(bits).nth(at).locator("td")).to_have_text([*point, "–", "–"])
    beliefs = [told["curve"][49][name] for name in ("posterior", "low", "high")]
    after, low, high = map(percent, beliefs)
    caption = f"A clue that finds haste at 50% leaves it at {after}; any clue leaves it from {low} to {high}."
    expect(promise.locator("figcaption")).to_have_text(caption)
    for said in ("the promise is at most 148, and at least 1/148", "Any clue leaves it from 0.669% to 99.3%."):
        expect(promise).to_contain_text(said)
    slider = page.get_by_label("Epsilon, slider")
    slider.press("End")
    expect(promise).to_contain_text("at this epsilon next to nothing is promised")
    expect(page).to_have_url(f"{explore}?epsilon=inf")
    name = page.locator("button.pick", has_text="whole_clue")
    name.press("Enter")
    expect(name).to_be_focused()
    page.get_by_label("Channel").fill("ball:2")
    expect(compared.locator("tbody tr")).to_have_count(4)


def test_a_mistake_stands_beside_its_field_until_it_is_mended(explore, new_page):
    page = new_page(explore)
    answer = page.get_by_label("Answer", exact=True)
    page.get_by_label("Guess", exact=True).fill("slate")
    answer.fill("castle")
    fault = page.locator(".field", has=answer).locator(".fault")
    expect(fault).to_have_text("“castle” has 6 letters, the words have 5.")
    expect(answer).to_have_attribute("aria-invalid", "true")
    answer.fill("crane")
    expect(fault).to_be_hidden()
    page.get_by_label("Guess", exact=True).fill("crates")
    answer.fill("plates")
    expect(page.get_by_label("Another answer")).to_have_value("ground")  # it follows the length
    expect(page.locator(".fault:visible")).to_have_count(0)
    page.get_by_label("Another answer").fill("<b>x")
    expect(page.get_by_text("has characters that are not letters").first).to_be_visible()
    expect(page.locator("b")).to_have_count(0)
    page.reload()  # nothing typed is lost
    expect(page.get_by_label("Another answer")).to_have_value("<b>x")
