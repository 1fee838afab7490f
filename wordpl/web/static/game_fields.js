/** Which game it is: its kind, its word list, the rule for repeated letters, and the noise. */

import { keyOf, nonempty, wholeFrom } from "./address.js";
import { withQuery } from "./api.js";
import { el, field, wordBox } from "./dom.js";
import { writeRow } from "./rows.js";
import { drafted, retyped } from "./storage.js";
import { squares } from "./tiles.js";
import { wordsField } from "./words.js";

export const GAMES = {
  wordle: { label: "Wordle", words: "nyt2023", rule: "counted", epsilon: "inf", limit: 6 },
  wordpl: { label: "WORDPL, noisy clues", words: "original", rule: "letterwise", epsilon: 13, limit: null },
  fibble: { label: "Fibble, lies in each clue", words: "fibble", rule: "counted", epsilon: "inf", limit: 9 },
};

const MOST_GUESSES = 100;

export const CERTAIN = 0.99; // from here on, another ask only costs budget

/** The noise that a game can have, by the names of channels; the usual one first. An address may name any other. */
const PRICED = { randomized_response: "letter by letter", whole_clue: "whole clue", "ball:1": "ball of radius 1" };
const NOISE = {
  wordpl: PRICED,
  unlimited: PRICED,
  fibble: { fibble: "1 false mark in each row", ...Object.fromEntries([2, 3, 4, 5].map((lies) =>
    [`fibble:${lies}`, `${lies} false marks in each row`])) },
};

export const RULES = { letterwise: "Letterwise, as in WORDPL", counted: "Counted, as in Wordle" };
/** The channel of a game unless another is chosen; null if its clues are true. */
const usualChannel = (game) => Object.keys(NOISE[game] ?? {})[0] ?? null;
export const noiseOf = (game, channel) => (Object.hasOwn(NOISE[game] ?? {}, channel) ? NOISE[game][channel] : channel);

/** Hard mode as the server takes it, by what addresses and the selector say. */
export const HARD = { 0: false, 1: true, extra: "extra" };
const writeHard = (hard) => (hard ? String(hard === true ? 1 : hard) : null);
export const hardField = (label, hard, onchange = () => {}) =>
  select(label, { 0: "off", 1: "on", extra: "on, and no letters known to be absent" }, writeHard(hard) ?? "0", (value) => onchange(HARD[value]));

/** What an address may say of a game. */
export const GAME = { game: keyOf(GAMES), words: nonempty(40), rule: keyOf(RULES), channel: nonempty(100), hard: keyOf(HARD),
  limit: wholeFrom(1, MOST_GUESSES) };

/** {game, words, rule, channel, limit, hard} of an address; it is WORDPL if `noisy`, unless the address says otherwise. */
export function readGame(state, noisy) {
  const game = state.get("game", noisy ? "wordpl" : "wordle");
  const { words, rule, limit } = GAMES[game];
  const channel = state.get("channel", usualChannel(game));
  const hard = HARD[state.get("hard", "0")];
  if (state.get("limit") && game === "wordpl") state.refuse("limit", "A game of WORDPL has as many guesses as its player asks.");
  if (channel && game === "wordle") state.refuse("channel", "The clues of Wordle have no noise, so it has no channel.");
  if (hard && game !== "wordle") state.refuse("hard", "Only Wordle has a hard mode.");
  if (state.get("epsilon") && game !== "wordpl") state.refuse("epsilon", "Only the clues of WORDPL have an epsilon.");
  return { game, words: state.get("words", words), rule: state.get("rule", rule), channel, hard, limit: state.get("limit", limit) };
}

/** The same for the address: what the game has by default is left out. */
export const writeGame = ({ game, words, rule, channel, hard, limit }) => ({
  game, words: words === GAMES[game].words ? null : words, rule: rule === GAMES[game].rule ? null : rule,
  channel: channel === usualChannel(game) ? null : channel, hard: game === "wordle" ? writeHard(hard) : null, limit: limit === GAMES[game].limit ? null : limit,
});

/** What ends a game, as the server takes it. */
export const formatOf = ({ limit }) => limit && `wordle:${limit}`;
/** The address at which Coach goes on with a game after its rows ({guess, clue, epsilon}). */
export const coachAddress = (game, rows) => withQuery("/coach", { ...writeGame(game), row: rows.map((row) => writeRow(row, game.game === "wordpl")) });

/** The address at which Analyze judges these rows, and the end ({won, proposed, answer, share}) of a game that is over. */
export function analyzeAddress(game, rows, { won, proposed, answer, share } = {}) {
  const lines = rows.map((row) => writeRow(row, game.game === "wordpl").replace(":", "=").replace(":", "@"));
  return withQuery("/analyze", { ...writeGame(game), text: [...(["unlimited", "adversarial"].includes(game.kind) ? share.split("\n", 1) : []), ...lines, ...(proposed ? [proposed] : [])].join("\n"),
    answer: proposed || !won ? answer : null });
}

/** The first line of our texts to share, as `wordpl/wordle/finished.py` reads it; the newspaper's has a number for the list. */
const HEADING = /^(?:Wordle|Fibble, (\d) lies?,)(?:, adversary,)? ([a-z][^\s,]*)(?:, (letterwise))?(?:, (\S+))?(?: \d{4}-\d\d-\d\d)? (?:\d+|X)\/(\d+)\*?$/m;

/** The game that a pasted text is of: `game`, but for what the text says of it. */
export function gameOf(text, game) {
  const as = (kind, terms) => ({ ...game, game: kind, ...terms, limit: terms.limit ?? GAMES[kind].limit });
  const [, noisy, rule, channel = "randomized_response"] = /^WORDPL (\S+), (letterwise|counted)(?:, (\S+))?:/m.exec(text) ?? [];
  if (noisy) return as("wordpl", { words: noisy, rule, channel });
  const [, lies, words, repeats = "counted", noise = lies > 1 ? `fibble:${lies}` : "fibble", limit] = HEADING.exec(text) ?? [];
  if (words) return as(lies ? "fibble" : "wordle", { words, rule: repeats, channel: lies ? noise : null, limit: Number(limit) });
  const wordle = game.game !== "wordle" && /^Wordle\b.*[\dX]\/\d/im.test(text);
  if (wordle) return as("wordle", { words: GAMES.wordle.words, rule: GAMES.wordle.rule, channel: null });
  const named = game.game !== "wordpl" && /@\s*[\d.]|[.ci]{3,8}[ :,]+\d+([.,]\d+)?\s*$/m.test(text);
  return named ? as("wordpl", { words: "original", rule: "letterwise", channel }) : game;
}

/**
 * The fields of a game, which is one of `kinds` by name. `onchange({game, words, rule, channel, limit}, summary)` is called
 * with what is chosen, and with the summary of the list if that has changed. The element has `set(game)`, which shows one, and
 * `fields`, by the names that errors of the server go by.
 */
export function gameFields(onchange, kinds = GAMES) {
  const whole = el("div", { className: "row" });
  whole.set = (game) => {
    whole.fields = fieldsOf(game, onchange, kinds);
    whole.replaceChildren(...Object.values(whole.fields));
  };
  return whole;
}

function fieldsOf(chosen, onchange, kinds) {
  let now = { game: chosen.game, words: chosen.words, rule: chosen.rule, channel: chosen.channel, limit: chosen.limit };
  const labels = Object.fromEntries(Object.entries(kinds).map(([name, { label }]) => [name, label]));
  const change = (values, summary) => {
    now = { ...now, ...values };
    onchange(now, summary);
  };
  const words = wordsField(now.words, (summary) => change({ words: summary.name }, summary));
  const rule = select("Repeat rule", RULES, now.rule, (name) => change({ rule: name }));
  const channel = select("Noise", {}, null, (name) => change({ channel: name }));
  const limit = field("Guesses in all", el("input", { type: "number", min: 1, max: MOST_GUESSES, onchange: () => {
    const guesses = GAME.limit(limit.control.value);
    if (guesses) change({ limit: guesses });
    else {
      limit.control.value = now.limit;
      limit.fault(`A game has 1 to ${MOST_GUESSES} guesses; this one still has ${now.limit}.`);
    }
  } }));
  const fit = () => {
    limit.hidden = !now.limit;
    limit.control.value = now.limit;
    channel.hidden = now.channel === null;
    channel.control.replaceChildren(...options({ ...NOISE[now.game], [now.channel]: noiseOf(now.game, now.channel) }));
    channel.control.value = now.channel;
  };
  const kind = select("Game", labels, now.game, (game) => {
    const usual = kinds[game];
    rule.control.value = usual.rule;
    words.choose(usual.words);
    change({ game, words: usual.words, rule: usual.rule, channel: usualChannel(game), limit: usual.limit });
    fit();
  });
  fit();
  return { kind, words, rule, channel, game: limit };
}

/** The guesses that go with a text: none if each of its lines has words, for then those that are typed are of an earlier text. */
export const guessesFor = (text, guesses) =>
  (!text.trim() || text.split("\n").some((line) => line.trim() && !/(?![cibgy])\p{L}/iu.test(line)) ? guesses : "");

/** The fields for a game that is pasted; `tab` names their drafts, which are of no game that is given. */
export function pastedFields(tab, text = "", guesses = "") {
  const note = el("span", { className: "note" }, "In each line, for example, ", squares(".ii.."), ", crate .ii.. or crate=.ii..@13: c means the right place, i elsewhere, and 13 is the epsilon");
  const area = el("textarea", { rows: 6, cols: 32, spellcheck: false, value: text });
  const kept = text || guesses ? retyped : drafted;
  const pasted = { text: field("Share text, or guesses with their clues", kept(`${tab} text`, area), note),
    guesses: field("Guesses, if the text has only squares", kept(`${tab} guesses`, wordBox(guesses, { size: 30 }))) };
  pasted.text.classList.add("wide");
  return pasted;
}

/** The whole numbers from 1 to `most` for a selector. */
export const upTo = (most) => Object.fromEntries(Array.from({ length: most }, (_, i) => [i + 1, i + 1]));
const options = (labels) => Object.entries(labels).map(([name, text]) => el("option", { value: name }, text));

/** A labelled selector of {value: label}. `onchange(value)` is called with what is chosen. */
export function select(label, labels, value, onchange) {
  const control = el("select", { onchange: () => onchange(control.value) }, options(labels));
  control.value = value;
  return field(label, control);
}

export const checkbox = (label, checked, onchange) => field(label, el("input", { type: "checkbox", checked, onchange }));
