"""Parts of views that are given made-up data: what they show, ask for and pass on."""

from typing import Any

import pytest

from tests.support.pages import FAKED, read
from wordpl import RandomizedResponse

# Coach


def test_the_marks_of_a_row_are_typed_and_what_is_wrong_stands_at_its_row(page):
    found = page.evaluate(
        """async () => {
          const { turnsEditor } = await import("/static/coach/turns.js");
          const [told, drafts, pasted, marks] = [[], [], [], []];
          const whole = turnsEditor({ length: () => 5, submit: async () => true, paste: (text) => pasted.push(text),
            onrows: (rows) => told.push(rows.map(({ clue }) => clue).join(" ")),
            ondraft: (draft) => drafts.push(draft) });
          document.body.append(whole);
          whole.set([{ guess: "crate", clue: ".....", epsilon: "inf" }], { guess: "", clue: "", epsilon: 13 }, false);
          const tiles = [...whole.querySelectorAll(".turns .tile")];
          const key = (node, name, more) => node.dispatchEvent(
            new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true, ...more }));
          for (const [at, name] of [...[..."210GybCi."].map((mark) => [0, mark]), [1, "ArrowUp"],
            [1, "ArrowUp"], [1, "ArrowDown"], [0, "ArrowLeft"], [4, "ArrowRight"], [2, "x"]]) {
            tiles[2].focus();
            key(tiles[at], name);
            marks.push([tiles[at].dataset.mark, tiles.indexOf(document.activeElement)]);
          }
          key(tiles[3], "c", { ctrlKey: true });
          const input = whole.querySelector(".next input");
          const type = (text) => { input.value = text; input.dispatchEvent(new Event("input")); };
          type("CRT");
          const free = key(input, "Enter"); // it would press the tile that gets the focus
          const faults = [free, whole.querySelector(".next .fault").textContent];
          type("crtae");
          const typed = drafts.at(-1);
          const fail = (field, message) => whole.fault({ field, message });
          const meant = "no word: did you mean “crate” or “trace”? Or crtae!";
          const about = [fail("rule", "no"), fail("turns.1.guess", meant),
            [...whole.querySelectorAll(".hints button")].map((one) => one.textContent), fail("turns.1.clue", "odd.")];
          faults.push(whole.querySelector(".next .fault").textContent);
          about.push(fail("turns.0.guess", "wrong."));
          faults.push(whole.querySelector(".turns .fault").textContent);
          for (const text of ["crate", "crate!", " crate ..icc "]) {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text", text);
            input.dispatchEvent(new ClipboardEvent("paste", { clipboardData, cancelable: true }));
          }
          whole.remove();
          return [marks, told.at(-1), typed, about, faults, pasted];
        }"""
    )
    marks, told, typed, about, faults, pasted = found
    assert marks[:9] == [[mark, 1] for mark in "ci.ci.ci."]  # and the next tile has the focus
    assert marks[9:] == [["i", 2], ["c", 2], ["i", 2], [".", 0], [".", 4], [".", 2]]
    assert (told, typed) == (".i...", {"guess": "crtae", "clue": ".....", "epsilon": 13})
    assert about == [False, True, ["crate", "trace", "Use crtae all the same"], True, True]
    assert faults == [False, "The words have 5 letters.", "clue: odd.", "wrong."]
    assert pasted == ["crate ..icc"]


def test_a_row_is_added_once_and_renamed_only_if_the_server_takes_it(page):
    found = page.evaluate(
        """async () => {
          const { turnsEditor } = await import("/static/coach/turns.js");
          const [asked, drafts, seen, told] = [[], [], [], []];
          const whole = turnsEditor({ length: () => 7, ondraft: (draft) => drafts.push(draft), paste: null,
            onadded: () => whole.focus(), onrows: (rows) => told.push(rows.length),
            submit: (change) => new Promise((done) => { asked.push([change(rows), done]); }) });
          const rows = ["abcdefg", "hijklmn!", "אבגדהוז"].map((guess) => ({ guess, clue: ".......", epsilon: "inf" }));
          document.body.append(whole);
          whole.set(rows, { guess: "opqrstu", clue: "i......", epsilon: 9 }, false);
          const all = (what) => [...whole.querySelectorAll(what)];
          const look = () => all(".turns .turn-word").map((one) => one.textContent);
          const answer = async (taken) => {
            asked.at(-1)[1](taken);
            await new Promise((done) => { setTimeout(done, 5); });
          };
          const press = (node, key) => node.dispatchEvent(new KeyboardEvent("keydown", { key, cancelable: true }));
          const focused = () => document.activeElement.ariaLabel ?? document.activeElement.tagName;
          const texts = (what) => all(what).map((one) => one.textContent).join();
          seen.push(texts(".turns .note, li:first-child .turn-buttons"),
            all(".tiles").map((one) => `${one.className} ${one.ariaLabel}`));
          const hebrew = [...all(".turns .tiles")[2].children];
          for (const [at, key] of ["ArrowLeft", "ArrowLeft", "ArrowRight"].entries()) press(hebrew[at], key);
          seen.push(hebrew.map(({ tabIndex }) => tabIndex).indexOf(0));
          for (const taken of [false, true]) {
            whole.querySelector(".turn-buttons button").click();
            const box = whole.querySelector(".turns input");
            box.value = " ZZZZZZZ ";
            press(box, "Enter");
            seen.push(look()[0]);
            await answer(taken);
            seen.push(look()[0], focused());
            if (!taken) press(whole.querySelector(".turns .tile"), "i"); // of the word that it still has
          }
          const add = whole.querySelector(".next button.main");
          add.click();
          add.click(); // while the server is asked
          await answer(true);
          seen.push(asked.length, asked.at(-1)[0].at(-1), drafts.at(-1), look().length,
            document.activeElement === whole.querySelector(".next input"));
          whole.fault({ field: "turns.0.clue", message: "No." });
          whole.fault({ field: "words", message: "No list." }); // which is not about a row
          seen.push(texts(".turns .fault"));
          whole.fault({ field: "turns.4.guess", message: "No: did you mean “abcdefg”?" });
          whole.querySelector(".hints button").click();
          seen.push(focused(), drafts.at(-1).guess, texts(".next .fault, .hints"));
          for (const at of [0, 2, 0, 0]) {
            whole.remove(at);
            seen.push(focused());
          }
          whole.replaceWith();
          return [...seen, told];
        }"""
    )
    words = ("ABCDEFG", "HIJKLMN", "אבגדהוז", "OPQRSTU")
    assert found[:3] == ["ChangeRemove,Not in the list.", [f"tiles long Clue to {word}" for word in words], 1]
    # What the server does not take stays as it was, and what it is asked meanwhile is not asked again.
    assert found[3:9] == ["ABCDEFG", "ABCDEFG", "A: absent", "ABCDEFG", "ZZZZZZZ", "Z: present"]
    row = {"guess": "opqrstu", "clue": "i......", "epsilon": "inf"}
    assert found[9:14] == [3, row, {"guess": "", "clue": "", "epsilon": 9}, 4, True]
    assert found[14:18] == [",,,", "A: absent", "abcdefg", ","]
    # The next row has the focus, else the last one, else the word to come.
    assert found[18:] == ["H: absent", "א: absent", "א: absent", "A: absent", [3, 3, 2, 1, 0]]


def test_the_fields_of_a_game_follow_its_kind(page):
    found = page.evaluate(
        """async () => {
          const { gameFields } = await import("/static/game_fields.js");
          const told = [];
          const form = gameFields((game) => told.push(game));
          form.set({ game: "fibble", words: "nyt2022", rule: "counted", channel: "fibble:2", limit: 9 });
          const { kind, rule, channel, game: limit } = form.fields;
          const choose = (field, value) => {
            field.control.value = value;
            field.control.dispatchEvent(new Event("change"));
          };
          const look = () => [limit.hidden, limit.control.value, channel.hidden,
            [...channel.control.options].map(({ text }) => text), channel.control.value, rule.control.value];
          const seen = [look()];
          choose(limit, "101");
          seen.push([limit.querySelector(".fault").textContent, limit.control.value, told.length]);
          choose(limit, "100");
          choose(rule, "letterwise");
          choose(channel, "fibble:5");
          for (const name of ["wordle", "wordpl"]) {
            choose(kind, name);
            seen.push(look());
          }
          form.set({ game: "fibble", words: "nyt2022", rule: "counted", channel: "levels:9,3,1,1,1,1", limit: 9 });
          const other = form.fields.channel.control;
          return [[...seen, [other.value, other.selectedOptions[0].text, other.options.length]], told];
        }"""
    )
    (first, refused, wordle, wordpl, odd), told = found
    assert odd == ["levels:9,3,1,1,1,1"] * 2 + [6]
    lies = ["1 false mark in each row", *(f"{number} false marks in each row" for number in range(2, 6))]
    assert first == [False, "9", False, lies, "fibble:2", "counted"]
    assert refused == ["A game has 1 to 100 guesses; this one still has 9.", "9", 0]
    assert wordle[:3] == [False, "6", True] and wordle[-1] == "counted"
    noise = ["letter by letter", "whole clue", "ball of radius 1"]
    assert wordpl == [True, "", False, noise, "randomized_response", "letterwise"]
    own = {"game": "fibble", "words": "nyt2022", "rule": "counted", "channel": "fibble:2", "limit": 100}
    other = own | {"rule": "letterwise"}
    usual = [
        {"game": "wordle", "words": "nyt2023", "rule": "counted", "channel": None, "limit": 6},
        {"game": "wordpl", "words": "original", "rule": "letterwise", "channel": "randomized_response", "limit": None},
    ]
    assert told == [own, other, other | {"channel": "fibble:5"}, *usual]


# Play

REPLAY = """async ([game, story, chosen]) => {
    const { replay } = await import("/static/play/story.js");
    const told = [];
    const made = replay(game, story, { look: (row) => told.push(["look", row ?? null]),
      goOn: (moves) => told.push(["on", moves.length]) });
    const [back, note, foot, chart] = made;
    const slider = back.querySelector("input");
    const look = () => [note.textContent, slider.getAttribute("aria-valuetext"), foot.querySelector("button").disabled,
      foot.querySelector("a")?.getAttribute("href") ?? null];
    document.body.append(chart);
    const states = [[slider.min, slider.max, slider.value], look()];
    slider.value = chosen;
    slider.dispatchEvent(new Event("input"));
    states.push(look());
    foot.querySelector("button").click();
    const { x, y, series, onpoint } = chart.querySelector(".plot").plot?.picture ?? {};
    onpoint?.(0);
    states.push(slider.value);
    chart.remove();
    return [states, told, chart.querySelector("figcaption").textContent, JSON.parse(JSON.stringify([x, y, series]))];
}"""


def story_row(leader: str, chance: float, is_at: float, lies: str = "", spent: float | None = None) -> dict:
    marks = [{"letter": letter} for letter in lies]
    return {"leader": {"word": leader, "chance": chance}, "answer_chance": is_at, "false_marks": marks, "spent": spent}


def test_a_story_is_gone_back_to_any_row_and_its_lies_are_drawn(page):
    result = {"answer": "haste", "proposed": "caste", "won": False, "gave_up": False}
    asks = [("crate", 13), ("sloth", 8.5), ("bumpy", 6)]
    game: dict[str, Any] = {
        "kind": "wordpl",
        "channel": "ball:1",
        "words": "original",
        "rule": "letterwise",
        "result": result,
    }
    game["rows"] = [{"guess": guess, "epsilon": epsilon} for guess, epsilon in asks]
    game["moves"] = [{"action": "ask"}] * 3 + [{"action": "propose"}]
    story = [story_row("caste", 0.25, 0.125, "", 13), story_row("haste", 0.5, 0.5, "st", 21.5),
             story_row("caste", 0.75, 0.125, "b", 27.5)]  # fmt: skip
    states, told, caption, (x, y, series) = page.evaluate(REPLAY, [game, story, 2])
    texts = [
        "Row 3 lied about B: HASTE fell from 50% to 12.5%.",
        "Row 2 lied about S and T: HASTE rose from 12.5% to 50%.",
    ]
    links = [f"/explore/channel?guess={word}&answer=haste&epsilon={at}&channel=ball%3A1" for word, at in asks]
    assert states == [["1", "3", "3"], [texts[0]] * 2 + [False, links[2]], [texts[1]] * 2 + [False, links[1]], "1"]
    assert told == [["look", None], ["look", 2], ["on", 2], ["look", 1]]  # the last row is the whole game
    assert caption == "After 3 rows the best bet was CASTE, at 75%."
    assert (x, y["range"], y["log"]) == ({"label": "budget spent"}, [0.0004, 0.9996], "odds")
    assert y["ticks"] == [0.001, 0.01, 0.1, 0.5, 0.9, 0.99, 0.999]  # so that a lost game shows its small chances
    answer, *segments = series
    assert answer["points"] == [{"x": 13, "y": 0.125}, {"x": 21.5, "y": 0.5}, {"x": 27.5, "y": 0.125}]
    titles = [f"Row {at}: {word} leads with {chance}" for at, word, chance in ((1, "CASTE", "25%"), (2, "HASTE", "50%"),
                                                                              (3, "CASTE", "75%"))]  # fmt: skip
    points = [{"x": spent, "y": chance, "mark": mark, "title": title} for spent, chance, mark, title in
              zip((13, 21.5, 27.5), (0.25, 0.5, 0.75), ("dot", "ring", "ring"), titles, strict=True)]  # fmt: skip
    bare = [{"x": point["x"], "y": point["y"]} for point in points]
    assert [(one["label"], one["named"], one["points"]) for one in segments] == [
        ("best bet", True, points[:1]),
        ("after a lie", True, [bare[0], points[1]]),
        ("after a lie", False, [bare[1], points[2]]),
    ]
    states, *_ = page.evaluate(REPLAY, [game, story, 1])
    assert states[2][0] == "Row 1 told no lie: HASTE stood at 12.5%."
    # In Wordle the first guess of Fibble is none of one's own, and after a right guess nothing is asked.
    game |= {"kind": "fibble", "channel": "fibble", "moves": [{"action": "ask"}] * 2}
    game["result"] = result | {"proposed": None, "won": True}
    states, told, _, (x, *_) = page.evaluate(REPLAY, [game, story, 2])
    assert states[1][2:] == [True, None] and states[2][2:] == [False, None] and told[2] == ["on", 1]
    assert x == {"label": "guesses", "ticks": [1, 2, 3]}
    states, *_ = page.evaluate(REPLAY, [game | {"kind": "wordle", "channel": None}, story, 2])
    assert states[2][0] == "Row 2: HASTE rose from 12.5% to 50%."
    level = [*story[:2], story_row("haste", 0.5001, 0.5001)]
    game |= {"kind": "wordle", "channel": None}
    states, *_ = page.evaluate(REPLAY, [game, level, 3])
    assert states[1][0] == "Row 3 was right: HASTE."
    game["result"]["won"] = False
    states, *_ = page.evaluate(REPLAY, [game, level, 3])
    assert states[1][0] == "Row 3: HASTE stayed at 50%."
    game |= {"kind": "adversarial", "channel": None}
    states, _, _, (*_, series) = page.evaluate(REPLAY, [game, story, 3])
    assert states[1][0] == "Row 3 left the adversary 8 words." and {one["label"] for one in series} == {
        "best bet",
        "after a lie",
    }


@pytest.mark.parametrize(
    ("terms", "summary", "offers"),
    [
        ({"rule": "counted", "channel": "whole_clue", "words": "list-9"},
         "WORDPL, a list of your own, counted, whole clue", ["New game", "Restart this game", "Today's word"]),
        ({"kind": "unlimited", "channel": "levels:1,2"}, "WORDPL, unlimited, original, levels:1,2",
         ["New game", "Restart this game", "Today's word", "WORDPL"]),
        ({"kind": "daily", "hard": "extra", "rule": "letterwise"},
         "Wordle, word of the day, original, letterwise, extra hard mode", ["WORDPL"]),
    ],
)  # fmt: skip
def test_the_terms_of_a_game_are_summed_up_and_sent(page, terms, summary, offers):
    """`test_seen_play.py` has the games of other kinds."""
    usual = {"kind": "wordpl", "words": "original", "rule": "letterwise", "hard": False, "channel": None, "given": True}
    terms = usual | terms
    found = page.evaluate(
        """async (terms) => {
          const { setup } = await import("/static/play/setup.js");
          const begun = [];
          const made = setup(terms, async (chosen) => { begun.push(chosen); }, () => begun.push("again"));
          const [whole, row] = made.children;
          const buttons = [...row.querySelectorAll("button"), whole.querySelector("button.main")];
          for (const one of buttons) one.click();
          while (begun.length < buttons.length) await new Promise((done) => { setTimeout(done, 5); });
          const fields = [...whole.querySelectorAll(".field")];
          for (const [name, value] of [["Game", "fibble"], ["Noise", "fibble:3"], ["The first", null]]) {
            const { control } = fields.find((one) => one.textContent.startsWith(name));
            if (value) control.value = value;
            else control.checked = false;
            control.dispatchEvent(new Event("change"));
          }
          buttons.at(-1).click();
          while (begun.length <= buttons.length) await new Promise((done) => { setTimeout(done, 5); });
          return [whole.querySelector("summary").textContent, [...row.children].map((one) => one.textContent),
            begun];
        }""",
        terms,
    )
    assert found[:2] == ["Game: " + summary, offers]
    others = {
        "Today's word": {"kind": "daily", "words": "nyt2023", "rule": "counted"},
        "WORDPL": {"kind": "wordpl", "words": "original", "rule": "letterwise"},
    }
    plain = [terms | others[name] | {"channel": None, "hard": False} for name in offers if name in others]
    other = {"kind": "fibble", "words": "nyt2023", "rule": "counted", "hard": False, "given": False}
    again = [terms, "again"] if "New game" in offers else []
    assert found[2] == [*again, *plain, terms, other | {"channel": "fibble:3"}]


@pytest.mark.parametrize(
    ("kind", "clues", "won", "about", "notes"),
    [
        ("wordpl", ["ccccc"], None, "All marks are correct: propose it?", ["ε 13"]),
        ("wordpl", ["ccccc", "....c"], None, "", ["ε 13", "ε 13"]),
        ("unlimited", ["ccccc"], None, "", ["ε 13"]),
        ("fibble", ["ccccc"], None, "1 false mark in each row, but a right guess is not lied about.", ["not the word"]),
        ("fibble", ["ccccc", "....."], False, "", ["not the word"]),
        ("fibble", ["ccccc", "ccccc"], True, "", ["not the word"]),
    ],
)
def test_a_game_says_what_its_rows_are(page, kind, clues, won, about, notes):
    channel = {"wordpl": "randomized_response", "unlimited": "ball:1", "fibble": "fibble"}.get(kind)
    game: dict[str, Any] = {"id": "x", "kind": kind, "words": "nyt2023", "rule": "counted", "hard": False, "length": 5}
    game |= {"channel": channel, "letters": "acert", "max_rows": None, "spent": 13}
    game["rows"] = [{"guess": "crate", "clue": marks, "epsilon": 13} for marks in clues]
    ended = {"won": won, "answer": "crate", "gave_up": False, "true_clues": clues, "share": ""}
    game["result"] = None if won is None else ended
    seen, _ = page.evaluate(
        """async (game) => {
          const { show } = await import("/static/tabs/play.js");
          const [stop, root] = [new AbortController(), document.createElement("div")];
          const given = { kind: game.kind, help: "none" };
          return (FAKED)(async () => {
            await show(root, { expect: () => {}, set: () => {}, all: () => [], signal: stop.signal,
              get: (name, otherwise = null) => given[name] ?? otherwise });
            stop.abort();
            for (const name of ["play:last", "play:typed"]) sessionStorage.removeItem(name);
            return [root.querySelector(".bet")?.textContent ?? "",
              [...root.querySelectorAll(".rows .note")].map((one) => one.textContent),
              [...root.querySelectorAll(".rows li")].map(({ className }) => className)];
          }, [Response.json(game), { clone: () => new Promise(() => {}) }]); // nothing else is answered
        }""".replace("FAKED", FAKED),
        game,
    )
    to_come = ["", *["to-come"] * (4 - len(clues))] if won is None else []
    assert seen == [about, notes, [""] * len(clues) + to_come]


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
          keepDaily({ ...game, day: "2026-11-20" });
          const stored = JSON.parse(localStorage.getItem(name));
          told.push(stored["2026-11-23"].guesses, "guesses" in stored["2026-11-24"], stored["2026-11-25"].guesses,
            stored["2026-11-20"].guesses);
          told.push(movesOf({ ...game, day: "2026-11-24" }), movesOf({ ...game, kind: "wordle" }));
          localStorage.removeItem(name);
          return told;
        }""",
        kept,
    )
    counts = [0, 0, 2, 1, 0, 1]
    assert found[0] == {"played": 5, "won": 4, "streak": 2, "counts": counts}
    assert found[1]["streak"] == 0  # the day before it does not count without it
    assert found[2] == counts and found[3:7] == [2, False, False, False] and found[7:] == [[{"action": "ask"}], []]


# Numbers of the start


def test_the_numbers_of_the_scenes_are_short(page):
    parts = {0.0021: "0.21", 0.5: "50", 0.9669: "97", 0.98949: "99", 0.99: "99", 0.99478: "99.5"}
    ratios = {2.718: "2.7", 9.96: "10", 10.2: "10", 148.4: "148", 442413.4: "442,413", 2.4e7: "24M"}
    for name, texts in (("ofHundred", parts), ("times", ratios)):
        assert [read(page, "start/promise", name, number) for number in texts] == list(texts.values())
    for epsilon in (0, 5, 30):
        assert read(page, "epsilon", "keep", epsilon) == pytest.approx(RandomizedResponse(epsilon).keep)
    assert read(page, "start/noise", "agreements", "..icc", ".ciic") == 3
