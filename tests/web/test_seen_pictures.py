"""Explore as it is read: each text, link, field and number of a view."""

import math
import re

import pytest
from playwright.sync_api import expect

from tests.support.pages import (
    RULES,
    choice,
    expect_seen,
    link,
    numbers_of,
    percent,
    shown,
    slider,
    spoken,
    words_choice,
)
from tests.web.conftest import answered
from wordpl import Posterior, RandomizedResponse, channel_family, clue, score_word
from wordpl.simulation import known_errors, known_frontier

VIEWS = {"channel": "The channel", "frontier": "The frontier", "clues": "Clues", "matrix": "Matrix"}
MEANINGS = {
    "randomized_response": "letter by letter: a true mark is eε/{0} times as likely as each false one",
    "whole_clue": "the true clue is eε times as likely as any other",
    "ball:1": "clues with at most one false mark are eε times as likely as others",
}
MECHANISM = "randomized_response"
OTHERS = "One of the names above, or another to set beside them: ball:2, fibble, fibble:3, levels:9,3,1,1,1,1"


def exploring(view: str) -> list[str]:
    links = (f"[{text}](/explore/{name}){'*' if name == view else ''}" for name, text in VIEWS.items())
    return ["Explore", "".join(links)]


def mechanisms(names: list[str], found: dict, guess: str, chosen: str) -> list[str]:
    """What each mechanism sends, side by side and in numbers, which are the server's."""
    sent, rows, most = [], [], []
    for name, one in zip(names, found["mechanisms"], strict=True):
        meant = [MEANINGS[name].format(len(guess))] if name in MEANINGS else []
        sent += [f"<{name}>{'*' * (name == chosen)}", f"«{spoken(guess, one['noisy'], found['clue'])}»", *meant]
        numbers = [shown(one[number], 3) for number in ("false_marks", "capacity", "noise_entropy")]
        rows.append(" | ".join([name, percent(one["mark"][0][0]), *numbers, *map(percent, one["flipped"])]))
        most.append(f"{numbers[1]} bits by {name} at epsilon {shown(float(one['epsilon']))}")
    heads = ["mechanism", "a mark is true", "false marks, mean", "a clue tells at most, bits", "noise in it, bits"]
    heads = [f"<{head}>" for head in (*heads, *(f"{n} false" for n in range(len(guess) + 1)))]
    fixed = {"kind": "fibble"} if found["fixed"] else {}
    play = link("Play a game with it", "/play", **fixed, channel=chosen)
    return [
        f"true clue«{spoken(guess, found['clue'])}»", *sent, "<Draw again>", f"{{Channel: {chosen}}}", OTHERS + play,
        "Side by side", " | ".join(heads), *rows, "What a clue can tell", f"At most, a clue tells {', '.join(most)}.",
        "«bits against epsilon»",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("query", "words", "names", "epsilon", "asks"),
    [
        ("", ("crate", "haste", "proud"), [], 5.0, 1),
        ("?channel=ball:2&guess=cat&answer=tar&other=cup&epsilon=9&asks=3&seed=7", ("cat", "tar", "cup"), ["ball:2"],
        9.0, 3),
        ("?channel=fibble:2&epsilon=inf", ("crate", "haste", "proud"), ["fibble:2"], math.inf, 1),
    ],
)  # fmt: skip
def test_the_channel_shows_what_it_sends_tells_and_promises(
    client, address, new_page, query, words, names, epsilon, asks
):
    page = new_page(f"{address}/explore{'/channel' if query else ''}{query}")
    found = answered(client.get(f"/api/channel{query}"))
    guess, answer, other = words
    chosen = (names or list(MEANINGS))[0]
    own = next(float(one["epsilon"]) for one in found["mechanisms"] if one["channel"] == chosen)
    privacy, curve = found["privacy"], found["promise"]["curve"]
    at = curve[49]
    seen, others = (str(clue(guess, word)) for word in (answer, other))
    differing = sum(map(str.__ne__, seen, others))
    factor = found["promise"]["factor"]
    promised = "at this epsilon next to nothing is promised."
    if own < 20:  # e^21 is above 10^9
        promised = f"the promise is at most {shown(math.exp(own), 3)}, and at least 1/{shown(math.exp(own), 3)}."
    after, low, high = (percent(at[name]) for name in ("posterior", "low", "high"))
    together = {"epsilon in all": shown(float(privacy["epsilon"]), 6)}
    together |= {f"at ε = {shown(at)}, δ": shown(delta, 3) for at, delta in privacy["deltas"]}
    together |= {f"Rényi divergence of order {order:g}, nats": shown(nats) for order, nats in privacy["renyi"]}
    expect_seen(page.get_by_role("main"), [
        *exploring("channel"), "One epsilon, several mechanisms",
        "A mechanism, or channel, makes a clue noisy. See what each sends in place of the true clue.",
        *(f"{{{label}: {word}}}" for label, word in zip(("Guess", "Answer", "Another answer"), words, strict=True)),
        f"{{Epsilon: {shown(epsilon)}}}",
        f"{{Epsilon, slider: {'infinity, no noise' if epsilon == math.inf else shown(epsilon)}}}",
        *mechanisms([*MEANINGS, *names], found, guess, chosen), "What it promises",
        "However you guess, a clue changes the odds of one answer against another at most by the factor eε, up or"
        " down.",
        f"The true clues to {answer} and {other} differ in {differing} of {len(guess)} marks. The clue that was seen"
        f" multiplies the odds of {answer} by {shown(factor, 3)}; {promised}",
        f"A clue that finds {answer} at 50% leaves it at {after}; any clue leaves it from {low} to {high}.",
        f"«after against probability of {answer} before»", "All clues together",
        choice("Clues in all", map(str, range(1, 11)), asks - 1), " | ".join(f"<{name}>" for name in together),
        " | ".join(together.values()),
    ])  # fmt: skip
    expect(page).to_have_title("The channel · WORDPL")
    points = numbers_of(page.locator("figure").first)
    here = [one for one in found["mechanisms"] if one["epsilon"] != "inf"]
    drawn = 61 * (len(found["mechanisms"]) - found["fixed"])  # which has one epsilon, and no curve
    expect(points).to_have_count(drawn + len(here))
    numbers = {20: ["randomized_response", "1"], 81: ["whole_clue", "1"], 142: ["ball:1", "1"]}
    numbers = {at: [*row, shown(channel_family(row[0])(1, len(guess)).capacity, 6)] for at, row in numbers.items()}
    for at, one in enumerate(here, start=drawn):
        numbers[at] = ["at this epsilon", shown(one["epsilon"], 6), shown(one["capacity"], 6)]
    for at, cells in numbers.items():
        expect(points.nth(at).locator("td")).to_have_text([*cells, "–", "–"])
    first = shown(channel_family(MECHANISM)(0.1, len(guess)).capacity, 3)
    told = (f"{MECHANISM} at epsilon 0.1: {first} bits", f"before 1%, after {percent(curve[0]['posterior'])}; any clue:"
            f" {percent(curve[0]['low'])} to {percent(curve[0]['high'])}")  # fmt: skip
    for figure, text in zip(page.locator("figure").all(), told, strict=True):
        expect(figure.locator(".plot > svg")).to_have_attribute("aria-valuetext", text)
    beliefs, at = numbers_of(page.locator("figure").last), curve[9]
    ends = [shown(at[name], 6) for name in ("low", "high", "posterior")]
    expect(beliefs.nth(9).locator("td")).to_have_text(["any clue", "0.1", "–", *ends[:2]])
    expect(beliefs.nth(108).locator("td")).to_have_text(["this clue", "0.1", ends[2], "–", "–"])


def test_the_channel_follows_its_controls_and_says_what_they_change(address, new_page):
    page, capacities = new_page(f"{address}/explore/channel"), []
    expect(page.locator("button.pick")).to_have_count(3)
    page.on("request", lambda one: capacities.append(one.url) if "capacity" in one.url else None)
    page.get_by_label("Epsilon, slider").press("End")
    said = re.compile("^The true clues to haste and proud differ in 4 of 5 marks.*100%")
    expect(page.locator("#live")).to_have_text(said)
    name = page.locator("button.pick", has_text="whole_clue")
    name.press("Enter")
    expect(name).to_be_focused()
    page.get_by_role("button", name="Draw again").click()
    page.get_by_label("Clues in all").select_option("4")
    expect(page).to_have_url(f"{address}/explore/channel?channel=whole_clue&epsilon=inf&asks=4&seed=2")
    page.get_by_label("Channel").fill("fibble")
    expect(page.get_by_role("region", name="Mechanisms side by side").locator("tbody tr")).to_have_count(4)
    assert capacities == []  # those of this length are here
    boxes = {label: page.get_by_label(label, exact=True) for label in ("Guess", "Answer", "Another answer")}
    expect(boxes["Guess"]).to_have_value("crate")  # it follows a word, and no channel
    boxes["Guess"].fill("slate")
    boxes["Answer"].fill("castle")
    fault = page.locator(".field", has=boxes["Answer"]).locator(".fault")
    expect(fault).to_have_text("“castle” has 6 letters, the words have 5.")
    expect(boxes["Answer"]).to_have_attribute("aria-invalid", "true")
    boxes["Guess"].fill("parted")
    expect(page.locator(".fault:visible")).to_have_count(0)  # what was wrong with another field is not any more
    boxes["Guess"].fill("crates")
    boxes["Answer"].fill("plates")
    expect(boxes["Another answer"]).to_have_value("ground")  # it follows the length
    expect(page).to_have_url(re.compile("guess=crates&answer=plates&other=ground"))
    bits = shown(channel_family("randomized_response")(1, 6).capacity, 6)
    expect(numbers_of(page.locator("figure").first).nth(20).locator("td").nth(2)).to_have_text(bits)
    boxes["Another answer"].fill("<b>x")
    expect(page.get_by_text("has characters that are not letters").first).to_be_visible()
    expect(page.locator("b")).to_have_count(0)
    page.reload()  # nothing typed is lost
    expect(boxes["Another answer"]).to_have_value("<b>x")
    page.goto(f"{address}/explore/channel?other=cat&seed={2**32 - 1}&epsilon=20.7")  # the other words follow this one
    expect(boxes["Guess"]).to_have_value("cat")
    expect(boxes["Answer"]).to_have_value("tar")
    most = f"{float(f'{math.exp(20.7):.3g}'):,.0f}"  # from a thousand millions on, nothing is promised
    expect(page.get_by_text(f"the promise is at most {most}, and at least 1/{most}.")).to_be_visible()
    page.get_by_role("button", name="Draw again").click()
    expect(page).to_have_url(re.compile("seed=0$"))


# The frontier

KINDS = {
    "best": "smallest known",
    "bound": "no strategy can pass",
    "bound, 2 clues": "no strategy with two clues can pass",
}
KINDS |= {"privacy, any clues": "privacy accounting: cannot be passed either"}
KINDS |= dict.fromkeys(("Fifth", "Median", "NinetyFifth"), "our record")
KINDS |= dict.fromkeys(("TwoGuess", "NGuess", "MaxClueEntropy", "G3", "D95"), "published strategy")
MORE = ("each number of clues", "published strategies", "our record holders")
MORE += ("the bound with two clues", "privacy accounting")


def written(name: str, budget: float, rate: int) -> str:
    """A budget with half of its interval; a bound is rounded down, else it would forbid what it does not forbid."""
    error = known_errors().get(name, [0.0] * 99)[rate - 1]
    if "bound" in name or "privacy" in name:
        digits = 3 - math.floor(math.log10(budget))
        budget = math.floor(budget * 10**digits) / 10**digits
    return shown(budget) + (f" ± {shown(error, 2)}" if error > 0 else "")


@pytest.mark.parametrize(("rate", "more"), [(50, ()), (95, (1, 3)), (1, (4,))])
def test_the_frontier_shows_all_budgets_at_a_win_rate(address, new_page, rate, more):
    kinds = ("clues", "published", "record", "two_clues", "privacy")
    query = "".join(f"&more={kinds[at]}" for at in more)
    page = new_page(f"{address}/explore/frontier?rate={rate}{query}{'&clues=1' if 4 in more else ''}")
    found = page.evaluate("clues => fetch('/api/frontier' + clues).then((answer) => answer.json())",
                          "?clues=1" if 4 in more else "")  # fmt: skip
    curves = known_frontier() | {one["name"]: one["budgets"] for one in found["curves"] if "privacy" in one["name"]}
    here = {name: budgets[rate - 1] for name, budgets in curves.items()}
    here = {name: budget for name, budget in here.items() if budget is not None and math.isfinite(budget)}
    bound, best = (written(name, here[name], rate) for name in ("bound", "best"))
    measured = {name: budget for name, budget in here.items() if not re.search("bound|privacy|^best$", name)}
    holders = [name for name, budget in measured.items() if budget == min(measured.values())]
    expect(page.locator("figcaption")).to_contain_text(", with ")
    (caption,) = re.findall(r"with (.*)\.$", page.locator("figcaption").inner_text())
    assert caption in holders
    rows = [
        f"{name} | {written(name, budget, rate)} | {budget / here['bound']:.2f} | "
        + KINDS.get(name, KINDS["privacy, any clues"] if "privacy" in name else "ours, best of this many clues")
        for name, budget in sorted(here.items(), key=lambda item: item[1])
    ]
    counter = [choice("Number of clues for privacy accounting", map(str, range(1, 11)), 0)] if 4 in more else []
    lines = [
        *exploring("frontier"),
        "The budget of a game is the sum of its epsilons. How small can it be if this share of games is to be won?",
        f"{{Win rate: {rate}%}}", *counter,
        f"No strategy can pass the bound: to win {rate}% of games takes at least {bound}. The smallest budget known is"
        f" {best}, with {caption}.", "«games won against budget»", "More curves:",
        *(f"[{'x' if at in more else ' '}] {label}" for at, label in enumerate(MORE)), f"To win {rate}% of games",
        "<curve> | <budget> | <times the bound> | <what it is>",
    ]  # fmt: skip
    note = "Each curve is the smallest budget at which a family of strategies wins a share of its games, with the"
    note += " contest's words: exact, or sampled and interpolated, then with ± half of a 95% interval."
    more_rows = page.get_by_role("button", name=re.compile("of .* rows"))
    if more_rows.count():
        more_rows.click()
        lines.append(f"<{len(rows)} rows>*")
    # What is equal may stand in either order.
    found = page.get_by_role("region", name="Budgets at the chosen win rate").locator("tbody tr:has(td + td)")
    expect(found).to_have_count(len(rows))
    order = [re.sub(" ±.*", "", text) for text in found.locator("td:first-child").all_inner_texts()]
    rows.sort(key=lambda row: order.index(row.partition(" | ")[0]))
    assert [here[name] for name in order] == sorted(here.values())
    expect_seen(page.get_by_role("main"), [*lines, *rows, note])


# Clues


def test_clues_shows_each_guess_in_numbers(client, address, new_page):
    row = {"guess": "haste", "clue": ".c.i.", "epsilon": 9}
    page = new_page(f"{address}/explore/clues?guess=crate&guess=zesty&row=haste:.c.i.:9&rule=counted")
    belief, flipped = (
        Posterior("original", "counted").update("haste", 9, ".c.i."),
        RandomizedResponse(13).noise_entropy[0],
    )
    sections, rows, said = [], [], []
    for guess in ("crate", "zesty"):
        scores, exact = score_word(belief, 13, guess), belief.clue_probabilities(guess, math.inf)
        top = percent(max(belief.clue_probabilities(guess, 13)))
        sections += [guess.upper(), f"tells {scores['information_gain']:.2f} bits",
                     f"The most probable of 243 clues comes with {top}.",
                     "«probability against clues, the most probable first»"]  # fmt: skip
        bits = (scores["clue_entropy"], flipped, scores["information_gain"], scores["expected_top"])
        chance = dict(zip(belief.words.answers, belief.probabilities, strict=True)).get(guess, 0)
        rows.append(" | ".join([guess.upper(), *(f"{number:.4f}" for number in bits), percent(chance),
                                str(sum(p > 0 for p in exact))]))  # fmt: skip
        said.append(f"{guess.upper()}: information gain {shown(scores['information_gain'], 3)} bits")
    change = link("change these clues", "/coach", game="wordpl", rule="counted", row="haste:.c.i.:9")
    expect_seen(page.get_by_role("main"), [
        *exploring("clues"), "How probable each clue to a guess is, the most probable first. Noise makes the clues to a"
        " guess more alike: as its picture gets flatter, its clue tells less.",
        words_choice("original"), choice("Repeat rule", RULES, 1), "{Guess 1: crate}", "{Guess 2: zesty}",
        "{Guess 3: }",
        "{Guess 4: }", f"After «{spoken('haste', row['clue'])}» at 9, {change}.",
        *slider("Epsilon of the clues below", 13),
        f"2,315 answers are possible; {shown(belief.entropy)} bits are left to learn.", *sections,
        "<guess> | <clue entropy, bits> | <noise entropy, bits> | <information gain, bits> | <expected top posterior> |"
        " <chance of being the answer> | <exact clues>", *rows,
    ])  # fmt: skip
    expect(page.locator("#live")).to_have_text("; ".join(said))
    page.get_by_label("Words").select_option("fibble")
    expect(page).to_have_url(re.compile("words=fibble"))
    coach = page.get_by_role("link", name="change these clues")
    expect(coach).to_have_attribute("href", re.compile("words=fibble.*row=haste"))
    page.goto(f"{address}/explore/clues")
    for number, word in enumerate(("crate", "salet", "", ""), start=1):
        expect(page.get_by_label(f"Guess {number}")).to_have_value(word)
    expect(page.get_by_text("Before any clue.")).to_have_text("Before any clue. Enter clues in Coach.")
