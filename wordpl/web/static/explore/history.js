/** The clues so far: the rows of Coach, in a part of the page that opens. */

import { turnsEditor } from "../coach/turns.js";
import { el } from "../dom.js";

/**
 * The editor. `length()` is that of the words. `onchange(rows)` is called with the rows as they are now, and `onadd(rows)`
 * with those that the server may refuse: the promise it returns then gives the error. The element has
 * `fault(message, row)`, which says what is wrong with a row or with all of them; null takes back what was said.
 */
export function historyEditor(rows, { length, onchange, onadd }) {
  let now = rows;
  const rest = el("p", { className: "fault", hidden: true });
  const editor = turnsEditor({
    length,
    ondraft: () => {},
    onrows: (changed) => {
      now = changed;
      onchange(now);
    },
    submit: async (change) => {
      const changed = change(now);
      const error = await onadd(changed);
      // What is wrong with all rows together began with this one.
      if (error) editor.fault(error.field === "turns" ? { message: error.message, field: `turns.${now.length}.guess` } : error);
      else now = changed;
      return !error;
    },
  });
  const whole = el("details", { open: rows.length > 0 }, el("summary", {}, "After these clues"),
    el("div", { className: "history" }, rest, editor));
  whole.fault = (message, at = null) => {
    const said = editor.fault({ message, field: `turns.${at}.guess` });
    rest.hidden = !message || said;
    rest.textContent = message ?? "";
    if (message) whole.open = true;
  };
  editor.set(rows, { guess: "", clue: "", epsilon: 13 }, true);
  return whole;
}
