/** The budget spent so far, beside the budgets of the records. */

import { el, shown } from "../dom.js";

const LEAST = 50;
const ROOM = 0.16; // part of the scale that the label of a tick needs

/**
 * Returns the element, which has `text`, an element that says it; `show(spent, next)`: what is spent, and what the next ask
 * would add; and `beside(records)`, the budgets to compare with.
 */
export function budgetMeter() {
  const bar = el("span", { className: "spent" });
  const ahead = el("span", { className: "ahead" });
  const said = el("p", { className: "meter-text note" });
  const whole = el("div", { className: "meter", role: "img" });
  whole.text = said;
  let records = [];
  let now = [0, 0];
  whole.beside = (found) => {
    records = found;
    whole.show(...now);
  };
  whole.show = (spent, next) => {
    now = [spent, next];
    const end = Math.max(LEAST, ...records.map(({ budget }) => budget * 1.12), (spent + next) * 1.02);
    const at = (value) => `${100 * value / end}%`;
    bar.style.width = at(spent);
    ahead.style.left = at(spent);
    ahead.style.width = at(next);
    whole.replaceChildren(bar, ahead, ...records.map(({ budget, percentile }, i) => {
      const room = (budget - (records[i - 1]?.budget ?? 0)) / end;
      const tick = el("span", { className: "tick" }, room > ROOM && el("span", {}, `${percentile}th ${shown(budget, 3)}`));
      tick.style.left = at(budget);
      return tick;
    }));
    said.textContent = `Spent ${shown(spent, 5)}; this adds ${shown(next, 5)}.`;
    const others = records.map(({ budget, percentile }) => `; the record at the ${percentile}th percentile: ${shown(budget, 4)}`);
    whole.setAttribute("aria-label", `Budget spent: ${shown(spent, 5)}${others.join("")}`);
  };
  return whole;
}
