/** Where a game stands: what is left, what to guess next, and what is wrong if nothing fits. */

import { bar, el, percent, shown, table } from "../dom.js";
import { sentence as told } from "../api.js";
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

const CERTAIN = 0.99;
const FEW = 20;
const RANKED_BY_WIN = "The last two guesses are ranked by the chance to win with them, which is exact.";

/** The other columns of the suggestions, by the criteria of the same name. */
const FIGURES = {
  information_gain: ["bits", ({ bits }) => bits.toFixed(4)],
  expected_remaining: ["answers left", (one) => shown(one.expected_remaining)],
  chance: ["chance", ({ chance }) => percent(chance)],
  parts: ["groups", ({ parts }) => whole(parts)],
  largest_part: ["largest group", (one) => whole(one.largest_part)],
};

const whole = (n) => Math.round(n).toLocaleString("en");
const counted = (n, noun, plural = `${noun}s`) => `${whole(n)} ${n === 1 ? noun : plural}`;

/** One sentence. */
export function sentence(found, noisy) {
  if (found.solved) return `Solved: ${found.solved}, in ${counted(found.clues.length, "guess", "guesses")}.`;
  if (found.contradiction) return "No answer fits these clues.";
  if (found.game?.rows_left === 0) return `No guess is left. The answer is one of ${counted(found.remaining, "word")}.`;
  if (found.only) return `One answer remains: ${found.only}.`;
  if (noisy) {
    const left = found.effective_remaining;
    return `About ${left < 100 ? shown(left, 3) : whole(left)} answers remain: ${shown(found.bits_left, 3)} bits to learn.`;
  }
  const rows = found.game ? ` and ${counted(found.game.rows_left, "guess", "guesses")}` : "";
  const verb = found.remaining === 1 && !rows ? "remains" : "remain";
  return `${counted(found.remaining, "answer")}${rows} ${verb}: ${shown(found.bits_left, 3)} bits to learn.`;
}

/** The likeliest answer with its chance, and in a game that ends with a proposal, when to propose. */
export function bestBet({ answers, best_answer: best, clues, solved, only }, noisy) {
  if (!answers.length || solved || (only && !noisy)) return "";
  const bet = best?.chance >= answers[0].chance ? best : answers[0];
  const said = `Best bet ${bet.word.toUpperCase()}, ${percent(bet.chance)}`;
  if (!noisy) return `${said}.`;
  if (bet.chance >= CERTAIN) return `${said}. Propose it: another ask would only cost budget.`;
  const last = clues.at(-1);
  if (last?.guess === bet.word && !/[^c]/.test(last.clue)) {
    return `${said}. Its clue was all correct: propose it, unless ${percent(bet.chance)} is too little for you.`;
  }
  return `${said}: that is how often a proposal of it would be right.`;
}

/** The ranked suggestions; `take(word)` puts one into the next row, `why(word)` tells its reasons. */
export function suggestionTable(found, { take, why }) {
  if (!found.suggestions.length) {
    return found.hard && !found.solved && el("p", {}, "Hard mode allows no word of the list.");
  }
  const win = found.game?.win_chances.length > 0;
  // What ranks the guesses comes first, so that the order can be seen.
  const score = win || found.criterion === "expected_top" ? percent : (value) => (Number.isInteger(value) ? whole(value) : value.toFixed(4));
  const others = Object.entries(FIGURES).filter(([criterion]) => win || criterion !== found.criterion);
  const figures = [[win ? "win" : CRITERIA[found.criterion].toLowerCase(), (_, at) => score(found.scores[at])],
    ...others.map(([, figure]) => figure)];
  const numbers = figures.map(([column]) => column);
  const rows = found.suggestions.map((one, at) => [
    wordButton(one.word, () => take(one.word)),
    ...figures.map(([, figure]) => figure(one, at)),
    el("button", { type: "button", className: "quiet", "aria-label": `Why ${one.word}`, onclick: () => why(one.word) }, "Why?"),
  ]);
  const suggested = table(["guess", ...numbers, "why"], rows, { caption: "Best next guesses", numbers });
  return win ? el("div", {}, el("p", { className: "note" }, RANKED_BY_WIN), suggested) : suggested;
}

/** How likely each mark of each clue is false, in a game of Fibble that has a clue; else null. */
export function falseMarks({ game, clues }) {
  if (!game?.false_marks.length) return null;
  const places = game.false_marks[0].map((_, at) => String(at + 1));
  const mark = ({ guess, clue }, at, chance) =>
    el("span", { className: "false-mark" }, tiles(guess[at], clue[at], { small: true }), percent(chance, 2));
  const rows = game.false_marks.map((chances, row) => chances.map((chance, at) => mark(clues[row], at, chance)));
  return table(places, rows, { caption: "Chance that each mark is false" });
}

const wordButton = (word, onclick) =>
  el("button", { type: "button", className: "pick", "aria-label": `Guess ${word}`, onclick }, word);

/** The answers that are left: with bars where some are likelier than others. */
export function answersList({ answers, remaining }, noisy) {
  const list = el("div", {}, answers.length ? null : "None.");
  const draw = (some) => {
    const words = noisy
      ? el("ol", { className: "chances" }, some.map(({ word, chance }) => el("li", {}, el("span", { className: "mono" }, word),
        bar(chance / answers[0].chance), el("span", { className: "number" }, percent(chance)))))
      : el("p", { className: "few" }, some.map(({ word }) => word).join(" "));
    list.replaceChildren(words, remaining === some.length ? "" : el("p", { className: "row note" },
      noisy ? `The most probable of ${whole(remaining)}. ` : `And ${whole(remaining - some.length)} more. `,
      some.length < answers.length
        && el("button", { type: "button", className: "quiet", onclick: () => draw(answers) }, "Show more")));
  };
  if (answers.length) draw(answers.slice(0, FEW));
  return list;
}

/** Why nothing fits, the clues that can be wrong alone, and the closest words. */
export function contradiction(found, { remove, take }) {
  const { explanation, mends } = found.contradiction;
  return el("div", { className: "contradiction" },
    el("p", {}, told(explanation.replace(/ If a single .*/, ""))), // the buttons say it
    mends.length > 0 && el("div", { className: "row" }, mends.map(({ clue, remaining }) =>
      el("button", { type: "button", onclick: () => remove(clue - 1) },
        `Remove ${found.clues[clue - 1].guess}: ${counted(remaining, "answer")} fit${remaining === 1 ? "s" : ""} the rest`))),
    found.closest.length > 0 && el("div", {}, el("h3", {}, "Closest words"),
      table(["word", "wrong marks", "among the answers"], found.closest.map((one) => [
        wordButton(one.word, () => take(one.word)), String(one.contradicted_marks), one.answer ? "yes" : "no",
      ]), { caption: "Closest words", numbers: ["wrong marks"] })));
}
