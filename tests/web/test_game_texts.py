"""The texts, addresses and controls that name a game: what is read from them, and what is written of it."""

from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.support.helpers import ORIGINAL
from tests.support.pages import percent, read, shown
from wordpl import RULES, RandomizedResponse, clue

WORDLE = {"game": "wordle", "words": "nyt2023", "rule": "counted", "channel": None, "limit": 6}
FIBBLE = {"game": "fibble", "words": "nyt2023", "rule": "counted", "channel": "fibble", "limit": 9}
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
        ("Fibble, 3 lies, nyt2023 X/9", WORDLE, FIBBLE | {"channel": "fibble:3"}),
        ("Fibble, 1 lie, nyt2023, letterwise 4/9", FIBBLE, FIBBLE | {"rule": "letterwise"}),
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


def test_a_row_of_an_address_is_read_or_not(page):
    crate = {"guess": "crate", "clue": "..icc", "epsilon": "inf"}
    for text, noisy, row in (
        ("CRATE:..icc", False, crate),
        ("crate!:..icc", False, crate | {"guess": "crate!"}),
        ("crate:..icc:inf", True, crate),
        ("crate:..icc:12,5", True, crate | {"epsilon": 12.5}),
        ("crate:..icc:0", True, crate | {"epsilon": 0}),
        ("abcdefgh:.......c", False, {"guess": "abcdefgh", "clue": ".......c", "epsilon": "inf"}),
        ("cat:..c", False, {"guess": "cat", "clue": "..c", "epsilon": "inf"}),
        *(
            (text, False, None)
            for text in ("crate:..icc:13", "crate:..ic", "crate:..icx", "ab:..", f"{'a' * 9}:{'.' * 9}")
        ),
        *((text, True, None) for text in ("crate:..icc", "crate:..icc:", "crate:..icc:13:9", "crate:..icc:-1")),
    ):
        assert read(page, "rows", "readRow", text, noisy) == row, text


def test_an_epsilon_that_is_typed_is_read_or_not(page):
    read_as = {" 13 ": 13, "12,5": 12.5, "0.001": 0.001, "1e6": 1e6, "∞": "inf", "Infinity": "inf", "1,2345": 1.2345}
    read_as |= dict.fromkeys(("1,000", "1000001", "0", "-1", "", " ", "x", "1,2,3", "NaN"))
    for text, epsilon in read_as.items():
        assert read(page, "epsilon", "readEpsilon", text) == epsilon, text


def test_the_address_and_the_terms_of_a_game_are_those_of_its_moves(page):
    asks = [{"action": "ask", "word": word, "epsilon": spent} for word, spent in (("crate", 13), ("haste", None))]
    own = {"id": "x1", "words": "list-9", "moves": [*asks, {"action": "propose", "word": "tardy"}]}
    found = read(page, "play/game", "addressOf", own)
    assert {name: value for name, value in found.items() if value is not None} == {
        "words": "list-9", "game": "x1", "move": ["crate:13", "haste"], "propose": "tardy"
    }  # fmt: skip
    found = read(page, "play/game", "addressOf", own | {"words": "original", "moves": [{"action": "give_up"}]})
    assert (found["words"], found["move"], found["gave_up"]) == (None, [], "yes")
    for kind, rows, given in (("fibble", 3, True), ("fibble", 2, False), ("wordle", 2, True)):
        game = own | {"kind": kind, "rule": "counted", "hard": "extra", "channel": "c", "rows": [{}] * rows}
        terms = {"kind": kind, "words": "list-9", "rule": "counted", "hard": "extra", "channel": "c", "given": given}
        assert read(page, "play/game", "termsIn", game) == terms
    for text, word, epsilon, whole in (
        ("crate", "crate", None, True),
        ("crate:12,5", "crate", 12.5, True),
        ("crate:", "crate", None, False),
        ("crate:inf", "crate", None, False),
        (":13", "", 13, False),
        ("crate:13:1", "crate", 13, False),
    ):
        move = read(page, "play/game", "readMove", text)
        assert (move["word"], move["epsilon"], move["fault"] is None) == (word, epsilon, whole), text


def test_the_choices_of_epsilon_say_which_is_chosen(page):
    seen = page.evaluate(
        """async () => {
          const { epsilonChoices } = await import("/static/play/budget.js");
          const chosen = [];
          const made = epsilonChoices(7.5, { length: 5 }, (one) => chosen.push(one), () => chosen.push("board"));
          const [buttons, slider] = [[...made.querySelectorAll("button")], made.querySelector(".epsilon")];
          const box = slider.querySelector("[type=text]");
          const look = () => [buttons.filter((one) => one.getAttribute("aria-pressed") === "true")
            .map((one) => one.textContent).join(), slider.hidden, buttons[3].getAttribute("aria-expanded"), box.value];
          const looks = [look()];
          buttons[1].click();
          looks.push(look(), made.settle());
          buttons[3].click();
          box.value = "inf";
          looks.push(made.settle(), look(), slider.querySelector(".fault").textContent);
          buttons[3].click();
          box.value = "inf";
          looks.push(slider.hidden, made.settle()); // what is hidden was not typed for this row
          for (const one of [buttons[3], buttons[1]]) { // with Enter, "other" only opens what is behind it
            for (const key of ["Enter", " "]) one.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
            await new Promise((done) => { setTimeout(done, 5); });
            chosen.push(one.dispatchEvent(new MouseEvent("mousedown", { cancelable: true })));
          }
          box.value = "20";
          box.dispatchEvent(new Event("input"));
          return [...looks, chosen, look()[0]];
        }"""
    )
    lies = 5 - 5 * RandomizedResponse(7.5).keep
    more = shown(5 - 5 * RandomizedResponse(20).keep, 2)
    assert seen[:2] == [[f"other 7.5{lies:.2g} lies", False, "true", "7.5"], ["fair 130.65 lies", True, "false", "13"]]
    assert seen[2:5] == [True, False, ["other 130.65 lies", False, "true", "13"]]
    assert seen[5:8] == ["“inf” does not work: type a number above 0, up to 1,000,000.", True, True]
    assert seen[8:] == [[13, False, "board", False, 20], f"other 20{more} lies"]


def test_the_meter_has_what_is_spent_and_what_the_next_ask_adds(page):
    """Its scale ends at 1.12 times the dearest record, and without one at 50."""
    drawn = """async (all) => {
        const meter = (await import("/static/play/budget.js")).budgetMeter();
        return all.map((values) => {
          meter.show(...values);
          return [meter.text.textContent, [...meter.querySelectorAll("li")].map((mark) => mark.textContent).join(),
            ...[...meter.querySelectorAll(".meter > span")].map(({ style }) => `${style.left} ${style.width}`)];
        });
    }"""
    records = [{"budget": 62.5, "percentile": 5}]
    looks = page.evaluate(drawn, [[12.5, 25, []], [35, 0, records], [112, 7, records]])
    record, tick = "62.5 wins 5%", "89.2857% "
    assert looks == [
        ["Spent 12.5, next ask 25.", "", " 25%", "25% 50%"],
        ["Spent 35.", record, " 50%", "50% 0%", tick],
        ["Spent 112, next ask 7.", record, " 100%", "100% 10%", tick],
    ]


def test_the_end_of_a_game_names_its_answer_and_offers_what_it_has(page):
    """Of games that were given up before the first row, of which the server is asked nothing."""
    ends = page.evaluate(
        """async (games) => {
          const { endPanel } = await import("/static/play/end.js");
          return Promise.all(games.map(async (game) => {
            const again = [];
            const panel = endPanel(game, new AbortController().signal, { another: (id) => again.push(id ?? "new") });
            const offers = [...panel.querySelectorAll(":scope > .row > button, :scope > .row > a")];
            const areas = [...panel.querySelectorAll("textarea")];
            const looks = [areas.map(({ hidden }) => hidden)];
            for (const one of offers) if (/^(New|Same|Share)/.test(one.textContent)) one.click();
            for (let turns = 0; turns < 9999 && areas[1].hidden; turns += 1) { // nothing can be copied here
              await new Promise((done) => { setTimeout(done, 5); });
            }
            looks.push(areas.map(({ hidden }) => hidden), areas[1].previousSibling.textContent);
            return [panel.outcome, panel.head.querySelector("p").textContent, offers.map((one) => one.textContent),
              again, areas.map(({ value }) => new URL(value, location.href).search), looks];
          }));
        }""",
        [
            {"kind": kind, "channel": channel, "id": "x1", "words": "original", "rule": "counted", "rows": [],
             "moves": [{"action": "give_up"}], "day": "2026-11-22", "max_rows": 6, "spent": 31.0625,
             "result": {"answer": "haste", "gave_up": gave_up, "won": won, "share": "?squares", "true_clues": [],
                        "score": 27.1875}}
            for kind, channel, gave_up, won in (
                ("wordle", None, True, False), ("fibble", "fibble", False, True), ("daily", None, False, False),
                ("adversarial", None, False, True), ("adversarial", None, False, False),
                ("unlimited", "whole_clue", True, False), ("unlimited", "ball:1", False, True),
                ("unlimited", "ball:1", False, False),
            )
        ],
    )  # fmt: skip
    assert [end[0] for end in ends] == [
        "You gave up.", "Right, in 0 guesses.", "Out of guesses.", "Right, in 0 guesses.", "Out of guesses.",
        "You gave up.", "Right. Your score is 27.1875.", "Wrong: the game is lost. You spent 31.0625.",
    ]  # fmt: skip
    was, none = "The answer was .", "The adversary has no answer. All clues fit , for one."
    words = [end[1].replace("HASTE", "") for end in ends]
    assert words == [was, was, was, "The adversary had no other word left than .", none, *[was] * 3]
    kinds = (0, 1, 0, 0, 0, 1, 1, 1), (0, 0, 1, 0, 0, 0, 0, 0)
    for (*_, offers, again, texts, looks), noisy, daily in zip(ends, *kinds, strict=True):
        assert looks == [[True, True], [True, False], "The text is selected: copy it."]
        assert ("Same word, fresh noise" in offers, "Play this game again" in offers) == (noisy == 1, daily == 0)
        assert again == ["new"] * (not daily) + ["x1"] * noisy
        assert texts == ["?game=x1", "?squares"]
