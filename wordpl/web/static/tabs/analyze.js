/** Skill and luck of each guess of a game that is over. */

import { postOfList } from "../words.js";
import { review } from "../analyze/review.js";
import { announce, el, field, showError } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { gameFields, readGame, writeGame } from "../game_fields.js";
import { latest } from "../latest.js";
import { squares } from "../tiles.js";

export const title = "Analyze";

const LONGEST_ADDRESS = 6000;
const LOOKS_NOISY = /@\s*[\d.]|^WORDPL/m;
const EXAMPLE = { text: "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", guesses: "crate slink solar" };

export async function show(root, state) {
  const text = field("Share text, or guesses with their clues",
    el("textarea", { rows: 8, cols: 32, spellcheck: false, value: state.get("text", "") }),
    el("span", { className: "note" }, "In each line, for example, ", squares(".ii.."), " or crate .ii.. or crate=.ii..@13"));
  text.classList.add("wide");
  const guesses = field("Guesses, if the text has only squares", line(state.get("guesses", "")));
  const answer = field("Answer, if there are no clues or it was not found", line(state.get("answer", "")));
  const hard = el("input", { type: "checkbox", checked: state.get("hard") === "1" });
  const hardMode = el("label", {}, hard, "Played in hard mode");
  const noisier = el("p", { className: "row", hidden: true }, "This looks like a WORDPL game.",
    el("button", { type: "button", onclick: () => choose({ ...game, game: "wordpl", words: "original", rule: "letterwise" }) },
      "It is"));
  const slider = epsilonSlider("Epsilon of clues that name none", readEpsilon(state.get("epsilon", "")) ?? 13, () => {});
  const options = el("div", {}, el("p", { className: "note" }, "Loading the word lists…"));
  const rest = el("p", { className: "fault", hidden: true });
  const results = el("div", { className: "results" });
  root.append(el("h1", {}, "Analyze"),
    el("p", {}, "What was each guess of a finished game worth, and how lucky was it?"),
    el("section", { className: "panel" }, options,
      el("div", { className: "columns" }, text, el("div", { className: "stack" }, guesses, answer, slider,
        hardMode)), noisier, rest,
      el("div", { className: "row" },
        el("button", { type: "button", className: "main", onclick: () => run({ push: true }) }, "Analyze"),
        el("button", { type: "button", onclick: example }, "Show an example"))),
    results);

  let game = readGame(state, LOOKS_NOISY.test(state.get("text", "")));
  let fields = { text, guesses, answer };
  text.control.addEventListener("input", suspect);
  for (const { control } of [guesses, answer]) {
    control.addEventListener("keydown", (event) => { if (event.key === "Enter") run({ push: true }); });
  }

  function suspect() {
    noisier.hidden = game.game === "wordpl" || !LOOKS_NOISY.test(text.control.value);
    slider.hidden = game.game !== "wordpl";
    hardMode.hidden = game.game !== "wordle";
  }

  /** Show the fields of a game. */
  async function choose(chosen) {
    game = chosen;
    suspect();
    const drawn = await gameFields(game, (changed) => {
      game = changed;
      suspect();
    });
    fields = { ...fields, ...drawn.fields };
    options.replaceChildren(drawn);
  }

  async function example() {
    text.control.value = EXAMPLE.text;
    guesses.control.value = EXAMPLE.guesses;
    answer.control.value = "";
    hard.checked = false;
    await choose({ ...game, game: "wordle", words: "original", rule: "counted" });
    run({ push: true });
  }

  function wanted() {
    const fibble = game.game === "fibble";
    return {
      words: game.words, rule: game.rule, text: text.control.value, guesses: guesses.control.value,
      answer: answer.control.value.trim() || null, hard: hard.checked && game.game === "wordle", lies: fibble ? game.lies : null,
      epsilon: game.game === "wordpl" ? slider.value : "inf",
    };
  }

  function keep(given, push) {
    const address = {
      ...writeGame(game), text: given.text, guesses: given.guesses, answer: given.answer, hard: given.hard ? "1" : null,
      epsilon: given.epsilon === "inf" ? null : given.epsilon,
    };
    const fits = encodeURIComponent(given.text + given.guesses).length <= LONGEST_ADDRESS;
    state.set(fits ? address : { ...address, text: null, guesses: null }, { push });
    return fits;
  }

  const run = latest(async (signal, { push = false } = {}) => {
    for (const one of Object.values(fields)) one.fault(null);
    rest.hidden = true;
    results.setAttribute("aria-busy", "true");
    const given = wanted();
    const fits = keep(given, push);
    try {
      const found = await postOfList("/api/analyze", given, { signal });
      results.replaceChildren(...review(found, state.signal),
        fits ? "" : el("p", { className: "note" }, "This text is too long to stand in a link."));
      announce(`Skill ${found.skill ?? "none"}, luck ${found.luck ?? "none"}.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      results.replaceChildren();
      showError(error, fields, rest);
    }
    results.removeAttribute("aria-busy");
  }, state.signal);

  suspect();
  await choose(game);
  if (text.control.value || guesses.control.value) await run();
}

const line = (value) => el("input", { type: "text", size: 30, value, autocomplete: "off", autocapitalize: "none", spellcheck: false });
