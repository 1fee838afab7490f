/** Games: what the server says of them, and how an address has one with its moves. */

import { get, post } from "../api.js";
import { readEpsilon } from "../epsilon.js";
import { withList } from "../words.js";

export const KINDS = {
  wordpl: "WORDPL",
  wordle: "Wordle",
  daily: "Wordle, word of the day",
  adversarial: "Wordle, adversarial host",
  fibble: "Fibble",
};
export const HARD = ["wordle", "daily", "adversarial"];
export const defaultRule = (kind) => (kind === "wordpl" ? "letterwise" : "counted");

/**
 * What the server says of a game and its moves. The server keeps nothing: the id has the terms, the answer and the noise,
 * sealed, and the moves are sent with each call.
 */
const ask = (game, what, more, signal) => withList(game.words, () =>
  post(`/api/play/games/${encodeURIComponent(game.id)}${what}`, { moves: game.moves, ...more }, { signal }));

/** A new game; with the answer of the game `again`, if there is one. */
export const begin = async (terms, signal, again) =>
  ({ ...await withList(terms.words, () => post("/api/play/games", { ...terms, again }, { signal })), moves: [] });
/** The game after these moves. */
export const play = async (game, moves, signal) => ({ ...await ask({ ...game, moves }, "", {}, signal), moves });
export const helpWith = (game, show, epsilon, signal) => ask(game, "/help", { show, epsilon }, signal);
export const analysisOf = (game, signal) => ask(game, "/analysis", {}, signal);
export const adviceOn = (game, signal) => ask(game, "/records", {}, signal);
export const storyOf = (game, signal) => ask(game, "/story", {}, signal);
export const records = (signal) => get("/api/play/records", {}, { signal });

/** The moves that an address has: `move=crate:13` asks (without epsilon where clues have none), `propose=tardy` ends. */
export function readMoves(state) {
  const asks = state.all("move").map((text) => text.split(":")).map(([word, epsilon]) =>
    ({ action: "ask", word, epsilon: readEpsilon(epsilon ?? "") }));
  const proposed = state.get("propose");
  if (proposed) asks.push({ action: "propose", word: proposed });
  else if (state.get("gave_up")) asks.push({ action: "give_up" });
  return asks;
}

export const asksOf = ({ moves }) => moves.filter(({ action }) => action === "ask");

/** The same for the address. */
function writeMoves({ moves }) {
  const end = moves.at(-1);
  return {
    move: asksOf({ moves }).map(({ word, epsilon }) => (epsilon ? `${word}:${epsilon}` : word)),
    propose: end?.action === "propose" ? end.word : null,
    gave_up: end?.action === "give_up" ? "yes" : null,
  };
}

/** The terms of a new game that an address asks for. */
export function termsOf(state) {
  const kind = state.get("kind") in KINDS ? state.get("kind") : "wordpl";
  const rule = state.get("rule");
  return {
    kind,
    words: state.get("words", "original"),
    rule: ["letterwise", "counted"].includes(rule) ? rule : defaultRule(kind),
    hard: HARD.includes(kind) && state.get("hard") === "1",
    lies: Math.min(Math.max(Math.round(Number(state.get("lies", 1))) || 1, 1), 5),
    given: state.get("given") !== "0",
  };
}

/** The terms of a game, for another one like it. */
export const termsIn = (game) => ({ kind: game.kind, words: game.words, rule: game.rule, hard: game.hard, lies: game.lies ?? 1,
  given: game.kind !== "fibble" || game.rows.length > asksOf(game).length });

/** The address of a game. What it was begun with is in its id; its list stays, since the page may have to send that again. */
export const addressOf = (game) => ({
  kind: null, rule: null, hard: null, lies: null, given: null, words: game.words === "original" ? null : game.words,
  game: game.id, ...writeMoves(game),
});
