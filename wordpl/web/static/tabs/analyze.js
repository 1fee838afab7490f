/** Skill and luck of each guess of a game that is over. */

import { withQuery } from "../api.js";
import { postOfList } from "../words.js";
import { review } from "../analyze/review.js";
import { announce, el, field, showError, wordBox } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";
import { checkbox, gameFields, gameOf, pastedFields, readGame, writeGame } from "../game_fields.js";
import { latest } from "../latest.js";

export const title = "Analyze";

const LONGEST_ADDRESS = 6000;
const EXAMPLE = { game: "wordle", words: "original", text: "Wordle 1,234 3/6\n\n⬛🟨🟨⬛⬛\n🟩🟨⬛⬛⬛\n🟩🟩🟩🟩🟩", guesses: "crate slink solar" };

export async function show(root, state) {
  const { text, guesses } = pastedFields(state.get("text", ""), state.get("guesses", ""));
  const answer = field("Answer, if there are no clues or it was not found", wordBox(state.get("answer", ""), { size: 30 }));
  const hard = checkbox("Played in hard mode", state.get("hard") === "1");
  const slider = epsilonSlider("Epsilon of clues that name none", readEpsilon(state.get("epsilon", "")) ?? 13, () => {});
  const proposing = el("p", { className: "note" }, "The word after the last clue is taken as the proposal.");
  const options = el("div", {}, el("p", { className: "note" }, "Loading the word lists…"));
  const rest = el("p", { className: "fault", hidden: true });
  const results = el("div", { className: "results" });
  root.append(el("h1", {}, "Analyze"),
    el("p", {}, "What was each guess of a finished game worth, and how lucky was it?"),
    el("section", { className: "panel" }, options,
      el("div", { className: "columns" }, text, el("div", { className: "stack" }, guesses, answer, proposing, slider, hard)), rest,
      el("div", { className: "row" },
        el("button", { type: "button", className: "main", onclick: () => run({ push: true }) }, "Analyze"),
        el("a", { "data-link": "", href: withQuery("/analyze", EXAMPLE) }, "Show an example"))),
    results);

  let game = readGame(state, gameOf(state.get("text", ""))?.game === "wordpl");
  let fields = { text, guesses, answer };
  text.control.addEventListener("input", () => {
    const said = gameOf(text.control.value);
    if (said && said.game !== game.game) choose({ ...game, ...said });
  });
  for (const { control } of [guesses, answer]) {
    control.addEventListener("keydown", (event) => { if (event.key === "Enter") run({ push: true }); });
  }

  function fit() {
    slider.hidden = proposing.hidden = game.game !== "wordpl";
    hard.hidden = game.game !== "wordle";
  }

  /** Show the fields of a game. */
  async function choose(chosen) {
    game = chosen;
    fit();
    const drawn = await gameFields(game, (changed) => {
      game = changed;
      fit();
    });
    fields = { ...fields, ...drawn.fields };
    options.replaceChildren(drawn);
  }

  function wanted() {
    const fibble = game.game === "fibble";
    return {
      words: game.words, rule: game.rule, text: text.control.value, guesses: guesses.control.value,
      answer: answer.control.value.trim() || null, hard: hard.control.checked && game.game === "wordle",
      lies: fibble ? game.lies : null, epsilon: game.game === "wordpl" ? slider.value : "inf",
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
      results.replaceChildren(...review(found, game, state.signal),
        fits ? "" : el("p", { className: "note" }, "This text is too long to stand in a link."));
      announce(`${results.querySelector("h2").textContent}. Skill ${found.skill ?? "none"}, luck ${found.luck ?? "none"}.`);
    } catch (error) {
      if (error.name === "AbortError") return;
      results.replaceChildren();
      showError(error, fields, rest);
    }
    results.removeAttribute("aria-busy");
  }, state.signal);

  await choose(game);
  if (text.control.value || guesses.control.value) await run();
}
