"""What the page says of an answer of the server, and where its pictures have it: by answers that are made up here, so
that each text and each place is known by hand."""

import math
from typing import Any

import pytest

from tests.support.pages import read
from wordpl import clue


def test_where_a_game_stands_is_one_sentence(page):
    for text, standing in {
        "Solved: haste, in 2 guesses.": {"solved": "haste", "clues": [0, 0]},
        "No answer fits these clues.": {"contradiction": {}},
        "No guess is left. The answer is one of 12 words.": {"game": {"rows_left": 0}, "remaining": 12},
        "One answer remains: haste.": {"only": "haste"},
        "1,234 answers and 1 guess remain: 10.3 bits to learn.": {
            "remaining": 1234, "bits_left": 10.269, "game": {"rows_left": 1}
        },
        "1 answer remains: 0 bits to learn.": {"remaining": 1, "bits_left": 0},
        "1 answer and 2 guesses remain: 0 bits to learn.": {"remaining": 1, "bits_left": 0, "game": {"rows_left": 2}},
    }.items():  # fmt: skip
        assert read(page, "coach/standing", "sentence", standing, False) == text
    for left, bits, text in (
        (
            45.67,
            math.log2(45.67),
            "In effect 45.7 answers are left, likely ones counting more: 5.51 bits to learn.",
        ),
        (150.4, 7.5, "In effect 150 answers are left, likely ones counting more: 7.5 bits to learn."),
        (1.004, 0.01, "One answer is all but certain."),
    ):
        assert read(page, "coach/standing", "sentence", {"effective_remaining": left, "bits_left": bits}, True) == text


def test_the_best_bet_is_the_likeliest(page):
    haste, baste = {"word": "haste", "chance": 0.6}, {"word": "baste", "chance": 0.6}
    advised = {"answers": [haste], "best_answer": baste, "advice": {"text": "Propose it."}}
    assert read(page, "coach/standing", "bestBet", advised, True) == "Best bet HASTE, 60%. Propose it."
    said = read(page, "coach/standing", "bestBet", advised, False)
    assert said.startswith("Best guess that can be the answer: BASTE")
    less = {"answers": [haste], "best_answer": baste | {"chance": 0.5}}
    assert read(page, "coach/standing", "bestBet", less, True) == "Best bet HASTE, 60%. "
    assert read(page, "coach/standing", "bestBet", less | {"only": "haste"}, True) == "Best bet HASTE, 60%. "
    for ended, noisy in (({"only": "haste"}, False), ({"solved": "haste"}, True), ({"answers": []}, True)):
        assert read(page, "coach/standing", "bestBet", less | ended, noisy) == ""


def test_the_tables_of_coach_have_each_number_under_its_name(page):
    guess = {"word": "crate", "bits": 5.12346, "expected_remaining": 61.04, "chance": 0.0123}
    guess |= {"parts": 150, "largest_part": 1200}
    cells = {"bits": "5.1235", "answers left": "61.04", "chance": "1.23%", "groups": "150", "largest group": "1,200"}
    for criterion, column, same, score, said in (
        ("information_gain", "information gain", "bits", 5.12346, "5.1235"),
        ("largest_part", "largest group of answers", "largest group", 1200, "1,200"),
        ("expected_top", "best bet afterwards", "", 0.25, "25%"),
        ("win", "win", "", 0.5, "50%"),
    ):
        game = {"win_chances": [0.5] if criterion == "win" else []}
        standing = {"suggestions": [guess], "scores": [score], "criterion": criterion, "game": game}
        told = read(page, "coach/standing", "suggestionTable", standing, {})
        exact = "The last two guesses are ranked by the chance to win with them, which is exact."
        assert told["text"].startswith(exact) == (criterion == "win")
        head, row = told["rows"]
        # The one column that ranks stands first, in place of the one that would say the same.
        others = {name: cell for name, cell in cells.items() if name != same}
        assert dict(zip(head, row, strict=True)) == {"guess": "crate", column: said, **others, "why": "Why?"}
        assert head[1] == column
    standing = {"clues": [{"guess": "crate"}, {"guess": "haste"}], "contradiction": {"explanation": "clue 2 is odd."}}
    standing["contradiction"]["mends"] = [{"clue": 2, "remaining": 1}, {"clue": 1, "remaining": 3}]
    standing["closest"] = [{"word": "tares", "contradicted_marks": 2, "answer": False}]
    told = read(page, "coach/standing", "contradiction", standing, {})
    assert "Remove row 2, haste: 1 answer fits the restRemove row 1, crate: 3 answers fit the rest" in told["text"]
    assert told["rows"][1] == ["tares", "2", "no"] and "Closest words" in told["text"]
    standing |= {"contradiction": {"explanation": "clue 2 is odd. If a single one is wrong: 1.", "mends": []}}
    standing["closest"] = [{"word": "tares", "contradicted_marks": 2, "answer": True}]
    told = read(page, "coach/standing", "contradiction", standing, {})
    assert told["text"].startswith("Clue 2 is odd.Closest words") and told["rows"][1][-1] == "yes"
    told = read(page, "coach/standing", "contradiction", standing | {"closest": []}, {})
    assert told == {"text": "Clue 2 is odd.", "rows": []}
    for none in ({}, {"game": {"false_marks": []}, "clues": []}):
        assert read(page, "coach/standing", "falseMarks", none) is None
    assert read(page, "coach/standing", "suggestionTable", {"suggestions": []}, {}) == ""


def game_of(kind: str, *rows: tuple[str, float], **result) -> dict:
    result = {"answer": "haste", "proposed": None, "won": False, "gave_up": False} | result
    channel = "randomized_response" if kind == "wordpl" else None
    played = [{"guess": guess, "epsilon": epsilon} for guess, epsilon in rows]
    return {"kind": kind, "channel": channel, "result": result, "rows": played}


def standing_of(leader: str, chance: float, answer_chance: float, lies: str = "", **more) -> dict:
    marks = [{"letter": letter} for letter in lies]
    row = {"leader": {"word": leader, "chance": chance}, "answer_chance": answer_chance, "false_marks": marks}
    return row | {"enough": False, "proposed_chance": None} | more


def test_the_story_tells_what_told_most_what_hurt_and_what_was_a_waste(page):
    game = game_of("wordpl", ("crate", 13), ("sloth", 8.5), ("bumpy", 6), proposed="haste", won=True)
    story = [
        standing_of("caste", 0.3, 0.2, "c"),
        standing_of("haste", 0.6, 0.6, enough=True),
        standing_of("caste", 0.5, 0.25, "bm", proposed_chance=0.25),
    ]
    told = [
        "Row 2 told most: it brought HASTE to 60%.",
        "Row 3 lied about B and M: HASTE fell from 60% to 25%.",
        "HASTE was at 60% after row 2. Asking on was a waste, which cost 6.",
    ]
    end = "You proposed HASTE, at 25%. The best bet was CASTE, at 50%."
    assert read(page, "play/story", "sentences", game, story) == [*told, end]
    game["result"] |= {"gave_up": True}
    assert read(page, "play/story", "sentences", game, story)[-1] == "When you gave up, the best bet was CASTE, at 50%."
    for won, chance, verdict in (
        (True, 0.25, "That was lucky."),
        (True, 0.6, "That was sound."),
        (True, 0.5, "That was sound."),
        (False, 0.5, "That was sound, but bad luck."),
        (False, 0.25, "One more ask would have made you surer."),
        (False, 0.6, "That was sound, but bad luck."),
    ):
        game = game_of("wordpl", ("crate", 13), proposed="caste", won=won)
        story = [standing_of("caste", chance, 0.2, proposed_chance=chance)]
        said = read(page, "play/story", "sentences", game, story)
        assert said[-1] == f"You proposed the best bet, CASTE, at {100 * chance:.0f}%. {verdict}"
    story = [standing_of("haste", 0.5, 0.5), standing_of("haste", 0.6, 0.6)]  # the first told more than the second
    told = read(page, "play/story", "sentences", game_of("wordpl", ("crate", 13), ("sloth", 8), gave_up=True), story)
    assert told[0] == "Row 1 told most: it brought HASTE to 50%."
    story = [standing_of("haste", 1, 1 / 12), standing_of("haste", 1, 1 / 3), standing_of("haste", 1, 1 / 3)]
    game = game_of("adversarial", *[("crate", 0)] * 3, gave_up=True)
    told = read(page, "play/story", "sentences", game, story)
    assert told[0] == "Row 2 told most: it left the adversary 3 words."
    game = game_of("wordle", *[("crate", 0)] * 3, ("haste", 0), won=True)
    story = [standing_of("haste", 1, 1, enough=True)] * 4
    told = read(page, "play/story", "sentences", game, story)
    assert told[1:] == ["HASTE was at 100% after row 1. Asking on was a waste, which cost 2 of your guesses."]
    story = [standing_of("haste", 0.6, 0.6, enough=True), *[standing_of("haste", 0.5, 0.5)] * 2]
    game = game_of("wordpl", ("crate", 13), ("sloth", 8), ("bumpy", 6), gave_up=True)
    told = read(page, "play/story", "sentences", game, story)
    assert told[1] == "HASTE was at 60% after row 1. Asking on was a waste, which cost 8."  # the last ask was worth it
    # Neither a fall by less than half, nor one without a lie, nor that another word was certain, is told.
    game = game_of("wordpl", *[("crate", 13)] * 4, gave_up=True)
    story = [standing_of("caste", 1, 0.05, enough=True), standing_of("haste", 0.6, 0.6)]
    story += [standing_of("caste", 0.5, 0.4, "b"), standing_of("caste", 0.5, 0.1)]
    told = ["Row 2 told most: it brought HASTE to 60%.", "When you gave up, the best bet was CASTE, at 50%."]
    assert read(page, "play/story", "sentences", game, story) == told


def test_the_best_bets_are_drawn_over_what_was_spent_before_them(page):
    bets = [{"word": word, "chance": chance} for word, chance in (("aback", 4e-5), ("crate", 0.25), ("haste", 0.9))]
    spent = read(page, "play/curve", "spending", bets, [{"epsilon": 13}, {"epsilon": 8.5}])
    assert [bet["spent"] for bet in spent] == [0, 13, 21.5]
    picture = read(page, "play/curve", "betting", spent, [{"budget": 36.26, "percentile": 5}])
    assert picture["label"] == "After 21.5 spent, the best bet is HASTE, at 90%."
    line, diamonds = picture["series"]
    asked = {"guess": "salet", "epsilon": 20, "raised": 0.96}
    advised = read(page, "play/curve", "betting", spent, [], asked)["series"][-1]
    ends = [(0.9, 21.5), (0.96, 41.5)]
    assert [(point["y"], point["x"]) for point in advised["points"]] == ends and advised["label"] == "if you ask SALET"
    done = read(page, "play/curve", "betting", spent, [], asked | {"guess": None})
    assert len(done["series"]) == 2
    assert line["points"] == [
        {"x": 0, "y": 0.0004, "title": "Spent 0: ABACK at under 0.01%"},
        {"x": 13, "y": 0.25, "title": "Spent 13: CRATE at 25%"},
        {"x": 21.5, "y": 0.9, "title": "Spent 21.5: HASTE at 90%"},
    ]
    assert diamonds["points"] == [{"x": 36.26, "y": 0.05, "title": "Smallest known budget: wins 5% of games for 36.3"}]
    assert diamonds["look"]["mark"] == "diamond" and picture["x"]["range"] == [0, 80]
    beyond = read(page, "play/curve", "betting", [spent[-1] | {"spent": 100}])
    assert beyond["x"]["range"] == [0, 105]


def test_a_turn_is_judged_in_words(page):
    turn = {"guess": "crate", "clue": "..icc", "epsilon": "inf", "remaining_before": 2315, "remaining_after": 61.04}
    turn |= {"chance": 0.0123, "skill": 86, "skill_bits": -0.5, "luck": 66, "luck_bits": 1.234, "wasted": False}
    turn |= {"expected_bits": 5.5, "actual_bits": -4.25, "best": "lorry", "best_bits": 6.4, "steps": 2.5}
    turn |= {"best_steps": 2.25, "leader": "haste", "leader_chance": 0.6, "line": ["salet", "haste"]}
    analysis: dict[str, Any] = {"skill": 90, "luck": 40, "hard": False, "remark": None, "line": ["salet", "baste"]}
    terms = {"game": "wordpl", "words": "original", "rule": "letterwise", "channel": None, "limit": 6}
    noisy = [
        turn | {"epsilon": 13, "leader_chance": 0.989},
        turn | {"epsilon": 6, "wasted": True, "leader_chance": 0.99, "leader": "baste"},
    ]
    analysis |= {"turns": noisy, "proposed": "caste", "proposed_chance": 0.25, "solved": False}
    panel, cards = read(page, "analyze/review", "review", analysis, terms, "caste")
    assert "the site gives it" not in panel["text"] and "The best first ask: salet baste" in panel["text"]
    assert panel["text"].startswith(
        "Not found, with a budget of 19 in 2 asksYou proposed CASTE, at 25%; the best bet was BASTE, at 99%. 1 ask"
        " came when the answer was certain already, and cost 6 of the budget for nothing."
    )
    assert "A waste: HASTE was at 98.9% already, and to propose it costs nothing." in cards["text"]
    assert "epsilon 6 · answers left 2,315 → 61.04" in cards["text"]
    best = (
        "The best guess was lorry, with 6.40 bits. To the end, 2.50 guesses were to be expected, and 2.25 with lorry."
    )
    assert f"It could be expected to tell 5.50 bits and told −4.25. {best}" in cards["text"]
    assert "After it BASTE led, at 99%.Best from there: propose baste" in cards["text"]
    assert "After it HASTE led, at 98.9%.Best from there: salet haste" in cards["text"]
    for values, said in (
        ({"solved": None, "proposed": None}, "A budget of ∞ in 1 askAt the end the best bet was HASTE, at 60%."),
        ({"solved": True, "proposed": "haste", "proposed_chance": 0},
         "Right, with a budget of ∞ in 1 askYou proposed HASTE, which could not be right; it was the best bet."),
    ):  # fmt: skip
        ended = analysis | {"turns": [turn], "hard": True} | values
        panel, _ = read(page, "analyze/review", "review", ended, terms, None)
        assert panel["text"].startswith(said) and "played in hard mode" in panel["text"]
        assert "false" not in panel["text"]  # ..icc is the true clue to HASTE
    fibble = terms | {"game": "fibble", "channel": "fibble", "limit": 9}
    panel, cards = read(page, "analyze/review", "review", analysis | {"turns": [turn]}, fibble, None)
    assert panel["text"].startswith("Not solved in 1 guess") and "hard mode" not in panel["text"]
    assert "The first guess has no skill: the site gives it, or it can be learned by heart." in panel["text"]
    assert "epsilon" not in cards["text"] and "led" not in cards["text"]
    counted = {"guess": "geese", "best": "geese", "clue": clue("geese", "elite", "counted").show(), "steps": 2}
    ended = analysis | {"turns": [turn | counted | {"luck_bits": 0, "leader_chance": 1}], "line": []}
    panel, cards = read(page, "analyze/review", "review", ended, terms | {"game": "wordle", "rule": "counted"}, "elite")
    assert "false" not in panel["text"] and "The best" not in panel["text"] and "+0.00 bits" in cards["text"]
    assert "answers left 2,315 → 61.04" in cards["text"] and "Best from there: salet haste" in cards["text"]
    assert "uck" in panel["text"] + cards["text"]
    for told in read(page, "analyze/review", "review", ended, terms | {"game": "wordle"}, "elite", True):
        assert "uck" not in told["text"]  # against the adversary
    assert "It was the best guess." in cards["text"] and "To the end" not in cards["text"]


def test_a_key_says_what_the_rows_say_of_its_letter(page):
    painted = """async (noisy) => {
        const { keyboard } = await import("/static/keyboard.js");
        const keys = keyboard("abcde", "Ask", {});
        keys.paint([["abc", "ic."], ["abe", "c.i"], ["ed", ".i"]].map(([guess, clue]) => ({ guess, clue })), noisy);
        const said = (key) => key.getAttribute("aria-label") + (key.dataset.mark ? ` ${key.dataset.mark}` : "")
          + (key.classList.contains("unsure") ? "?" : "");
        return [...keys.querySelectorAll(".key:not(.long)")].map(said).sort();
    }"""
    sure = ["A, correct c", "B, correct c", "C, absent .", "D, present i", "E, present i"]
    assert page.evaluate(painted, False) == sure
    told = ["A, last shown as correct c?", "B", "C, last shown as absent .?", "D, last shown as present i?", "E"]
    assert page.evaluate(painted, True) == told
    lines = """async (letters) => [...(await import("/static/keyboard.js")).keyboard(letters, "Ask", {}).children]
        .map((line) => [...line.children].map((one) => one.textContent).join(" "))"""
    pressed = """async () => (await import("/static/keyboard.js")).keyboard("a", "Ask", {}).querySelector(".key")
        .dispatchEvent(new MouseEvent("mousedown", { cancelable: true }))"""
    assert page.evaluate(pressed) is False  # so that it takes no focus
    assert page.evaluate(lines, "zaqäöüéèêëñ") == ["Q", "A", "Z", "Ask Ä Ö Ü É È Ê Ë Ñ ⌫"]
    assert page.evaluate(lines, "qäöüéèêëñç") == ["Q", "Ä Ö Ü É È", "Ask Ê Ë Ñ Ç ⌫"]


def test_a_key_of_the_real_keyboard_counts_where_nothing_else_wants_it(page):
    pressed = page.evaluate(
        """async () => {
          const { listen } = await import("/static/keyboard.js");
          const [log, stop] = [[], new AbortController()];
          listen("abc", { letter: (letter) => log.push(letter), back: () => log.push("back"),
            enter: (shift) => log.push(["enter", shift]), focus: () => document.activeElement.blur() }, stop.signal);
          const send = (key, more = {}, target = document.body) => target.dispatchEvent(
            new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more }));
          for (const name of ["ctrlKey", "metaKey", "altKey", "isComposing"]) send("a", { [name]: true });
          for (const key of ["x", "Tab", "A", "Backspace", "Enter"]) send(key);
          send("Enter", { shiftKey: true });
          send("Enter", { repeat: true });
          send("b", { repeat: true });
          const taken = new KeyboardEvent("keydown", { key: "a", bubbles: true, cancelable: true });
          taken.preventDefault();
          document.body.dispatchEvent(taken);
          const made = ["input", "textarea", "select", "checkbox", "range", "button", "dialog"].map((name) =>
            Object.assign(document.createElement(/^(checkbox|range)$/.test(name) ? "input" : name),
              /^(checkbox|range)$/.test(name) ? { type: name } : {}));
          document.body.append(...made);
          log.push("of controls");
          for (const one of made) for (const key of ["Enter", "c"]) send(key, {}, one);
          made[4].focus();
          send("c", {}, made[4]);
          log.push(document.activeElement === made[4]);
          made.at(-1).open = true;
          send("a");
          for (const one of made) one.remove();
          stop.abort();
          send("a");
          return log;
        }"""
    )
    assert pressed[:5] == ["a", "back", ["enter", False], ["enter", True], "b"]
    # A box and a slider take no text, and a button takes Enter; what was clicked before loses the focus.
    assert pressed[5:] == ["of controls", *[["enter", False], "c"] * 2, "c", "c", False]


@pytest.mark.parametrize("right", [False, True])
def test_marks_and_letters_of_words_from_the_right_begin_there(page, right):
    """Two rows of two cells of three marks, with a colour for each mark and clue; and the letters of a row."""
    drawn, written = page.evaluate(
        """async ([pixels, codes, rightToLeft]) => {
          const { MatrixPicture: { prototype } } = await import("/static/explore/matrix_picture.js");
          const view = { cells: { codes, guesses: ["ab", "cat"], rightToLeft }, columns: [1, 2], pixels, colour: {},
            shape: { answers: 3, length: 3 }, zoom: { width: 30, height: 20 } };
          const { data } = prototype.marked.call(view, [0, 1]).getContext("2d").getImageData(0, 0, 6, 2);
          const [found, context] = [[], OffscreenCanvasRenderingContext2D.prototype];
          const before = context.fillText;
          context.fillText = (...values) => found.push(values);
          try { prototype.lettered.call(view, [1]); } finally { context.fillText = before; }
          return [[...new Uint32Array(data.buffer)], found];
        }""",
        [[[0xFF000000 + 10 * k + code for code in range(5)] for k in range(3)], [0, 1, 2, 0, 3, 4], right],
    )
    order = range(3)[::-1] if right else range(3)
    assert drawn == [0xFF000000 + 10 * k + code for code in (1, 2, 3, 4) for k in order]
    assert written == [[letter, 5 + 10 * k, pytest.approx(10.8)] for letter, k in zip("CAT", order, strict=True)]
