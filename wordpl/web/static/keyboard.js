/** A keyboard on the screen, and the real one. */

import { el } from "./dom.js";
import { capitals, fold } from "./rows.js";
import { NAMES, direction } from "./tiles.js";

const ROWS = ["qwertyuiop", "asdfghjkl", "zxcvbnm"];
const MOST_KEYS = 8; // in a row, of the letters that no row above has
const TYPED_INTO = "select, textarea, [contenteditable], dialog, input:not([type=checkbox], [type=radio], [type=range])";

/** Keys for some letters, and one named `enter`. `press` has what they do; `paint(rows, noisy)` shows what the rows say of each letter. */
export function keyboard(letters, enter, press) {
  const others = [...letters].filter((letter) => !ROWS.join("").includes(letter));
  const across = Math.ceil(others.length / Math.ceil(others.length / MOST_KEYS));
  const lines = ROWS.map((row) => [...row].filter((letter) => letters.includes(letter)));
  while (others.length) lines.push(others.splice(0, across));
  const keys = new Map([...letters].map((letter) =>
    [letter, key(capitals(letter), capitals(letter), () => press.letter(letter))]));
  const last = lines.findLastIndex((row) => row.length);
  const whole = el("div", { className: "keyboard", role: "group", "aria-label": "Keyboard", dir: direction(letters) },
    lines.map((line, i) => (line.length || i === last) && el("div", { className: "keys" },
      i === last && key(enter, enter, press.enter, true),
      line.map((letter) => keys.get(letter)),
      i === last && key("⌫", "Delete the last letter", press.back, true))));
  whole.paint = (rows, noisy) => {
    for (const [letter, button] of keys) {
      const marks = rows.map(({ guess, clue }) => [...guess].map((other, i) => (other === letter ? clue[i] : "")).join(""));
      const mark = markOf(marks.join(""), noisy);
      delete button.dataset.mark;
      if (mark) button.dataset.mark = mark;
      button.classList.toggle("unsure", Boolean(mark && noisy));
      const clue = mark ? `, ${noisy ? "last shown as " : ""}${NAMES[mark]}` : "";
      button.setAttribute("aria-label", capitals(letter) + clue);
    }
  };
  return whole;
}

function key(text, label, work, long = false) {
  return el("button", { className: long ? "key long" : "key", "aria-label": label, onclick: work,
    // The focus stays where it was, so that Enter on the real keyboard does not press this key again.
    onmousedown: (event) => event.preventDefault() }, text);
}

/** What the marks of a letter say: the best one if they are sure, else the last one, or none if it was shown as absent and as in the word. */
function markOf(marks, noisy) {
  if (!noisy) return ["c", "i", "."].find((mark) => marks.includes(mark));
  return marks.includes(".") && /[ic]/.test(marks) ? undefined : marks.at(-1);
}

/** Listen to the real keyboard, unless it is typed into a field, until `signal` is aborted. */
export function listen(letters, press, signal) {
  document.addEventListener("keydown", (event) => {
    const { key: name, target } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.defaultPrevented) return;
    if (event.repeat && name === "Enter") return; // a key that is held asks once
    if (target.closest?.(TYPED_INTO) || document.querySelector("dialog[open]")) return;
    const letter = fold(name);
    if (name === "Enter" && !target.closest?.("button, a, summary")) press.enter(event.shiftKey);
    else if (name === "Backspace") press.back();
    else if ([...letter].length === 1 && letters.includes(letter)) press.letter(letter);
    else return;
    event.preventDefault();
    if (name !== "Enter") press.focus(); // else what was clicked before gets the next Enter
  }, { signal });
}
