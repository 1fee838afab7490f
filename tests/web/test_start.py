"""The page's start: seven scenes that explain epsilon, by keyboard, by touch, and with the numbers of the channel."""

import itertools
import math
import re
from collections import Counter

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from tests.support.pages import faults, follow
from wordpl import Posterior, RandomizedResponse, clue, load_words
from wordpl.model.clues import clue_strings
from wordpl.scoring import when_to_propose

SCENES = [
    "I lie a little",
    "A die decides when I lie",
    "Would you bet on it?",
    "The promise",
    "Ask again",
    "Your own secret",
    "When to propose",
]
WORDS = ("haste", "proud")


COUNT = """() => {
    const texts = document.createTreeWalker(document.querySelector(".tab-start"), NodeFilter.SHOW_TEXT, (node) =>
        node.parentElement.closest(".tiles, .walk, [hidden]") ? NodeFilter.FILTER_REJECT : NodeFilter.FILTER_ACCEPT);
    let count = 0;
    while (texts.nextNode()) count += (texts.currentNode.data.match(/[\\w.,+=]*\\w[\\w.,]*/g) ?? []).length;
    return count;
}"""


def test_the_scenes_are_walked_by_touch_on_a_phone(address, new_page):
    page = new_page(f"{address}/?seed=7", has_touch=True)
    page.set_viewport_size({"width": 390, "height": 664})

    def tap(name: str) -> None:
        page.get_by_role("button", name=name, exact=True).tap()

    words = 0
    taps = {0: ["Ask", "T present", "Reveal"], 2: ["No, elsewhere"], 4: ["Ask again at 3"] * 3,
            6: ["Ask CRATE at 6", "Ask SLOTH at 13", "Propose HASTE"]}  # fmt: skip
    for at, name in enumerate(SCENES):
        expect(page.locator("h1")).to_have_text(name)
        for button in taps.get(at, []):
            tap(button)
        if at == 3:
            page.get_by_role("group", name="Kinds of clue").get_by_role("button").last.tap()
            expect(page.locator(".scene")).to_contain_text("55 times as often if it is PROUD")
        if at == 1:
            page.get_by_role("slider").tap()  # in its middle
            expect(page.locator(".scene")).to_contain_text("epsilon: 15")
        scheme = ("light", "dark")[at % 2]  # only colours differ, and test_axe.py has their contrasts
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        expect(page.locator("[aria-busy]")).to_have_count(0)
        assert faults(page) == [], f"{name}, {scheme}"
        words += page.evaluate(COUNT)
        for width, height in ((1280, 720), (390, 664)):
            page.set_viewport_size({"width": width, "height": height})
            rest = "document.documentElement.scroll{0} - document.documentElement.client{0}"
            for side in ("Width", "Height"):
                assert page.evaluate(rest.format(side)) <= 0, f"{name} does not fit the {side} of {width}x{height}"
        if at < len(SCENES) - 1:
            tap("Next")
    assert words <= 380
    page.get_by_role("link", name="Play", exact=True).last.tap()
    expect(page.locator("h1")).to_have_text("Play")


READ = """async ([epsilon, asks]) => {
    const noise = await import("/static/start/noise.js");
    const { generator } = await import("/static/random.js");
    const random = generator(5, 1);
    return {
        clues: Object.values(noise.CLUES), kinds: noise.kindsOfClue(epsilon),
        reading: noise.rightReading(epsilon, asks),
        drawn: Array.from({ length: 4000 }, () => noise.noisy("..icc", epsilon, random)),
    };
}"""


def test_the_numbers_of_the_scenes_are_those_of_the_channel(address, new_page):
    page = new_page(address)
    for epsilon, asks in ((0, 3), (3, 4), (12, 1)):
        follow(page, f"/?scene=1&epsilon={epsilon}")
        expect(page.locator("h1")).to_have_text(SCENES[1])
        check_numbers(page, epsilon, asks)


def check_numbers(page: Page, epsilon: float, asks: int) -> None:
    channel = RandomizedResponse(epsilon)
    right, lies = channel.keep, 5 * (1 - channel.keep)
    said = f"{100 * right:.1f}" if right > 0.99 else f"{100 * right:.0f}"
    expect(page.locator(".scene")).to_contain_text(f"{said} of 100 marks are true")
    rounded = f"{lies:.2f}" if lies < 0.1 else f"{lies:.1f}"
    expect(page.locator(".scene")).to_contain_text(f"{rounded} lies a row")
    counted = re.search(r"have (\d+) \(dashed\)", page.locator(".scene").inner_text())
    assert page.locator(".hundred .lie").count() == int(counted[1])

    read = page.evaluate(READ, [epsilon, asks])
    truths = [clue("crate", word) for word in WORDS]
    assert read["clues"] == [truth.show() for truth in truths]
    under = [dict(zip(clue_strings(5), channel.likelihood(truth), strict=True)) for truth in truths]
    sums = [Counter(), Counter()]
    for noisy in clue_strings(5):
        fits = [sum(map(str.__eq__, noisy, truth.show())) for truth in truths]
        for total, likelihoods in zip(sums, under, strict=True):
            total[fits[0] - fits[1]] += likelihoods[noisy]
    assert [kind["more"] for kind in read["kinds"]] == sorted(sums[0], reverse=True)
    for kind in read["kinds"]:
        assert [kind["first"], kind["second"]] == pytest.approx([total[kind["more"]] for total in sums])
        ratio = under[0][kind["example"]] / under[1][kind["example"]]
        assert kind["first"] / kind["second"] == pytest.approx(ratio)
        assert ratio == pytest.approx(math.exp(kind["more"] * epsilon / 5))

    reading = 0.0
    for marks in itertools.product(range(3), repeat=asks):
        counts = Counter(marks)
        if counts[2] == max(counts.values()):
            share = sum(count == counts[2] for count in counts.values())
            reading += math.prod(channel.mark_matrix[2][mark] for mark in marks) / share
    assert read["reading"] == pytest.approx(reading)
    # What is drawn is within five standard errors of what is expected.
    for place, truth in enumerate("..icc"):
        for mark, likely in zip(".ic", channel.mark_matrix[".ic".index(truth)], strict=True):
            drawn = sum(noisy[place] == mark for noisy in read["drawn"])
            assert abs(drawn - 4000 * likely) <= 5 * math.sqrt(4000 * likely * (1 - likely)) + 1e-6, (place, mark)


FIRST = """async ([seeds, streams, draws]) => {
    const { generator } = await import("/static/random.js");
    return Array.from({ length: seeds }, (_, seed) => Array.from({ length: streams }, (_, stream) =>
        Array.from({ length: draws }, generator(seed, stream))));
}"""


def test_what_seeds_that_follow_each_other_draw_is_independent(address, new_page):
    """In 2,000 seeds: every draw, from seed to seed, from draw to draw and from scene to scene."""
    drawn = np.array(new_page(address).evaluate(FIRST, [2000, 6, 4])) - 0.5
    assert -0.5 <= drawn.min() < drawn.max() < 0.5
    first = drawn.reshape(2000, -1)  # each column has what one draw is for each seed
    bound = 5 / math.sqrt(2000)
    assert np.abs(first.mean(axis=0)).max() < bound / math.sqrt(12)
    correlations = np.asarray(np.corrcoef(np.hstack([first[:-1], first[1:]]), rowvar=False))
    assert np.abs(correlations - np.eye(len(correlations))).max() < bound
    # Runs of proposals that are right 41% of the time, and of other chances.
    for chance in (0.05, 0.4062, 0.5, 0.8728):
        won = first + 0.5 < chance
        share = won.mean(axis=0)
        runs = 1 + (won[1:] != won[:-1]).sum(axis=0)
        expected = 1 + 2 * 2000 * share * (1 - share)
        assert (np.abs(runs - expected) < 5 * (expected - 1) / math.sqrt(2000)).all()


PROPOSE = """() => {
    const buttons = () => [...document.querySelectorAll(".scene button")];
    const press = (text) => buttons().find(({ textContent }) => textContent.startsWith(text)).click();
    return Array.from({ length: 30 }, () => {
        ["Ask CRATE", "Ask SLOTH", "Propose HASTE"].forEach(press);
        const won = document.querySelector(".scene [role=status]").textContent.includes("Right: ");
        press("Again");
        return won;
    });
}"""


def test_thirty_proposals_are_lost_in_runs_as_independent_ones_are(address, new_page):
    for seed in (0, 5000):
        page = new_page(f"{address}/?seed={seed}&scene=6")
        expect(page.locator("h1")).to_have_text(SCENES[6])
        won = page.evaluate(PROPOSE)
        assert 3 <= sum(won) <= 22  # 12 are expected
        assert max(len(list(run)) for right, run in itertools.groupby(won) if not right) > 2  # in 98% of such games


def test_the_chances_of_the_last_scene_are_those_of_the_posterior(address, new_page):
    asks = new_page(address).evaluate("""async () => (await import("/static/start/promise.js")).ASKS""")
    belief = Posterior(load_words("original"))
    assert len(belief.words.answers) == 2315
    for ask in asks:
        belief = belief.update(ask["guess"], ask["epsilon"], ask["clue"])
        assert (ask["best"], pytest.approx(ask["chance"], abs=5e-5)) == belief.top
        assert ask["advice"] == when_to_propose(belief).text
