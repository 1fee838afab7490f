/** Scene 0: a clue of which some marks are lies. The visitor says which ones to believe. */

import { el } from "../dom.js";
import { NAMES, tiles } from "../tiles.js";
import { CLUES, agreements, generator, noisy } from "./noise.js";

export const heading = "Are you hiding something?";

const WORD = "crate";
const MEANINGS = { c: "right place", i: "elsewhere in the word", ".": "not in the word" };

export function draw(state) {
  const truth = CLUES.HASTE;
  const row = el("div", { className: "stage" });
  const said = el("p", { role: "status" });
  const button = el("button", { type: "button", onclick: () => {
    if (state.get("shown")) state.set({ seed: Number(state.get("seed")) + 1, shown: null, believe: null });
    else state.set(state.get("asked") ? { shown: "yes" } : { asked: "yes" });
    fill();
  } });

  function toggles(clue, believed) {
    const buttons = [...WORD].map((letter, i) => el("button", { type: "button", className: "tile", dataset: { mark: clue[i] },
      style: `animation-delay: ${150 * i}ms`, "aria-label": `${letter.toUpperCase()} ${NAMES[clue[i]]}`,
      "aria-pressed": String(believed.has(letter)), onclick: ({ currentTarget }) => {
        if (!believed.delete(letter)) believed.add(letter);
        currentTarget.setAttribute("aria-pressed", String(believed.has(letter)));
        state.set({ believe: [...believed].join("") });
      } }, letter));
    return el("div", { className: "tiles", role: "group", "aria-label": "Marks that you believe" }, buttons);
  }

  function fill() {
    const clue = noisy(truth, 5, generator(state.get("seed"), 0));
    const believed = new Set(state.get("believe"));
    button.className = state.get("shown") ? "" : "main";
    if (!state.get("asked")) {
      row.replaceChildren(tiles(WORD));
      said.textContent = "I have a secret word. Ask me about CRATE, and I answer with a mark for each letter.";
      button.textContent = "Ask";
    } else if (!state.get("shown")) {
      row.replaceChildren(toggles(clue, believed));
      said.textContent = "Some of these may be lies. Tap those that you believe.";
      button.textContent = "Show the truth";
    } else {
      const answer = tiles(WORD, clue, { flipped: truth });
      [...WORD].forEach((letter, i) => answer.children[i].classList.toggle("believed", believed.has(letter)));
      row.replaceChildren(answer, el("span", { className: "note" }, "The truth:"), tiles(WORD, truth));
      const right = [...WORD].filter((letter, i) => believed.has(letter) && clue[i] === truth[i]).length;
      said.textContent = `You believed ${believed.size || "none"} of the marks${believed.size ? `: ${right} told the truth` : ""}. In all,`
        + ` ${5 - agreements(clue, truth)} of the 5 lied (dashed). A lie looks just like the truth. That is how I keep my secret.`;
      button.textContent = "Another clue";
    }
  }
  fill();
  const key = el("ul", { className: "key" }, Object.entries(MEANINGS).map(([clue, meaning]) =>
    el("li", {}, el("span", { className: "tile", dataset: { mark: clue }, "aria-hidden": "true" }), meaning)));
  return [row, key, said, button];
}
