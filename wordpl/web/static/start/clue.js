/** The first scenes: a game that plays itself, and a clue to unmask; and whose secret it is. */

import { el } from "../dom.js";
import { generator } from "../random.js";
import { NAMES, meanings, tiles, trueClue } from "../tiles.js";
import { CLUES, EPSILON, GUESS, agreements, drawing, noisy, offer, say } from "./noise.js";

const TRUTH = CLUES.HASTE;

/** The game that plays itself: the style sheet lets its rows, dice and lies come one after another. */
function game() {
  const [answer, epsilon, seed] = ["haste", 8, 16];
  const random = generator(seed, 7);
  const rows = [GUESS, "sloth", answer].map((guess) => {
    const truth = trueClue(guess, answer, "letterwise");
    return { guess, truth, clue: noisy(truth, epsilon, random) };
  });
  const lies = rows.reduce((sum, { clue, truth }) => sum + 5 - agreements(clue, truth), 0);
  return el("div", { className: "show" },
    rows.map(({ guess, truth, clue }, at) => el("div", { className: "thrown", style: `--at: ${at}` },
      el("div", { className: "tiles", "aria-hidden": "true" },
        [...clue].map((mark, i) => el("span", { className: mark === truth[i] ? "cube" : "cube lie" }))),
      tiles(guess, clue, { flipped: truth }))),
    el("p", { className: "told" }, `The word is ${answer.toUpperCase()}, and ${lies} marks lied: dashed, with the truth in a corner.`));
}

/** The game, and then a clue of which some marks are lies. The visitor says which ones to believe. */
export function ask(state, set) {
  const row = el("div", { className: "rows" }, !state.get("asked") && game());
  const words = el("p", { role: "status" });
  const reveal = el("button", { className: "main", onclick: () => set(state.get("asked") ? { shown: "yes" } : { asked: "yes" }) });
  const again = drawing("Another clue", state, set, { shown: null, believe: null });

  function toggles(clue, believed) {
    const buttons = [...GUESS].map((letter, i) => el("button", { className: "tile", dataset: { mark: clue[i] },
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
    const [asked, over] = [state.get("asked"), state.get("shown")];
    offer([reveal, again], [over ? again : reveal]);
    reveal.textContent = asked ? "Reveal" : "Your turn";
    if (asked && !over) {
      row.replaceChildren(toggles(clue, believed));
      say(words, "You guessed TRADE; this is my clue. A die was thrown over each mark: tap those you believe.");
    } else if (over) {
      const answer = tiles(GUESS, clue, { flipped: TRUTH });
      [...GUESS].forEach((letter, i) => answer.children[i].classList.toggle("believed", believed.has(letter)));
      row.replaceChildren(answer, el("span", { className: "note" }, "The truth:"), tiles(GUESS, TRUTH));
      const right = [...GUESS].filter((letter, i) => believed.has(letter) && clue[i] === TRUTH[i]).length;
      say(words, `You believed ${believed.size ? `${believed.size}; ${right} told the truth` : "none"}. ${5 - agreements(clue, TRUTH)} of 5 lied (dashed), and`
        + " looked no different.");
    }
  }
  return { fill, elements: [el("p", { className: "about" }, "This is Wordle under differential privacy: a die may falsify each mark,"
    + " so that no clue tells the secret word for sure."), el("div", { className: "stage" }, row, meanings()), words, el("div", { className: "row" }, reveal, again)] };
}

const MODELS = {
  phone: { name: "Local model", means: "The phone throws the die. The truth never leaves it, so nobody need be trusted.", systems: [
    ["Apple’s emoji", 4, "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"]] },
  company: { name: "Central model", means: "The company learns the truth, and throws the die before it tells others. It must be trusted.", systems: [
    ["Google’s symptoms", 1.68, "https://arxiv.org/abs/2009.01265"],
    ["US Census 2020", 17.14, "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html"]] },
};

/** Whose secret the word stands for, and who learns what of it: by where the die is thrown. */
export function whose(state, set) {
  const range = el("input", { type: "range", className: "carried", min: 0, max: 1, value: Number(state.get("die") === "company"),
    "aria-label": "Where the die is thrown", oninput: () => set({ die: range.value === "1" ? "company" : null }) });
  const places = el("ul", { className: "places" });
  const words = el("p", { role: "status" });
  const systems = el("p", { className: "note" });

  function fill() {
    const lies = noisy(TRUTH, EPSILON, generator(state.get("seed"), 1));
    const model = state.get("die", "phone");
    const local = model === "phone";
    const place = (who, knows) => el("li", { className: knows ? "true" : "" }, el("strong", {}, who), tiles(GUESS, knows ? TRUTH : lies),
      el("span", { className: "note" }, knows || "only marks that may lie"));
    places.replaceChildren(place("Your phone", "knows HASTE"), place("The company", !local && "knows the truth"), place("All others"));
    const { name, means, systems: known } = MODELS[model];
    range.setAttribute("aria-valuetext", `${local ? "on your phone" : "at the company"}: ${name}`);
    say(words, el("strong", {}, `${name}. `), means);
    systems.replaceChildren("Epsilons in use: ", ...known.flatMap(([who, epsilon, source], i) =>
      [i ? ", " : "", `${who} ${epsilon} (`, el("a", { href: source, "aria-label": `source for ${who}` }, "source"), ")"]), ".");
  }
  return { fill, elements: [
    el("p", {}, "The word is your secret: say, HASTE. The guesses are a company’s questions: say, TRADE. Drag the die, or press → and ←."),
    el("div", { className: "stage" }, range, places), words, systems] };
}
