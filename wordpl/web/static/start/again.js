/** Scene 4: the same question several times, beside one clear answer for the same sum. */

import { el } from "../dom.js";
import { tiles } from "../tiles.js";
import { CLUES, generator, likeliest, noisy, rightReading } from "./noise.js";
import { ofHundred, pile, promised } from "./parts.js";

export const heading = "Ask again";

const [CHEAP, MOST] = [3, 4];
const GAMES = 100;

/** In how many of a hundred games the likeliest reading of a mark is right; chance decides between equals. */
function rightIn(epsilon, asks, random) {
  let right = 0;
  for (let game = 0; game < GAMES; game++) {
    const readings = likeliest([...noisy("c".repeat(MOST), epsilon, random)].slice(0, asks));
    if (readings[Math.floor(random() * readings.length)] === "c") right++;
  }
  return right;
}

/** What is known after so many asks at an epsilon. */
function known(epsilon, asks, random) {
  const truth = CLUES.HASTE;
  const clues = Array.from({ length: MOST }, () => noisy(truth, epsilon, random)).slice(0, asks);
  const right = rightIn(epsilon, asks, random);
  return el("div", {},
    el("h2", {}, `${asks === 1 ? "Once" : `${asks} times`} at ${epsilon}`),
    pile(right, GAMES - right, `${right} of ${GAMES} readings are right`),
    el("p", {}, `Right in ${right} of ${GAMES} games; expect `, el("strong", {}, ofHundred(rightReading(epsilon, asks)))),
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
