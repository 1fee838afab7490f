/** How it works: what epsilon buys, in seven scenes to play with. The address keeps the scene, its draws and its choices. */

import { oneOf, parsed, wholeFrom } from "../address.js";
import { el } from "../dom.js";
import { ask, die, predict } from "../start/clue.js";
import { SEEDS } from "../start/noise.js";
import { CLICKS, again, promise, real, stake } from "../start/promise.js";

export const title = "How it works";

/** Headings, with a function of (state, set): the elements, and `fill()`, which is called after each `set({name: value})`. */
const SCENES = [
  ["I lie a little", ask],
  ["A die decides when I lie", die],
  ["Would you bet on it?", predict],
  ["The promise", promise],
  ["Ask again", again],
  ["Your own secret", real],
  ["When to propose", stake],
];
const ABOUT = "A word game: the host hides a word, and lies a little. Truth costs, so find the word for the least.";

const ADDRESS = {
  scene: wholeFrom(0, SCENES.length - 1), seed: wholeFrom(0, SEEDS - 1), asked: oneOf(["yes"]), shown: oneOf(["yes"]), epsilon: wholeFrom(0, 30), asks: wholeFrom(1, 4),
  believe: parsed("some letters of crate", (text) => (/^[crate]+$/.test(text) ? text : null)), bet: oneOf(["yes", "no"]),
  kind: oneOf(["4", "3", "2", "1", "0", "-1", "-2", "-3", "-4"]), clicks: oneOf(CLICKS),
};

export function show(root, state) {
  state.expect(ADDRESS);
  if (state.get("seed") === null) state.set({ seed: Math.floor(Math.random() * SEEDS) });
  const draw = () => {
    const at = state.get("scene", 0);
    const turn = (by) => {
      state.set({ scene: at + by || null }, { push: true });
      draw();
      scrollTo(0, 0);
      root.querySelector("h1").focus();
    };
    const game = (text) => el("a", { href: "/play", "data-link": "" }, text);
    const last = at === SCENES.length - 1;
    const [heading, scene] = SCENES[at];
    const { elements, fill } = scene(state, (values) => {
      state.set(values);
      fill();
    });
    fill?.();
    document.title = `${heading} · WORDPL`;
    root.replaceChildren(...at ? [] : [el("p", { className: "about" }, ABOUT)],
      el("h1", { tabIndex: -1 }, heading),
      el("div", { className: "scene" }, elements),
      el("nav", { className: "walk", "aria-label": "Scenes" },
        at > 0 && el("button", { onclick: () => turn(-1) }, "Back"),
        el("span", { className: "note" }, `${at + 1} of ${SCENES.length}`),
        !last && game("To the game"),
        last ? game("Play") : el("button", { onclick: () => turn(1) }, "Next")));
  };
  draw();
  addEventListener("beforeprint", () => root.append(paper(state)), { signal: state.signal });
  addEventListener("afterprint", () => root.querySelector(".paper").remove(), { signal: state.signal });
}

/** A sheet for teachers: all scenes, one a page, as they are once everything in them was pressed. */
function paper(state) {
  const answers = { asked: "yes", shown: "yes", bet: "yes", asks: 4, clicks: CLICKS.at(-1) };
  const pressed = { get: (name, otherwise) => state.get(name) ?? answers[name] ?? otherwise };
  return el("div", { className: "paper" }, SCENES.map(([heading, scene]) => {
    const { elements, fill } = scene(pressed, () => {});
    fill?.();
    return el("section", {}, el("h1", {}, heading), el("div", { className: "scene" }, elements));
  }));
}
