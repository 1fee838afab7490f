/** Words as rows of tiles, with a clue or without. */

import { el } from "./dom.js";

export const MARKS = [".", "i", "c"];
export const NAMES = { ".": "absent", i: "present", c: "correct", "": "no mark" };
/** Which way letters run. */
export const direction = (letters) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letters) ? "rtl" : "ltr");

/** What a screen reader says of a clue: "c correct, r absent, …". */
export function spoken(word, clue) {
  return [...word].map((letter, i) => `${letter.toUpperCase()} ${NAMES[clue[i] ?? ""]}`).join(", ");
}

/**
 * A row of tiles. `clue` is in the contest's notation ("..icc"); `flipped` has the true clue of a game that is over,
 * and tiles whose mark was another are drawn so.
 */
export function tiles(word, clue = "", { length = word.length, small = false, flipped = null } = {}) {
  const cells = Array.from({ length }, (_, i) => {
    const letter = [...word][i] ?? "";
    const wasFlipped = flipped !== null && flipped[i] !== clue[i];
    const cell = el("span", { className: wasFlipped ? "tile flipped" : "tile", "aria-hidden": "true" }, letter);
    if (clue[i]) cell.dataset.mark = clue[i];
    if (wasFlipped) {
      cell.title = `was ${NAMES[flipped[i]]}`;
      cell.dataset.was = flipped[i];
    }
    return cell;
  });
  const label = clue ? spoken(word, clue) : word.toUpperCase();
  const lies = flipped === null ? "" : [...word].flatMap((letter, i) =>
    (flipped[i] === clue[i] ? [] : [`${letter.toUpperCase()} was ${NAMES[flipped[i]]}`])).join(", ");
  return el("span", { className: small ? "tiles small" : "tiles", role: "img", dir: word ? direction(word) : "",
    "aria-label": lies ? `${label}; flipped: ${lies}` : label }, cells);
}

/** A clue without its letters, as in a text to share; drawn, since not every font has the coloured squares. */
export function squares(clue) {
  const cells = [...clue].map((mark) => el("span", { className: "tile", "aria-hidden": "true", dataset: { mark } }));
  return el("span", { className: "tiles tiny", role: "img", "aria-label": [...clue].map((mark) => NAMES[mark]).join(", ") }, cells);
}
