/** The scenes of more than one clue: what is promised of them, how that adds up, what others make of it, and a game. */

import { bar, el } from "../dom.js";
import { generator } from "../random.js";
import { squares, tiles } from "../tiles.js";
import { CLUES, SEEDS, kindsOfClue, noisy, ofHundred, pile, promised, rightReading, times } from "./noise.js";

const EPSILON = 5;
const [FIRST, SECOND] = Object.keys(CLUES);

/** How often each kind of clue comes up for one word and for another. The ratio of the two is what is promised. */
export function promise(state, set) {
  const kinds = kindsOfClue(EPSILON);
  const most = Math.max(...kinds.map(({ first }) => first));
  const words = el("p", { role: "status" });
  const pairs = kinds.map(({ more, first, second, example }) => {
    const choose = () => set({ kind: more });
    return el("button", { className: "kind", onclick: choose, onpointerenter: choose,
      "aria-label": `${FIRST} ${ofHundred(first)} of 100, ${SECOND} ${ofHundred(second)} of 100` },
    bar(first / most), squares(example), bar(second / most));
  });

  function fill() {
    const at = Math.max(0, kinds.findIndex(({ more }) => String(more) === state.get("kind")));
    const { more, first, second } = kinds[at];
    pairs.forEach((pair, i) => pair.setAttribute("aria-pressed", String(i === at)));
    const often = `${times(Math.exp(Math.abs(more) * EPSILON / 5))} times as often if it is ${more > 0 ? FIRST : SECOND}.`;
    words.replaceChildren(`${ofHundred(first)} and ${ofHundred(second)} of 100: `,
      el("strong", {}, more === 0 ? "equally often." : often));
  }
  return { fill, elements: [
    el("p", {}, `Ask about CRATE at epsilon ${EPSILON}. How often ${FIRST} and ${SECOND} bring each kind of clue (tap one):`),
    el("div", { className: "kind names", "aria-hidden": "true" }, el("strong", {}, FIRST), el("span"), el("strong", {}, SECOND)),
    el("div", { role: "group", "aria-label": "Kinds of clue" }, pairs), words,
    el("p", {}, "No clue is more than ", el("strong", {}, "e", el("sup", {}, "epsilon")),
      " times as likely for one word as for another: here, ", promised(EPSILON), ". This promise is differential privacy."),
  ] };
}

const [CHEAP, MOST] = [3, 4];

function known(epsilon, asks, random) {
  const truth = CLUES.HASTE;
  const clues = Array.from({ length: asks }, () => noisy(truth, epsilon, random));
  const right = rightReading(epsilon, asks);
  return el("div", {},
    el("h2", {}, `${asks === 1 ? "Once" : `${asks} times`} at ${epsilon}`),
    pile(Math.round(100 * right), 100 - Math.round(100 * right), "100 readings of a mark"),
    el("p", {}, el("strong", {}, ofHundred(right)), " of 100 right"),
    el("div", { className: "asked" }, clues.map((clue) => tiles("crate", clue, { flipped: truth, small: true }))));
}

/** The same question several times, beside one clear answer for the same sum. */
export function again(state, set) {
  const places = el("div", { className: "pair" });
  const spent = el("p", { role: "status" });
  const button = el("button", { onclick: () => set({ asks: asks() % MOST + 1 }) });
  const asks = () => state.get("asks", 1);

  function fill() {
    const count = asks();
    const sum = count * CHEAP;
    places.replaceChildren(
      known(CHEAP, count, generator(state.get("seed"), 3)), known(CHEAP * MOST, 1, generator(state.get("seed"), 4)));
    button.textContent = count < MOST ? `Ask again at ${CHEAP}` : "Start over";
    button.className = count < MOST ? "main" : "";
    spent.replaceChildren(`The budget, ${Array(count).fill(CHEAP).join("+")}${count > 1 ? `=${sum}` : ""}, promises `, promised(sum),
      count < MOST ? "." : " on both sides. One clear answer tells more than four vague ones.");
  }
  return { fill, elements: [
    el("p", {}, "I answer again, with new noise. Is the commonest mark right?"),
    button, spent, places,
  ] };
}

const SYSTEMS = [
  ["Google", "searches for symptoms", 1.68, "central", "https://arxiv.org/abs/2009.01265"],
  ["Apple", "emoji", 4, "local", "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"],
  ["US Census 2020", "answers", 17.14, "central",
    "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html"],
];
const FAIR = 13;

/** Whose secret it is outside of this game, and what published systems spend, each with its source. */
export const real = () => ({ elements: [
  el("p", {}, "Now the secret is yours, and a company asks. If your phone throws the die before it sends (local), the truth never"
    + " leaves you: you need trust nobody. If the company does (central), you must trust it. Epsilons, mostly daily:"),
  el("ul", { className: "systems" }, SYSTEMS.map(([who, what, epsilon, kind, source]) => el("li", {},
    el("strong", {}, String(epsilon)),
    el("span", {}, el("strong", {}, who), `: ${what} (${kind}) `,
      el("a", { href: source, "aria-label": `source for ${who}, epsilon ${epsilon}` }, "source"))))),
  el("p", {}, `A fair clue here costs ${FAIR}, `, promised(FAIR), ", and hides almost nothing."),
] });

/** Each ask, its clue, the most probable of the 2,315 answers after it, with its chance, and the advice of the library. */
export const ASKS = [
  { guess: "crate", epsilon: 6, clue: "c.icc", best: "caste", chance: 0.0219,
    advice: "Asking CASTE at 13 raises 2.19% to 10.8% on average and is worth it with the asks that follow." },
  { guess: "sloth", epsilon: 13, clue: "i..ci", best: "haste", chance: 0.4062,
    advice: "Asking THESP at 20 raises 40.6% to 76.9% on average and is worth it." },
  { guess: "haste", epsilon: 13, clue: "ccicc", best: "haste", chance: 0.8728,
    advice: "Propose HASTE: at 87.3% no ask is worth its price." },
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
    ask.className = asks.length < 2 ? "main" : "";
    ask.hidden = !next;
    ask.textContent = next && `Ask ${next.guess.toUpperCase()} at ${next.epsilon}`;
    outcome.replaceChildren();
    if (!asks.length) return;
    const { best, chance, advice } = asks.at(-1);
    const spent = asks.reduce((sum, { epsilon }) => sum + epsilon, 0);
    propose.textContent = over ? "Again" : `Propose ${best.toUpperCase()}`;
    outcome.append(el("p", {}, `Spent ${spent}. `, el("strong", {}, best.toUpperCase()), ` is right ${ofHundred(chance)} of 100 times.`));
    if (!over) {
      outcome.append(el("p", { className: "note" }, advice));
      return;
    }
    const right = Math.round(100 * chance);
    const won = generator(state.get("seed"), 5)() < chance;
    outcome.append(el("p", {}, el("strong", {}, won ? `Right: you score ${spent}.` : "Wrong: all is lost."),
      ` Of 100 games you win ${right}.`), pile(right, 100 - right, `${right} games won of 100`));
  }
  return { fill, elements: [
    el("p", {}, "Find my word, of 2,315, for the least. Propose once: wrong loses all."), board, outcome,
    el("div", { className: "row" }, ask, propose),
  ] };
}
