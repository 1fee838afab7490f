"""Coach and Analyze as they are read: each text, link, field and number of a view."""

import math
import re
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import expect

from tests.support.helpers import ORIGINAL
from tests.support.pages import (
    RULES,
    choice,
    enter,
    expect_seen,
    link,
    meaning,
    percent,
    shown,
    slider,
    spoken,
    words_choice,
)
from wordpl import GameFormat, Setting, channel_family, clue, load_words
from wordpl.wordle import Assistant

CRITERIA = {
    "information_gain": "Information gain",
    "clue_entropy": "Clue entropy",
    "expected_top": "Best bet afterwards",
    "renyi": "Rényi information",
    "expected_remaining": "Answers left afterwards",
    "largest_part": "Largest group of answers",
    "parts": "Groups of answers",
}
GAMES = ("Wordle", "WORDPL, noisy clues", "Fibble, lies in each clue")
HARD = ("off", "on", "on, and no letters known to be absent")
LIES = ("1 false mark in each row", *(f"{lies} false marks in each row" for lies in (2, 3, 4, 5)))
PRICED = ("letter by letter", "whole clue", "ball of radius 1")


def editor(rows: list[tuple[str, str, float]]) -> list[str]:
    """The guesses of Coach with their clues."""
    lines = []
    for row, (guess, marks, epsilon) in enumerate(rows, start=1):
        name = guess.upper()
        tiles = (f"<{mark}>" for mark in spoken(guess, marks).replace(" ", ": ").split(",: "))
        lines += ["".join(tiles), f"<Change {name}, row {row}><Remove {name}, row {row}>"]
        lines += slider(f"Epsilon of {name}", epsilon) if epsilon < math.inf else []
    return [*lines, "{Next guess: }"]


def suggested(standing: dict, criterion: str) -> list[str]:
    """The table of the best next guesses."""
    columns = {
        "bits": lambda guess: f"{guess['bits']:.4f}",
        "answers left": lambda guess: shown(guess["expected_remaining"]),
        "chance": lambda guess: percent(guess["chance"]),
        "groups": lambda guess: f"{guess['parts']:,}",
        "largest group": lambda guess: f"{guess['largest_part']:,}",
    }
    columns.pop({"information_gain": "bits", "parts": "groups"}[criterion])
    lines = [" | ".join(["guess", CRITERIA[criterion].lower(), *columns, "why"])]
    for guess, score in zip(standing["suggestions"], standing["scores"], strict=True):
        word, cells = guess["word"], [cell(guess) for cell in columns.values()]
        ranks = f"{score:.0f}" if criterion == "parts" else f"{score:.4f}"
        lines.append(" | ".join([f"<Guess {word}>", ranks, *cells, f"<Why {word}>"]))
    return lines


COACH = ["Coach", "For a game that you play elsewhere: enter your guesses and their clues, and see what to guess next."]
FOLDED, RANKED = ["Letters that you know", "Paste a game", "Best next guesses"], list(CRITERIA.values())
OTHERS = " or noisy clues, lies, other words"
WHY = ["Why a word?", "{Any word: }", "<Tell me>"]


def test_coach_in_wordle_shows_what_is_left_and_what_to_guess(address, new_page):
    page = new_page(f"{address}/coach?words=original&row=crate:..icc&hard=1&why=haste&by=parts")
    setting = Setting(ORIGINAL, "counted", format=GameFormat(6))
    assistant = Assistant(setting, criterion="parts", hard=True, kernels=True)
    assistant.take((assistant.read("crate=..icc"),))
    standing, reasons = assistant.record(10, 200), assistant.why("haste")
    left = [one["word"] for one in standing["answers"]]
    first, second = (one["word"] for one in standing["suggestions"][:2])
    statistics, chance = reasons.statistics, percent(1 / len(left))
    groups = [(spoken("haste", part.clue), len(part.words), " ".join(part.words)) for part in reasons.parts]
    expect_seen(page.get_by_role("main"), [
        *COACH, f"Game: Wordle, original{OTHERS}", choice("Game", GAMES, 0), words_choice("original"),
        choice("Repeat rule", RULES, 1), "{Guesses in"
        " all: 6}",
        "Your guesses", *editor([("crate", "..icc", math.inf)]), choice("Hard mode", HARD, 1),
        "<New game>"
        + link("Analyze this game", "/analyze", game="wordle", words="original", hard="1", text="crate=..icc")
        + link("Compare clues", "/explore/clues", words="original", rule="counted", guess=[first, second],
               row="crate:..icc:inf"),
        *FOLDED, f"{len(left)} answers and 5 guesses remain: {shown(math.log2(len(left)), 3)} bits to learn.",
        f"Best guess that can be the answer: {first.upper()}, {chance}.", choice("Ranked by", RANKED, 6),
        *suggested(standing, "parts"),
        "Answers left", " ".join(left), "Why a word?", "{Any word: haste}", "<Tell me>",
        f"haste: {statistics.bits:.4f} bits, {shown(statistics.expected_remaining)} answers expected to remain,"
        " chance of"
        f" being the answer {chance}. Its clue parts the answers into {len(groups)} groups, the largest of"
        f" {max(size for _, size, _ in groups)}.",
        "The groups, if no mark is false:", "clue | answers | chance | words",
        *(f"«{clue}» | {size} | {percent(size / len(left))} | {words}" for clue, size, words in groups),
    ])  # fmt: skip
    expect(page.locator("#live")).to_have_text(re.compile(rf"to learn\. Best guess that .* Best guess: {first}\.$"))
    page.get_by_role("button", name="Remove CRATE").click()  # the reasons are those of the game as it is
    assistant.undo()
    told = f"parts the answers into {len(assistant.why('haste').parts)} groups"
    expect(page.locator(".reasons")).to_contain_text(told)
    page.go_back()
    page.get_by_role("button", name=f"Guess {second}").click()
    expect(page.get_by_label("Next guess", exact=True)).to_have_value(second)
    expect(page).to_have_url(re.compile(f"next={second}&why"))


def test_coach_in_wordpl_shows_what_is_likely_and_whether_to_propose(address, new_page):
    rows = [("crate", "..icc", 13), ("haste", ".c.i.", 9)]
    query = [f"{guess}:{clue}:{epsilon}" for guess, clue, epsilon in rows]
    page = new_page(f"{address}/coach?{urlencode({'row': query}, doseq=True)}")
    assistant = Assistant(Setting(ORIGINAL), 13, kernels=True)
    turns = tuple(assistant.read(f"{guess}={clue}@{epsilon}") for guess, clue, epsilon in rows)
    assistant.take(turns)
    standing, belief = assistant.record(10, 200), assistant.belief
    bits, (word, chance) = belief.entropy, belief.top
    likely = sorted(zip(-belief.probabilities, belief.words.answers, strict=True))
    first, second = (one["word"] for one in standing["suggestions"][:2])
    pasted = "\n".join(f"{guess}={clue}@{epsilon}" for guess, clue, epsilon in rows)
    lines = [
        *COACH, f"Game: WORDPL, noisy clues, original{OTHERS}", choice("Game", GAMES, 1), words_choice("original"),
        choice("Repeat rule", RULES, 0),
        choice("Noise", PRICED, 0), "Your guesses", *editor(rows), *slider("Epsilon of the next guess", 13),
        "<New game>" + link("Analyze this game", "/analyze", game="wordpl", text=pasted)
        + link("Compare clues", "/explore/clues", words="original", rule="letterwise", guess=[first, second],
        row=query),
        *FOLDED, f"As hard to guess as one of {shown(assistant.effective, 3)} answers; {shown(bits, 3)} bits to learn,"
        " since unlikely ones count, too.",
        f"Best bet {word.upper()}, {percent(chance)}. {assistant.advice.text}"
        " That is the best ask for its price; the table ranks guesses at the epsilon of the next one.",
        choice("Ranked by", RANKED, 0),
        *suggested(standing, "information_gain"), "Answers left",
        *(f"{word}{percent(-minus)}" for minus, word in likely[:20]), "The most probable of 2,315. <Show more>", *WHY,
    ]  # fmt: skip
    expect_seen(page.get_by_role("main"), lines)
    page.get_by_role("button", name="Show more").click()
    more = [f"{word}{percent(-minus)}" for minus, word in likely[20:200]]
    expect_seen(page.get_by_role("main"), [*lines[:-4], *more, "The most probable of 2,315.", *WHY])
    page.get_by_label("Epsilon of the next guess", exact=True).fill("30")
    clearer = Assistant(Setting(ORIGINAL), 30, kernels=True)
    clearer.take(turns)
    best, score = clearer.record(1)["suggestions"][0]["word"], clearer.record(1)["scores"][0]
    cells = page.get_by_role("region", name="Best next guesses").locator("tbody tr").first.locator("td")
    expect(cells.nth(1)).to_have_text(f"{score:.4f}")
    expect(cells.first).to_have_text(best)
    expect(page).to_have_url(re.compile("epsilon=30"))
    page.goto(f"{address}/coach?epsilon=9")  # only WORDPL has one
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordpl")


def test_coach_in_fibble_shows_which_marks_may_be_false(address, new_page):
    page = new_page(f"{address}/coach?game=fibble&channel=fibble:2&row=crate:..icc&row=sloth:ci...")
    words, lies = load_words("nyt2023"), channel_family("fibble:2")
    assistant = Assistant(Setting(words, "counted", lies, format=GameFormat(9)), math.inf, kernels=True)
    assistant.take((assistant.read("crate=..icc"), assistant.read("sloth=ci...")))
    standing, belief = assistant.record(10, 200), assistant.belief
    likely = sorted(zip(-belief.probabilities, words.answers, strict=True))
    likely = [(word, percent(-minus)) for minus, word in likely if minus]
    first, second = (one["word"] for one in standing["suggestions"][:2])
    bet = standing["best_answer"]["word"]  # as likely as any, and the best guess of these
    assert percent(standing["best_answer"]["chance"]) == likely[0][1]
    marks = zip(("crate", "sloth"), ("..icc", "ci..."), assistant.false_marks(), strict=True)
    expect_seen(page.get_by_role("main"), [
        *COACH, f"Game: Fibble, lies in each clue, nyt2023{OTHERS}", choice("Game", GAMES, 2), words_choice("nyt2023"),
        choice("Repeat rule", RULES, 1),
        choice("Noise", LIES, 1),
        "{Guesses in all: 9}", "Your guesses",
        *editor([("crate", "..icc", math.inf), ("sloth", "ci...", math.inf)]),
        "<New game>" + link("Analyze this game", "/analyze", game="fibble", channel="fibble:2",
                            text="crate=..icc\nsloth=ci...")
        + link("Compare clues", "/explore/clues", words="nyt2023", rule="counted", guess=[first, second],
               row=["crate:..icc:inf", "sloth:ci...:inf"]),
        *FOLDED, f"{len(likely)} answers and 7 guesses remain: {shown(belief.entropy, 3)} bits to learn.",
        f"Best guess that can be the answer: {bet.upper()}, {likely[0][1]}.", choice("Ranked by", RANKED, 0),
        *suggested(standing, "information_gain"), "Answers left", " ".join(word for word, _ in likely[:20]),
        f"And {len(likely) - 20} more. <Show more>", "Which marks may be false", "1 | 2 | 3 | 4 | 5",
        *(" | ".join(f"«{spoken(letter, mark)}»{percent(chance, 2)}" for letter, mark, chance in
                     zip(guess, clue, chances, strict=True)) for guess, clue, chances in marks), *WHY,
    ])  # fmt: skip
    entropy = page.get_by_label("Ranked by").locator("[value=clue_entropy]")
    expect(entropy).to_be_disabled()  # clues with lies differ in how much of their entropy is noise
    page.get_by_label("Game", exact=True).select_option("wordle")
    expect(entropy).to_be_enabled()
    page.get_by_label("Ranked by").select_option("clue_entropy")
    expect(page).to_have_url(re.compile("by=clue_entropy"))
    page.get_by_label("Hard mode").select_option("1")  # which Fibble has not
    page.get_by_label("Game", exact=True).select_option("fibble")
    expect(page.get_by_label("Ranked by")).to_have_value("information_gain")
    expect(page).not_to_have_url(re.compile("by="))
    expect(page.locator(".results[aria-busy]")).to_have_count(0)
    expect(page.locator(".standing")).to_contain_text("answers and 7 guesses remain")
    expect(page.locator(".fault:visible")).to_have_count(0)


ANALYZE = ["Analyze", "What was each guess of a finished game worth, and how lucky was it?"]
SQUARES = "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"
LINES = "In each line, for example, «absent, present, present, absent, absent», crate .ii.. or crate=.ii..@13: c means"
NOTE = (
    "From 0 to 99. Skill 99 is the best {0}; luck is about 50 on average. The first {0} has no skill: it can be learned"
)


def graded(name: str, grade: int | None, bits: float) -> str:
    sign = "−" if f"{bits:.2f}"[0] == "-" else "+"
    return f"{name}{'none–' if grade is None else grade}{sign}{abs(bits):.2f} bits"


def test_analyze_shows_its_example_and_that_a_long_text_has_no_link(address, new_page):
    page, answers = new_page("about:blank"), {}
    page.on("response", lambda answer: answers.update({answer.url.rpartition("/")[2]: answer}))
    page.goto(f"{address}/analyze")
    expect(page.get_by_role("heading", name="Solved in 3 guesses")).to_be_visible()
    found = answers["analyze"].json()
    rows = [(turn["guess"], turn["clue"]) for turn in found["turns"]]
    assert rows == [("crate", ".ii.."), ("slink", "ci..."), ("solar", "ccccc")]
    cards = []
    for at, turn in enumerate(found["turns"]):
        after = "found" if at == 2 else shown(turn["remaining_after"])
        told = f"It could be expected to tell {turn['expected_bits']:.2f} bits and told {turn['actual_bits']:.2f}. "
        best = f"The best guess was {turn['best']}, with {turn['best_bits']:.2f} bits."
        if turn["steps"] is not None and turn["best"] != turn["guess"]:
            best += f" To the end, {turn['steps']:.2f} guesses were to be expected, and {turn['best_steps']:.2f} with"
            best += f" {turn['best']}."
        cards += [
            f"«{spoken(*rows[at])}»answers left {shown(turn['remaining_before'])} → {after} · chance of being the"
            " answer"
            f" {percent(turn['chance'])}",
            *(graded(name, turn[name.lower()], turn[f"{name.lower()}_bits"]) for name in ("Skill", "Luck")),
            told + ("It was the best guess." if turn["best"] == turn["guess"] else best),
            *([f"Best from there: {' '.join(turn['line'])}"] if turn["line"] else []),
        ]
    lines = [
        *ANALYZE, f"{{Share text, or guesses with their clues: {' '.join(map(' '.join, rows))}}}{LINES}"
        " the right place, i elsewhere, and 13 is the epsilon",
        "<Analyze><Show an example>", "Guesses, answer, and which game",
        "{Guesses, if the text has only squares: }", "{Answer, if guesses have no clues or none is right: }",
        choice("Hard mode", HARD, 0), choice("Game", GAMES, 0), words_choice("nyt2023"),
        choice("Repeat rule", RULES, 1),
        "{Guesses in all: 6}", "This is an example. Paste your own game over it.",
        "Solved in 3 guesses", f"Skill{found['skill']}", f"Luck{found['luck']}", f"{NOTE.format('guess')} by heart.",
        f"The best guesses from the start: {' '.join(found['line'])}",
        link("Go on in Coach", "/coach", game="wordle", row=[f"{guess}:{clue}" for guess, clue in rows]), *cards,
    ]  # fmt: skip
    expect_seen(page.get_by_role("main"), lines)
    expect(page.locator("#live")).to_have_text(f"Solved in 3 guesses. Skill {found['skill']}, luck {found['luck']}.")
    bars = page.locator(".grades .gauge > span")
    widths = bars.evaluate_all("all => all.map(({ style }) => parseFloat(style.width))")
    assert widths == [pytest.approx(100 * found[name] / 99, abs=0.01) for name in ("skill", "luck")]
    page.get_by_label("Game", exact=True).select_option("fibble")
    page.get_by_label("Answer, if").fill("haste")
    page.get_by_role("button", name="Show an example").click()
    expect_seen(page.get_by_role("main"), lines)
    expect(page.locator(".field.wide")).to_contain_text("Share text")
    page.get_by_label("Share text").focus()  # what is pasted goes in the place of the example
    page.keyboard.insert_text("slink .....")
    expect(page.get_by_label("Share text")).to_have_value("slink .....")
    page.get_by_label("Guesses, if").focus()
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("!")  # but nothing is lost once one has typed
    expect(page.get_by_label("Share text")).to_have_value("slink .....!")
    page.get_by_label("Game", exact=True).select_option("wordpl")
    page.get_by_label("Share text").fill(SQUARES + " " * 1000)  # each of them would fit
    expect(page.get_by_label("Game", exact=True)).to_have_value("wordle")
    room = 6000 - len(quote(SQUARES + " " * 1000 + "crate slink solar"))
    enter(page.get_by_label("Guesses, if"), "crate slink solar" + " " * (room // 3))
    expect(page).to_have_url(re.compile("text=Wordle.*&guesses=crate"))
    enter(page.get_by_label("Guesses, if"), "crate slink solar" + " " * (room // 3 + 1))
    expect(page.get_by_text("This text is too long to stand in a link.")).to_be_visible()
    expect(page).not_to_have_url(re.compile("text=|guesses="))
    page.get_by_label("Share text").fill(SQUARES.replace("3/6", "4/6"))
    page.get_by_role("button", name="Analyze").click()
    expect(page.get_by_text("The text says 4/6, but has 3 rows; a row may be missing.")).to_be_visible()
    expect(page.locator(".results")).not_to_contain_text(re.compile("This is an example|too long"))
    page.reload()
    expect(page.locator(".review")).to_have_count(3)
    page.get_by_label("Hard mode").select_option("1")
    page.get_by_role("button", name="Analyze").click()
    expect(page.locator(".fault:visible")).to_contain_text("breaks hard mode")
    expect(page.locator(".review")).to_have_count(0)


def test_analyze_takes_its_epsilon_for_clues_that_name_none(address, new_page):
    page = new_page(f"{address}/analyze?game=wordpl&text=crate+..icc%0Ahaste+.c.i.&epsilon=20&answer=haste")
    expect(page.locator(".review").nth(1)).to_contain_text("epsilon 20 · answers left")
    expect(page.locator(".means")).to_have_text(meaning(20))
    page.get_by_label("Noise").select_option("whole clue")
    expect(page.locator(".means")).to_have_text("more than 99.9 of 100 rows without a lie, hardly ever a lie")
    expect(page.get_by_text("The word after the last clue is taken as the proposal.")).to_be_visible()
    expect(page.get_by_label("Hard mode")).to_be_hidden()
    page.get_by_label("Epsilon of clues that name none", exact=True).fill("9")
    page.get_by_role("button", name="Analyze").click()
    expect(page.locator(".review").nth(1)).to_contain_text("epsilon 9 · answers left")
    expect(page).to_have_url(re.compile("epsilon=9"))
    page.go_back()
    expect(page.locator(".review").nth(1)).to_contain_text("epsilon 20 · answers left")
    page.get_by_label("Game", exact=True).select_option("wordle")
    expect(page.get_by_label("Hard mode")).to_be_visible()
    expect(page.locator(".means")).to_be_hidden()


def test_a_noisy_game_with_the_keyboard_alone(address, new_page):
    page = new_page(f"{address}/analyze")
    page.get_by_label("Share text").focus()
    page.keyboard.insert_text("crate=..icc@40\nhaste=.c.i.@9\ntardy ccccc@60\ntardy ccccc@13\nchair")
    expect(page.get_by_label("Words")).to_have_value("original")
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_label("Answer, if").press("Enter")
    sent: dict[str, Any] = {"words": "original", "rule": "letterwise", "guesses": "", "answer": None, "hard": False}
    sent |= {"text": page.get_by_label("Share text").input_value(), "channel": "randomized_response", "epsilon": 13}
    assert asked.value.post_data_json == sent | {"game": None}
    result = page.locator(".results > .panel").first
    expect(result).to_contain_text("You proposed CHAIR, at under 0.01%; the best bet was TARDY")
    expect(result).to_contain_text("1 ask came when the answer was certain already, and cost 13")
    # Where the answer is known, the false marks are shown.
    expect(page.locator(".flipped")).to_have_count(0)
    enter(page.get_by_label("Answer, if"), "TARDY")
    lies = [("crate", "..icc"), ("haste", ".c.i.")]
    false = [sum(map(str.__ne__, seen, clue(guess, "tardy").show())) for guess, seen in lies]
    for number, count in enumerate([*false, 0, 0]):
        expect(page.locator(".review").nth(number).locator(".flipped")).to_have_count(count)
    page.get_by_role("link", name="Go on in Coach").click()
    expect(page.locator(".turns > li")).to_have_count(4)
    page.goto(f"{address}/analyze?hard=1&text=crate=..icc%0Ataste=.cccc%0Ahaste=ccccc&words=original")
    page.get_by_role("link", name="Go on in Coach").click()
    expect(page.get_by_label("Hard mode")).to_have_value("1")


def test_what_few_need_is_folded_on_a_phone_unless_it_is_used_or_wrong(address, new_page):
    page = new_page(f"{address}/analyze", "phone")
    answer, more = page.get_by_label("Answer, if"), page.locator("summary", has_text="which game")
    expect(page.locator(".review")).to_have_count(3)
    expect(answer).to_be_hidden()
    more.click()
    answer.fill("zzzzz")
    page.get_by_label("Guesses, if").fill("zzzzz")
    more.click()
    expect(answer).to_be_hidden()
    page.get_by_role("button", name="Analyze").click()
    expect(answer).to_be_visible()
    page.goto(f"{address}/analyze?text=crate+.ii..")  # a game that is linked takes nothing of what was typed
    expect(page.locator("#live")).to_have_text(re.compile(r"^Not solved in 1 guess\. Skill none, luck \d+\.$"))
    for box in (answer, page.get_by_label("Guesses, if")):
        expect(box).to_have_value("")
    other = new_page(f"{address}/analyze?game=fibble")  # another game than that of the example
    expect(other.get_by_label("Game", exact=True)).to_have_value("fibble")
    expect(other.locator(".results")).to_be_empty()
    other.get_by_label("Share text").fill("Fibble, 2 lies, nyt2023 4/9")
    other.goto(f"{address}/analyze")  # what was typed is kept, and names its game again
    expect(other.get_by_label("Noise")).to_have_value("fibble:2")
    page.goto(f"{address}/analyze?text=⬛🟨🟨⬛⬛")
    expect(page.get_by_label("Guesses, if")).to_be_visible()  # they are missing
    page.get_by_label("Hard mode").select_option("1")
    page.get_by_label("Game", exact=True).select_option("fibble")
    expect(page.get_by_label("Hard mode")).to_be_hidden()
    with page.expect_request("**/api/analyze") as asked:
        page.get_by_role("button", name="Analyze").click()
    sent = asked.value.post_data_json
    assert [sent[name] for name in ("hard", "channel", "game", "epsilon")] == [False, "fibble", "wordle:9", "inf"]
