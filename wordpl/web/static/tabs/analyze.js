/** Skill and luck of each guess of a game that is over. */

import { anyEpsilon, prose } from "../address.js";
import { postOfList } from "../words.js";
import { review } from "../analyze/review.js";
import { announce, attempt, el, field, folded, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { GAME, GAMES, HARD, formatOf, gameFields, gameOf, guessesFor, hardField, pastedFields, readGame, writeGame } from "../game_fields.js";
import { latest } from "../latest.js";
import { fold } from "../rows.js";
import { drafted, retyped } from "../storage.js";

export const title = "Analyze";
const LONGEST_ADDRESS = 6000;
const EXAMPLE = "crate .ii..\nslink ci...\nsolar ccccc";
const WORDLE = { game: "wordle", words: GAMES.wordle.words, rule: GAMES.wordle.rule, channel: null, limit: GAMES.wordle.limit };

export async function show(root, state) {
  state.expect({ ...GAME, text: prose(LONGEST_ADDRESS), guesses: prose(LONGEST_ADDRESS), answer: prose(60), epsilon: anyEpsilon });
  const { text, guesses } = pastedFields("analyze", state.get("text", ""), state.get("guesses", ""));
  let game = readGame(state, gameOf(text.control.value, { game: "wordle" }).game === "wordpl");
  const answer = field("Answer, if guesses have no clues or none is right",
    (state.get("text") || state.get("guesses") ? retyped : drafted)("analyze answer", wordBox(state.get("answer", ""), { size: 30 })));
  let example = false;
  const hard = hardField("Hard mode", game.hard);
  const slider = epsilonSlider("Epsilon of clues that name none", state.get("epsilon", 13), () => {}, { game: () => game });
  const proposing = el("p", { className: "note" }, "The word after the last clue is taken as the proposal.");
  let chosen = game.game === "wordpl" && !state.get("game") ? WORDLE : game; // what a text is of that does not say it
  const form = gameFields((changed) => {
    game = chosen = changed;
    fit();
  });
  const more = folded("Guesses, answer, and which game", guesses.control.value || answer.control.value, guesses, answer, proposing, slider, hard, form);
  const rest = el("p", { className: "fault", hidden: true });
  const results = el("div", { className: "results" });
  root.append(el("h1", {}, "Analyze"),
    el("p", {}, "What was each guess of a finished game worth, and how lucky was it?"),
    el("div", { className: "beside" },
      el("section", { className: "panel" }, text, rest,
        el("p", {}, el("button", { className: "main", onclick: () => run({ push: true }) }, "Analyze")), more),
      results));

  text.control.addEventListener("focus", () => example && text.control.select()); // what is pasted goes in its place
  root.addEventListener("input", () => { example = false; });
  text.control.addEventListener("input", () => {
    const named = gameOf(text.control.value, chosen);
    if (JSON.stringify(named) !== JSON.stringify(game)) choose(named);
  });
  for (const { control } of [guesses, answer]) control.addEventListener("keydown", ({ key }) => key === "Enter" && run({ push: true }));

  function fit() {
    slider.hidden = proposing.hidden = game.game !== "wordpl";
    slider.set(slider.value);
    hard.hidden = game.game !== "wordle";
  }

  function choose(named) {
    game = named;
    fit();
    form.set(game);
  }

  function keep(wanted, push) {
    const address = {
      ...writeGame({ ...game, hard: wanted.hard }), text: wanted.text, guesses: wanted.guesses, answer: wanted.answer,
      epsilon: game.game === "wordpl" ? wanted.epsilon : null,
    };
    const fits = encodeURIComponent(wanted.text + wanted.guesses).length <= LONGEST_ADDRESS;
    state.set(fits ? address : { ...address, text: null, guesses: null }, { push });
    return fits;
  }

  const run = latest(async (signal, { push = false } = {}) => {
    const fields = { text, guesses, answer, ...form.fields };
    for (const labelled of Object.values(fields)) labelled.fault(null);
    results.ariaBusy = "true";
    const wanted = { words: game.words, rule: game.rule, text: text.control.value, guesses: guessesFor(text.control.value, guesses.control.value),
      answer: answer.control.value.trim() || null, hard: game.game === "wordle" && HARD[hard.control.value],
      channel: game.channel, game: formatOf(game), epsilon: game.game === "wordpl" ? slider.value : "inf" };
    const wordless = !wanted.guesses.trim() && guessesFor(wanted.text, wanted.text.trim()); // what is wrong are the guesses
    const adversary = wanted.text.includes(", adversary,");
    const isExample = example; // until something is typed
    const fits = isExample || keep(wanted, push);
    const done = await attempt(async () => {
      const analysis = await postOfList("/api/analyze", wanted, { signal });
      results.replaceChildren(isExample ? el("p", { className: "note" }, "This is an example. Paste your own game over it.") : "",
        ...review(analysis, game, wanted.answer && fold(wanted.answer), adversary),
        fits ? "" : el("p", { className: "note" }, "This text is too long to stand in a link."));
      announce(`${results.querySelector("h2").textContent}. Skill ${analysis.skill ?? "none"}${adversary ? "" : `, luck ${analysis.luck ?? "none"}`}.`);
    }, wordless ? { ...fields, text: guesses } : fields, rest);
    if (signal.aborted) return;
    if (!done) results.replaceChildren();
    else if (push && results.getBoundingClientRect().top > innerHeight / 2) results.scrollIntoView();
    more.open ||= !done; // what is missing may stand there
    results.ariaBusy = null;
  }, state.signal);

  if (!location.search && ![text, guesses, answer].some(({ control }) => control.value)) {
    example = true;
    text.control.value = EXAMPLE;
    choose(chosen = WORDLE);
    await run();
  } else {
    choose(state.get("text") ? game : gameOf(text.control.value, chosen));
    if (state.get("text") || state.get("guesses")) await run();
  }
}
