/** Scene 3: how often each kind of clue comes up for one word and for another. The ratio of the two is what is promised. */

import { bar, el } from "../dom.js";
import { squares } from "../tiles.js";
import { CLUES, kindsOfClue } from "./noise.js";
import { ofHundred, promised, times } from "./parts.js";

export const heading = "The promise";

const EPSILON = 5;
const [FIRST, SECOND] = Object.keys(CLUES);

export function draw(state) {
  const kinds = kindsOfClue(EPSILON);
  const most = Math.max(...kinds.map(({ first }) => first));
  const words = el("p", { role: "status" });
  const pairs = kinds.map(({ more, first, second, example }) => {
    const choose = () => {
      state.set({ kind: more });
      fill();
    };
    return el("button", { type: "button", className: "kind", role: "radio", onclick: choose, onfocus: choose, onpointerenter: choose,
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
  fill();
  return [
    el("p", {}, `Is my word ${FIRST} or ${SECOND}? Ask about CRATE at epsilon ${EPSILON}. The bars say how often each kind of`
      + " clue comes up, for the one word and for the other. Point at a pair, or tap it."),
    el("div", { className: "kind names", "aria-hidden": "true" },
      el("strong", {}, FIRST), el("span"), el("strong", {}, SECOND)),
    el("div", { role: "radiogroup", "aria-label": "Kinds of clue", onkeydown: arrow }, pairs), words,
    el("p", {}, `One mark can bring this ratio to ${times(Math.exp(EPSILON / 5))} (the number e), and five marks to `,
      promised(EPSILON), ". At any epsilon, for any two words and whatever the clue, the ratio is at most ",
      el("strong", {}, "e", el("sup", {}, "epsilon")), ". That sentence is differential privacy. If the word were yours, you would"
      + " not have to trust the host: the noise is in before the clue leaves."),
  ];
}
