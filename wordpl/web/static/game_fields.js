/** Which game it is: ordinary Wordle, WORDPL or Fibble, its word list, and the rule for repeated letters. */

import { el, field } from "./dom.js";
import { wordsField } from "./words.js";

export const GAMES = {
  wordle: { label: "Wordle", words: "nyt2023", rule: "counted", epsilon: "inf" },
  wordpl: { label: "WORDPL, noisy clues", words: "original", rule: "letterwise", epsilon: 13 },
  fibble: { label: "Fibble, lies in each clue", words: "nyt2023", rule: "counted", epsilon: "inf" },
};

const MOST_LIES = 5;

export const RULES = { letterwise: "Letterwise, as in WORDPL", counted: "Counted, as in Wordle" };

/** {game, words, rule, lies} of an address; it is WORDPL if `noisy`, unless the address says otherwise. */
export function readGame(state, noisy) {
  const named = state.get("game");
  const game = named in GAMES ? named : noisy ? "wordpl" : "wordle";
  const rule = state.get("rule");
  const words = state.get("words", GAMES[game].words);
  return { game, words, rule: rule in RULES ? rule : GAMES[game].rule, lies: wholeIn(state.get("lies", ""), MOST_LIES) ?? 1 };
}

/** The same for the address: what the game has by default is left out. */
export const writeGame = ({ game, words, rule, lies }) => ({
  game, words: words === GAMES[game].words ? null : words, rule: rule === GAMES[game].rule ? null : rule,
  lies: game === "fibble" && lies > 1 ? lies : null,
});

const ofGame = ({ game, words, rule, lies }) => ({ game, words, rule, lies });

/** The whole number from 1 to `most` that a text is, or null. */
export const wholeIn = (text, most) => (/^\d{1,4}$/.test(text) && text >= 1 && text <= most ? Number(text) : null);

/**
 * The fields. `onchange({game, words, rule, lies}, summary)` is called with what is chosen and the summary of the list if
 * that has changed. The element has `fields`, by the names that errors of the server go by.
 */
export async function gameFields(chosen, onchange) {
  let now = ofGame(chosen);
  const whole = el("div", { className: "row game-fields" });
  const game = select("Game", Object.fromEntries(Object.entries(GAMES).map(([name, one]) => [name, one.label])), now.game);
  const rule = select("Repeat rule", RULES, now.rule);
  const numbers = Array.from({ length: MOST_LIES }, (_, i) => [i + 1, String(i + 1)]);
  const lies = select("False marks in each clue", Object.fromEntries(numbers), String(now.lies));
  lies.hidden = now.game !== "fibble";
  const change = (values, summary) => {
    now = { ...now, ...values };
    onchange(now, summary);
  };
  const list = () => wordsField(now.words, (summary) => change({ words: summary.name }, summary));
  let words = await list();
  game.control.addEventListener("change", async () => {
    const usual = GAMES[game.control.value];
    change({ game: game.control.value, words: usual.words, rule: usual.rule });
    rule.control.value = usual.rule;
    lies.hidden = now.game !== "fibble";
    const other = await list();
    words.replaceWith(other);
    words = whole.fields.words = other;
  });
  rule.control.addEventListener("change", () => change({ rule: rule.control.value }));
  lies.control.addEventListener("change", () => change({ lies: Number(lies.control.value) }));
  whole.append(game, words, rule, lies);
  whole.fields = { words, rule, lies };
  return whole;
}

/** A labelled selector of {value: label}. */
export function select(label, options, value) {
  const control = el("select", {}, Object.entries(options).map(([name, text]) => el("option", { value: name }, text)));
  control.value = value;
  return field(label, control);
}
