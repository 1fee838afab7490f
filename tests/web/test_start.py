"""The page's start: five scenes that tell of Wordle under differential privacy, by keyboard, by touch, and with the
numbers of the channel."""

import math
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.support.pages import WIDE, expect_none, faults, follow, percent, shown, spoken
from wordpl import Posterior, RandomizedResponse, clue, load_words
from wordpl.model.clues import clue_strings
from wordpl.scoring import when_to_propose
from wordpl.scoring.proposal import PRICE
from wordpl.web.record_holders import record_holders

SCENES = [
    "Wordle that lies a little",
    "Whose secret is it?",
    "A die decides when I lie",
    "The promise",
    "When to propose",
]
GUESS, WORDS = "trade", ("haste", "proud")


def scene(page: Page, at: int) -> Locator:
    return page.locator(".scene").nth(at)


def test_the_scenes_are_played_by_touch_on_a_phone(address, new_page):
    page = new_page(f"{address}/?seed=7", has_touch=True)
    page.set_viewport_size({"width": 390, "height": 664})
    expect(page.locator(".about")).to_contain_text(re.compile("Wordle under differential privacy.*secret"))
    expect(page.locator(".scene :is(h1, h2)")).to_have_text(SCENES)
    expect(scene(page, 0).get_by_role("button", name="Your turn")).to_be_in_viewport(ratio=1)
    taps = {0: ["Your turn", "T present", "Reveal"], 2: ["Draw again"], 3: ["HASTE", "PROUD"] * 5,
            4: ["Ask SOARE at 13", "Ask LEUCH at 20", "Propose PHASE"]}  # fmt: skip
    for at in range(len(SCENES)):
        for button in taps.get(at, []):
            scene(page, at).get_by_role("button", name=button, exact=True).tap()
        if at in (1, 2):
            slider = scene(page, at).get_by_role("slider")
            slider.tap(position={"x": (0.9, 0.5)[at - 1] * slider.bounding_box()["width"], "y": 9})
            expect(scene(page, at)).to_contain_text(("Central model", "At ε 15,")[at - 1])
    expect(scene(page, 3)).to_contain_text("epsilon ε 15")  # one epsilon for both
    assert faults(page) == []
    expect_none(page, WIDE, "pixels too wide")
    page.goto(f"{address}/?scene=3")  # as from Play
    expect(scene(page, 3).locator("h2")).to_be_in_viewport()
    expect(scene(page, 3).locator("h2")).to_be_focused()


def test_the_game_that_plays_itself_tells_its_lies(address, new_page):
    still = new_page(address, reduced_motion="reduce")
    expect(still.locator(".thrown > [role=img]")).to_have_count(3)
    rows = [row.get_attribute("aria-label") for row in still.locator(".thrown > [role=img]").all()]
    lies = sum(row.count(" was ") for row in rows)
    assert lies > 0
    expect(still.locator(".cube.lie")).to_have_count(lies)
    expect(still.locator(".told")).to_contain_text(f"The word is HASTE, and {lies} marks lied")
    for guess, row in zip((GUESS, "sloth", "haste"), rows, strict=True):
        true = dict(re.findall(r"(\w) was (\w+)", row))
        told = [true.get(mark[0], mark[2:]) for mark in row.partition("; flipped")[0].split(", ")]
        assert ", ".join(f"{letter} {name}" for letter, name in zip(guess.upper(), told, strict=True)) == spoken(
            guess, str(clue(guess, "haste"))
        )


READ = """async (epsilon) => {
    const noise = { ...await import("/static/start/noise.js"), ...await import("/static/start/promise.js") };
    const { generator } = await import("/static/random.js");
    const random = generator(5, 1);
    return {
        drawn: Array.from({ length: 4000 }, () => noise.noisy("..icc", epsilon, random)),
        rounds: Array.from({ length: 400 }, () => noise.roundsOf(random, epsilon)).flat(),
    };
}"""
BARS = """bars => bars.map((bar) => [bar.ariaLabel, bar.textContent, bar.querySelectorAll("mark").length,
    [...bar.querySelectorAll(".gauge > span")].map(({ style }) => parseFloat(style.width))])"""


def under(word: str, epsilon: float) -> dict[str, float]:
    """The probability of each clue to the guess if that word is the answer."""
    return dict(zip(clue_strings(5), RandomizedResponse(epsilon).likelihood(clue(GUESS, word)), strict=True))


def times(ratio: float) -> str:
    return f"{ratio:.2g}" if ratio < 10 else f"{ratio:,.0f}"


@pytest.mark.parametrize("epsilon", [0, 12])
def test_the_bars_and_dice_are_those_of_the_channel(address, new_page, epsilon):
    """Each bar is one clue, and the largest ratio of all 243 stands where it is marked."""
    page = new_page(f"{address}/?epsilon={epsilon}")
    haste, proud = (under(word, epsilon) for word in WORDS)
    most = max(haste[other] / proud[other] for other in haste)
    bars = page.get_by_role("list", name="How often each clue comes up").get_by_role("listitem")
    expect(bars).to_have_count(6)
    lengths = []
    for label, text, marked, widths in bars.evaluate_all(BARS):
        marks, first, second = re.findall(r"[ci.]{5}(?=:)|[\d.]+(?= of| if P)", label)
        for said, chance in ((first, haste[marks]), (second, proud[marks])):
            assert float(said) == pytest.approx(max(100 * chance, 1e-4), rel=0.05)
        ratio = max(haste[marks] / proud[marks], proud[marks] / haste[marks])
        assert marked == (marks in [str(clue(GUESS, word)) for word in WORDS])
        assert not marked or ratio == pytest.approx(most) == pytest.approx(math.exp(epsilon))
        assert text.endswith("as often" if ratio == 1 else f"{times(ratio)} times")
        lengths += zip(widths, (haste[marks], proud[marks]), strict=True)
    longest = max(chance for _, chance in lengths)
    assert [width for width, _ in lengths] == pytest.approx([100 * one / longest for _, one in lengths], abs=0.01)
    counted = int(re.search(r"Drawn: (\d+) \(dashed\)", scene(page, 2).inner_text())[1])
    drawn = page.locator(".hundred .cell").evaluate_all("all => all.map((one) => one.dataset.mark).join('')")
    assert sum(map(str.__ne__, drawn, str(clue(GUESS, "haste")) * 100)) == counted


def test_the_numbers_of_the_scenes_are_those_of_the_channel(page):
    """What is drawn is within five standard errors of what is expected."""
    read, channel = page.evaluate(READ, 3), RandomizedResponse(3)
    haste, proud = (under(word, 3) for word in WORDS)
    best = sum(max(haste[noisy], proud[noisy]) for noisy in haste) / 2
    for place, truth in enumerate("..icc"):
        for mark, likely in zip(".ic", channel.mark_matrix[".ic".index(truth)], strict=True):
            drawn = sum(noisy[place] == mark for noisy in read["drawn"])
            assert abs(drawn - 4000 * likely) <= 5 * math.sqrt(4000 * likely * (1 - likely)), (place, mark)
    # Who always calls the likelier word hits as often as the best can.
    hits = sum((haste[one["clue"]] > proud[one["clue"]]) == (one["word"] == "HASTE") for one in read["rounds"])
    assert abs(hits - 4000 * best) <= 5 * math.sqrt(1000)
    assert abs(sum(one["word"] == "HASTE" for one in read["rounds"]) - 2000) <= 5 * math.sqrt(1000)


def test_ten_calls_are_counted_beside_the_best_and_drawn_again(address, new_page):
    page = new_page(f"{address}/?seed=7&epsilon=2")
    status = scene(page, 3).get_by_role("status")
    page.get_by_role("button", name="PROUD").focus()
    hits = 0
    for called in range(10):
        page.keyboard.press("Enter")
        expect(status).to_contain_text(re.compile(rf"\b{called + 1}\. And this|of 10"))
        right = status.inner_text().startswith("Right: it was PROUD. ")
        assert right or status.inner_text().startswith("Wrong: it was HASTE. ")
        hits += right
    haste, proud = (under(word, 2) for word in WORDS)
    best = 50 * sum(max(haste[noisy], proud[noisy]) for noisy in haste)
    expect(status).to_contain_text(f"You hit {hits} of 10, by skill and luck.")
    limit = f"with any mechanism at this ε, {100 / (1 + math.exp(-2)):.0f}:"
    expect(status).to_contain_text(f"On average nobody hits more than {best:.0f} of 100; {limit}")
    page.keyboard.press("Enter")  # it has the focus, and draws ten more
    expect(status).to_contain_text("10 clues at ε 2.")
    page.keyboard.press("Enter")
    scene(page, 2).get_by_role("slider").press("End")  # one epsilon for both; what was called was of the other
    expect(status).to_have_text("10 clues at ε 30. Which word gave this one?")


@pytest.mark.parametrize(("central", "epsilon"), [(False, 5), (True, 1)])
def test_the_scenes_say_what_is_true_of_their_noise(address, new_page, central, epsilon):
    query = "&asked=yes&believe=tr&shown=yes&die=company&epsilon=1" if central else ""
    page = new_page(f"{address}/?seed=7{query}", reduced_motion="reduce")
    expect(page.locator(".hundred")).to_be_visible()
    truth, kept = str(clue(GUESS, "haste")), RandomizedResponse(epsilon).keep
    if central:
        rows = [str(row.get_attribute("aria-label")) for row in scene(page, 0).get_by_role("img").all()]
        noisy = "".join({"a": ".", "p": "i", "c": "c"}[mark[2]] for mark in rows[0].partition(";")[0].split(", "))
        assert rows == [spoken(GUESS, noisy, truth), spoken(GUESS, truth)]
        true = [seen == mark for seen, mark in zip(noisy, truth, strict=True)]
        told = f"You believed 2; {sum(true[:2])} told the truth. {5 - sum(true)} of 5 lied (dashed)"
        expect(scene(page, 0)).to_contain_text(told)
    places = page.locator(".places").get_by_role("img")
    known, company, public = places.evaluate_all("all => all.map(({ ariaLabel }) => ariaLabel)")
    assert (known, company) == (spoken(GUESS, truth), known if central else public) and known != public
    known = "Google’s symptoms 1.68 (source), US Census 2020 17.14 (source)" if central else "Apple’s emoji 4 (source)"
    expect(scene(page, 1)).to_contain_text(f"Epsilons in use: {known}.")
    die = f"{100 * kept:.2g} of 100 marks are true (blind guesses: 33). Expect {shown(5 - 5 * kept, 2)} lies a row:"
    die = f"At ε {epsilon}, {die} {500 - 500 * kept:.0f} here."
    expect(scene(page, 2)).to_contain_text(f"{die} Drawn: {page.locator('.cell.lie').count()} (dashed)")
    expect(scene(page, 3)).to_contain_text(f"here e{epsilon} = {times(math.exp(epsilon))}.")
    said = f"Spent 0, which promises e0. ABACK is right with a chance of {percent(1 / 2315)}."
    expect(scene(page, 4).get_by_role("status")).to_contain_text(said)


def test_the_asks_and_chances_of_the_last_scene_are_those_of_the_framework(address, new_page):
    page = new_page(f"{address}/?seed=7&clicks=p")  # a proposal that one seed in 2,300 wins
    expect(scene(page, 4).get_by_role("status")).to_have_text(
        "Wrong: it was another word. You spent 0. This draw decided it: 0.0432% of such games are won. "
        "The next most probable was ABASE."
    )
    made = page.evaluate("""async () => ({ ...await import("/static/start/promise.js") })""")
    shown, records = made["STANDINGS"], made["RECORDS"]
    assert records == [{"budget": one.budget, "percentile": one.percentile} for one in record_holders()]
    follow(page, "/?seed=7&clicks=aa")
    expect(page.locator(".asked li")).to_have_text([re.compile("ε 13$"), re.compile("ε 20$")])
    said = f"Spent 13 + 20 = 33, which promises e33. PHASE is right with a chance of 38.7%.{shown[2]['advice']}"
    expect(scene(page, 4).get_by_role("status")).to_have_text(said)
    expect(page.get_by_role("button", name="Ask STAMP at 20")).to_be_visible()
    label = "After 33 spent, the best bet is PHASE, at 38.7%."
    expect(page.locator(".plot > svg")).to_have_attribute("aria-label", label)
    expect(scene(page, 4)).to_contain_text(f"by more than ε/{PRICE:g}, or prepares asks that do.")
    belief, advised = Posterior(load_words("original")), None
    assert len(belief.words.answers) == 2315
    for standing in shown:
        if advised:
            assert (standing["guess"], standing["epsilon"]) == (advised.guess, advised.epsilon)
            belief = belief.update(standing["guess"], standing["epsilon"], standing["clue"])
        assert (standing["best"], pytest.approx(standing["chance"], abs=5e-5)) == belief.top
        two = (-belief.probabilities).argsort(kind="stable")[:2]
        assert [standing["best"], standing["second"]] == [belief.words.answers[i] for i in two]
        advised = when_to_propose(belief)
        assert standing["advice"] == advised.text
        assert standing.get("raised") == (advised.raised and pytest.approx(advised.raised, abs=5e-5))
    assert advised.guess is None


def test_a_proposal_ends_the_last_scene_and_it_starts_over(address, new_page):
    page = new_page(f"{address}/?seed=7&clicks=aaa")
    last, buttons = scene(page, 4), scene(page, 4).locator("button:visible")
    expect(buttons).to_have_text(["Propose HASTE"])
    buttons.click()
    expect(buttons).to_have_text(["Draw again", "Start over"])
    for seed, end in ((0, "Right: you score 53."), (10, "Wrong: it was another word. You spent 53.")):
        follow(page, f"/?seed={seed}&clicks=aaap")
        told = f"{end} This draw decided it: 84.8% of such games are won. The next most probable was HAUTE."
        expect(last.get_by_role("status")).to_have_text(told)
    buttons.first.click()
    expect(page).to_have_url(re.compile(r"seed=11$"))
    buttons.last.click()
    expect(buttons).to_have_text(["Ask SOARE at 13", "Propose ABACK"])
