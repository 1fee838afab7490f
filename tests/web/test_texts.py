"""What the page says of an answer of the server, and where its pictures have it: by answers that are made up here, so
that each text and each place is known by hand."""

import math
from typing import Any

from tests.support.pages import read
from wordpl import clue


def test_where_a_game_stands_is_one_sentence(page):
    for noisy, text, standing in (
        (False, "Solved: haste, in 2 guesses.", {"solved": "haste", "clues": [0, 0]}),
        (False, "No guess is left. The answer is one of 12 words.", {"game": {"rows_left": 0}, "remaining": 12}),
        (False, "1,234 answers and 1 guess remain: 10.3 bits to learn.",
         {"remaining": 1234, "bits_left": 10.269, "game": {"rows_left": 1}}),
        (True, "In effect 45.7 answers are left, likely ones counting more.",
         {"effective_remaining": 45.67, "bits_left": math.log2(45.67)}),
        (True, "One answer is all but certain.", {"effective_remaining": 1.004, "bits_left": 0.01}),
    ):  # fmt: skip
        assert read(page, "coach/standing", "sentence", standing, noisy) == text


def test_the_best_bet_is_the_likeliest(page):
    haste, baste = {"word": "haste", "chance": 0.6}, {"word": "baste", "chance": 0.5}
    standing = {"answers": [haste], "best_answer": baste, "advice": {"text": "Propose it."}}
    assert read(page, "coach/standing", "bestBet", standing, True) == "Best bet HASTE, 60%. Propose it."
    assert read(page, "coach/standing", "bestBet", standing, False).endswith("the answer: BASTE, 50%. Propose it.")
    for ended, noisy in (({"only": "haste"}, False), ({"solved": "haste"}, True), ({"answers": []}, True)):
        assert read(page, "coach/standing", "bestBet", standing | ended, noisy) == ""


def test_the_tables_of_coach_have_each_number_under_its_name(page):
    guess = {"word": "crate", "bits": 5.12346, "expected_remaining": 61.04, "chance": 0.0123}
    guess |= {"parts": 150, "largest_part": 1200}
    cells = {"bits": "5.1235", "answers left": "61.04", "chance": "1.23%", "groups": "150", "largest group": "1,200"}
    for criterion, wins, column, same, score, said in (
        ("information_gain", [], "information gain", "bits", 5.12346, "5.1235"),
        ("largest_part", [], "largest group of answers", "largest group", 1200, "1,200"),
        ("expected_top", [], "best bet afterwards", "", 0.25, "25%"),
        ("information_gain", [0.5], "win", "", 0.5, "50%"),  # whatever the criterion is
    ):
        game = {"win_chances": wins}
        standing = {"suggestions": [guess], "scores": [score], "criterion": criterion, "game": game}
        noisy = criterion == "expected_top"  # then no answer is left out, and groups say little
        head, row = read(page, "coach/standing", "suggestionTable", standing, {}, noisy)["rows"]
        # The one column that ranks stands first, in place of the one that would say the same.
        others = {name: cell for name, cell in cells.items() if name != same and not (noisy and "group" in name)}
        assert dict(zip(head, row, strict=True)) == {"guess": "crate", column: said, **others, "why": "Why?"}
        assert head[1] == column
    words = [{"word": f"w{number}", "chance": 0.01} for number in range(21)]
    told = [read(page, "coach/standing", "answersList", {"answers": words, "remaining": 30}, noisy)["text"]
            for noisy in (False, True)]  # fmt: skip
    assert told[0].endswith("w18 w19And 10 more. Show more")
    assert told[1].endswith("w191%The most probable of 30. Show more")


def game_of(kind: str, *rows: tuple[str, float], **result) -> dict:
    result = {"answer": "haste", "proposed": None, "won": False, "gave_up": False} | result
    channel = "randomized_response" if kind == "wordpl" else None
    played = [{"guess": guess, "epsilon": epsilon} for guess, epsilon in rows]
    return {"kind": kind, "channel": channel, "result": result, "rows": played}


def standing_of(leader: str, chance: float, answer_chance: float, lies: str = "", **more) -> dict:
    marks = [{"letter": letter} for letter in lies]
    row = {"leader": {"word": leader, "chance": chance}, "answer_chance": answer_chance, "false_marks": marks}
    return row | {"enough": False, "proposed_chance": None} | more


def with_before(story: list[dict]) -> list[dict]:
    before = [1 / 2315, *(row["answer_chance"] for row in story)]
    return [row | {"answer_before": chance} for row, chance in zip(story, before, strict=False)]


def sentences(page, game: dict, story: list[dict]) -> list[str]:
    return read(page, "play/story", "sentences", game, with_before(story))


def test_the_story_tells_what_told_most_what_hurt_and_what_was_a_waste(page):
    game = game_of("wordpl", ("crate", 13), ("sloth", 8.5), ("bumpy", 6), proposed="haste", won=True)
    story = [
        standing_of("caste", 0.3, 0.2, "c"),
        standing_of("haste", 0.6, 0.6, enough=True),
        standing_of("caste", 0.5, 0.25, "bm", proposed_chance=0.25),
    ]
    told = [
        "Row 1 told most: it brought HASTE from 0.0432% to 20%.",
        "Row 3 lied about B and M: HASTE fell from 60% to 25%.",
        "HASTE was at 60% after row 2. Asking on was a waste, which cost 6.",
    ]
    end = "You proposed HASTE, at 25%. The best bet was CASTE, at 50%."
    assert sentences(page, game, story) == [*told, end]
    game["result"] |= {"gave_up": True}
    assert sentences(page, game, story)[-1] == "When you gave up, the best bet was CASTE, at 50%."
    for won, enough, verdict in (
        (True, False, "That was lucky: one more ask was worth its price."),
        (True, True, "That was sound."),
        (False, True, "That was sound, but bad luck."),
        (False, False, "One more ask was worth its price."),
    ):
        game = game_of("wordpl", ("crate", 13), proposed="caste", won=won)
        story = [standing_of("caste", 0.6, 0.2, proposed_chance=0.6, enough=enough)]
        said = sentences(page, game, story)
        assert said[-1] == f"You proposed the best bet, CASTE, at 60%. {verdict}"
    story = [standing_of("haste", 0.5, 0.5), standing_of("haste", 0.6, 0.6)]  # the first told more than the second
    game = game_of("wordpl", ("crate", 13), ("sloth", 8), gave_up=True)
    told = sentences(page, game, story)
    assert told[0] == "Row 1 told most: it brought HASTE from 0.0432% to 50%."
    story = [standing_of("haste", 1, 1 / 1200), standing_of("haste", 1, 1 / 3), standing_of("haste", 1, 1)]
    game = game_of("adversarial", *[("crate", 0)] * 3, gave_up=True)
    told = sentences(page, game, story)
    assert told[0] == "Row 2 told most: of 1,200 it left the adversary 3 words."
    game = game_of("wordle", *[("crate", 0)] * 3, ("haste", 0), won=True)
    story = [standing_of("haste", 1, 1, enough=True)] * 4
    told = sentences(page, game, story)
    assert told[1:] == ["HASTE was at 100% after row 1. Asking on was a waste, which cost 2 of your guesses."]
    story = [standing_of("haste", 0.6, 0.6, enough=True), *[standing_of("haste", 0.5, 0.5)] * 2]
    game = game_of("wordpl", ("crate", 13), ("sloth", 8), ("bumpy", 6), gave_up=True)
    told = sentences(page, game, story)
    assert told[1] == "HASTE was at 60% after row 1. Asking on was a waste, which cost 8."  # the last ask was worth it
    story = [standing_of("caste", 0.3, 1 / 3000, "c")]  # the answer fell, so nothing told most
    told = ["When you gave up, the best bet was CASTE, at 30%."]
    assert sentences(page, game_of("wordpl", ("crate", 13), gave_up=True), story) == told
    # Neither a fall by less than half, nor one without a lie, nor that another word was certain, is told.
    game = game_of("wordpl", *[("crate", 13)] * 4, gave_up=True)
    story = [standing_of("caste", 1, 0.05, enough=True), standing_of("haste", 0.6, 0.6)]
    story += [standing_of("caste", 0.5, 0.4, "b"), standing_of("caste", 0.5, 0.1)]
    told = [
        "Row 1 told most: it brought HASTE from 0.0432% to 5%.",
        "When you gave up, the best bet was CASTE, at 50%.",
    ]
    assert sentences(page, game, story) == told


REPLAY = """async ([game, story, chosen]) => {
    const { replay } = await import("/static/play/story.js");
    const told = [];
    const [back, note, foot, chart] = replay(game, story, { look: (row) => told.push(row ?? "whole"),
      goOn: (moves) => told.push(moves.length) });
    document.body.append(chart);
    const slider = back.querySelector("input");
    slider.value = chosen;
    slider.dispatchEvent(new Event("input"));
    foot.querySelector("button").click();
    const { series } = chart.querySelector(".plot").plot.picture;
    chart.remove();
    return [note.textContent, told, foot.querySelector("a")?.getAttribute("href"),
      series.map(({ label, points }) => [label, points.map(({ x, y }) => [x, y])])];
}"""


def test_a_story_is_gone_back_to_any_row_and_its_lies_are_drawn(page):
    game = game_of("wordpl", ("crate", 13), ("sloth", 8.5), ("bumpy", 6), proposed="caste")
    game |= {"words": "original", "rule": "letterwise", "channel": "ball:1"}
    game["moves"] = [{"action": "ask"}] * 3 + [{"action": "propose"}]
    story = [standing_of("caste", 0.25, 0.125, spent=13), standing_of("haste", 0.5, 0.5, "st", spent=21.5)]
    story += [standing_of("caste", 0.75, 0.125, "b", spent=27.5)]
    said, told, link, series = page.evaluate(REPLAY, [game, with_before(story), 2])
    assert said == "Row 2 lied about S and T: HASTE rose from 12.5% to 50%."
    assert told == ["whole", 2, 2] and link == "/explore/channel?guess=sloth&answer=haste&epsilon=8.5&channel=ball%3A1"
    assert series == [
        ["the answer", [[13, 0.125], [21.5, 0.5], [27.5, 0.125]]],
        ["best bet", [[13, 0.25]]],
        ["best bet, after a lie", [[13, 0.25], [21.5, 0.5]]],
        ["best bet, after a lie", [[21.5, 0.5], [27.5, 0.75]]],
    ]
    for kind, won, row, said in (
        ("wordpl", False, 3, "Row 3 lied about B: HASTE fell from 50% to 12.5%."),
        ("wordpl", False, 1, "Row 1 told no lie: HASTE rose from 0.0432% to 12.5%."),
        ("wordle", False, 2, "Row 2: HASTE rose from 12.5% to 50%."),
        ("wordle", True, 3, "Row 3 was right: HASTE."),
        ("adversarial", False, 3, "Row 3 left the adversary 8 words."),
    ):
        other = game | {"kind": kind, "channel": game["channel"] if kind == "wordpl" else None}
        other["result"] = game["result"] | {"won": won, "proposed": None, "gave_up": not won}
        assert page.evaluate(REPLAY, [other, with_before(story), row])[0] == said
    game |= {"kind": "fibble", "channel": "fibble", "moves": game["moves"][:2]}  # whose first guess is given
    _, told, link, series = page.evaluate(REPLAY, [game, with_before(story), 2])
    assert (told, link, series[0][1][2]) == (["whole", 2, 1], None, [3, 0.125])


def test_the_days_of_this_browser_are_counted_and_a_day_that_is_over_stays(page):
    days = {"2026-11-22": 3, "2026-11-21": 4, "2026-11-20": False, "2026-11-19": 3, "2026-11-30": 6}
    kept = {day: {"moves": [], "guesses": guesses} for day, guesses in days.items()} | {"2026-11-18": {"moves": []}}
    found = page.evaluate(
        """async (kept) => {
          const { keepDaily, movesOf, statistics } = await import("/static/play/game.js");
          const name = "play:daily:nyt2023:counted";
          localStorage.setItem(name, JSON.stringify(kept));
          const game = { kind: "daily", words: "nyt2023", rule: "counted", day: "2026-11-22", max_rows: 6, rows: [1, 2],
            moves: [{ action: "ask" }], result: { won: true } };
          const told = [statistics(game), statistics({ ...game, day: "2026-11-23" })];
          keepDaily(game);
          told.push(statistics(game).counts);
          keepDaily({ ...game, day: "2026-11-23" });
          keepDaily({ ...game, day: "2026-11-24", result: null });
          keepDaily({ ...game, day: "2026-11-25", result: { won: false } });
          const stored = JSON.parse(localStorage.getItem(name));
          told.push([stored["2026-11-23"].guesses, "guesses" in stored["2026-11-24"], stored["2026-11-25"].guesses]);
          told.push(movesOf({ ...game, day: "2026-11-24" }), movesOf({ ...game, kind: "wordle" }));
          localStorage.removeItem(name);
          return told;
        }""",
        kept,
    )
    counts = [0, 0, 2, 1, 0, 1]
    assert found[0] == {"played": 5, "won": 4, "streak": 2, "counts": counts}
    assert found[1]["streak"] == 0  # the day before it does not count without it
    assert found[2:] == [counts, [2, False, False], [{"action": "ask"}], []]


def test_the_best_bets_are_drawn_over_what_was_spent_before_them(page):
    bets = [{"word": word, "chance": chance} for word, chance in (("aback", 4e-5), ("crate", 0.25), ("haste", 0.9))]
    spent = read(page, "play/curve", "spending", bets, [{"epsilon": 13}, {"epsilon": 8.5}])
    asked = {"guess": "salet", "epsilon": 20, "raised": 0.96}
    picture = read(page, "play/curve", "betting", spent, [{"budget": 36.26, "percentile": 5}], asked)
    assert picture["label"] == "After 21.5 spent, the best bet is HASTE, at 90%."
    places = [(one["label"], [(point["x"], point["y"]) for point in one["points"]]) for one in picture["series"]]
    assert places == [
        ("best bet", [(0, 0.0004), (13, 0.25), (21.5, 0.9)]),
        ("our strategies", [(36.26, 0.05)]),
        ("if you ask SALET", [(21.5, 0.9), (41.5, 0.96)]),
    ]
    titles = [one["points"][0]["title"] for one in picture["series"][:2]]
    assert titles == ["Spent 0: ABACK at under 0.01%", "Our strategy wins 5% of games for 36.26"]
    assert len(read(page, "play/curve", "betting", spent, [], asked | {"guess": None})["series"]) == 2


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
    counted = {"guess": "geese", "best": "geese", "clue": clue("geese", "elite", "counted").show(), "steps": 2}
    ended = analysis | {"turns": [turn | counted | {"luck_bits": 0, "leader_chance": 1}], "line": []}
    panel, cards = read(page, "analyze/review", "review", ended, terms | {"game": "wordle", "rule": "counted"}, "elite")
    assert panel["text"].startswith("Not solved in 1 guess") and "false" not in panel["text"]
    assert "+0.00 bits" in cards["text"] and "epsilon" not in cards["text"] and "led" not in cards["text"]
    assert "It was the best guess." in cards["text"] and "To the end" not in cards["text"]
    for told in read(page, "analyze/review", "review", ended, terms | {"game": "wordle"}, "elite", True):
        assert "uck" not in told["text"]  # against the adversary


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
