/** What the scenes are made of: the channel on the marks of TRADE as drawn from a seed, and their buttons. */

import { el } from "../dom.js";
import { keep } from "../epsilon.js";
import { MARKS } from "../tiles.js";

export const GUESS = "trade";
/** The clues to it if the answer is the one word or the other. They differ in all marks, so that the promise is used up. */
export const CLUES = { HASTE: "i.i.c", PROUD: ".c.i." };
export const EPSILON = 5;
export const SEEDS = 10000;
export const MOST_EPSILON = 30;
export const ROUNDS = 10;
/** What was clicked in the last scene: an `a` for each ask, then perhaps a `p` for the proposal. */
export const CLICKS = ["a", "aa", "aaa", "p", "ap", "aap", "aaap"];

/** A noisy mark. It takes two draws at every epsilon, so that a mark that is kept at one is kept at each above it. */
function noisyMark(mark, epsilon, random) {
  const [kept, side] = [random() < keep(epsilon), random() < 0.5];
  return kept ? mark : MARKS.filter((other) => other !== mark)[side ? 0 : 1];
}

export const noisy = (clue, epsilon, random) => [...clue].map((mark) => noisyMark(mark, epsilon, random)).join("");
export const agreements = (clue, other) => [...clue].filter((mark, i) => mark === other[i]).length;

/** The button that draws anew; `more` is what else changes with the draw. */
export const drawing = (text, state, set, more) => el("button", { onclick: () => set({ seed: (state.get("seed") + 1) % SEEDS, ...more }) }, text);

/** Fill a status, which is read aloud, if that is new. */
export function say(status, ...parts) {
  const anew = el("p", {}, parts);
  if (anew.textContent !== status.textContent) status.replaceChildren(...anew.childNodes);
}

/** Show some of the buttons of a scene. If the one with the focus goes, the first that is shown takes it. */
export function offer(buttons, wanted) {
  const { activeElement: focused } = document;
  for (const button of buttons) button.hidden = !wanted.includes(button);
  if (buttons.includes(focused) && !wanted.includes(focused)) wanted[0].focus();
}
