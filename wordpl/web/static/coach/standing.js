/** Where a game stands: what is left, what to guess next, and what is wrong if nothing fits. */

import { bar, el, percent, shown, table } from "../dom.js";
import { tiles } from "../tiles.js";

export const CRITERIA = {
  information_gain: "Information gain",
  clue_entropy: "Clue entropy",
  expected_top: "Expected top posterior",
  renyi: "Rényi information",
  expected_remaining: "Expected remaining answers",
  largest_part: "Largest part",
  parts: "Number of parts",
};

const RANKED_BY_WIN = "The last two guesses are ranked by the chance to win with them, which is exact.";

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

/** The ranked suggestions; `take(word)` puts one into the next row, `why(word)` tells its reasons. */
export function suggestionTable(found, { take, why }) {
  if (!found.suggestions.length) {
    return found.hard && !found.solved && el("p", {}, "Hard mode allows no word of the list.");
  }
  const wins = found.game?.win_chances ?? [];
  const extra = found.criterion === "clue_entropy";
  const numbers = [...(wins.length ? ["win"] : []), "bits", "expected remaining", "chance", "parts", "largest part",
    ...(extra ? ["clue entropy"] : [])];
  const columns = ["guess", ...numbers, "why"];
  const rows = found.suggestions.map((one, at) => [
    wordButton(one.word, () => take(one.word)),
    ...(wins.length ? [percent(wins[at])] : []),
    one.bits.toFixed(4), shown(one.expected_remaining), percent(one.chance), whole(one.parts), whole(one.largest_part),
    ...(extra ? [one.clue_entropy.toFixed(4)] : []),
    el("button", { type: "button", className: "quiet", "aria-label": `Why ${one.word}`, onclick: () => why(one.word) }, "Why?"),
  ]);
  const suggested = table(columns, rows, { caption: "Best next guesses", numbers });
  return wins.length ? el("div", {}, el("p", { className: "note" }, RANKED_BY_WIN), suggested) : suggested;
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
export function answersList(found, noisy, more) {
  const { answers, remaining } = found;
  if (!answers.length) return null;
  const top = answers[0].chance;
  const words = noisy
    ? el("ol", { className: "chances" }, answers.map(({ word, chance }) => el("li", {},
      el("span", { className: "mono" }, word), bar(chance / top), el("span", { className: "number" }, percent(chance)))))
    : el("p", { className: "few" }, answers.map(({ word }) => word).join(" "));
  const rest = remaining - answers.length;
  return el("div", {}, words, rest > 0 && el("p", { className: "row note" },
    noisy ? `The most probable of ${whole(remaining)}. ` : `And ${whole(rest)} more. `,
    answers.length < 500 && el("button", { type: "button", className: "quiet", onclick: more }, "Show more")));
}

/** Why nothing fits, the clues that can be wrong alone, and the closest words. */
export function contradiction(found, { remove, take }) {
  const { explanation, mends } = found.contradiction;
  return el("div", { className: "contradiction" },
    el("p", {}, explanation.charAt(0).toUpperCase() + explanation.slice(1)),
    mends.length > 0 && el("div", { className: "row" }, mends.map(({ clue, remaining }) =>
      el("button", { type: "button", onclick: () => remove(clue - 1) },
        `Remove ${found.clues[clue - 1].guess}: ${counted(remaining, "answer")} fit${remaining === 1 ? "s" : ""} the rest`))),
    found.closest.length > 0 && el("div", {}, el("h3", {}, "Closest words"),
      table(["word", "wrong marks", "among the answers"], found.closest.map((one) => [
        wordButton(one.word, () => take(one.word)), String(one.contradicted_marks), one.answer ? "yes" : "no",
      ]), { caption: "Closest words", numbers: ["wrong marks"] })));
}
