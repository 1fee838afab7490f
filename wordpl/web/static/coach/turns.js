/** The guesses of a game with their clues, each of which can be changed, and the next one. */

import { announce, el, field, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { letters } from "../rows.js";
import { markTiles } from "./marks.js";

/** A clue for a word of perhaps another length. */
const fitted = (clue, guess) => clue.slice(0, letters(guess).length).padEnd(letters(guess).length, ".");

/**
 * The editor of a game's rows. `onrows(rows)` is called with other marks, another epsilon, or a row less; `submit(change)`
 * with a function that adds a row or gives one another word: the promise it returns is true if the server takes the rows
 * that `change` makes. `ondraft(draft)` is called as the next row is typed; `length()` is that of the words. The element has
 * `set(rows, draft, noisy)`, `put(draft)`, `remove(at)`, `focus()`, and `fault(error)`, which returns whether it is about a row.
 */
export function turnsEditor({ length, onrows, submit, ondraft }) {
  let [rows, shown, noisy, next] = [[], [], true, null];
  let submitting = false;
  const list = el("ol", { className: "turns" });
  const place = el("div");
  const whole = el("div", {}, list, place);

  function draw(anew) {
    rows = anew;
    shown = rows.map((row, at) => turnRow(row, at + 1, {
      noisy, onchange: (changed) => change(at, changed), onremove: () => whole.remove(at) }));
    list.replaceChildren(...shown);
  }

  async function take(changed) {
    if (submitting) return false;
    submitting = true;
    const taken = await submit(changed);
    submitting = false;
    if (taken) draw(changed(rows));
    return taken;
  }

  async function change(at, row) {
    if (row.guess === rows[at].guess) {
      rows = rows.with(at, row);
      onrows(rows);
      return;
    }
    draw(rows); // the row has the word that it had until the server takes the other one
    shown[at].tiles.first.focus();
    if (await take((of) => of.with(at, row))) shown[at].tiles.first.focus();
  }

  async function add(row) {
    if (!await take((of) => [...of, noisy ? row : { ...row, epsilon: "inf" }])) return;
    whole.put({ ...row, guess: "", clue: "" });
    whole.focus();
  }

  whole.remove = (at) => {
    draw(rows.filter((_, i) => i !== at));
    (shown[Math.min(at, shown.length - 1)]?.tiles.first ?? next.first).focus();
    onrows(rows);
  };
  whole.put = (draft) => {
    next.set(draft);
    ondraft(draft);
  };
  whole.set = (anew, draft, withNoise) => {
    noisy = withNoise;
    next = nextRow({ length, noisy, onchange: ondraft, onadd: add });
    next.set(draft);
    place.replaceChildren(next);
    draw(anew);
  };
  whole.focus = () => next.first.focus();
  whole.fault = (error) => {
    const [, at, part] = /^turns\.(\d+)\.(.*)$/.exec(error?.field ?? "") ?? [];
    for (const row of shown) row.fault(null);
    if (at === undefined) return false;
    // The row that is being added is not among those shown.
    if (shown[at]) shown[at].fault(error.message);
    else next.fault(part === "guess" ? error.message : `${part}: ${error.message}`);
    announce(error.message);
    return true;
  };
  return whole;
}

/** One guess with its clue. `onchange(row)` gets the row anew. The element has `tiles` and `fault(message)`. */
function turnRow(row, number, { noisy, onchange, onremove }) {
  const word = letters(row.guess);
  const fault = el("div", { className: "fault", role: "status" });
  let now = row;
  const change = (values) => {
    now = { ...now, ...values };
    onchange(now);
  };
  const button = (label, onclick) => el("button",
    { type: "button", className: "quiet", "aria-label": `${label} ${word.toUpperCase()}`, onclick }, label);
  const tiles = markTiles(word, row.clue, { onchange: (clue) => change({ clue }) });

  function rename() {
    const named = field(`Guess ${number}`, wordBox(row.guess));
    const input = named.control;
    let over = false; // leaving the field that Enter has replaced is a change, too
    const done = (typed, focus) => {
      if (over) return;
      over = true;
      named.replaceWith(tiles);
      if (focus) tiles.first.focus();
      const guess = typed.trim().toLowerCase();
      if (guess && guess !== row.guess) change({ guess, clue: fitted(now.clue, guess) });
    };
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      done(event.key === "Enter" ? input.value : "", true);
    });
    input.addEventListener("change", () => done(input.value, false));
    tiles.replaceWith(named);
    input.select();
  }

  const whole = el("li", { className: "turn" }, el("div", { className: "turn-word" }, tiles),
    el("span", { className: "turn-buttons" }, button("Change", rename), button("Remove", onremove)),
    noisy && epsilonSlider(`Epsilon of ${word.toUpperCase()}`, row.epsilon, (epsilon) => change({ epsilon })),
    row.guess.endsWith("!") && el("span", { className: "note" }, "Not in the list."), fault);
  whole.fault = (message) => { fault.textContent = message || ""; };
  whole.tiles = tiles;
  return whole;
}

/**
 * The next guess: a word, its clue once the word is whole, and a button that adds it. `onchange(draft)` is called while
 * it is typed, `onadd(draft)` when it is to be added. The element has `set(draft)`, `fault(message)`, and `first`.
 */
function nextRow({ length, noisy, onchange, onadd }) {
  let now = null;
  const word = field("Next guess", wordBox(""));
  const input = word.control;
  const hints = el("div", { className: "row hints" });
  const clue = el("div", { className: "turn-word" });
  const add = el("button", { type: "button", className: "main", onclick: () => onadd(now) }, "Add this clue");
  const slider = noisy && epsilonSlider("Epsilon of the next guess", 13, (epsilon) => change({ epsilon }));
  const note = el("p", { className: "note" }, "Press a tile until it has the colour of the clue.");
  const whole = el("div", { className: "next" }, el("div", { className: "row" }, word, slider), hints, clue, note, add);

  function change(values) {
    now = { ...now, ...values };
    onchange(now);
  }

  function draw() {
    const ready = letters(now.guess).length === length();
    const tiles = ready && markTiles(letters(now.guess), fitted(now.clue, now.guess), {
      onchange: (marks) => change({ clue: marks }), onend: () => add.focus(),
    });
    clue.replaceChildren(...(tiles ? [tiles] : []));
    clue.hidden = note.hidden = add.hidden = !ready;
    whole.first = tiles ? tiles.first : input;
  }

  input.addEventListener("input", () => {
    hints.replaceChildren();
    const guess = input.value.trim().toLowerCase();
    change({ guess, clue: fitted(now.clue, guess) });
    draw();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else it would press the tile that gets the focus
    if (whole.first === input) whole.fault(`The words have ${length()} letters.`);
    else whole.first.focus();
  });

  /** What is wrong with the word, and the words that were perhaps meant as buttons. */
  whole.fault = (message) => {
    word.fault(message);
    const meant = /did you mean ([^?]*)\?/.exec(message || "")?.[1].match(/[^\s']+/g)?.filter((one) => one !== "or") ?? [];
    const own = message?.includes(`${now.guess}!`) ? [`${now.guess}!`] : [];
    hints.replaceChildren(...[...meant, ...own].map((guess) => el("button", { type: "button",
      onclick: () => { change({ guess }); whole.set(now); whole.first.focus(); } },
    guess.endsWith("!") ? `Use ${letters(guess)} all the same` : guess)));
  };
  whole.set = (draft) => {
    now = { ...draft, clue: fitted(draft.clue, draft.guess) };
    input.value = draft.guess;
    slider?.set?.(draft.epsilon);
    whole.fault(null);
    draw();
  };
  return whole;
}
