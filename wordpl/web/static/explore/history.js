/** The clues so far, as rows that can be typed, changed and taken away. */

import { el, field } from "../dom.js";
import { epsilonSlider, readEpsilon } from "../epsilon.js";

const START_EPSILON = 13;

/** Rows of the address, "guess:clue:epsilon", as turns; what cannot be read is left out. */
export function turnsOf(rows) {
  return rows.map((row) => row.split(":")).filter(([guess, clue]) => guess && clue)
    .map(([guess, clue, epsilon]) => ({ guess, clue, epsilon: readEpsilon(epsilon || "inf") ?? START_EPSILON }));
}

export const rowsOf = (turns) => turns.map(({ guess, clue, epsilon }) => `${guess}:${clue}:${epsilon}`);

/** The editor. `onchange(turns)` is called with the rows that have both a guess and a clue. */
export function historyEditor(turns, onchange) {
  let rows = [];
  const list = el("div", { className: "history" });
  const rest = el("p", { className: "fault", hidden: true });
  const complete = () => rows.filter((row) => row.guess.control.value.trim() && row.clue.control.value.trim());
  const changed = () => {
    whole.fault(null);
    onchange(complete().map((row) => ({ guess: row.guess.control.value.trim(), clue: row.clue.control.value.trim(),
      epsilon: row.epsilon.value })));
  };
  const add = (turn = {}) => {
    const box = (label, value) => field(label, el("input", { type: "text", value, size: 9, maxLength: 40, autocomplete: "off",
      autocapitalize: "off", spellcheck: false, onchange: changed }));
    const row = { guess: box("Guess", turn.guess ?? ""), clue: box("Clue, as ..icc", turn.clue ?? ""),
      epsilon: epsilonSlider("Epsilon of the clue", turn.epsilon ?? START_EPSILON, changed) };
    const remove = () => {
      rows = rows.filter((one) => one !== row);
      row.element.remove();
      adding.focus();
      changed();
    };
    row.element = el("div", { className: "row" }, row.guess, row.clue, row.epsilon,
      el("button", { type: "button", onclick: remove }, "Take back"));
    rows.push(row);
    list.append(row.element);
    return row;
  };
  const adding = el("button", { type: "button", onclick: () => add().guess.control.focus() }, "Add a clue");
  const whole = el("details", { open: turns.length > 0 }, el("summary", {}, "After these clues"), list, rest, adding);
  /** Show what is wrong with turn `i`, in its "guess" or "clue", or with all of them. */
  whole.fault = (message, i = null, name = null) => {
    const row = i === null ? null : complete()[i];
    rest.hidden = !message || Boolean(row);
    rest.textContent = message ?? "";
    if (row) (row[name]?.fault ?? row.guess.fault)(message);
    if (message) whole.open = true;
  };
  turns.forEach(add);
  return whole;
}
