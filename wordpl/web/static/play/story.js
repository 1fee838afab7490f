/** The story of a game that is over: what each row did, in sentences, and a line on which one goes back to any row. */

import { withQuery } from "../api.js";
import { count, counted, el, percent, shown } from "../dom.js";
import { writeGame } from "../game_fields.js";
import { capitals } from "../rows.js";
import { figure } from "../save.js";
import { CHANCE, drawn } from "./curve.js";
import { asksOf, isPriced } from "./game.js";

const LOOKS = {
  "best bet": { name: "series-1" }, "best bet, after a lie": { name: "series-1", dash: "dash", mark: "ring" },
  "the answer": { name: "series-2", dash: "dot" },
};

const named = ({ word, chance }) => `${capitals(word)}, at ${percent(chance)}`;

/** How many words fit all clues to the adversary up to a row; all are equally likely. */
const left = ({ answer_chance: of }) => counted(1 / of, "word");

/** What became of the answer in a row, and what in the row was a lie. The adversary has neither. */
function effect({ kind, channel, result, rows }, story, at) {
  const { false_marks: lies, answer_before: before, answer_chance: after } = story[at];
  if (result.won && !result.proposed && at === rows.length - 1) return `Row ${at + 1} was right: ${capitals(result.answer)}.`;
  if (kind === "adversarial") return `Row ${at + 1} left the adversary ${left(story[at])}.`;
  const moved = percent(before) === percent(after) ? "stayed at" : `${after < before ? "fell" : "rose"} from ${percent(before)} to`;
  const told = !channel ? "" : lies.length ? ` lied about ${lies.map(({ letter }) => capitals(letter)).join(" and ")}` : " told no lie";
  return `Row ${at + 1}${told}: ${capitals(result.answer)} ${moved} ${percent(after)}.`;
}

/** The sentences: the row that told most, the lies that hurt, what was asked for nothing, and how it ended. */
export function sentences(game, story) {
  const { result, rows } = game;
  const noisy = isPriced(game);
  const answer = capitals(result.answer);
  const bits = story.map((row) => Math.log2(row.answer_chance / row.answer_before));
  const most = bits.indexOf(Math.max(...bits));
  const lines = story.flatMap((row, i) => {
    if (i === most && game.kind === "adversarial") return [`Row ${i + 1} told most: of ${count(1 / row.answer_before)} it left the adversary ${left(row)}.`];
    if (i === most && bits[i] > 0) return [`Row ${i + 1} told most: it brought ${answer} from ${percent(row.answer_before)} to ${percent(row.answer_chance)}.`];
    return row.false_marks.length && row.answer_chance < row.answer_before / 2 ? [effect(game, story, i)] : [];
  });
  const sure = ({ leader, enough }) => enough && leader.word === result.answer;
  const wasted = rows.filter(({ guess }, i) => i && sure(story[i - 1]) && (game.kind === "wordpl" || guess !== result.answer));
  if (wasted.length) {
    const cost = noisy ? shown(wasted.reduce((sum, { epsilon }) => sum + epsilon, 0)) : `${wasted.length} of your guesses`;
    const at = story.findIndex(sure);
    lines.push(`${answer} was at ${percent(story[at].leader.chance)} after row ${at + 1}. Asking on was a waste, which cost ${cost}.`);
  }
  const { leader, proposed_chance: proposed, enough } = story.at(-1);
  if (result.gave_up) lines.push(`When you gave up, the best bet was ${named(leader)}.`);
  else if (result.proposed === leader.word) lines.push(`You proposed the best bet, ${named(leader)}. ${verdict(result.won, enough)}`);
  else if (result.proposed) lines.push(`You proposed ${named({ word: result.proposed, chance: proposed })}. The best bet was ${named(leader)}.`);
  return lines;
}

const verdict = (won, enough) => (enough ? `That was sound${won ? "" : ", but bad luck"}.` : `${won ? "That was lucky: one" : "One"} more ask was worth its price.`);

/** The line, and what goes with the row chosen on it. `look(row)` shows the board then, `goOn(moves)` plays on. */
export function replay(game, story, { look, goOn }) {
  const { rows, result } = game;
  const noisy = isPriced(game);
  const asks = asksOf(game);
  const chart = figure("Story of the game");
  const row = el("input", { type: "range", min: 1, max: rows.length, value: rows.length, oninput: () => choose(Number(row.value)) });
  const place = el("span");
  const note = el("p", { className: "note" });
  const on = el("button", { onclick: () => goOn(asks.slice(0, row.value - (rows.length - asks.length))) }, "Go on from here");
  const link = noisy && el("a", { "data-link": "" }, "See the channel that did this");

  function choose(number) {
    const { guess, epsilon } = rows[number - 1];
    row.value = number;
    place.textContent = `Back to a row: ${number} of ${rows.length}`;
    note.textContent = effect(game, story, number - 1);
    row.setAttribute("aria-valuetext", note.textContent);
    on.disabled = !noisy && !result.gave_up && number === rows.length;
    if (link) link.href = withQuery("/explore/channel", { guess, answer: result.answer, epsilon, channel: writeGame({ ...game, game: "wordpl" }).channel });
    look(number === rows.length ? undefined : number);
  }

  const at = (i) => (noisy ? story[i].spent : i + 1);
  const segments = story.map(({ leader, false_marks: lies }, i) => {
    const label = lies.length ? "best bet, after a lie" : "best bet";
    const title = `Row ${i + 1}: ${capitals(leader.word)} leads with ${percent(leader.chance)}`;
    const point = { x: at(i), y: drawn(leader.chance), mark: LOOKS[label].mark ?? "dot", title };
    return { label, named: i === story.findIndex((other) => Boolean(other.false_marks.length) === Boolean(lies.length)), look: LOOKS[label], kind: "line", points: i ? [{ x: at(i - 1), y: drawn(story[i - 1].leader.chance) }, point] : [point] };
  });
  const answer = { label: "the answer", named: true, look: LOOKS["the answer"], kind: "line",
    points: story.map(({ answer_chance: is }, i) => ({ x: at(i), y: drawn(is) })) };
  chart.draw({ label: `After ${counted(rows.length, "row")} the best bet was ${named(story.at(-1).leader)}.`, x: noisy ? { label: "budget spent" } : { label: "guesses", ticks: story.map((_, i) => at(i)) },
    y: CHANCE, series: game.kind === "adversarial" ? segments : [answer, ...segments],
    onpoint: (i) => choose(i + 1) });
  choose(rows.length);
  return [el("label", { className: "back" }, place, row), note, el("p", { className: "row" }, on, link), chart];
}
