/** The rows of a game. */

import { el, shown } from "../dom.js";
import { direction, tiles } from "../tiles.js";

/** Draw the rows, the word being typed, and the rows that are still free. Once it is over, perhaps only the first `until`. */
export function drawBoard(game, typed, until = Infinity) {
  const { rows, result, length } = game;
  const drawn = rows.map((row, i) => line(
    tiles(row.guess, row.clue, { flipped: result && result.true_clues[i] !== row.clue ? result.true_clues[i] : null }),
    game.kind === "wordpl" ? `ε ${shown(row.epsilon, 6)}` : liesAltogether(game, i) ? "not the word" : ""));
  if (result?.proposed) {
    const won = "c".repeat(length);
    drawn.push(line(tiles(result.proposed, result.won ? won : ""), result.won ? "right" : "wrong"));
  }
  if (!result) drawn.push(typing(game, typed));
  const free = result ? 0 : Math.max(0, (game.max_rows ?? 0) - drawn.length);
  for (let i = 0; i < free; i += 1) drawn.push(el("li", { "aria-hidden": "true" }, tiles("", "", { length })));
  drawn.slice(until).forEach((row) => row.classList.add("later"));
  const board = el("ol", { className: game.kind === "wordpl" ? "board noisy" : "board", "aria-label": "Rows",
    dir: direction(game.letters) }, drawn);
  board.style.setProperty("--letters", length);
  return board;
}

/** Whether all marks of a row of Fibble are correct, though the game went on: some are lies. */
const liesAltogether = ({ rows, result, length }, i) =>
  rows[i].clue === "c".repeat(length) && !(result?.won && i === rows.length - 1);

const line = (row, note) => el("li", {}, row, note && el("span", { className: "note" }, note));

function typing(game, typed) {
  const row = tiles(typed, "", { length: game.length });
  row.classList.add("typing");
  row.setAttribute("aria-label", typed ? `You are typing ${typed.toUpperCase()}` : "An empty row: type a word");
  return line(row, "");
}
