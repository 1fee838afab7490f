/** Scene 1: the die behind each mark, and the number that loads it. */

import { el, shown } from "../dom.js";
import { MARKS, tiles } from "../tiles.js";
import { CLUES, agreements, generator, keep, noisy } from "./noise.js";
import { cell, ofHundred } from "./parts.js";

export const heading = "A die decides when I lie";

const ROWS = 100;

export function draw(state) {
  const truth = CLUES.HASTE;
  const range = el("input", { type: "range", min: 0, max: 30, value: state.get("epsilon") ?? 5, "aria-label": "Epsilon" });
  const dice = [...truth].map((right) => el("span", { className: "die" },
    [right, ...MARKS.filter((other) => other !== right)].map((face) => el("span", { dataset: { mark: face } }))));
  const name = el("strong");
  const words = el("span");
  const counted = el("p");
  const hundred = el("div", { className: "hundred", role: "img" });

  function fill() {
    const epsilon = Number(range.value);
    const right = keep(epsilon);
    for (const [first, ...others] of dice.map((die) => die.children)) {
      first.style.flexGrow = right;
      for (const other of others) other.style.flexGrow = (1 - right) / 2;
    }
    const random = generator(state.get("seed"), 1);
    const clues = Array.from({ length: ROWS }, () => noisy(truth, epsilon, random));
    hundred.replaceChildren(...clues.map((clue) => el("span", {}, [...clue].map((mark, i) => cell(mark, mark !== truth[i])))));
    const lies = 5 * ROWS - agreements(clues.join(""), truth.repeat(ROWS));
    const expected = 5 * (1 - right);
    name.textContent = `epsilon: ${epsilon}`;
    words.textContent = `A mark is right ${ofHundred(right)} of 100 times. Blind guessing gets 33.`;
    counted.textContent = `Expect ${shown(expected, expected < 1 ? 1 : 2)} lies a row.`
      + ` These hundred rows have ${lies} (dashed), so ${shown(lies / ROWS, 3)} a row.`;
    range.setAttribute("aria-valuetext", `${epsilon}. ${words.textContent} ${counted.textContent}`);
    hundred.setAttribute("aria-label", `${ROWS} rows with ${lies} false marks of ${5 * ROWS}`);
  }
  range.addEventListener("input", () => {
    state.set({ epsilon: range.value });
    fill();
  });
  fill();
  return [
    el("p", {}, "I throw a die for each mark. Under each letter you see what can come up: the true mark, or another."
      + " Load the die."),
    el("div", { className: "dice" }, tiles("crate", truth), el("div", { className: "tiles", "aria-hidden": "true" }, dice)),
    el("label", { className: "load" }, "noise", range, "clarity"),
    el("p", {}, "People call this number ", name, ". ", words), counted, hundred,
  ];
}
