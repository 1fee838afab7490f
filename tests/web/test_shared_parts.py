"""Parts that views share: addresses, faults, tiles, what is kept and asked again."""

import re

from playwright.sync_api import expect

from tests.support.pages import read


def test_an_address_is_read_within_its_bounds(page):
    found = page.evaluate(
        """async () => {
          const { anyEpsilon, finiteEpsilon, flag, many, nonempty, prose, wholeFrom } =
            await import("/static/address.js");
          const whole = wholeFrom(3, 100);
          return [["2", "3", "10", "100", "101", "3.0", "-3", ""].map(whole), ["", "ab", "abc"].map(nonempty(2)),
            ["", "ab", "abc"].map(prose(2)), ["0", "1", "2", ""].map(flag), ["1e6", "1000001", "inf"].map(anyEpsilon),
            ["1e6", "1000001", "inf"].map(finiteEpsilon), [whole, nonempty(2), prose(2), flag, anyEpsilon]
              .map(({ wants, most }) => [wants, most]), many(whole, 7).most, many(whole, 7).wants];
        }"""
    )
    assert found[0] == [None, 3, 10, 100, *[None] * 4]
    assert found[1:4] == [[None, "ab", None], ["", "ab", None], ["0", "1", None, None]]
    assert found[4:6] == [[1e6, None, "inf"], [1e6, None, None]]
    wants = ["a whole number from 3 to 100", "a text of 1 to 2 characters", "a text of at most 2 characters",
             "one of 0, 1", "a number above 0, up to 1,000,000, or inf"]  # fmt: skip
    assert found[6:] == [[[text, 1] for text in wants], 7, wants[0]]


def test_an_address_keeps_values_and_steps_back_only_over_others(page):
    found = page.evaluate(
        """async () => {
          const { State, nonempty, many } = await import("/static/address.js");
          const [stop, before] = [new AbortController(), location.href];
          const state = new State(stop.signal, () => {}, ["contest"]);
          state.expect({ a: nonempty(9), b: many(nonempty(9), 2) });
          history.replaceState({ typed: 1 }, "");
          const [first, seen] = [history.length, []];
          const set = (...values) => {
            state.set(...values);
            seen.push([location.search, history.length - first, history.state]);
          };
          set({ a: "x", b: ["y", "z"] }, { push: true });
          set({ a: "x", b: ["y", "z"] }, { push: true });
          set({ a: null }, { push: true });
          set({ b: ["y"] });
          set({ b: null, a: "x" });
          seen.push([state.get("a"), state.get("b"), state.get("b", "none"), state.all("a")]);
          stop.abort();
          set({ a: "late" });
          const back = new Promise((done) => { addEventListener("popstate", done, { once: true }); });
          history.go(-2);
          return [...seen, (await back).state, location.href === before];
        }"""
    )
    assert [search for search, *_ in found[:5]] == ["?a=x&b=y&b=z"] * 2 + ["?b=y&b=z", "?b=y", "?a=x"]
    assert [steps for _, steps, _ in found[:5]] == [1, 1, 2, 2, 2] and {one[2] for one in found[:5]} == {None}
    assert found[5:7] == [["x", None, "none", ["x"]], ["?a=x", 2, None]]
    assert found[7:] == [None, True]  # what was typed there is not typed again


def test_an_error_stands_at_its_field_or_below_until_one_types_again(page):
    states = page.evaluate(
        """async () => {
          const { attempt, el, field, showError } = await import("/static/dom.js");
          const box = field("Name", el("input"));
          const [details, rest] = [el("details", {}, box), el("p", { hidden: true })];
          const fault = box.querySelector(".fault");
          const look = () => [fault.hidden ? null : fault.textContent, box.control.ariaInvalid, details.open,
            rest.hidden ? null : rest.textContent];
          const error = (values) => Object.assign(new Error("No."), values);
          const fail = (values) => { showError(error(values), { turns: box }, rest); return look(); };
          const seen = [fail({ name: "AbortError", status: 0, field: "turns" })];
          seen.push(fail({ status: 422, field: "turns.0.guess" }));
          box.control.dispatchEvent(new Event("input"));
          seen.push(look(), fail({ status: 422, field: "rule" }));
          seen.push(await attempt(async () => {}, {}, rest), look()[3]);
          seen.push(await attempt(async () => { throw error({ status: 422, field: null }); }, {}, rest), look()[3]);
          seen.push(fail({})[3], box.control.getAttribute("aria-describedby") === fault.id,
            box.querySelector("label").htmlFor === box.control.id);
          return seen;
        }"""
    )
    assert states[:4] == [[None, None, False, None], ["No.", "true", True, None], [None, None, True, None],
                          [None, None, True, "No."]]  # fmt: skip
    assert states[4:8] == [True, None, False, "No."]
    assert states[8].startswith("This part of the page has failed.") and states[9:] == [True, True]
    expect(page.locator("#live")).to_have_text(re.compile("^This part of the page has failed"))
    assert read(page, "dom", "commands", "one", "two")["text"] == "one\ntwo"


def test_a_row_of_tiles_is_spoken_with_its_lies(page):
    labels = """async (rows) => {
        const { tiles } = await import("/static/tiles.js");
        return rows.map((values) => tiles(...values)).map((row) => [row.ariaLabel, row.dir, row.className,
          [...row.children].map(({ dataset: { mark, was } }) => (mark ?? "_") + (was ?? "")).join(" ")]);
    }"""
    rows = [["crate", "..icc", {"flipped": "c.iic"}], ["cat", "", {"length": 4, "small": True}],
            ["", ".ic", {"length": 3, "tiny": True}], ["אבג", "c.i"]]  # fmt: skip
    lies, plain, bare, hebrew = page.evaluate(labels, rows)
    spoken = "C absent, R absent, A present, T correct, E correct; flipped: C was correct, T was present"
    assert lies == [spoken, "ltr", "tiles", ".c . i ci c"]
    assert plain == ["CAT", "ltr", "tiles small", "_ _ _ _"]
    assert bare == ["absent, present, correct", "", "tiles tiny", ". i c"]
    assert hebrew[:2] == ["א correct, ב absent, ג present", "rtl"]
    assert read(page, "coach/standing", "answersList", {"answers": [], "remaining": 0}, False)["text"] == "None."
    words = [{"word": f"w{number}", "chance": 0.01} for number in range(21)]
    told = {noisy: read(page, "coach/standing", "answersList", {"answers": words, "remaining": 30}, noisy)["text"]
            for noisy in (False, True)}  # fmt: skip
    assert told[False].endswith("w18 w19And 10 more. Show more")
    assert told[True].endswith("w191%The most probable of 30. Show more")


# What the page keeps and asks again


def test_only_the_last_call_counts_and_work_rests_while_nobody_looks(page):
    found = page.evaluate(
        """async () => {
          const { every, latest } = await import("/static/latest.js");
          const { debounced } = await import("/static/dom.js");
          const typed = [];
          const later = debounced((...values) => typed.push(values), 5);
          for (const text of ["a", "b"]) later(text, 1);
          const [stop, outer, signals] = [new AbortController(), new AbortController(), []];
          let [calls, unseen] = [0, 0];
          await every(1, () => { calls += 1; return calls === 3; }, stop.signal);
          Object.defineProperty(document, "hidden", { value: true, configurable: true });
          const waiting = every(1, () => { unseen += 1; }, stop.signal);
          await new Promise((done) => { setTimeout(done, 20); });
          delete document.hidden;
          stop.abort();
          await waiting;
          const call = latest((signal, ...values) => { signals.push(signal); return values; }, outer.signal);
          const values = [call(1, 2), call(3)];
          const given = signals.map(({ aborted }) => aborted);
          outer.abort();
          return [calls, unseen, values, given, signals.at(-1).aborted, typed];
        }"""
    )
    assert found == [3, 0, [[1, 2], [3]], [True, False], True, [["b", 1]]]


def test_what_is_typed_is_kept_for_the_window_or_its_place_in_the_history(page):
    kept = page.evaluate(
        """async () => {
          const { drafted, retyped, store, stored } = await import("/static/storage.js");
          const box = (value = "") => Object.assign(document.createElement("input"), { value });
          const type = (control, text) => {
            control.value = text;
            control.dispatchEvent(new Event("input"));
          };
          type(drafted("x", box()), "one");
          const kept = [stored("draft:x", "sessionStorage"), stored("draft:x"), history.state.x,
            drafted("x", box()).value];
          history.replaceState(null, "");
          kept.push(drafted("x", box("own")).value, drafted("x", box()).value, retyped("x", box("own")).value);
          type(retyped("y", box()), "two");
          kept.push(stored("draft:y", "sessionStorage"), history.state.y, retyped("y", box("own")).value);
          type(retyped("z", box()), "three");
          kept.push(Object.keys(history.state).sort().join(" "));
          history.replaceState(null, "");
          store("draft:x", null, "sessionStorage");
          return [...kept, stored("draft:x", "sessionStorage")];
        }"""
    )
    assert kept == ["one", None, "one", "one", "own", "one", "own", None, "two", "two", "y z", None]


def test_a_question_goes_back_first_and_a_key_that_is_held_does_not_answer(page):
    found = page.evaluate(
        """async () => {
          const { confirmed, table } = await import("/static/dom.js");
          const [done, seen] = [[], []];
          for (const at of [0, 1]) {
            confirmed("Sure?", "Yes, go", () => done.push(at));
            const dialog = document.querySelector("dialog");
            const closed = new Promise((over) => { dialog.addEventListener("close", over); });
            const buttons = [...dialog.querySelectorAll("button")];
            const held = [true, false].map((repeat) =>
              dialog.dispatchEvent(new KeyboardEvent("keydown", { key: "Enter", repeat, cancelable: true })));
            seen.push([dialog.getAttribute("aria-label"), buttons.map((one) => one.textContent),
              buttons.indexOf(document.activeElement), held]);
            buttons[at].click();
            await closed;
            seen.push([dialog.isConnected, [...done]]);
          }
          const made = table(["word", "chance"], [["crate", "5%"]], { caption: "Words", numbers: ["chance"] });
          return [seen, [...made.querySelectorAll("th, td")].map((cell) => cell.className), made.ariaLabel,
            table(["a", "b"], []).ariaLabel];
        }"""
    )
    asked = ["Sure?", ["Go back", "Yes, go"], 0, [False, True]]
    assert found[0] == [asked, [False, []], asked, [False, [1]]]
    assert found[1:] == [["", "number"] * 2, "Words", "a, b"]
