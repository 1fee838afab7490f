/** The budget spent so far, beside the budgets of the records. */

import { el, shown } from "../dom.js";

/** Returns the element, which has `show(spent, next)`: what is spent, and what the next ask would add. */
export function budgetMeter(records) {
  const most = Math.max(...records.map(({ budget }) => budget), 50) * 1.12;
  const bar = el("span", { className: "spent" });
  const ahead = el("span", { className: "next" });
  const said = el("p", { className: "meter-text" });
  const ticks = records.map(({ budget, percentile }) =>
    ({ budget, mark: el("span", { className: "tick" }, el("span", {}, `${percentile}th ${shown(budget, 3)}`)) }));
  const scale = el("div", { className: "meter", role: "img" }, bar, ahead, ticks.map(({ mark }) => mark));
  const whole = el("div", {}, said, scale);
  whole.show = (spent, next) => {
    const end = Math.max(most, (spent + next) * 1.02);
    const at = (value) => `${Math.min(100, 100 * value / end)}%`;
    bar.style.width = at(spent);
    ahead.style.left = at(spent);
    ahead.style.width = at(next);
    for (const { budget, mark } of ticks) mark.style.left = at(budget);
    said.textContent = next ? `Spent ${shown(spent, 5)}; the next ask adds ${shown(next, 5)}.` : `Spent ${shown(spent, 5)}.`;
    const beside = records.map(({ budget, percentile }) => `${shown(budget, 4)} at the ${percentile}th percentile`);
    scale.setAttribute("aria-label", `Budget spent: ${shown(spent, 5)}. The records: ${beside.join(", ")}.`);
  };
  return whole;
}
