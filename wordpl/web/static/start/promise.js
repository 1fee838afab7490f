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
    words.replaceChildren(`Clues of this kind: ${ofHundred(first)} of 100 if my word is ${FIRST}, ${ofHundred(second)} of 100 if`
      + ` it is ${SECOND}. `, el("strong", {}, more === 0 ? "Equally often." : often));
  }
  function arrow(event) {
    const step = { ArrowUp: -1, ArrowLeft: -1, ArrowDown: 1, ArrowRight: 1 }[event.key];
    if (!step) return;
    event.preventDefault();
    pairs.at((pairs.indexOf(event.target) + step) % pairs.length).focus();
  }
  return { fill, elements: [
    el("p", {}, `Is my word ${FIRST} or ${SECOND}? Ask about CRATE at epsilon ${EPSILON}. The bars say how often each kind of`
      + " clue comes up, for the one word and for the other. Point at a pair, or tap it."),
    el("div", { className: "kind names", "aria-hidden": "true" }, el("strong", {}, FIRST), el("span"), el("strong", {}, SECOND)),
    el("div", { role: "radiogroup", "aria-label": "Kinds of clue", onkeydown: arrow }, pairs), words,
    el("p", {}, `One mark can bring this ratio to ${times(Math.exp(EPSILON / 5))} (the number e), and five marks to `,
      promised(EPSILON), ". At any epsilon, for any two words and whatever the clue, the ratio is at most ",
      el("strong", {}, "e", el("sup", {}, "epsilon")), ". That sentence is differential privacy. If the word were yours, you would"
      + " not have to trust the host: the noise is in before the clue leaves."),
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
    el("p", {}, "Right ", el("strong", {}, ofHundred(right)), " of 100 times."),
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
    spent.replaceChildren(`Spent: ${Array(count).fill(CHEAP).join(" + ")}${count > 1 ? ` = ${sum}` : ""}. `, ...(count < MOST
      ? ["The promise is now ", promised(sum), "."]
      : ["Asks add up. The sum is the budget, and the promise for the whole game is ", promised(sum), ", the same on both"
        + " sides. But four vague answers tell less than a clear one."]));
  }
  return { fill, elements: [
    el("p", {}, "The same question, with new noise. You believe what came up most often. How often is that right?"),
    button, spent, places,
  ] };
}

const SYSTEMS = [
  ["Google", "what symptoms you search for, per day", 1.68, "central", "https://arxiv.org/abs/2009.01265"],
  ["Apple", "which emoji you type, per day", 4, "local", "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"],
  ["Apple", "new words that you type, per day", 16, "local", "https://desfontain.es/blog/real-world-differential-privacy.html"],
  ["US Census 2020", "your answers in the redistricting data; your home adds 2.47", 17.14, "central",
    "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html"],
];
const FAIR = 13;

/** What published systems spend, each with its source, and what a clue of this game is beside them. */
export const real = () => ({ elements: [
  el("p", {}, "The same promise is made about people. This is the epsilon that published systems spend:"),
  el("ul", { className: "systems" }, SYSTEMS.map(([who, what, epsilon, kind, source]) => el("li", {},
    el("strong", {}, String(epsilon)),
    el("span", {}, el("strong", {}, who), `: ${what} `,
      el("span", { className: "note" }, `(${kind}, up to ${times(Math.exp(epsilon))} times, `,
        el("a", { href: source, "aria-label": `source for ${who}, epsilon ${epsilon}` }, "source"), ")"))))),
  el("p", { className: "note" }, "Local: the noise is in before the data leave your device, as in this game. Central: somebody has"
    + " the true data, and adds noise to what is published. Days add up. The census allows a tiny chance of more."),
  el("p", {}, `A fair clue of this game costs ${FAIR}, and `, promised(FAIR), ": a clue may be that many times as likely for one"
    + " word as for another. That is a formality, not privacy. But this is a game: find my word for as little epsilon as you can."),
] });
