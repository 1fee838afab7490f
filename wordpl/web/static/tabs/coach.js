/** Help in a game that is played elsewhere: guesses and clues in, the best next guesses out. */

import { announce, debounced, el, field, showError } from "../dom.js";
import { whyPanel } from "../coach/why.js";
import { CRITERIA, answersList, contradiction, falseMarks, sentence, suggestionTable } from "../coach/standing.js";
import { nextRow, turnRow } from "../coach/turns.js";
import { readEpsilon } from "../epsilon.js";
import { GAMES, gameFields, readGame, select, wholeIn, writeGame } from "../game_fields.js";
import { latest } from "../latest.js";
import { letters, readRow, readRows, writeRow } from "../rows.js";
import { postOfList, summaryOf } from "../words.js";

export const title = "Coach";

const MORE = [20, 100, 500];
const MOST_GUESSES = 100;
const FIBBLE_GUESSES = 9;

/** The criterion that is named if the game has it: clues with lies differ in how much of their entropy is noise. */
const criterionIn = (game, named) =>
  (named in CRITERIA && !(game === "fibble" && named === "clue_entropy") ? named : "information_gain");

/** What the address says. */
function read(state) {
  const rows = readRows(state.all("row"));
  const epsilon = readEpsilon(state.get("epsilon", "")) ?? null;
  const noisy = [epsilon, ...rows.map((row) => row.epsilon)].some((one) => one !== null && one !== "inf");
  const game = readGame(state, noisy);
  const draft = readRow(state.get("next", "")) ?? { guess: state.get("next", "").split(":")[0], clue: "" };
  return {
    ...game, rows, guesses: wholeIn(state.get("guesses", ""), MOST_GUESSES) ?? FIBBLE_GUESSES,
    criterion: criterionIn(game.game, state.get("by")), hard: state.get("hard") === "1",
    draft: { guess: draft.guess, clue: draft.clue, epsilon: epsilon ?? GAMES[game.game].epsilon },
    why: state.get("why", ""), answers: MORE[0],
  };
}

/** The same for the address; what is so by default is left out. */
function write({ rows, guesses, draft, criterion, hard, why, ...game }) {
  return {
    ...writeGame(game), guesses: game.game === "fibble" && guesses !== FIBBLE_GUESSES ? guesses : null,
    row: rows.map(writeRow), by: criterion === "information_gain" ? null : criterion, hard: hard ? "1" : null,
    epsilon: draft.epsilon === GAMES[game.game].epsilon ? null : draft.epsilon,
    next: draft.guess ? writeRow({ ...draft, epsilon: "inf" }) : null, why: why || null,
  };
}

export async function show(root, state) {
  let now = read(state);
  let length = now.rows.length ? letters(now.rows[0].guess).length : 5;
  let shownRows = [];
  const noisy = () => now.game === "wordpl";
  const fibble = (of = now) => of.game === "fibble";
  const exact = (of = now) => of.game === "wordle";
  const situation = (of = now) => ({
    words: of.words, rule: of.rule, epsilon: of.game === "wordpl" ? of.draft.epsilon : "inf", turns: of.rows,
    ...(fibble(of) && { lies: of.lies, guesses: of.guesses }),
  });

  // The page, at once

  const options = el("div", {}, el("p", { className: "note" }, "Loading the word lists…"));
  const turns = el("ol", { className: "turns" });
  const next = el("div");
  const rest = el("p", { className: "fault", hidden: true });
  const standing = el("p", { className: "standing" }, "…");
  const suggestions = el("div");
  const answers = el("div");
  const results = el("div", { className: "results", "aria-busy": "true" });
  const criterion = select("Ranked by", CRITERIA, now.criterion);
  const hard = el("input", { type: "checkbox", checked: now.hard });
  const hardMode = el("label", {}, hard, "Hard mode");
  const guesses = field("Guesses in all", el("input", { type: "number", min: 1, max: MOST_GUESSES, value: now.guesses }));
  const marks = el("section", { className: "panel", hidden: true }, el("h2", {}, "Which marks may be false"), el("div"));
  const why = whyPanel({
    situation, hard: () => now.hard && exact(), signal: state.signal, onchange: (word) => keep({ why: word }, { push: false }),
  });
  results.append(
    el("section", { className: "panel" }, el("h2", {}, "Best next guesses"), standing, rest, criterion, suggestions),
    el("section", { className: "panel" }, el("h2", {}, "Answers left"), answers), marks, why);
  root.append(el("h1", {}, "Coach"),
    el("p", {}, "For a game that you play elsewhere: enter your guesses and their clues, and see what to guess next."),
    options,
    el("div", { className: "coach" },
      el("section", { className: "panel" }, el("h2", {}, "Your guesses"), turns, next,
        el("div", { className: "row" }, hardMode, guesses,
          el("button", { type: "button", onclick: restart }, "New game"))),
      results));

  // Changes

  function keep(values, { push = true } = {}) {
    now = { ...now, ...values };
    state.set(write(now), { push });
  }

  const soon = debounced(() => ask(), 150);

  function change(values, { push = true, wait = false } = {}) {
    keep(values, { push });
    results.setAttribute("aria-busy", "true");
    if (wait) soon();
    else ask();
  }

  const setRows = (rows, settings) => change({ rows, answers: MORE[0] }, settings);

  function restart() {
    setRows([]);
    draft.set({ ...now.draft, guess: "", clue: "" });
    keep({ draft: { ...now.draft, guess: "", clue: "" } }, { push: false });
    drawRows();
    draft.focus();
  }

  function remove(at) {
    setRows(now.rows.filter((_, i) => i !== at));
    drawRows();
    (shownRows[Math.min(at, shownRows.length - 1)]?.tiles ?? draft).first.focus();
  }

  function take(word) {
    const guess = { ...now.draft, guess: word, clue: "" };
    draft.set(guess);
    keep({ draft: guess }, { push: false });
    draft.focus();
    draft.scrollIntoView({ block: "nearest" });
  }

  criterion.control.addEventListener("change", () => change({ criterion: criterion.control.value }));
  hard.addEventListener("change", () => change({ hard: hard.checked }));
  guesses.control.addEventListener("change", () => {
    const whole = wholeIn(guesses.control.value, MOST_GUESSES);
    if (whole) change({ guesses: whole });
    else guesses.fault(`A game has 1 to ${MOST_GUESSES} guesses.`);
  });

  /** Show the controls that the game has. */
  function fit() {
    hardMode.hidden = !exact();
    guesses.hidden = !fibble();
    criterion.control.value = now.criterion;
    criterion.control.querySelector("[value=clue_entropy]").disabled = fibble();
  }

  // Rows

  function drawRows() {
    shownRows = now.rows.map((row, at) => turnRow(row, at + 1, {
      noisy: noisy(), onremove: () => remove(at),
      onchange: (changed) => {
        const renamed = changed.guess !== now.rows[at].guess;
        setRows(now.rows.map((one, i) => (i === at ? changed : one)), { wait: !renamed, push: renamed });
        if (renamed) {
          drawRows();
          shownRows[at].tiles.first.focus();
        }
      },
    }));
    turns.replaceChildren(...shownRows);
  }

  let draft;
  function drawNext() {
    draft = nextRow({
      length: () => length, noisy: noisy(),
      onchange: (changed) => {
        const other = changed.epsilon !== now.draft.epsilon;
        if (other) change({ draft: changed }, { push: false, wait: true });
        else keep({ draft: changed }, { push: false });
      },
      onadd: add,
    });
    draft.set(now.draft);
    next.replaceChildren(draft);
  }

  let adding = false;

  /** Add the next guess, if the server takes it. */
  async function add(row) {
    if (adding) return;
    adding = true;
    let taken;
    do {  // again if another change came in between
      const added = { guess: row.guess, clue: row.clue, epsilon: noisy() ? row.epsilon : "inf" };
      taken = await ask({ ...now, rows: [...now.rows, added], answers: MORE[0], draft: { ...row, guess: "", clue: "" } });
    } while (taken === undefined && !state.signal.aborted);
    adding = false;
    if (!taken) return;
    keep(taken);
    why.refresh();
    drawRows();
    draft.set(now.draft);
    draft.focus();
  }

  // What the server says

  /** Ask about a game and show the answer: the game if the server took it, null if not, undefined if given up. */
  const ask = latest(async (signal, of = now) => {
    try {
      const wanted = { ...situation(of), criterion: of.criterion, hard: of.hard && exact(of), answers: of.answers };
      const found = await postOfList("/api/coach/suggestions", wanted, { signal });
      draw(found);
      if (of.rows === now.rows) why.refresh();
      return of;
    } catch (error) {
      complain(error);
      return error.name === "AbortError" ? undefined : null;
    }
  }, state.signal);

  function draw(found) {
    for (const row of shownRows) row.fault(null);
    rest.hidden = true;
    const text = sentence(found, noisy());
    standing.textContent = text;
    suggestions.replaceChildren(...[found.contradiction
      ? contradiction(found, { remove, take })
      : suggestionTable(found, { take, why: (word) => why.show(word) })].filter(Boolean));
    answers.replaceChildren(answersList(found, noisy(), () =>
      change({ answers: MORE.find((n) => n > found.answers.length) ?? MORE.at(-1) }, { push: false })) ?? "None.");
    const chances = falseMarks(found);
    marks.hidden = !chances;
    marks.lastChild.replaceChildren(chances ?? "");
    results.removeAttribute("aria-busy");
    announce(found.suggestions.length ? `${text} Best guess: ${found.suggestions[0].word}.` : text);
  }

  function complain(error) {
    if (error.name === "AbortError") return;
    results.removeAttribute("aria-busy");
    const [, at, part] = /^turns\.(\d+)\.(.*)$/.exec(error.field || "") ?? [];
    if (at === undefined) {
      showError(error, { ...fields, guesses }, rest);
      return;
    }
    // The row that is being added is not among those shown.
    if (shownRows[at]) shownRows[at].fault(error.message);
    else draft.fault(part === "guess" ? error.message : `${part}: ${error.message}`);
    announce(error.message);
  }

  // The word list, then the first answer

  let fields = {};
  fit();
  drawRows();
  drawNext();
  const summary = await summaryOf(now.words);
  if (summary) length = summary.length;
  drawNext();
  const chosen = await gameFields(now, (game, list) => choose(game, list));
  if (state.signal.aborted) return;
  fields = chosen.fields;
  options.replaceChildren(chosen);

  async function choose(game, list) {
    const other = game.game !== now.game;
    const epsilon = other ? GAMES[game.game].epsilon : now.draft.epsilon;
    const found = list ?? await summaryOf(game.words);
    length = found.length;
    const rows = now.rows.filter((row) => letters(row.guess).length === length)
      .map((row) => (game.game === "wordpl" ? row : { ...row, epsilon: "inf" }));
    change({ ...game, rows, criterion: criterionIn(game.game, now.criterion), draft: { ...now.draft, epsilon } });
    fit();
    drawRows();
    drawNext();
  }

  if (now.why) why.show(now.why, false);
  await ask();
}
