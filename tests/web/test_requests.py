"""What views ask of the server, and what they make of its answers, which are made up here."""

from typing import Any

from tests.support.pages import FAKED, read


def test_the_reasons_for_a_word_are_said_once_and_go_with_it(page):
    statistics = {"word": "crate", "bits": 5.126, "expected_remaining": 61, "chance": 0.25, "parts": 42}
    statistics |= {"largest_part": 9}
    many = [f"w{number}" for number in range(12)]
    parts = [{"clue": ".....", "size": 1, "chance": 0.5, "words": ["haste"]}] * 42
    parts[1:3] = [{"clue": "i....", "size": size, "chance": 0.1, "words": many[:size]} for size in (12, 8)]
    answer = {"statistics": statistics, "known": False, "legal": False, "parts": parts}
    small = {"statistics": statistics | {"parts": 1}, "known": True, "legal": False, "parts": []}
    (seen, told, text, cells), sent = page.evaluate(
        """async (answers) => {
          const { whyPanel } = await import("/static/coach/why.js");
          const [told, seen, live] = [[], [], document.getElementById("live")];
          const panel = whyPanel({ situation: () => ({ words: "original", turns: [] }), hard: () => !seen.length,
            onchange: (word) => told.push(word), signal: new AbortController().signal });
          const input = panel.querySelector("input");
          return (FAKED)(async () => {
            let whole;
            const result = panel.lastChild;
            for (const [typed, clicked] of [[" CRATE! ", true], ["crate"], ["zz", true], ["zz"], [""]]) {
              live.textContent = result.textContent = "-";
              input.value = typed;
              if (clicked) panel.querySelector("button").click();
              else panel.show(typed, false);
              while (result.textContent === "-") await new Promise((done) => { setTimeout(done, 5); });
              await new Promise((done) => { setTimeout(done, 50); }); // longer than until it is said
              whole ??= [panel.querySelector(".reasons").textContent,
                [...panel.querySelectorAll("td")].map((cell) => cell.textContent).filter((cell) => cell !== "CRATE")];
              seen.push([panel.querySelector(".reasons p")?.textContent.trim().slice(-32) ?? null, live.textContent,
                panel.querySelector(".fault").textContent, input.value]);
            }
            return [seen, told, ...whole];
          }, answers.map((one) => Response.json(one, { status: one.error ? 422 : 200 })));
        }""".replace("FAKED", FAKED),
        [answer, small, {"error": {"message": "No.", "field": "turns"}}, small],
    )
    assert "into 42 groups, the largest of 9. It is not in the list. Hard mode does not allow it.The groups" in text
    assert text.endswith("And 2 less probable groups.") and text.count("haste") == 38
    assert f"12 10% {' '.join(many[:8])} and 4 more 8 10% {' '.join(many[:8])} 1 50% haste" in " ".join(cells)
    end = "into 1 group, the largest of 9."  # and nothing of hard mode
    assert [one[0] and one[0].endswith(end) for one in seen] == [False, True, None, True, None]
    assert [rest for _, *rest in seen] == [
        *(["crate: 5.13 bits", "", "crate"], ["-", "", "crate"], ["No.", "No.", "zz"]),
        *(["-", "", "zz"], ["-", "", ""]),
    ]
    assert told == ["crate", "crate", "zz", "zz", ""]
    assert sent == [["/api/coach/why", {"words": "original", "turns": [], "word": word}] for word in told[:4]]


def test_the_moves_of_the_best_known_strategies_may_be_refused_or_none(page):
    """`test_seen_play.py` has what they are."""
    row = {"guess": "crate", "clue": "..icc", "true_clue": "c.icc", "epsilon": 14.3125}
    own = {"name": "Fifth", "percentile": 5, "proposed": "haste", "won": True, "spent": 14.3125, "rows": [row]}
    own["moves"] = [{"action": "ask", "word": "crate", "epsilon": 14.3125}]
    result = {"answer": "haste", "gave_up": True, "won": False, "share": "", "true_clues": []}
    game = {"kind": "wordpl", "channel": "ball:1", "id": "x", "words": "original", "rule": "letterwise", "rows": []}
    (texts, *others), _ = page.evaluate(
        """async ([game, records]) => {
          const { endPanel } = await import("/static/play/end.js");
          return (FAKED)(async () => {
            const seen = [];
            for (let at = 0; at < 3; at += 1) {
              const panel = endPanel(game, new AbortController().signal, {});
              while (panel.querySelector("[aria-busy]")) await new Promise((done) => { setTimeout(done, 5); });
              const parts = panel.querySelectorAll("th, td, summary, details .note, details .tiles");
              seen.push(at ? panel.lastChild.textContent : [...parts].map((one) => one.ariaLabel ?? one.textContent));
            }
            return seen;
          }, [Response.json(records), Response.json({ error: { message: "no", field: null } }, { status: 422 }),
            Response.json([])]);
        }""".replace("FAKED", FAKED),
        [game | {"moves": [], "result": result}, [own]],
    )
    spoken = "C absent, R absent, A present, T correct, E correct; flipped: C was correct"
    assert texts == [
        "you",
        "5th",
        "gave up",
        "crate at 14.3",
        "Fifth (5th percentile): right, 14.313",
        spoken,
        "ε 14.31",
    ]
    none = "They were made for the list original, the rule letterwise, and noise letter by letter."
    assert others == [f"What the best known strategies would have asked{said}" for said in ("No.", none)]


def test_too_much_work_is_asked_for_again_and_a_refusal_is_a_sentence(page):
    asked = """async ([status, body, after = "3"]) => {
        const { request } = await import("/static/api.js");
        const [before, waits] = [window.setTimeout, []];
        window.setTimeout = (work, wait) => { waits.push(wait); queueMicrotask(work); };
        const made = new Response(body && JSON.stringify(body), { status, headers: { "Retry-After": after } });
        try {
          const [told, sent] = await (FAKED)(() => request("/api/x").catch(({ message, field, status: of }) =>
            [message, field ?? null, of]), [made]);
          const gone = await request("/api/health", { signal: AbortSignal.abort() }).catch(({ name }) => name);
          return [gone === "AbortError" && told, sent.filter(([path]) => path === "/api/x").length, waits];
        } finally { window.setTimeout = before; }
    }""".replace("FAKED", FAKED)
    told, sent, waits = page.evaluate(asked, [429, None])
    assert (told, sent) == (["The server cannot answer this now (status 429). Try again later.", None, 429], 5)
    assert len(waits) == 4 and all(1500 <= wait <= 4500 for wait in waits)
    assert all(500 <= wait <= 1500 for wait in page.evaluate(asked, [429, None, "soon"])[2])
    refused = {"error": {"message": "that is wrong", "field": "words"}}
    assert page.evaluate(asked, [422, refused]) == [["That is wrong.", "words", 422], 1, []]
    tries = {status: page.evaluate(asked, [status, None])[1] for status in (404, 500, 502, 503, 504)}
    assert tries == {404: 1, 500: 1, 502: 5, 503: 5, 504: 5}  # a proxy whose server is away is asked again
    assert read(page, "api", "answers") is True  # it is back
    query = {"a": None, "b": "", "c": [1, 2], "d": 0, "e": "x&y"}
    assert read(page, "api", "withQuery", "/x", query) == "/x?c=1&c=2&d=0&e=x%26y"
    assert read(page, "api", "withQuery", "/x", {"a": None}) == "/x"
    for given, said in (("why?", "Why?"), ("no!", "No!"), ("so.", "So."), ("x: y", "X: y.")):
        assert read(page, "api", "sentence", given) == said


def test_a_list_of_ones_own_is_sent_again_only_if_the_server_has_lost_it(page):
    found, sent, missing = page.evaluate(
        """async () => {
          const { withList, wordsField } = await import("/static/words.js");
          localStorage.setItem("list:list-1", JSON.stringify({ answers: "cat" }));
          const run = async (name, field, status) => {
            let calls = 0;
            const given = await withList(name, async () => {
              if (++calls === 1) throw Object.assign(new Error("lost"), { field, status });
              return "found";
            }).catch(({ message }) => message);
            return [given, calls];
          };
          const made = await (FAKED)(async () => [await run("list-1", "words", 422), await run("list-1", "text", 404),
            await run("list-1", "words", 404), await run("list-1", "words", 404), await run("list-2", "words", 404)],
            [0, 1].flatMap(() => [Response.json([]), Response.json({ name: "list-1" })]).concat(Response.json([])));
          localStorage.removeItem("list:list-1");
          const unknown = wordsField("list-0", () => {});
          while (unknown.ariaBusy) await new Promise((done) => { setTimeout(done, 5); });
          return [...made, unknown.querySelector(".fault").textContent];
        }""".replace("FAKED", FAKED)
    )
    assert found == [["lost", 1], ["lost", 1], ["found", 2], ["found", 2], ["lost", 1]]
    assert missing == "There is no word list of that name here; choose another, or paste the list again."
    again = [["/api/words?pasted=list-1", None], ["/api/words", {"answers": "cat"}]]
    assert sent == [*again, *again, ["/api/words?pasted=list-2", None]]


def test_help_asks_for_what_is_switched_on_and_shows_chances_to_win(page):
    guess = {"word": "crate", "bits": 1.5, "expected_remaining": 2, "chance": 0.25}
    answer = {"bets": [guess], "advice": {"text": "Wait."}, "answers": None, "remaining": None, "bits": 1.25}
    seen, sent = page.evaluate(
        """async ([answer, guess]) => {
          const { helpPanel } = await import("/static/play/help.js");
          const [told, set] = [[], []];
          const state = { get: () => "bet guesses bits", set: (values) => set.push(values.help),
            signal: new AbortController().signal };
          const panel = helpPanel(state, "bet", { pick: (word) => told.push(word), records: null,
            advise: (best, advice) => told.push(best && [best.word, advice.text]) });
          const help = panel.querySelector(".help");
          const game = { kind: "wordle", id: "x", words: "original", rows: [], moves: [] };
          return (FAKED)(async (sent) => {
            const seen = [];
            let shown;
            for (const epsilon of [9, 8]) {
              panel.show(shown = { ...game }, epsilon);
              while (help.ariaBusy || !help.textContent) await new Promise((done) => { setTimeout(done, 5); });
              seen.push([...help.querySelectorAll("tr")].map((row) => [...row.cells].map((cell) => cell.textContent)));
              seen.push(help.textContent);
            }
            panel.show(shown, 7); // another epsilon, with a guess to rank
            while (sent.length < 3 || help.ariaBusy) await new Promise((done) => { setTimeout(done, 5); });
            for (const detail of ["gone", "back"]) dispatchEvent(new CustomEvent("server", { detail }));
            document.body.append(panel); // else a click changes nothing
            for (const at of [3, 2, 0]) panel.querySelectorAll("input")[at].click();
            panel.remove();
            const off = helpPanel({ ...state, get: () => "none" }, "bet", { pick: () => {}, advise: () => {},
              records: Promise.resolve([]) });
            for (const epsilon of [9, 8]) off.show(shown, epsilon);
            await new Promise((done) => { setTimeout(done, 300); }); // in which nothing is asked
            while (off.querySelector(".help").ariaBusy) await new Promise((done) => { setTimeout(done, 5); });
            document.body.append(off);
            off.querySelectorAll("input")[2].click();
            off.remove();
            return [seen, told, [...set, off.curve.hidden]];
          }, [Response.json({ ...answer, guesses: [guess, guess], win_chances: [0.5, 0.125] }),
            Response.json({ ...answer, guesses: [], win_chances: [], answers: [guess], remaining: 13 })]);
        }""".replace("FAKED", FAKED),
        [answer, guess],
    )
    (shown, _, none, text), told, names = seen
    rows = [["crate", win, "1.5", "2", "25%"] for win in ("50%", "12.5%")]
    assert shown == [["guess", "win", "bits", "left", "chance"], *rows]
    assert "Most probable answerscrate25%and 12 more" in text
    assert none == [] and "1.25 bits left to find." in text and text.endswith("There is nothing left to ask.")
    assert told == [None, ["crate", "Wait."], None, *[["crate", "Wait."]] * 2, None]
    assert names == ["bet bits", None, "none", "bits", True]  # the last two where nothing was on
    assert len(sent) == 7  # two games, another epsilon, once more when the server is back, and three switches
    assert sent[0] == ["/api/play/games/x/help", {"moves": [], "show": ["guesses", "bits"], "epsilon": "inf"}]


def test_an_address_is_played_up_to_the_first_move_that_cannot_be_made(page):
    made: list[dict[str, Any]] = [{"action": "ask", "word": word, "epsilon": 13} for word in ("crate", "b")]
    asks = [move | {"text": f"{move['word']}:13", "fault": None} for move in made]
    cut = {"action": "ask", "word": "c", "epsilon": None, "text": "c" * 70, "fault": "A word is expected."}
    played = """async ([moves, answers]) => {
        const { playUpTo } = await import("/static/play/game.js");
        const game = { id: "x/y", words: "original" };
        return (FAKED)(() => playUpTo(game, moves, null).catch(({ message, status }) => [message, status]),
          answers.map((status) => Response.json({ ...status === 200 && { rows: [] },
            ...status !== 200 && { error: { message: "no" } } }, { status })));
    }""".replace("FAKED", FAKED)
    found, sent = page.evaluate(played, [[*asks, cut], [422, 200]])
    assert sent == [["/api/play/games/x%2Fy", {"moves": moves}] for moves in (made, made[:1])]
    said = "Move 2 of this address, “b:13”, cannot be made. No."
    assert found == {"rows": [], "moves": made[:1], "fault": said}
    found, sent = page.evaluate(played, [[*asks, cut], [200]])
    assert found["fault"] == f"Move 3 of this address, “{'c' * 60}”, cannot be made. A word is expected."
    assert "fault" not in page.evaluate(played, [asks, [200]])[0]
    assert page.evaluate(played, [asks, [404, 200]])[0] == ["No.", 404]
    assert page.evaluate(played, [asks, [422, 422, 422, 200]])[0] == ["No.", 422]
