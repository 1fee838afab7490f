/** The scenes of a single clue: it lies, a die decides when, and what that leaves to bet on. */

import { el } from "../dom.js";
import { keep, liesIn } from "../epsilon.js";
import { generator } from "../random.js";
import { MARKS, NAMES, tiles } from "../tiles.js";
import { CLUES, SEEDS, agreements, cell, noisy, ofHundred, pile, times } from "./noise.js";

const EPSILON = 5;
const WORD = "crate";
const TRUTH = CLUES.HASTE;
const [ROWS, WORLDS] = [100, 100];
const MEANINGS = { c: "right place", i: "elsewhere", ".": "not in it" };

/** A clue of which some marks are lies. The visitor says which ones to believe. */
export function ask(state, set) {
  const row = el("div", { className: "stage" });
  const words = el("p", { role: "status" });
  const button = el("button", { onclick: () => {
    if (state.get("shown")) set({ seed: (state.get("seed") + 1) % SEEDS, shown: null, believe: null });
    else set(state.get("asked") ? { shown: "yes" } : { asked: "yes" });
  } });

  function toggles(clue, believed) {
    const buttons = [...WORD].map((letter, i) => el("button", { className: "tile", dataset: { mark: clue[i] },
      "aria-label": `${letter.toUpperCase()} ${NAMES[clue[i]]}`,
      "aria-pressed": String(believed.has(letter)), onclick: ({ currentTarget }) => {
        if (!believed.delete(letter)) believed.add(letter);
        currentTarget.setAttribute("aria-pressed", String(believed.has(letter)));
        state.set({ believe: [...believed].join("") });
      } }, letter.toUpperCase()));
    return el("div", { className: "tiles", role: "group", "aria-label": "Marks that you believe" }, buttons);
  }

  function fill() {
    const clue = noisy(TRUTH, EPSILON, generator(state.get("seed"), 0));
    const believed = new Set(state.get("believe"));
    button.className = state.get("shown") ? "" : "main";
    if (!state.get("asked")) {
      row.replaceChildren(tiles(WORD));
      words.textContent = "Ask about CRATE: each letter gets a mark.";
      button.textContent = "Ask";
    } else if (!state.get("shown")) {
      row.replaceChildren(toggles(clue, believed));
      words.textContent = "Marks may lie. Tap those you believe.";
      button.textContent = "Reveal";
    } else {
      const answer = tiles(WORD, clue, { flipped: TRUTH });
      [...WORD].forEach((letter, i) => answer.children[i].classList.toggle("believed", believed.has(letter)));
      row.replaceChildren(answer, el("span", { className: "note" }, "The truth:"), tiles(WORD, TRUTH));
      const right = [...WORD].filter((letter, i) => believed.has(letter) && clue[i] === TRUTH[i]).length;
      words.textContent = `You believed ${believed.size ? `${believed.size}; ${right} told the truth` : "none"}. ${5 - agreements(clue, TRUTH)} of 5 lied (dashed), and`
        + " looked no different.";
      button.textContent = "Another clue";
    }
  }
  const key = el("ul", { className: "key" }, Object.entries(MEANINGS).map(([clue, meaning]) =>
    el("li", {}, el("span", { className: "tile", dataset: { mark: clue }, "aria-hidden": "true" }), meaning)));
  return { fill, elements: [row, key, words, button] };
}

/** The die behind each mark, and the number that loads it. */
export function die(state, set) {
  const range = el("input", { type: "range", min: 0, max: 30, value: state.get("epsilon", EPSILON), "aria-label": "Epsilon",
    oninput: () => set({ epsilon: range.value }) });
  const dice = [...TRUTH].map((right) => el("span", { className: "die" },
    [right, ...MARKS.filter((other) => other !== right)].map((face) => el("span", { dataset: { mark: face } }))));
  const name = el("strong");
  const words = el("span");
  const hundred = el("div", { className: "hundred", role: "img" });

  function fill() {
    const epsilon = Number(range.value);
    const right = keep(epsilon);
    for (const [first, ...others] of dice.map(({ children }) => children)) {
      first.style.flexGrow = right;
      for (const other of others) other.style.flexGrow = (1 - right) / 2;
    }
    const random = generator(state.get("seed"), 1);
    const clues = Array.from({ length: ROWS }, () => noisy(TRUTH, epsilon, random));
    hundred.replaceChildren(...clues.map((clue) => el("span", {}, [...clue].map((mark, i) => cell(mark, mark !== TRUTH[i])))));
    const lies = 5 * ROWS - agreements(clues.join(""), TRUTH.repeat(ROWS));
    name.textContent = epsilon;
    words.textContent = `${ofHundred(right)} of 100 marks are true (blind guesses: 33). Expect ${liesIn(epsilon, {})} a row.`
      + ` These rows have ${lies} (dashed).`;
    range.setAttribute("aria-valuetext", `${epsilon}. ${words.textContent}`);
    hundred.setAttribute("aria-label", `${ROWS} rows with ${lies} false marks of ${5 * ROWS}`);
  }
  return { fill, elements: [
    el("p", {}, "A die decides each mark. How often should it be true?"),
    el("div", { className: "dice" }, tiles(WORD, TRUTH), el("div", { className: "tiles", "aria-hidden": "true" }, dice)),
    el("label", { className: "load" }, "noise", range, "clarity"),
    el("p", {}, "This number is epsilon: ", name, ". ", words), hundred,
  ] };
}

const BETS = { yes: "Yes, there", no: "No, elsewhere" };

/** In how many of the worlds in which the mark comes up green it is true. Green and yellow are equally likely before. */
function worldsWithIt(seed) {
  const random = generator(seed, 2);
  const worlds = [];
  while (worlds.length < WORLDS) {
    const world = random() < 0.5 ? "c" : "i";
    if (noisy(world, EPSILON, random) === "c") worlds.push(world);
  }
  return worlds.filter((world) => world === "c").length;
}

/** A bet on one mark, and the worlds in which it would be seen. */
export function predict(state, set) {
  const outcome = el("div", { role: "status" });
  const buttons = Object.entries(BETS).map(([bet, text]) => el("button", { onclick: () => set({ bet }) }, text));

  function fill() {
    const bet = state.get("bet");
    buttons.forEach((button, i) => {
      button.setAttribute("aria-pressed", String(bet === Object.keys(BETS)[i]));
      button.className = bet ? "" : "main";
    });
    if (!bet) return;
    const there = worldsWithIt(state.get("seed"));
    const ratio = Math.exp(EPSILON / 5);
    const heap = (count, lies, text) =>
      el("div", {}, pile(count - lies, lies, `${count} worlds`), el("strong", {}, String(count)), text);
    outcome.replaceChildren(
      el("p", {}, `Of ${WORLDS} such bets you win `, el("strong", {}, String(bet === "yes" ? there : WORLDS - there)), "."),
      el("div", { className: "pair" },
        heap(there, 0, " true"), heap(WORLDS - there, WORLDS - there, " lies")),
      el("p", {}, "Green comes up ", el("strong", {}, `${times(ratio)} times`), ` as often if it is true, so believe it`
        + ` ${ofHundred(ratio / (1 + ratio))} of 100 times: the posterior. It proves nothing: I can blame the die.`));
  }
  return { fill, elements: [
    el("p", {}, `At epsilon ${EPSILON} you see a green T. My word has a T: is it there?`),
    el("div", { className: "stage" }, tiles("t", "c")), el("div", { className: "row" }, buttons), outcome,
  ] };
}
