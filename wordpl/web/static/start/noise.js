/** What the scenes are made of: the channel on the marks of TRADE, exactly and as drawn from a seed, and how its numbers look. */

import { count, el, shown } from "../dom.js";
import { keep, markChances } from "../epsilon.js";
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

const ALL = Array.from({ length: 3 ** 5 }, (_, code) => [...GUESS].map((_letter, i) => MARKS[Math.floor(code / 3 ** i) % 3]).join(""));

/** How likely a clue is if the answer is HASTE, and if it is PROUD. */
export function likelihoods(clue, epsilon) {
  const { kept, flipped } = markChances(epsilon);
  return Object.values(CLUES).map((truth) => kept ** agreements(clue, truth) * flipped ** (5 - agreements(clue, truth)));
}

/** The chance to tell HASTE from PROUD, which are equally likely, by a clue: nobody can do better than to take the likelier. */
export const bestCall = (epsilon) => ALL.reduce((sum, clue) => sum + Math.max(...likelihoods(clue, epsilon)) / 2, 0);

/** The rounds of "HASTE or PROUD?": a coin chooses the word, and the die the clue. */
export const roundsOf = (random, epsilon) => Array.from({ length: ROUNDS }, () => {
  const word = random() < 0.5 ? "HASTE" : "PROUD";
  return { word, clue: noisy(CLUES[word], epsilon, random) };
});

/** How many of 100: 0.2, 43, 85, 99.5. */
export const ofHundred = (part) => shown(100 * part, part >= 0.99 ? 3 : 2);
/** A ratio: 2.7, 148, 442,413, 24M. */
export const times = (ratio) => (ratio < 10 ? shown(ratio, 2) : ratio < 1e6 ? count(ratio)
  : ratio.toLocaleString("en", { notation: "compact", maximumSignificantDigits: 3 }));
/** e to the power of an epsilon, as it is written. */
export const power = (epsilon) => el("span", {}, "e", el("sup", {}, String(epsilon)));

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

/** The slider of the epsilon that the visitor has chosen. Another one begins another game. */
export const loading = (state, set) => el("input", { type: "range", min: 0, max: MOST_EPSILON, value: state.get("epsilon", EPSILON), "aria-label": "Epsilon",
  oninput: ({ target }) => set({ epsilon: target.value, calls: null }) });
