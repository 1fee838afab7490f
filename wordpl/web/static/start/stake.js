/** The scene of the proposal: a game of four clicks, whose clues are always the same, so that its chances are known. */

import { el } from "../dom.js";
import { tiles } from "../tiles.js";
import { SEEDS, generator, ofHundred, pile } from "./noise.js";

/** Each ask, its clue, and the most probable of the 2,315 answers after it, with its chance. */
export const ASKS = [
  { guess: "crate", epsilon: 6, clue: "c.icc", best: "caste", chance: 0.0219 },
  { guess: "sloth", epsilon: 13, clue: "i..ci", best: "haste", chance: 0.4062 },
  { guess: "haste", epsilon: 13, clue: "ccicc", best: "haste", chance: 0.8728 },
];

/** What was clicked: an `a` for each ask, then perhaps a `p` for the proposal. */
export const CLICKS = ["a", "aa", "aaa", "aap", "aaap"];

/** Whether to propose a word that is probably wrong, or to pay for one more clue. */
export function stake(state, set) {
  const clicks = () => state.get("clicks", "");
  const board = el("ol", { className: "asked" });
  const outcome = el("div", { role: "status" });
  const ask = el("button", { onclick: () => set({ clicks: `${clicks()}a` }) });
  const propose = el("button", { onclick: () =>
    set(clicks().endsWith("p") ? { clicks: null, seed: (state.get("seed") + 1) % SEEDS } : { clicks: `${clicks()}p` }) });

  function fill() {
    const over = clicks().endsWith("p");
    const asks = ASKS.slice(0, clicks().replace("p", "").length);
    const next = over ? null : ASKS[asks.length];
    board.replaceChildren(...asks.map(({ guess, clue, epsilon }) => el("li", {}, tiles(guess, clue), ` ε ${epsilon}`)));
    propose.hidden = asks.length < 2;
    if (!next && document.activeElement === ask) propose.focus();
    ask.hidden = !next;
    ask.textContent = next && `Ask ${next.guess.toUpperCase()} at ${next.epsilon}`;
    outcome.replaceChildren();
    if (!asks.length) return;
    const { best, chance } = asks.at(-1);
    const spent = asks.reduce((sum, { epsilon }) => sum + epsilon, 0);
    propose.textContent = over ? "Play it again" : `Propose ${best.toUpperCase()}`;
    outcome.append(el("p", {}, `Spent ${spent}. `, el("strong", {}, best.toUpperCase()), ` is right ${ofHundred(chance)} of 100 times.`));
    if (!over) return;
    const right = Math.round(100 * chance);
    const won = generator(state.get("seed"), 5)() < chance;
    outcome.append(el("p", {}, el("strong", {}, won ? `Right: your score is ${spent}.` : "Wrong: all is lost."),
      ` Of 100 such games you win ${right}.`), pile(right, 100 - right, `${right} games won of 100`));
  }
  return { fill, elements: [
    el("p", {}, "My word is one of 2,315. Propose once: wrong loses all."), board, outcome, el("div", { className: "row" }, ask, propose),
  ] };
}
