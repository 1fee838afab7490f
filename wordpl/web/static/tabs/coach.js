/** Help in a game that is played elsewhere: guesses and clues in, the best next guesses out. */

import { anyEpsilon, keyOf, many, nonempty, parsed, prose } from "../address.js";
import { withQuery } from "../api.js";
import { announce, attempt, debounced, el, field, folded, showError, wordBox } from "../dom.js";
import { whyPanel } from "../coach/why.js";
import { CRITERIA, answersList, bestBet, contradiction, falseMarks, sentence, suggestionTable } from "../coach/standing.js";
import { turnsEditor } from "../coach/turns.js";
import { GAME, GAMES, analyzeAddress, formatOf, gameFields, gameOf, guessesFor, hardField, pastedFields, readGame, select, writeGame } from "../game_fields.js";
import { latest } from "../latest.js";
import { ROW, fold, lengthOf, letters, readRow, writeRow } from "../rows.js";
import { nameOf, postOfList, summaryOf } from "../words.js";

export const title = "Coach";
const ANSWERS = 200;
const MOST_ROWS = 100;
const LETTERS = { known: "Letters in their places, as ..a.e", has: "In the word; r:-4 if not in place 4", absent: "Not in the word" };
const ADDRESS = {
  ...GAME, known: prose(60), has: prose(60), absent: prose(60), row: many(prose(100), MOST_ROWS), by: keyOf(CRITERIA), epsilon: anyEpsilon,
  next: parsed("a guess, perhaps with its clue, as crate:..icc,", (text) =>
    readRow(text) ?? (/^[^:]+$/.test(text) ? { guess: fold(text), clue: "" } : null)), why: nonempty(60),
};

/** The criterion that is named if the game has it: clues with lies differ in how much of their entropy is noise. */
const criterionIn = (game, named) =>
  (named in CRITERIA && !(game === "fibble" && named === "clue_entropy") ? named : "information_gain");

/** A row of the server as it is typed. */
const asTyped = ({ known, guess, ...row }) => ({ ...row, guess: known ? guess : `${guess}!` });

/** What the address says. A row that cannot be read has its `text`, and a `fault`; while there is one, nothing is advised. */
function read(state) {
  state.expect(ADDRESS);
  const texts = state.all("row");
  const epsilon = state.get("epsilon");
  const spent = [epsilon ?? "inf", ...texts.map((text) => text.split(":")[2] ?? "inf")];
  const game = readGame(state, spent.some((each) => each !== "inf"));
  const noisy = game.game === "wordpl";
  const fault = `This row cannot be read: ${ROW} is expected. There is no advice before it is removed.`;
  return {
    ...game, rows: texts.map((text) => readRow(text, noisy) ?? { text, fault }),
    criterion: state.get("by", "information_gain"), why: state.get("why", ""),
    known: state.get("known", ""), has: state.get("has", ""), absent: state.get("absent", ""),
    draft: { ...state.get("next", { guess: "", clue: "" }), epsilon: epsilon ?? GAMES[game.game].epsilon },
  };
}

/** The same for the address; what is so by default is left out. */
function write({ rows, draft, criterion, why, known, has, absent, ...game }) {
  return {
    ...writeGame(game),
    row: rows.map((row) => row.text ?? writeRow(row, game.game === "wordpl")), by: criterion === "information_gain" ? null : criterion,
    known: known || null, has: has || null, absent: absent || null,
    epsilon: draft.epsilon === GAMES[game.game].epsilon ? null : draft.epsilon,
    next: readRow(writeRow(draft)) ? writeRow(draft) : draft.guess || null, why: why || null,
  };
}

export async function show(root, state) {
  let now = read(state);
  let length = lengthOf(now.rows.find((row) => !row.fault)?.guess ?? "crate");
  const noisy = () => now.game === "wordpl";
  const situation = (of = now) => ({
    words: of.words, rule: of.rule, epsilon: of.game === "wordpl" ? of.draft.epsilon : "inf", turns: of.rows,
    channel: of.channel, game: formatOf(of), hard: of.game === "wordle" && of.hard, known: of.known, has: of.has, absent: of.absent,
  });

  // The page, at once

  const form = gameFields(choose);
  const which = el("strong");
  const pasted = pastedFields("coach");
  const paste = el("details", { className: "paste" }, el("summary", {}, "Paste a game"), ...Object.values(pasted),
    el("button", { onclick: () => takeRows(pasted.text.control.value, pasted.guesses.control.value) }, "Take these rows"));
  const editor = turnsEditor({
    length: () => length, submit, paste: (text) => takeRows(text, "", true),
    onadded: () => (matchMedia("(max-width: 56rem)").matches ? standing : editor).focus(), // on a phone the keyboard would hide the advice
    onrows: (rows) => change({ rows }, { push: rows.length < now.rows.length, wait: true }),
    ondraft: (draft) => {
      if (draft.guess !== now.draft.guess) check();
      if (draft.epsilon === now.draft.epsilon) keep({ draft }, { push: false });
      else change({ draft }, { push: false, wait: true });
    },
  });
  const rest = el("p", { className: "fault", hidden: true });
  const standing = el("p", { className: "standing", tabIndex: -1 });
  const bet = el("p");
  const suggestions = el("div");
  const answers = el("div");
  const results = el("div", { className: "results", "aria-busy": "true" });
  const criterion = select("Ranked by", CRITERIA, now.criterion, (by) => change({ criterion: by }));
  const hard = hardField("Hard mode", now.hard, (mode) => change({ hard: mode }));
  const hints = Object.fromEntries(Object.entries(LETTERS).map(([name, label]) => [name, field(label,
    wordBox(now[name], { size: 12, maxLength: 60, oninput: ({ target }) => change({ [name]: target.value }, { push: false, wait: true }) }))]));
  const link = el("a", { "data-link": "" }, "Analyze this game");
  const compare = el("a", { "data-link": "" }, "Compare clues");
  const marks = el("section", { className: "panel", hidden: true }, el("h2", {}, "Which marks may be false"), el("div"));
  const why = whyPanel({
    situation, hard: () => now.hard && now.game === "wordle", signal: state.signal,
    onchange: (word) => keep({ why: word }, { push: false }),
  });
  const left = el("section", { className: "panel" }, el("h2", {}, "Answers left"), answers);
  criterion.hidden = left.hidden = why.hidden = true; // until there is what stands above them
  results.append(el("section", { className: "panel" }, el("h2", {}, "Best next guesses"), standing, bet, rest, criterion, suggestions), left, marks, why);
  root.append(el("h1", {}, "Coach"),
    el("p", {}, "For a game that you play elsewhere: enter your guesses and their clues, and see what to guess next."),
    folded(["Game: ", which, el("span", { className: "note" }, " or noisy clues, lies, other words")], false, form),
    el("div", { className: "beside" },
      el("section", { className: "panel" }, el("h2", {}, "Your guesses"), editor,
        el("div", { className: "row" }, hard,
          el("button", { onclick: restart }, "New game"), link, compare),
        el("details", { open: Boolean(now.known || now.has || now.absent) }, el("summary", {}, "Letters that you know"),
          el("div", { className: "row" }, ...Object.values(hints))), paste),
      results));

  // Changes

  function keep(values, { push = true } = {}) {
    now = { ...now, ...values };
    state.set(write(now), { push });
    const readable = now.rows.every((row) => !row.fault);
    if (readable) link.href = analyzeAddress(now, now.rows);
    link.hidden = !readable || !now.rows.length;
    compare.hidden = link.hidden || ![null, "randomized_response"].includes(now.channel); // Explore has the clues of no other
  }

  const soon = debounced(() => ask(), 150);

  function change(values, { push = true, wait = false } = {}) {
    keep(values, { push });
    results.setAttribute("aria-busy", "true");
    if (wait) soon();
    else ask();
  }

  function restart() {
    for (const { control } of Object.values(hints)) control.value = "";
    change({ rows: [], draft: { ...now.draft, guess: "", clue: "" }, known: "", has: "", absent: "" });
    fit();
    editor.focus();
  }

  function take(word) {
    editor.put({ ...now.draft, guess: word, clue: "" });
    editor.focus();
    editor.lastChild.scrollIntoView({ block: "nearest" });
  }

  /** Show the rows and the controls of the game. */
  function fit() {
    which.textContent = `${GAMES[now.game].label}, ${nameOf(now.words)}`;
    hard.hidden = now.game !== "wordle";
    criterion.control.value = now.criterion;
    criterion.control.querySelector("[value=clue_entropy]").disabled = now.game === "fibble";
    editor.set(now.rows, now.draft, noisy() && (() => ({ length, channel: now.channel })));
  }

  /** The length of the words, once their list is known. */
  async function measure() {
    const summary = await summaryOf(now.words);
    if (!summary || summary.length === length) return;
    ({ length } = summary);
    fit();
  }

  /** Take another game: at once if there is no row that its list may not have. */
  async function choose({ game, words, rule, channel, limit }, list, of = now.rows) {
    if (list || of.length) ({ length } = list ?? await summaryOf(words));
    const fitting = of.filter((row) => row.fault || lengthOf(row.guess) === length)
      .map((row) => (game === "wordpl" ? row : { ...row, epsilon: "inf" }));
    const rows = words === now.words || fitting.some((row) => row.fault) ? fitting : await known({ words, rule, channel }, fitting);
    const epsilon = game === now.game ? now.draft.epsilon : GAMES[game].epsilon;
    change({ game, words, rule, channel, limit, rows, criterion: criterionIn(game, now.criterion), draft: { ...now.draft, epsilon } });
    fit();
    await measure();
  }

  /** Change the rows if the server takes it, and return whether it did. */
  async function submit(changed) {
    let taken;
    do { // again if another change came in between
      taken = await ask({ ...now, rows: changed(now.rows) });
    } while (taken === undefined && !state.signal.aborted);
    if (!taken) return false;
    keep(taken);
    why.refresh();
    return true;
  }

  /** The rows of a text; a guess that the list has not gets its exclamation mark. */
  const rowsOf = async (body) => (await postOfList("/api/analyze/turns", body, { signal: state.signal })).map(asTyped);

  /** The same rows with another list: what was played stays, whether that list has the guesses or not. */
  const known = async (game, rows) => (rows.length
    ? rowsOf({ ...game, text: rows.map(({ guess, clue, epsilon }) => `${letters(guess)}!=${clue}@${epsilon}`).join("\n") }) : rows);

  const takeRows = (text, guesses, more) => attempt(async () => {
    const game = gameOf(text, now);
    const rows = await rowsOf({ words: game.words, rule: game.rule, text, guesses: guessesFor(text, guesses), channel: game.channel,
      epsilon: game.game === now.game ? situation().epsilon : GAMES[game.game].epsilon });
    paste.open = false;
    await choose(game, null, more && game.words === now.words ? [...now.rows, ...rows] : rows);
    form.set(now);
    editor.focus();
  }, pasted, rest);

  /** Say what is wrong with the next word before its clue is entered. */
  const check = debounced(async () => {
    const { rows, words, rule, draft: { guess } } = now;
    if (lengthOf(guess) === length) await rowsOf({ words, rule, text: `${guess}=${".".repeat(length)}` }).catch(({ status, message }) =>
      status === 422 && guess === now.draft.guess && editor.fault({ field: `turns.${rows.length}.guess`, message }));
  }, 150);

  // What the server says

  /** Ask about a game and show the answer: the game if the server took it, null if not, undefined if given up. */
  const ask = latest(async (signal, of = now) => {
    results.hidden = of.rows.some((row) => row.fault);
    results.ariaBusy = results.hidden ? null : "true";
    if (results.hidden) return null;
    try {
      const wanted = { ...situation(of), criterion: of.criterion, answers: ANSWERS };
      draw(await postOfList("/api/coach/suggestions", wanted, { signal }));
      if (of.rows === now.rows) why.refresh();
      return of;
    } catch (error) {
      if (error.name === "AbortError") return undefined;
      results.removeAttribute("aria-busy");
      // What was said of another game than the one that is shown goes.
      if (of.rows === now.rows) {
        for (const part of [standing, bet, suggestions, answers]) part.replaceChildren();
        marks.hidden = true;
      }
      if (!editor.fault(error)) showError(error, { ...form.fields, ...hints }, rest);
      return null;
    }
  }, state.signal);

  function draw(advice) {
    editor.fault(null);
    hints.known.fault(null);
    rest.hidden = true;
    standing.textContent = sentence(advice, noisy());
    bet.textContent = bestBet(advice, noisy());
    suggestions.replaceChildren(advice.contradiction ? contradiction(advice, { remove: editor.remove, take })
      : suggestionTable(advice, { take, why: (word) => { why.show(word); why.scrollIntoView(); } }, noisy()));
    answers.replaceChildren(answersList(advice, noisy()));
    const chances = falseMarks(advice);
    marks.hidden = !chances;
    marks.lastChild.replaceChildren(chances ?? "");
    criterion.hidden = left.hidden = why.hidden = false;
    compare.href = withQuery("/explore/clues", { words: now.words, rule: now.rule, guess: advice.suggestions.slice(0, 2).map(({ word }) => word), epsilon: situation().epsilon,
      row: advice.clues.map((row) => writeRow(asTyped(row), true)) });
    results.removeAttribute("aria-busy");
    const best = advice.suggestions.length && !advice.advice?.guess ? `Best guess: ${advice.suggestions[0].word}.` : "";
    announce(`${standing.textContent} ${bet.textContent} ${best}`.trim());
  }

  // The word list, then the first answer

  keep({}, { push: false });
  fit();
  form.set(now);
  addEventListener("server", ({ detail }) => detail === "back" && ask(), { signal: state.signal });
  const asked = ask();
  await measure();
  if (now.why && !now.rows.some((row) => row.fault)) why.show(now.why, false);
  await asked;
}
