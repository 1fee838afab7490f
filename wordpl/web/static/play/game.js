/** Games: what the server says of them, how an address has one with its moves, and what this browser keeps of the daily ones. */

import { finiteEpsilon } from "../address.js";
import { post } from "../api.js";
import { GAMES, HARD } from "../game_fields.js";
import { store, stored } from "../storage.js";
import { withList } from "../words.js";

const kindOf = (label, game, hard = false) => ({ label, game, hard, words: GAMES[game].words, rule: GAMES[game].rule });
/** The kinds of games; `game` is what Coach and Analyze know one as. */
export const KINDS = {
  wordpl: kindOf("WORDPL", "wordpl"),
  unlimited: kindOf("WORDPL, unlimited", "wordpl"),
  wordle: kindOf("Wordle", "wordle", true),
  daily: kindOf("Wordle, word of the day", "wordle", true),
  adversarial: kindOf("Wordle, adversary", "wordle", true),
  fibble: kindOf("Fibble", "fibble"),
};

/** Whether each clue of a game costs an epsilon of its own. */
export const isPriced = ({ kind }) => KINDS[kind].game === "wordpl";

/** `move=crate:13` asks, without epsilon where clues have none. What cannot be read has a `fault`. */
export function readMove(text) {
  const [word, spent, ...more] = text.split(":");
  const epsilon = spent === undefined ? null : finiteEpsilon(spent);
  const whole = word && !more.length && (spent === undefined || epsilon);
  return { action: "ask", word, epsilon, text, fault: whole ? null : "A word is expected, and in WORDPL its epsilon, as crate:13." };
}

/** What the server says of a game and its moves, which are sent each time: it keeps nothing, and all else is sealed in the id. */
export const ask = (game, what, signal, more = {}) => withList(game.words, () =>
  post(`/api/play/games/${encodeURIComponent(game.id)}${what}`, { moves: game.moves, ...more }, { signal }));

/** A new game; with the answer of the game `again`, if there is one. */
export const begin = async (terms, signal, again) =>
  ({ ...await withList(terms.words, () => post("/api/play/games", { ...terms, again }, { signal })), moves: [] });
export const play = async (game, moves, signal) => ({ ...await ask({ ...game, moves }, "", signal), moves });
/** The game after as many of these moves as can be made; `fault` says why the next one cannot. */
export async function playUpTo(game, moves, signal) {
  const whole = moves.findIndex(({ fault }) => fault);
  for (let [at, fault] = whole < 0 ? [moves.length, null] : [whole, moves[whole].fault]; ; at -= 1) {
    try {
      const made = moves.slice(0, at).map(({ action, word, epsilon }) => ({ action, word, epsilon }));
      const played = await play(game, made, signal);
      return fault ? { ...played, fault: `Move ${at + 1} of this address, “${moves[at].text.slice(0, 60)}”, cannot be made. ${fault}` } : played;
    } catch (error) {
      if (error.status !== 422 || at === 0) throw error;
      fault = error.message;
    }
  }
}

/** The moves that an address has; `propose=tardy` and `gave_up=yes` end a game. */
export const readMoves = (state) => [...state.all("move"),
  ...state.all("propose").map((word) => ({ action: "propose", word, text: word })), ...state.all("gave_up").map(() => ({ action: "give_up", text: "gave up" }))];

export const asksOf = ({ moves }) => moves.filter(({ action }) => action === "ask");

/** The terms of a new game that an address asks for. */
export function termsOf(state) {
  const kind = state.get("kind", "wordpl");
  return { kind, words: state.get("words", KINDS[kind].words), rule: state.get("rule", KINDS[kind].rule),
    hard: HARD[state.get("hard", "0")], channel: state.get("channel"), given: state.get("given") !== "0" };
}

/** The terms of a game, for another one like it. */
export const termsIn = (game) => ({ kind: game.kind, words: game.words, rule: game.rule, hard: game.hard, channel: game.channel,
  given: game.kind !== "fibble" || game.rows.length > asksOf(game).length });

/** The address of a game. What it was begun with is in its id; its list stays, since the page may have to send that again. */
export const addressOf = ({ id, words, moves }) => ({
  kind: null, rule: null, hard: null, channel: null, given: null, words: words.startsWith("list-") ? words : null, game: id,
  move: asksOf({ moves }).map(({ word, epsilon }) => (epsilon ? `${word}:${epsilon}` : word)),
  propose: moves.find(({ action }) => action === "propose")?.word,
  gave_up: moves.some(({ action }) => action === "give_up") ? "yes" : null,
});

// The word of the day, which is played once in a browser

const nameOf = ({ words, rule }) => `play:daily:${words}:${rule}`;
/** By day: the moves, and once it is over the guesses, or false. */
const read = (game) => JSON.parse(stored(nameOf(game))) ?? {};
/** The moves that were made here in a game of the day; none in other games. */
export const movesOf = (game) => (game.kind === "daily" && read(game)[game.day]?.moves) || [];

/** Keep a game of the day as it stands, unless one of that day is over. */
export function keepDaily(game) {
  const days = read(game);
  if (days[game.day]?.guesses !== undefined) return;
  days[game.day] = { moves: game.moves, guesses: game.result ? game.result.won && game.rows.length : undefined };
  store(nameOf(game), JSON.stringify(days));
}

/** How many were played and won, how many days in a row up to this one, and how many took each number of guesses. */
export function statistics(game) {
  const days = read(game);
  const over = Object.values(days).map(({ guesses }) => guesses).filter((guesses) => guesses !== undefined);
  let streak = 0;
  for (const day = new Date(game.day); days[day.toISOString().slice(0, 10)]?.guesses; day.setUTCDate(day.getUTCDate() - 1)) {
    streak += 1;
  }
  const counts = Array.from({ length: game.max_rows }, (_, i) => over.filter((guesses) => guesses === i + 1).length);
  return { played: over.length, won: over.filter(Boolean).length, streak, counts };
}
