/** A keyboard on the screen, and the real one. */

import { el } from "./dom.js";
import { NAMES, direction } from "./tiles.js";

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const MOST_KEYS = 8; // in a row, of the letters that no row above has
const TYPED_INTO = "select, textarea, [contenteditable], dialog, input:not([type=checkbox], [type=radio], [type=range])";

/**
 * The keys for some letters, and one that `enter` names. `press` has `letter(one)`, `back()` and `enter()`. Returns the
 * element, which has `paint(marks)`: a Map from letters to {mark, sure}; letters that are not in it are not painted.
 */
export function keyboard(letters, enter, press) {
  const others = [...letters].filter((letter) => !ROWS.join("").includes(letter));
  const across = Math.ceil(others.length / Math.ceil(others.length / MOST_KEYS));
  const rows = ROWS.map((row) => [...row].filter((letter) => letters.includes(letter)));
  while (others.length) rows.push(others.splice(0, across));
  const keys = new Map([...letters].map((letter) =>
    [letter, key(letter.toUpperCase(), letter.toUpperCase(), () => press.letter(letter))]));
  const last = rows.findLastIndex((row) => row.length);
  const drawn = rows.map((row, i) => (row.length || i === last) && el("div", { className: "keys" },
    i === last && key(enter, enter, press.enter, true),
    row.map((letter) => keys.get(letter)),
    i === last && key("⌫", "Delete the last letter", press.back, true)));
  const whole = el("div", { className: "keyboard", role: "group", "aria-label": "Keyboard", dir: direction(letters) }, drawn);
  whole.paint = (marks) => {
    for (const [letter, button] of keys) paint(button, letter, marks.get(letter));
  };
  return whole;
}

function key(text, label, work, long = false) {
  return el("button", { type: "button", className: long ? "key long" : "key", "aria-label": label, onclick: work,
    // The focus stays where it was, so that Enter on the real keyboard does not press this key again.
    onmousedown: (event) => event.preventDefault() }, text);
}

function paint(button, letter, found) {
  delete button.dataset.mark;
  if (found) button.dataset.mark = found.mark;
  button.classList.toggle("unsure", found ? !found.sure : false);
  const said = found ? `, ${found.sure ? "" : "last shown as "}${NAMES[found.mark]}` : "";
  button.setAttribute("aria-label", letter.toUpperCase() + said);
}

/**
 * What the rows say of each letter. Exact clues say it for sure: the best mark. A noisy mark may be false: then the last
 * one counts, and a letter that was shown both as absent and as in the word has none.
 */
export function letterMarks(rows, noisy) {
  const found = new Map();
  for (const { guess, clue } of rows) {
    [...guess].forEach((letter, i) => {
      const marks = found.get(letter) ?? [];
      marks.push(clue[i]);
      found.set(letter, marks);
    });
  }
  const painted = [...found].map(([letter, marks]) => [letter, noisy ? noisyMark(marks) : exactMark(marks)]);
  return new Map(painted.filter(([, mark]) => mark));
}

const exactMark = (marks) => ({ mark: ["c", "i", "."].find((mark) => marks.includes(mark)), sure: true });

function noisyMark(marks) {
  if (marks.includes(".") && marks.some((mark) => mark !== ".")) return null;
  return { mark: marks.at(-1), sure: false };
}

/** Listen to the real keyboard, unless it is typed into a field, until `signal` is aborted. */
export function listen(letters, press, signal) {
  document.addEventListener("keydown", (event) => {
    const { key: name, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (target.closest?.(TYPED_INTO) || document.querySelector("dialog[open]")) return;
    const letter = name.toLowerCase();
    if (name === "Enter" && !target.closest?.("button, a, summary")) press.enter(event.shiftKey);
    else if (name === "Backspace") press.back();
    else if ([...letter].length === 1 && letters.includes(letter)) press.letter(letter);
    else return;
    event.preventDefault();
  }, { signal });
}
