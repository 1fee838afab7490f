/** The scenes of the promise: what it bounds, how it adds up, and what others make of it. */

import { bar, el } from "../dom.js";
import { squares, tiles } from "../tiles.js";
import { CLUES, generator, kindsOfClue, noisy, ofHundred, pile, promised, rightReading, times } from "./noise.js";

const EPSILON = 5;
const [FIRST, SECOND] = Object.keys(CLUES);

/** How often each kind of clue comes up for one word and for another. The ratio of the two is what is promised. */
export function promise(state, set) {
  const kinds = kindsOfClue(EPSILON);
  const most = Math.max(...kinds.map(({ first }) => first));
  const words = el("p", { role: "status" });
  const pairs = kinds.map(({ more, first, second, example }) => {
    const choose = () => set({ kind: more });
    return el("button", { className: "kind", role: "radio", onclick: choose, onfocus: choose, onpointerenter: choose,
      "aria-label": `${FIRST} ${ofHundred(first)} of 100, ${SECOND} ${ofHundred(second)} of 100` },
    bar(first / most), squares(example), bar(second / most));
  });

  function fill() {
    const at = Math.max(0, kinds.findIndex(({ more }) => String(more) === state.get("kind")));
    const { more, first, second } = kinds[at];
    pairs.forEach((pair, i) => {
      pair.setAttribute("aria-checked", String(i === at));
      pair.tabIndex = i === at ? 0 : -1;
    });
    const often = `${times(Math.exp(Math.abs(more) * EPSILON / 5))} times as often if it is ${more > 0 ? FIRST : SECOND}.`;
    words.replaceChildren(`${ofHundred(first)} and ${ofHundred(second)} of 100: `,
      el("strong", {}, more === 0 ? "equally often." : often));
  }
  function arrow(event) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pairs.at((pairs.indexOf(event.target) + step) % pairs.length).focus();
  }
  return { fill, elements: [
    el("p", {}, `${FIRST} or ${SECOND}? You ask about CRATE at epsilon ${EPSILON}. How often each brings each kind of clue (tap one):`),
    el("div", { className: "kind names", "aria-hidden": "true" }, el("strong", {}, FIRST), el("span"), el("strong", {}, SECOND)),
    el("div", { role: "radiogroup", "aria-label": "Kinds of clue", onkeydown: arrow }, pairs), words,
    el("p", {}, "No clue is more than ", el("strong", {}, "e", el("sup", {}, "epsilon")),
      " times as likely for one word as for another: here, ", promised(EPSILON), ". This promise is differential privacy."),
  ] };
}

const [CHEAP, MOST] = [3, 4];

/** What is known after so many asks at an epsilon. */
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
      count < MOST ? "." : " on both sides. But a clear answer tells more than four vague ones.");
  }
  return { fill, elements: [
    el("p", {}, "The same question, new noise. Is the mark right that came up most?"),
    button, spent, places,
  ] };
}

const SYSTEMS = [
  ["Google", "searches for symptoms", 1.68, "central", "https://arxiv.org/abs/2009.01265"],
  ["Apple", "emoji", 4, "local", "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"],
  ["Apple", "new words", 16, "local", "https://desfontain.es/blog/real-world-differential-privacy.html"],
  ["US Census 2020", "answers", 17.14, "central",
    "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html"],
];
const FAIR = 13;

/** Whose secret it is outside of this game, and what published systems spend, each with its source. */
export const real = () => ({ elements: [
  el("p", {}, "Now the secret is yours, and a company asks. If your phone throws the die before it sends (local), the truth never"
    + " leaves you: you need trust nobody. If the company throws it (central), you trust it. Epsilons, mostly per day:"),
  el("ul", { className: "systems" }, SYSTEMS.map(([who, what, epsilon, kind, source]) => el("li", {},
    el("strong", {}, String(epsilon)),
    el("span", {}, el("strong", {}, who), `: ${what} (${kind}) `,
      el("a", { href: source, "aria-label": `source for ${who}, epsilon ${epsilon}` }, "source"))))),
  el("p", {}, `A fair clue here costs ${FAIR}, `, promised(FAIR), ", and hides almost nothing."),
] });
