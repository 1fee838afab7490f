/** Scene 4: the same question several times, beside one clear answer for the same sum. */

import { el } from "../dom.js";
import { tiles } from "../tiles.js";
import { CLUES, generator, noisy, rightReading } from "./noise.js";
import { ofHundred, pile, promised } from "./parts.js";

export const heading = "Ask again";

const [CHEAP, MOST] = [3, 4];

/** What is known after so many asks at an epsilon. */
function known(epsilon, asks, random) {
  const truth = CLUES.HASTE;
  const clues = Array.from({ length: asks }, () => noisy(truth, epsilon, random));
  const right = rightReading(epsilon, asks);
  return el("div", {},
    el("h2", {}, `${asks === 1 ? "Once" : `${asks} times`} at ${epsilon}`),
    pile(Math.round(100 * right), 100 - Math.round(100 * right), "100 readings of a mark"),
    el("p", {}, "Right ", el("strong", {}, ofHundred(right)), " of 100 times."),
    el("div", { className: "asked" }, clues.map((clue) => tiles("crate", clue, { flipped: truth, small: true }))));
}

export function draw(state) {
  const places = el("div", { className: "pair" });
  const said = el("p", { role: "status" });
  const button = el("button", { type: "button", onclick: () => {
    state.set({ asks: asks() % MOST + 1 });
    fill();
  } });
  const asks = () => [1, 2, 3, 4].find((count) => String(count) === state.get("asks")) ?? 1;

  function fill() {
    const count = asks();
    const sum = count * CHEAP;
    places.replaceChildren(
      known(CHEAP, count, generator(state.get("seed"), 3)), known(CHEAP * MOST, 1, generator(state.get("seed"), 4)));
    button.textContent = count < MOST ? `Ask again at ${CHEAP}` : "Start over";
    button.className = count < MOST ? "main" : "";
    said.replaceChildren(`Spent: ${Array(count).fill(CHEAP).join(" + ")}${count > 1 ? ` = ${sum}` : ""}. `, ...(count < MOST
      ? ["The promise is now ", promised(sum), "."]
      : ["Asks add up. The sum is the budget, and the promise for the whole game is ", promised(sum), ", the same on both"
        + " sides. But four vague answers tell less than a clear one."]));
  }
  fill();
  return [
    el("p", {}, "The same question, with new noise. You believe what came up most often. How often is that right?"),
    button, said, places,
  ];
}
