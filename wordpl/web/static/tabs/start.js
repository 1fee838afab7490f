/** How it works: Wordle under differential privacy, in five scenes to play with. The address keeps the scene, its draws and its choices. */

import { oneOf, parsed, wholeFrom } from "../address.js";
import { el } from "../dom.js";
import { ask, die, whose } from "../start/clue.js";
import { GUESS, MOST_EPSILON, ROUNDS, SEEDS } from "../start/noise.js";
import { CLICKS, promise, stake } from "../start/promise.js";

export const title = "How it works";

/** Headings, with a function of (state, set): the elements, and `fill()`, which is called after each `set({name: value})`. */
const SCENES = [
  ["Wordle that lies a little", ask],
  ["Whose secret is it?", whose],
  ["A die decides when I lie", die],
  ["The promise", promise],
  ["When to propose", stake],
];
const textOf = (wants, pattern) => parsed(wants, (text) => (pattern.test(text) ? text : null));

const ADDRESS = {
  scene: wholeFrom(0, SCENES.length - 1), seed: wholeFrom(0, SEEDS - 1), asked: oneOf(["yes"]), shown: oneOf(["yes"]), epsilon: wholeFrom(0, MOST_EPSILON),
  die: oneOf(["company"]), believe: textOf(`some letters of ${GUESS}`, new RegExp(`^[${GUESS}]+$`)),
  calls: textOf(`at most ${ROUNDS} letters H or P`, new RegExp(`^[HP]{1,${ROUNDS}}$`)), clicks: oneOf(CLICKS),
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
    const link = (text, href) => el("a", { href, "data-link": "" }, text);
    const last = at === SCENES.length - 1;
    const [heading, scene] = SCENES[at];
    const { elements, fill } = scene(state, (values) => {
      state.set(values);
      fill();
      walk.hidden = unplayed();
    });
    const walk = el("nav", { className: "walk", "aria-label": "Scenes" },
      at > 0 && el("button", { onclick: () => turn(-1) }, "Back"),
      el("span", { className: "note" }, `${at + 1} of ${SCENES.length}`),
      last ? link("The contest", "/contest") : link("To the game", "/play"),
      last ? link("Play", "/play") : el("button", { onclick: () => turn(1) }, "Next"));
    /** The first screen has one button. */
    const unplayed = () => at === 0 && !state.get("asked");
    fill();
    walk.hidden = unplayed();
    document.title = `${heading} · WORDPL`;
    root.replaceChildren(el("h1", { tabIndex: -1 }, heading), el("div", { className: "scene" }, elements), walk);
  };
  draw();
  addEventListener("beforeprint", () => root.append(paper(state)), { signal: state.signal });
  addEventListener("afterprint", () => root.querySelector(".paper").remove(), { signal: state.signal });
}

/** A sheet for teachers: all scenes, one a page, as they are once everything in them was pressed. */
function paper(state) {
  const answers = { asked: "yes", shown: "yes", calls: "HPHPHPHPHP", clicks: CLICKS.at(-1) };
  const pressed = { get: (name, otherwise) => state.get(name) ?? answers[name] ?? otherwise };
  return el("div", { className: "paper" }, SCENES.map(([heading, scene]) => {
    const { elements, fill } = scene(pressed, () => {});
    fill();
    return el("section", {}, el("h1", {}, heading), el("div", { className: "scene" }, elements));
  }));
}
