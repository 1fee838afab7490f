/** The games at the server. */

import { get, post } from "../api.js";
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

const path = (game) => `/api/play/games/${encodeURIComponent(game)}`;

export const begin = (terms, signal) =>
  withList(terms.words, () => post("/api/play/games", terms, { signal }));
export const load = (id, words, signal) => withList(words, () => get(path(id), {}, { signal }));
export const move = (game, given, signal) =>
  withList(game.words, () => post(`${path(game.id)}/moves`, { row: game.rows.length, ...given }, { signal }));
export const helpWith = (game, show, epsilon, signal) =>
  withList(game.words, () => get(`${path(game.id)}/help`, { show, epsilon }, { signal }));
export const analysisOf = (game, signal) => withList(game.words, () => get(`${path(game.id)}/analysis`, {}, { signal }));
export const adviceOn = (game, signal) => withList(game.words, () => get(`${path(game.id)}/records`, {}, { signal }));
export const records = (signal) => get("/api/play/records", {}, { signal });

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
