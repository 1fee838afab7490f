/** How it works: Wordle under differential privacy, in five scenes to play with, one below the other. The address keeps their draws and choices, and the scene to begin with. */

import { oneOf, parsed, wholeFrom } from "../address.js";
import { el } from "../dom.js";
import { ask, die, whose } from "../start/clue.js";
import { GUESS, MOST_EPSILON, ROUNDS, SEEDS } from "../start/noise.js";
import { CLICKS, promise, stake } from "../start/promise.js";

export const title = "How it works";

/** Headings, with a function of (state, set): the elements, of which `.stage` is the figure, and `fill()`, which is called after each `set({name: value})`. */
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

/** The scenes as they are with a state, which some of their controls change. */
function scenes(state) {
  const set = (values) => {
    state.set(values);
    for (const { fill } of made) fill();
  };
  const made = SCENES.map(([, scene]) => scene(state, set));
  for (const { fill } of made) fill();
  return made.map(({ elements }, at) => el("section", { className: "scene" }, el(at ? "h2" : "h1", { tabIndex: -1 }, SCENES[at][0]), elements));
}

export function show(root, state) {
  state.expect(ADDRESS);
  if (state.get("seed") === null) state.set({ seed: Math.floor(Math.random() * SEEDS) });
  const all = scenes(state);
  root.append(...all, el("nav", { className: "row", "aria-label": "Next" },
    el("a", { href: "/play", className: "main", "data-link": "" }, "Play"), el("a", { href: "/contest", "data-link": "" }, "The contest")));
  const at = state.get("scene");
  if (at) all[at].scrollIntoView();
  if (at) all[at].firstChild.focus({ preventScroll: true }); // the next Tab goes on from here
  addEventListener("beforeprint", () => root.append(paper(state)), { signal: state.signal });
  addEventListener("afterprint", () => root.querySelector(".paper").remove(), { signal: state.signal });
}

/** A sheet for teachers: all scenes, one a page, as they are once everything in them was pressed. */
function paper(state) {
  const answers = { asked: "yes", shown: "yes", calls: "HPHPHPHPHP", clicks: CLICKS.at(-1) };
  const pressed = { get: (name, otherwise) => state.get(name) ?? answers[name] ?? otherwise };
  return el("div", { className: "paper" }, scenes(pressed));
}
