"""The texts and addresses that name a game: what is read from them, and what is written of it."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.helpers import ORIGINAL
from tests.support.pages import percent, read, shown
from wordpl import RULES, clue

WORDLE = {"game": "wordle", "words": "nyt2023", "rule": "counted", "channel": None, "limit": 6}
FIBBLE = {"game": "fibble", "words": "fibble", "rule": "counted", "channel": "fibble", "limit": 9}
NOISY = {"game": "wordpl", "words": "original", "rule": "letterwise", "channel": "randomized_response", "limit": None}


def test_a_pasted_text_names_its_game(page):
    own, ball = WORDLE | {"words": "original", "limit": 3}, {"words": "nyt2022", "rule": "counted", "channel": "ball:1"}
    eight = {"words": "nyt2022", "rule": "letterwise", "limit": 8}
    levels = FIBBLE | {"words": "original", "channel": "levels:9,3,1,1,1,1", "limit": 7}
    for text, before, after in (
        ("WORDPL nyt2022, counted, ball:1: right with a budget of 13, 1 ask", WORDLE, NOISY | ball),
        ("hey\nWORDPL original, letterwise: not found, 2 asks", FIBBLE, NOISY),
        ("crate ..icc 13", FIBBLE, NOISY),
        ("crate=..icc @ 12.5\nhaste", own, NOISY),
        ("crate:..icc,9,5", WORDLE, NOISY),
        ("Fibble, 1 lie, nyt2022 4/9", NOISY, FIBBLE | {"words": "nyt2022"}),
        ("Fibble, 3 lies, fibble X/9", WORDLE, FIBBLE | {"channel": "fibble:3"}),
        ("Fibble, 1 lie, fibble, letterwise 4/9", FIBBLE, FIBBLE | {"rule": "letterwise"}),
        ("Fibble, 2 lies, original, levels:9,3,1,1,1,1 2/7", NOISY, levels),
        ("Wordle nyt2022, letterwise 2026-11-22 3/8*", NOISY, WORDLE | eight),
        ("Wordle, adversary, original X/50", own, own | {"limit": 50}),
        ("Wordle 1234 3/6", own, own),
        ("Wordle 1,234 X/6*", NOISY, WORDLE),
        ("wordle 5 3/6", FIBBLE, WORDLE),
        ("Wordle 1,234 3/6", own, own),
        ("crate ..icc", own, own),
        ("crate ..icc 13", NOISY | ball, NOISY | ball),
    ):
        assert read(page, "game_fields", "gameOf", text, before) == after, text


def test_guesses_go_with_a_text_that_has_rows_without_words(page):
    squares = "Wordle 1,234 3/6\n\n⬛🟨⬛⬛⬛\n🟩🟩🟩🟩🟩"
    for text in ("", squares, "..icc", "00122\nhaste 22222", "bbygg"):
        assert read(page, "game_fields", "guessesFor", text, "crate") == "crate"
    for text in ("crate .ii..\n", "crate ⬛🟨⬛⬛⬛", "אבג .ii"):
        assert read(page, "game_fields", "guessesFor", text, "crate") == ""


def test_a_link_to_coach_or_analyze_has_the_whole_game(page):
    rows = [{"guess": "crate", "clue": "..icc", "epsilon": 13}, {"guess": "haste", "clue": ".c.i.", "epsilon": 9.5}]
    other = WORDLE | {"words": "original", "rule": "letterwise", "limit": 50}
    end = {"won": False, "proposed": "haste", "answer": "caste", "share": "WORDPL original\n⬛"}
    pasted = "crate=..icc@13\nhaste=.c.i.@9.5"
    for name, values, path, query in (
        ("coachAddress", (NOISY, rows), "/coach", {"game": "wordpl", "row": ["crate:..icc:13", "haste:.c.i.:9.5"]}),
        ("coachAddress", (other, rows[:1]), "/coach", {**other, "row": "crate:..icc"}),
        ("coachAddress", (FIBBLE | {"channel": "fibble:2", "hard": True}, []), "/coach",
         {"game": "fibble", "channel": "fibble:2"}),
        ("coachAddress", (WORDLE | {"hard": True}, []), "/coach", {"game": "wordle", "hard": "1"}),
        ("analyzeAddress", (WORDLE | {"hard": "extra"}, []), "/analyze", {"game": "wordle", "hard": "extra"}),
        ("analyzeAddress", (WORDLE, rows[:1], end | {"proposed": None}), "/analyze",
         {"game": "wordle", "text": "crate=..icc", "answer": "caste"}),
        ("analyzeAddress", (NOISY, rows, end | {"won": True}), "/analyze",
         {"game": "wordpl", "text": f"{pasted}\nhaste", "answer": "caste"}),
        ("analyzeAddress", (NOISY, rows), "/analyze", {"game": "wordpl", "text": pasted}),
        ("analyzeAddress", (NOISY | {"kind": "unlimited"}, rows, end | {"won": True, "proposed": None}), "/analyze",
         {"game": "wordpl", "text": f"WORDPL original\n{pasted}"}),
    ):  # fmt: skip
        found = urlsplit(read(page, "game_fields", name, *values))
        wanted = {key: value if isinstance(value, list) else [str(value)] for key, value in query.items() if value}
        assert (found.path, parse_qs(found.query)) == (path, wanted)


def test_numbers_are_those_that_people_read(page):
    write = "async (all) => (async (dom) => all.map(([f, ...a]) => dom[f](...a)))(await import('/static/dom.js'))"
    sizes = [sign * digit * 10.0**power for power in range(-4, 12) for digit in (1, 4.9726, 8.5) for sign in (1, -1)]
    chances = [0, 1, 0.99994, 0.9996, *(10.0**power for power in range(-9, 0)), *(k / 997 for k in range(1, 997, 7))]
    cases: dict[tuple[Any, ...], str] = {
        ("shown", size, digits): "-" * (size < 0) + shown(abs(size), digits) for size in sizes for digits in (2, 4, 6)
    }
    cases |= {("percent", chance, digits): percent(chance, digits) for chance in chances for digits in (2, 3)}
    cases |= {
        ("shown", 1e15): "over 1,000 trillion",
        ("shown", -2e15): "under −1,000 trillion",
        ("shown", 1e300): "over 1,000 trillion",
        ("shown", 2.5e12): "2.5 trillion",
        ("shown", 9.9e-5): "under 0.0001",
        ("shown", -1e-5): "about 0",
        ("shown", 0): "0",
        ("shown", None): "–",
        ("shown", "inf"): "∞",
        ("shown", 27.296, 4, "floor"): "27.29",
        ("percent", None): "–",
        ("counted", 1, "entry", "entries"): "1 entry",
        ("counted", 1200, "guess", "guesses"): "1,200 guesses",
        ("counted", 0, "row"): "0 rows",
    }
    for case, found in zip(cases, page.evaluate(write, [list(case) for case in cases]), strict=True):
        assert found == cases[case], case


def test_true_clues_are_those_of_the_model(page):
    pairs = [*zip(ORIGINAL.guesses[::20], ORIGINAL.answers, strict=False), ("seems", "essay"), ("eerie", "geese")]
    drawn = "async ([pairs, rule]) => pairs.map(((tiles) => (pair) => tiles.trueClue(...pair, rule))"
    for rule in RULES:
        found = page.evaluate(f"{drawn}(await import('/static/tiles.js')))", [pairs, rule])
        assert found == [clue(*pair, rule=rule).show() for pair in pairs]


def test_a_row_of_an_address_has_its_epsilon(page):
    """`test_addresses.py` has rows that cannot be read."""
    for text, noisy, epsilon in (
        ("CRATE!:..icc", False, "inf"),
        ("crate!:..icc:inf", True, "inf"),
        ("crate!:..icc:12,5", True, 12.5),
        ("crate!:..icc:0", True, 0),
    ):
        row = {"guess": "crate!", "clue": "..icc", "epsilon": epsilon}
        assert read(page, "rows", "readRow", text, noisy) == row, text
    assert read(page, "rows", "readRow", "crate:..icc:13", False) is None


def test_an_epsilon_that_is_typed_is_read_or_not(page):
    read_as = {" 13 ": 13, "12,5": 12.5, "0.001": 0.001, "1e6": 1e6, "∞": "inf", "Infinity": "inf", "1,2345": 1.2345}
    read_as |= dict.fromkeys(("1,000", "1000001", "0", "-1", "", " ", "x", "1,2,3", "NaN"))
    for text, epsilon in read_as.items():
        assert read(page, "epsilon", "readEpsilon", text) == epsilon, text


def test_the_address_of_a_game_has_its_moves(page):
    asks = [{"action": "ask", "word": word, "epsilon": spent} for word, spent in (("crate", 13), ("haste", None))]
    for words, end, kept in (
        ("list-9", {"action": "propose", "word": "tardy"}, {"words": "list-9", "propose": "tardy"}),
        ("original", {"action": "give_up"}, {"gave_up": "yes"}),
    ):
        found = read(page, "play/game", "addressOf", {"id": "x1", "words": words, "moves": [*asks, end]})
        always = {"game": "x1", "move": ["crate:13", "haste"]}
        assert {name: value for name, value in found.items() if value is not None} == always | kept
