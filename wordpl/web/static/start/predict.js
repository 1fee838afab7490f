/** Scene 2: a bet on one mark, and the worlds in which it would be seen. */

import { el } from "../dom.js";
import { tiles } from "../tiles.js";
import { generator, noisy } from "./noise.js";
import { ofHundred, pile, times } from "./parts.js";

export const heading = "Would you bet on it?";

const EPSILON = 5;
const WORLDS = 100;
const BETS = { yes: "Yes, there", no: "No, elsewhere" };

/** In how many of the worlds in which the mark comes up green it is true. Green and yellow are equally likely before. */
function worldsWithIt(seed) {
  const random = generator(seed, 2);
  const truths = [];
  while (truths.length < WORLDS) {
    const truth = random() < 0.5 ? "c" : "i";
    if (noisy(truth, EPSILON, random) === "c") truths.push(truth);
  }
  return truths.filter((truth) => truth === "c").length;
}

export function draw(state) {
  const outcome = el("div", { role: "status" });
  const buttons = Object.entries(BETS).map(([bet, text]) => el("button", { type: "button", onclick: () => {
    state.set({ bet });
    fill();
  } }, text));

  function fill() {
    const bet = state.get("bet");
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(bet === Object.keys(BETS)[i]));
      button.className = bet ? "" : "main";
    });
    if (!bet) return;
    const there = worldsWithIt(state.get("seed"));
    const ratio = Math.exp(EPSILON / 5);
    const heap = (count, lies, text) =>
      el("div", {}, pile(count - lies, lies, `${count} worlds`), el("strong", {}, String(count)), text);
    outcome.replaceChildren(
      el("p", {}, `Of ${WORLDS} worlds in which I show you this green, you win your bet in `,
        el("strong", {}, String(bet === "yes" ? there : WORLDS - there)), "."),
      el("div", { className: "pair" },
        heap(there, 0, " where T is there"), heap(WORLDS - there, WORLDS - there, " where I lied: T is elsewhere")),
      el("p", {}, "A green is ", el("strong", {}, `${times(ratio)} times`), " as frequent when it is true as when it should be"
        + ` yellow. That makes ${ofHundred(ratio / (1 + ratio))} of 100 on average, if both were equally likely before. It is not`
        + " proof: I can always say that it was the die. That is deniability."));
  }
  fill();
  return [
    el("p", {}, `At epsilon ${EPSILON} I show you a green T. My word has a T: is it in that place?`),
    el("div", { className: "stage" }, tiles("t", "c")), el("div", { className: "row" }, buttons), outcome,
  ];
}
