/** The guesses of a game with their clues, each of which can be changed, and the next one. */

import { el, field } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { letters } from "../rows.js";
import { markTiles } from "./marks.js";

/**
 * One guess with its clue. `onchange(row)` gets the row anew, `onremove()` is called when it goes. The element has
 * `fault(message)`.
 */
export function turnRow(row, number, { noisy, onchange, onremove }) {
  const word = letters(row.guess);
  const fault = el("div", { className: "fault", role: "status" });
  let now = row;
  const change = (values) => {
    now = { ...now, ...values };
    onchange(now);
  };
  const tiles = markTiles(word, row.clue, { onchange: (clue) => change({ clue }) });
  const shown = el("div", { className: "turn-word" }, tiles);
  const buttons = el("span", { className: "turn-buttons" },
    el("button", { type: "button", className: "quiet", "aria-label": `Change ${word.toUpperCase()}`, onclick: rename }, "Change"),
    el("button", { type: "button", className: "quiet", "aria-label": `Remove ${word.toUpperCase()}`, onclick: onremove }, "Remove"));

  function rename() {
    const input = wordInput(row.guess);
    const named = field(`Guess ${number}`, input);
    let over = false;  // leaving the field that Enter has replaced is a change, too
    const done = () => {
      if (over) return;
      over = true;
      const guess = input.value.trim().toLowerCase();
      if (guess && guess !== row.guess) change({ guess, clue: fitted(now.clue, guess) });
      else named.replaceWith(tiles);
    };
    input.addEventListener("keydown", (event) => {
      if (event.key === "Escape") named.replaceWith(tiles);
      if (event.key !== "Enter") return;
      event.preventDefault();
      done();
    });
    input.addEventListener("change", done);
    tiles.replaceWith(named);
    input.select();
  }

  const slider = noisy && epsilonSlider(`Epsilon of ${word.toUpperCase()}`, row.epsilon, (epsilon) => change({ epsilon }));
  const whole = el("li", { className: "turn" }, shown, buttons, slider,
    row.guess.endsWith("!") && el("span", { className: "note" }, "Not in the list."), fault);
  whole.fault = (message) => { fault.textContent = message || ""; };
  whole.tiles = tiles;
  return whole;
}

/** A clue for a word of perhaps another length. */
export const fitted = (clue, guess) => clue.slice(0, letters(guess).length).padEnd(letters(guess).length, ".");

const wordInput = (value) => el("input", {
  type: "text", size: 10, maxLength: 9, value, autocomplete: "off", autocapitalize: "none", spellcheck: false,
});

/**
 * The next guess: a word, its clue once the word is whole, and a button that adds it. `onchange(draft)` is called while
 * it is typed, `onadd(draft)` when it is to be added. The element has `set(draft)`, `fault(message)`, `focus()`.
 */
export function nextRow({ length, noisy, onchange, onadd }) {
  let now = { guess: "", clue: "", epsilon: "inf" };
  const input = wordInput("");
  const word = field("Next guess", input);
  const hints = el("div", { className: "row hints" });
  const clue = el("div", { className: "turn-word" });
  const add = el("button", { type: "button", className: "main", onclick: () => submit() }, "Add this clue");
  const slider = noisy && epsilonSlider("Epsilon of the next guess", 13, (epsilon) => change({ epsilon }));
  const note = el("p", { className: "note" }, "Press a tile until it has the colour of the clue.");
  const whole = el("div", { className: "next" }, el("div", { className: "row" }, word, slider), hints, clue, note, add);

  function change(values) {
    now = { ...now, ...values };
    onchange(now);
  }

  function submit() {
    if (letters(now.guess).length !== length()) whole.fault(`The words have ${length()} letters.`);
    else onadd(now);
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
    now = { ...now, guess, clue: fitted(now.clue, guess) };
    draw();
    onchange(now);
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault();  // else it would press the tile that gets the focus
    if (letters(now.guess).length === length()) whole.first.focus();
    else submit();
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
  whole.focus = () => whole.first.focus();
  return whole;
}
