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

/** The same for the address. */
export function writeMoves(moves) {
  const end = moves.at(-1);
  return {
    move: moves.filter(({ action }) => action === "ask").map(({ word, epsilon }) => (epsilon ? `${word}:${epsilon}` : word)),
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

/** The address of a game: its id, and those of its terms that are not the usual ones. */
export function addressOf(id, terms) {
  const fibble = terms.kind === "fibble";
  return {
    kind: terms.kind === "wordpl" ? null : terms.kind,
    words: terms.words === "original" ? null : terms.words,
    rule: terms.rule === defaultRule(terms.kind) ? null : terms.rule,
    hard: terms.hard ? "1" : null,
    lies: fibble && terms.lies > 1 ? terms.lies : null,
    given: fibble && !terms.given ? "0" : null,
    game: id,
  };
}
