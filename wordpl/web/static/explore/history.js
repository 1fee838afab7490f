/** The clues so far: the rows of Coach, in a part of the page that opens. */

import { nextRow, turnRow } from "../coach/turns.js";
import { el } from "../dom.js";

const START = { guess: "", clue: "", epsilon: 13 };

/**
 * The editor. `length()` is that of the words. `onchange(rows)` is called with the rows as they are now, and `onadd(rows)`
 * with one more; that one is kept unless the promise it returns gives an error. The element has `fault(message, row)`.
 */
export function historyEditor(rows, { length, onchange, onadd }) {
  let now = rows;
  let shown = [];
  const list = el("ol", { className: "turns" });
  const rest = el("p", { className: "fault", hidden: true });
  const next = nextRow({ length, noisy: true, onchange: () => next.fault(null), onadd: add });
  const whole = el("details", { open: rows.length > 0 }, el("summary", {}, "After these clues"),
    el("div", { className: "history" }, list, rest, next));

  async function add(row) {
    const longer = [...now, row];
    const error = await onadd(longer);
    if (error?.field?.startsWith("turns")) next.fault(error.message);
    if (error) return;
    draw(longer);
    next.set({ ...START, epsilon: row.epsilon });
    next.focus();
  }

  function remove(at) {
    draw(now.filter((_, i) => i !== at));
    next.focus();
    onchange(now);
  }

  function change(at, row) {
    const renamed = row.guess !== now[at].guess;
    now = now.with(at, row);
    if (renamed) {
      draw(now);
      shown[at].tiles.first.focus();
    }
    onchange(now);
  }

  function draw(anew) {
    now = anew;
    shown = now.map((row, at) => turnRow(row, at + 1,
      { noisy: true, onchange: (changed) => change(at, changed), onremove: () => remove(at) }));
    list.replaceChildren(...shown);
  }

  /** Say what is wrong with a row, by its number from 0, or with all of them; null takes back what was said. */
  whole.fault = (message, at = null) => {
    if (!message) shown.forEach((row) => row.fault(null));
    rest.hidden = !message || at in shown;
    rest.textContent = message ?? "";
    shown[at]?.fault(message);
    if (message) whole.open = true;
  };
  draw(rows);
  next.set(START);
  return whole;
}
