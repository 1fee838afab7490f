/** Which game it is: ordinary Wordle or WORDPL, its word list, and the rule for repeated letters. */

import { el, field } from "./dom.js";
import { wordsField } from "./words.js";

export const GAMES = {
  wordle: { label: "Wordle", words: "nyt2023", rule: "counted", epsilon: "inf" },
  wordpl: { label: "WORDPL, noisy clues", words: "original", rule: "letterwise", epsilon: 13 },
};

export const RULES = { letterwise: "Letterwise, as in WORDPL", counted: "Counted, as in Wordle" };

/** {game, words, rule} of an address; it is WORDPL if `noisy`, unless the address says otherwise. */
export function readGame(state, noisy) {
  const named = state.get("game");
  const game = named in GAMES ? named : noisy ? "wordpl" : "wordle";
  const rule = state.get("rule");
  return { game, words: state.get("words", GAMES[game].words), rule: rule in RULES ? rule : GAMES[game].rule };
}

/** The same for the address: what the game has by default is left out. */
export const writeGame = ({ game, words, rule }) => ({
  game, words: words === GAMES[game].words ? null : words, rule: rule === GAMES[game].rule ? null : rule,
});

/**
 * The three fields. `onchange({game, words, rule}, summary)` is called with what is chosen and the summary of the list
 * if that has changed. The element has `fields`, by the names that errors of the server go by.
 */
export async function gameFields(chosen, onchange) {
  let now = { ...chosen };
  const whole = el("div", { className: "row game-fields" });
  const game = select("Game", Object.fromEntries(Object.entries(GAMES).map(([name, one]) => [name, one.label])), now.game);
  const rule = select("Repeat rule", RULES, now.rule);
  const change = (values, summary) => {
    now = { ...now, ...values };
    onchange(now, summary);
  };
  const list = () => wordsField(now.words, (summary) => change({ words: summary.name }, summary));
  let words = await list();
  game.control.addEventListener("change", async () => {
    const { words: name, rule: by } = GAMES[game.control.value];
    change({ game: game.control.value, words: name, rule: by });
    rule.control.value = by;
    const other = await list();
    words.replaceWith(other);
    words = whole.fields.words = other;
  });
  rule.control.addEventListener("change", () => change({ rule: rule.control.value }));
  whole.append(game, words, rule);
  whole.fields = { words, rule };
  return whole;
}

/** A labelled selector of {value: label}. */
export function select(label, options, value) {
  const control = el("select", {}, Object.entries(options).map(([name, text]) => el("option", { value: name }, text)));
  control.value = value;
  return field(label, control);
}
