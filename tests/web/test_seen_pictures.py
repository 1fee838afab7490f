"""Explore with answers of the server: the numbers, texts and links of a view, and what its controls change."""

import math
import re
from typing import Any

import pytest
from playwright.sync_api import expect

from tests.support.cells import true_budget
from tests.support.pages import numbers_of, percent, shown, spoken
from tests.web.conftest import answered
from wordpl import Posterior, RandomizedResponse, channel_family, clue, score_word
from wordpl.simulation import known_errors, known_frontier

USUAL = ["randomized_response", "whole_clue", "ball:1"]
PRESSED = "all => all.map((one) => one.textContent + (one.ariaPressed === 'true' ? '*' : ''))"


@pytest.mark.parametrize(
    ("query", "words", "names", "asks"),
    [
        ("", ("crate", "haste", "proud"), USUAL, 1),
        ("?channel=ball:2&guess=cat&answer=tar&other=cup&epsilon=9&asks=3&seed=7", ("cat", "tar", "cup"),
         [*USUAL, "ball:2"], 3),
        ("?channel=fibble:2&epsilon=inf", ("crate", "haste", "proud"), [*USUAL, "fibble:2"], 1),
    ],
)  # fmt: skip
def test_the_channel_shows_what_it_sends_tells_and_promises(client, address, new_page, query, words, names, asks):
    page = new_page(f"{address}/explore{'/channel' if query else ''}{query}")
    found = answered(client.get(f"/api/channel{query}"))
    (guess, answer, other), chosen, mechanisms = words, names[-1 if query else 0], found["mechanisms"]
    privacy, curve, promise = found["privacy"], found["promise"]["curve"], found["promise"]
    tiles = page.locator(".tab-explore .tiles")
    expect(tiles).to_have_count(1 + len(names))
    sent = [spoken(guess, one["noisy"], found["clue"]) for one in mechanisms]
    assert tiles.evaluate_all("all => all.map(({ ariaLabel }) => ariaLabel)") == [spoken(guess, found["clue"]), *sent]
    assert page.locator("button.pick").evaluate_all(PRESSED) == [name + "*" * (name == chosen) for name in names]
    for label, value in zip(("Guess", "Answer", "Another answer", "Clues in all"), (*words, str(asks)), strict=True):
        expect(page.get_by_label(label, exact=True)).to_have_value(value)
    rows, told = [], []
    for name, one in zip(names, mechanisms, strict=True):
        numbers = [shown(one[number], 3) for number in ("false_marks", "capacity", "noise_entropy")]
        epsilon = shown(float(one["epsilon"]))
        rows.append("".join([name, epsilon, percent(one["mark"][0][0]), *numbers, *map(percent, one["flipped"])]))
        told.append(f"{numbers[1]} bits by {name} at epsilon {epsilon}")
    expect(page.get_by_role("region", name="Mechanisms side by side").locator("tbody tr")).to_have_text(rows)
    kind = "kind=fibble&" if found["fixed"] else ""
    address_of = f"/play?{kind}channel={chosen.replace(':', '%3A')}"
    expect(page.get_by_role("link", name="Play a game with it")).to_have_attribute("href", address_of)
    expect(page.locator(".columns .note:not(:empty)")).to_have_count(len(names))  # what each of them does
    own = next(float(one["epsilon"]) for one in mechanisms if one["channel"] == chosen)
    differing = sum(map(str.__ne__, *(str(clue(guess, word)) for word in (answer, other))))
    promised = "at this epsilon next to nothing is promised."
    if own < 20:  # e^21 is above 10^9
        promised = f"the promise is at most {shown(math.exp(own), 3)}, and at least 1/{shown(math.exp(own), 3)}."
    expect(page.get_by_text("The true clues to")).to_have_text(
        f"The true clues to {answer} and {other} differ in {differing} of {len(guess)} marks. The clue that was seen"
        f" multiplies the odds of {answer} by {shown(promise['factor'], 3)}; {promised}"
    )
    after, low, high = (percent(curve[49][name]) for name in ("posterior", "low", "high"))
    expect(page.locator("figcaption")).to_have_text([
        f"At most, a clue tells {', '.join(told)}.",
        f"If {answer} is at 50%, this clue brings it to {after}. No clue brings it below {low} or above {high}.",
    ])  # fmt: skip
    together = {"epsilon in all": shown(float(privacy["epsilon"]), 6)}
    together |= {f"at ε = {shown(at)}, δ": shown(delta, 3) for at, delta in privacy["deltas"]}
    together |= {f"Rényi divergence of order {order:g}, nats": shown(nats) for order, nats in privacy["renyi"]}
    table = page.get_by_role("region", name="What all clues together promise").locator("tr")
    expect(table).to_have_text(["".join(together), "".join(together.values())])
    points = numbers_of(page.locator("figure").first)
    here = [one for one in mechanisms if one["epsilon"] != "inf"]
    drawn = 61 * (len(names) - found["fixed"])  # which has one epsilon, and no curve
    expect(points).to_have_count(drawn + len(here))
    places: list[tuple[int, list[Any]]] = [
        *((20 + 61 * at, [name, "1", channel_family(name)(1, len(guess)).capacity]) for at, name in enumerate(USUAL)),
        *((drawn + at, ["at this epsilon", shown(one["epsilon"], 6), one["capacity"]]) for at, one in enumerate(here)),
    ]
    for at, (*cells, bits) in places:
        expect(points.nth(at).locator("td")).to_have_text([*cells, shown(bits, 6), "–", "–"])
    beliefs, at = numbers_of(page.locator("figure").last), curve[9]
    ends = [shown(at[name], 6) for name in ("low", "high", "posterior")]
    expect(beliefs.nth(9).locator("td")).to_have_text(["any clue", "0.1", "–", *ends[:2]])
    expect(beliefs.nth(108).locator("td")).to_have_text(["this clue", "0.1", ends[2], "–", "–"])


def test_the_channel_follows_its_controls_and_says_what_they_change(address, new_page):
    page = new_page(f"{address}/explore/channel")
    expect(page.locator("button.pick")).to_have_count(3)
    page.get_by_label("Epsilon, slider").press("End")
    said = re.compile("^The true clues to haste and proud differ in 4 of 5 marks.*100%")
    expect(page.locator("#live")).to_have_text(said)
    name = page.locator("button.pick", has_text="whole_clue")
    name.press("Enter")
    page.get_by_role("button", name="Draw again").click()
    page.get_by_label("Clues in all").select_option("4")
    expect(page).to_have_url(f"{address}/explore/channel?channel=whole_clue&epsilon=inf&asks=4&seed=2")
    boxes = {label: page.get_by_label(label, exact=True) for label in ("Guess", "Answer", "Another answer")}
    boxes["Guess"].fill("slate")
    boxes["Answer"].fill("castle")
    fault = page.locator(".field", has=boxes["Answer"]).locator(".fault")
    expect(fault).to_have_text("“castle” has 6 letters, the words have 5.")
    boxes["Guess"].fill("crates")
    boxes["Answer"].fill("plates")
    expect(boxes["Another answer"]).to_have_value("ground")  # it follows the length
    expect(page).to_have_url(re.compile("guess=crates&answer=plates&other=ground"))
    bits = shown(channel_family("randomized_response")(1, 6).capacity, 6)
    expect(numbers_of(page.locator("figure").first).nth(20).locator("td").nth(2)).to_have_text(bits)
    boxes["Another answer"].fill("<b>x")
    expect(page.get_by_text("has characters that are not letters").first).to_be_visible()
    expect(page.locator("b")).to_have_count(0)
    page.goto(f"{address}/explore/channel?guess=crate&answer=plates")  # which is a word to begin with, but given
    expect(fault).to_have_text("“plates” has 6 letters, the words have 5.")
    page.goto(f"{address}/explore/channel?other=cat&epsilon=20.7")  # the other words follow this one
    expect(boxes["Guess"]).to_have_value("cat")
    expect(boxes["Answer"]).to_have_value("tar")
    most = f"{float(f'{math.exp(20.7):.3g}'):,.0f}"  # from a thousand millions on, nothing is promised
    expect(page.get_by_text(f"the promise is at most {most}, and at least 1/{most}.")).to_be_visible()


# The frontier

NAMES = {"best": "smallest known", "bound": "the bound"}
KINDS = {
    "best": "the smallest of all these strategies",
    "bound": "no strategy can pass",
    "bound, 2 clues": "no strategy with two clues can pass",
}
KINDS |= {"privacy, any clues": "privacy accounting: cannot be passed either"}
KINDS |= dict.fromkeys(("Fifth", "Median", "NinetyFifth"), "our record")
KINDS |= dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy", "G3", "D95"), "published strategy")


def written(name: str, budget: float, rate: int) -> str:
    """A budget with half of its interval."""
    error = known_errors().get(name, [0.0] * 99)[rate - 1]
    return shown(true_budget(name, budget)) + (f" ± {shown(error, 2)}" if error > 0 else "")


@pytest.mark.parametrize(("rate", "more"), [(50, ()), (95, (1, 3)), (1, (4,))])
def test_the_frontier_shows_all_budgets_at_a_win_rate(address, new_page, rate, more):
    kinds = ("clues", "published", "record", "two_clues", "privacy")
    query = "".join(f"&more={kinds[at]}" for at in more)
    page = new_page(f"{address}/explore/frontier?rate={rate}{query}")
    found = page.evaluate("clues => fetch('/api/frontier' + clues).then((answer) => answer.json())",
                          "?clues=3" if 4 in more else "")  # fmt: skip
    curves = known_frontier() | {one["name"]: one["budgets"] for one in found["curves"] if "privacy" in one["name"]}
    here = {name: budgets[rate - 1] for name, budgets in curves.items()}
    here = {name: budget for name, budget in here.items() if budget is not None and math.isfinite(budget)}
    bound, best = (written(name, here[name], rate) for name in ("bound", "best"))
    measured = {name: budget for name, budget in here.items() if not re.search("bound|privacy|^best$", name)}
    holders = [name for name, budget in measured.items() if budget == min(measured.values())]
    best += " (interpolated)" * ("±" in best)
    said = f"to win {rate}% of games takes at least {bound}. The smallest budget known is {best}, with "
    expect(page.locator("figcaption")).to_contain_text(re.compile(f"{re.escape(said)}({'|'.join(holders)}) \\("))
    slider = page.get_by_label("Win rate", exact=True)
    expect(page.locator(".field", has=slider).locator(".note")).to_have_text(f"{rate}%")
    rows = {
        NAMES.get(name, name): f"{NAMES.get(name, name)}{written(name, budget, rate)}{budget / here['bound']:.2f}"
        + KINDS.get(name, KINDS["privacy, any clues"] if "privacy" in name else "ours, best of this many clues")
        for name, budget in here.items()
    }
    if len(rows) > 12:
        page.get_by_role("button", name=f"12 of {len(rows)} rows").click()
    found = page.get_by_role("region", name="Budgets at the chosen win rate").locator("tbody tr:has(td + td)")
    expect(found).to_have_count(len(rows))
    order = found.locator("td:first-child").all_inner_texts()
    here = {NAMES.get(name, name): budget for name, budget in here.items()}
    assert [here[name] for name in order] == sorted(here.values())  # what is equal may stand in either order
    expect(found).to_have_text([rows[name] for name in order])


def test_clues_shows_each_guess_in_numbers(address, new_page):
    page = new_page(f"{address}/explore/clues?guess=crate&guess=zesty&row=haste:.c.i.:9&rule=counted")
    belief = Posterior("original", "counted").update("haste", 9, ".c.i.")
    rows, said = [], []
    for at, guess in enumerate(("crate", "zesty")):
        scores, exact = score_word(belief, 13, guess), belief.clue_probabilities(guess, math.inf)
        section = page.locator(".distributions section").nth(at)
        top = percent(max(belief.clue_probabilities(guess, 13)))
        expect(section.locator("figcaption")).to_have_text(f"The most probable of 243 clues comes with {top}.")
        expect(section.locator(".cell-info")).to_have_text(
            f"{guess.upper()}tells {scores['information_gain']:.2f} bits"
        )
        bits = (scores["clue_entropy"], RandomizedResponse(13).noise_entropy[0], scores["information_gain"])
        chance = dict(zip(belief.words.answers, belief.probabilities, strict=True)).get(guess, 0)
        numbers = [f"{number:.4f}" for number in (*bits, scores["expected_top"])]
        rows.append("".join([guess.upper(), *numbers, percent(chance), str(sum(p > 0 for p in exact))]))
        said.append(f"{guess.upper()}: information gain {shown(scores['information_gain'], 3)} bits")
    expect(page.get_by_role("region", name="The guesses in numbers").locator("tbody tr")).to_have_text(rows)
    left = f"2,315 answers are possible; {shown(belief.entropy)} bits are left to learn."
    expect(page.get_by_text(left)).to_be_visible()
    expect(page.locator(".note .tiles")).to_have_attribute("aria-label", spoken("haste", ".c.i."))
    coach = page.get_by_role("link", name="change these clues")
    query = "game=wordpl&rule=counted&row=haste%3A.c.i.%3A9"
    expect(coach).to_have_attribute("href", f"/coach?{query}")
    expect(page.locator("#live")).to_have_text("; ".join(said))
    page.get_by_label("Words").select_option("fibble")
    expect(page).to_have_url(re.compile("words=fibble"))
    expect(coach).to_have_attribute("href", re.compile("words=fibble.*row=haste"))
