/** Words as rows of tiles, with a clue or without. */

import { el } from "./dom.js";
import { capitals } from "./rows.js";

export const MARKS = [".", "i", "c"];
export const NAMES = { ".": "absent", i: "present", c: "correct" };
/** The key of the marks. */
export const meanings = () => el("ul", { className: "meanings" }, Object.entries({ c: "right place", i: "elsewhere", ".": "not in it" }).map(([mark, meaning]) =>
  el("li", {}, el("span", { className: "tile", dataset: { mark }, "aria-hidden": "true" }), meaning)));
/** Which way letters run. */
export const direction = (letters) => (/[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/.test(letters) ? "rtl" : "ltr");

/** What a screen reader says of a clue: "C correct, R absent, …". */
export const spoken = (word, clue) =>
  [...clue].map((mark, i) => `${[...capitals(word)][i] ?? ""} ${NAMES[mark]}`.trim()).join(", ");

/** The true clue to a guess: letterwise each letter is judged alone, counted each letter of the answer gives one mark. */
export function trueClue(guess, answer, rule) {
  const left = [...answer].filter((letter, i) => rule === "letterwise" || letter !== [...guess][i]);
  return [...guess].map((letter, i) => {
    if (letter === [...answer][i]) return "c";
    if (!left.includes(letter)) return ".";
    if (rule === "counted") left.splice(left.indexOf(letter), 1);
    return "i";
  }).join("");
}

export const LIES = "A dashed frame is a mark that was false; the true one is in its corner.";

/** A row of tiles with a clue as "..icc". `flipped`, the true clue of a game that is over, shows which marks were others. */
export function tiles(word, clue = "", { length = word.length, small = false, tiny = false, flipped = clue } = {}) {
  const letters = [...capitals(word)];
  const wrong = Array.from({ length }, (_, i) => flipped[i] !== clue[i]);
  const cells = wrong.map((lie, i) => el("span", { className: lie ? "tile flipped" : "tile", "aria-hidden": "true", style: `--place: ${i}`,
    dataset: { ...clue[i] && { mark: clue[i] }, ...lie && { was: flipped[i] } } }, letters[i] ?? ""));
  const label = clue ? spoken(word, clue) : capitals(word);
  const lies = letters.flatMap((letter, i) => (wrong[i] ? [`${letter} was ${NAMES[flipped[i]]}`] : [])).join(", ");
  return el("span", { className: `tiles${small ? " small" : ""}${tiny ? " tiny" : ""}`, role: "img", dir: word ? direction(word) : "",
    "aria-label": lies ? `${label}; flipped: ${lies}` : label }, cells);
}

/** A clue without its letters, as in a text to share; drawn, since not every font has the coloured squares. */
export const squares = (clue) => tiles("", clue, { length: clue.length, tiny: true });
