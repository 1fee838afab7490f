/** Where a game stands: what is left, what to guess next, and what is wrong if nothing fits. */

import { bars, count, counted, el, percent, shown, table } from "../dom.js";
import { sentence as asSentence } from "../api.js";
import { capitals } from "../rows.js";
import { tiles } from "../tiles.js";

export const CRITERIA = {
  information_gain: "Information gain",
  clue_entropy: "Clue entropy",
  expected_top: "Best bet afterwards",
  renyi: "Rényi information",
  expected_remaining: "Answers left afterwards",
  largest_part: "Largest group of answers",
  parts: "Groups of answers",
};

const FEW = 20;

/** The other columns of the suggestions, by the criteria of the same name. */
const STATISTICS = {
  information_gain: ["bits", ({ bits }) => bits.toFixed(4)],
  expected_remaining: ["answers left", ({ expected_remaining: left }) => shown(left)],
  chance: ["chance", ({ chance }) => percent(chance)],
  parts: ["groups", ({ parts }) => count(parts)],
  largest_part: ["largest group", ({ largest_part: size }) => count(size)],
};

export function sentence(standing, noisy) {
  if (standing.solved) return `Solved: ${standing.solved}, in ${counted(standing.clues.length, "guess", "guesses")}.`;
  if (standing.contradiction) return "No answer fits these clues.";
  if (standing.game?.rows_left === 0) return `No guess is left. The answer is one of ${counted(standing.remaining, "word")}.`;
  if (standing.only) return `One answer remains: ${standing.only}.`;
  if (noisy) {
    const left = standing.effective_remaining;
    if (shown(left, 3) === "1") return "One answer is all but certain.";
    return `In effect ${left < 100 ? shown(left, 3) : count(left)} answers are left, likely ones counting more.`;
  }
  const rows = standing.game ? ` and ${counted(standing.game.rows_left, "guess", "guesses")}` : "";
  return `${counted(standing.remaining, "answer")}${rows} remain: ${shown(standing.bits_left, 3)} bit${standing.bits_left === 1 ? "" : "s"} to learn.`;
}

/** The likeliest answer with its chance, and whether to propose it; where a guess is a proposal, the best guess that can be the answer. */
export function bestBet({ answers, best_answer: best, solved, only, advice }, noisy) {
  if (!answers.length || solved || (only && !noisy)) return "";
  const [name, { word, chance }] = noisy || !best ? ["Best bet", answers[0]] : ["Best guess that can be the answer:", best];
  const ranking = advice?.guess ? " That is the best ask for its price; the table ranks guesses at the epsilon of the next one." : "";
  return `${name} ${capitals(word)}, ${percent(chance)}. ${advice?.text ?? ""}${ranking}`;
}

/** The ranked suggestions; `take(word)` puts one into the next row, `why(word)` tells its reasons. Noise leaves no answer out, so groups of answers say little then. */
export function suggestionTable(standing, { take, why }, noisy) {
  if (!standing.suggestions.length) return ""; // it is solved, or no guess is left
  const win = standing.game?.win_chances.length > 0;
  // What ranks the guesses comes first, so that the order can be seen.
  const score = win || standing.criterion === "expected_top" ? percent : (value) => (Number.isInteger(value) ? count(value) : value.toFixed(4));
  const others = Object.entries(STATISTICS).filter(([criterion]) =>
    (win || criterion !== standing.criterion) && !(noisy && /part/.test(criterion)));
  const statistics = [[win ? "win" : CRITERIA[standing.criterion].toLowerCase(), (_, at) => score(standing.scores[at])],
    ...others.map(([, cell]) => cell)];
  const numbers = statistics.map(([column]) => column);
  const rows = standing.suggestions.map((guess, at) => [
    wordButton(guess.word, () => take(guess.word)), ...statistics.map(([, cell]) => cell(guess, at)),
    el("button", { className: "quiet", "aria-label": `Why ${guess.word}`, onclick: () => why(guess.word) }, "Why?"),
  ]);
  return el("div", {}, win && el("p", { className: "note" }, "The last two guesses are ranked by the chance to win with them, which is exact."),
    table(["guess", ...numbers, "why"], rows, { caption: "Best next guesses", numbers }));
}

/** How likely each mark of each clue is false, in a game of Fibble that has a clue; else null. */
export function falseMarks({ game, clues }) {
  if (!game?.false_marks.length) return null;
  const places = game.false_marks[0].map((_, at) => String(at + 1));
  const mark = ({ guess, clue }, at, chance) =>
    el("span", { className: "false-mark" }, tiles([...guess][at], clue[at], { small: true }), percent(chance, 2));
  const rows = game.false_marks.map((chances, row) => chances.map((chance, at) => mark(clues[row], at, chance)));
  return table(places, rows, { caption: "Chance that each mark is false" });
}

const wordButton = (word, onclick) =>
  el("button", { className: "pick", "aria-label": `Guess ${word}`, onclick }, word);

/** The answers that are left: with bars where some are likelier than others. */
export function answersList({ answers, remaining }, noisy) {
  const list = el("div", {}, answers.length ? null : "None.");
  const draw = (some) => {
    const words = noisy ? bars(some.map(({ word, chance }) => [el("span", { className: "mono" }, word), chance, percent(chance)]))
      : el("p", { className: "mono" }, some.map(({ word }) => word).join(" "));
    list.replaceChildren(words, remaining === some.length ? "" : el("p", { className: "row note" },
      noisy ? `The most probable of ${count(remaining)}. ` : `And ${count(remaining - some.length)} more. `,
      some.length < answers.length
        && el("button", { className: "quiet", onclick: () => draw(answers) }, "Show more")));
  };
  if (answers.length) draw(answers.slice(0, FEW));
  return list;
}

/** Why nothing fits, the clues that can be wrong alone, and the closest words. */
export function contradiction(standing, { remove, take }) {
  const { explanation, mends } = standing.contradiction;
  return el("div", { className: "contradiction" },
    el("p", {}, asSentence(explanation.replace(/ If a single .*/, ""))), // the buttons say it
    mends.length > 0 && el("div", { className: "row" }, mends.map(({ clue, remaining }) =>
      el("button", { onclick: () => remove(clue - 1) },
        `Remove row ${clue}, ${standing.clues[clue - 1].guess}: ${counted(remaining, "answer")} fit${remaining === 1 ? "s" : ""} the rest`))),
    standing.closest.length > 0 && el("div", {}, el("h3", {}, "Closest words"),
      table(["word", "contradicted marks", "among the answers"], standing.closest.map((guess) => [
        wordButton(guess.word, () => take(guess.word)), String(guess.contradicted_marks), guess.answer ? "yes" : "no",
      ]), { caption: "Closest words", numbers: ["contradicted marks"] })));
}
