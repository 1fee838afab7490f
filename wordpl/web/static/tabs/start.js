/** How it works: Wordle under differential privacy, in five scenes to play with, one below the other. The address keeps their draws and choices, and the scene to begin with. */

import { oneOf, parsed, wholeFrom } from "../address.js";
import { el } from "../dom.js";
import { ask, whose } from "../start/clue.js";
import { CLICKS, GUESS, MOST_EPSILON, ROUNDS, SEEDS } from "../start/noise.js";

export const title = "How it works";

/** Headings, with a function of (state, set): the elements, of which `.stage` is the figure, and `fill()`, which is called after each `set({name: value})`. */
const FIRST = [["Wordle that lies a little", ask], ["Whose secret is it?", whose]];
const textOf = (wants, pattern) => parsed(wants, (text) => (pattern.test(text) ? text : null));

const ADDRESS = {
  scene: wholeFrom(0, 4), seed: wholeFrom(0, SEEDS - 1), asked: oneOf(["yes"]), shown: oneOf(["yes"]), epsilon: wholeFrom(0, MOST_EPSILON),
  die: oneOf(["company"]), believe: textOf(`some letters of ${GUESS}`, new RegExp(`^[${GUESS}]+$`)),
  calls: textOf(`at most ${ROUNDS} letters H or P`, new RegExp(`^[HP]{1,${ROUNDS}}$`)), clicks: oneOf(CLICKS),
};

/** A function that makes scenes as they are with a state, which controls of all of them change. */
function stageOf(state) {
  const made = [];
  const set = (values) => {
    state.set(values);
    for (const { fill } of made) fill();
  };
  return (scenes) => scenes.map(([heading, scene]) => {
    const { elements, fill } = scene(state, set);
    fill();
    return el("section", { className: "scene" }, el(made.push({ fill }) > 1 ? "h2" : "h1", { tabIndex: -1 }, heading), elements);
  });
}

export async function show(root, state) {
  state.expect(ADDRESS);
  if (state.get("seed") === null) state.set({ seed: Math.floor(Math.random() * SEEDS) });
  const make = stageOf(state);
  root.append(...make(FIRST));
  const { die, promise, stake } = await import(`/static/start/promise.js`); // which draws, and need not come first
  const later = [["A die decides when I lie", die], ["The promise", promise], ["When to propose", stake]];
  root.append(...make(later), el("nav", { className: "row", "aria-label": "Next" },
    el("a", { href: "/play", className: "main", "data-link": "" }, "Play"), el("a", { href: "/contest", "data-link": "" }, "The contest")));
  const begin = state.get("scene") && root.children[state.get("scene")];
  begin?.scrollIntoView();
  begin?.firstChild.focus({ preventScroll: true }); // the next Tab goes on from here
  addEventListener("beforeprint", () => root.append(paper(state, [...FIRST, ...later])), { signal: state.signal });
  addEventListener("afterprint", () => root.querySelector(".paper").remove(), { signal: state.signal });
}

/** A sheet for teachers: all scenes, one a page, as they are once everything in them was pressed. */
function paper(state, scenes) {
  const answers = { asked: "yes", shown: "yes", calls: "HPHPHPHPHP", clicks: CLICKS.at(-1) };
  return el("div", { className: "paper" }, stageOf({ get: (name, otherwise) => state.get(name) ?? answers[name] ?? otherwise })(scenes));
}
