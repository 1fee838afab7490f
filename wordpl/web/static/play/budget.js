/** What the next clue may cost, and what was spent. */

import { el, shown } from "../dom.js";
import { epsilonSlider, liesIn } from "../epsilon.js";

const CHOICES = { cheap: 6, fair: 13, clear: 25 };
const LEAST = 50;

/** Three choices with the lies to expect, and a slider behind a fourth. `onenter()` is called when Enter has chosen one; `settle()` says whether what is typed can be used. */
export function epsilonChoices(value, game, onchange, onenter) {
  const slider = epsilonSlider("Epsilon of this row", value, (epsilon) => choose(epsilon), { finite: true, game: () => game });
  const other = el("button", { onmousedown: stay, onclick: () => {
    open(slider.hidden);
    if (!slider.hidden) slider.focus();
  } });
  const buttons = Object.entries(CHOICES).map(([name, epsilon]) => el("button", { onmousedown: stay, onclick: () => {
    open(false);
    slider.set(epsilon);
    choose(epsilon);
  }, value: epsilon }, el("strong", {}, `${name} ${epsilon}`), el("small", {}, liesIn(epsilon, game))));
  const whole = el("div", {}, el("div", { className: "choices", role: "group", "aria-label": "How clear the next clue is" },
    buttons, other), slider);
  const open = (wanted) => {
    slider.hidden = !wanted;
    other.setAttribute("aria-expanded", String(wanted));
    press(slider.value);
  };
  const press = (epsilon) => {
    const own = !slider.hidden || !Object.values(CHOICES).includes(epsilon);
    for (const button of buttons) button.setAttribute("aria-pressed", String(!own && Number(button.value) === epsilon));
    other.setAttribute("aria-pressed", String(own));
    other.replaceChildren(el("strong", {}, own ? `other ${shown(epsilon)}` : "other"), el("small", {}, own ? liesIn(epsilon, game) : "any price"));
  };
  const choose = (epsilon) => {
    press(epsilon);
    onchange(epsilon);
  };
  open(!Object.values(CHOICES).includes(value));
  // What is chosen with Enter is chosen for the board, where the next key goes.
  whole.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target !== other) setTimeout(onenter); });
  whole.settle = () => slider.hidden || slider.settle();
  return whole;
}

/** The focus stays where it was, so that Enter asks and does not press this again. */
const stay = (event) => event.preventDefault();

/**
 * The budget spent so far, as a bar above what the records cost, up to a little more than the dearest. The element has `text`, an element that says it, and
 * `show(spent, next, records)`: what is spent, what the next ask would add, and the records to compare with.
 */
export function budgetMeter() {
  const bar = el("span", { className: "spent" });
  const ahead = el("span", { className: "ahead" });
  const scale = el("div", { className: "meter", "aria-hidden": "true" });
  const marks = el("ol", { className: "marks", "aria-label": "Budgets of our strategies, by the share of games they win" });
  const whole = el("div", { className: "records" }, scale, marks);
  whole.text = el("p", { className: "meter-text note" });
  whole.show = (spent, next, records) => {
    const end = Math.max(LEAST, ...records.map(({ budget }) => budget * 1.12));
    const at = (value) => `${Math.min(100, 100 * value / end)}%`;
    bar.style.width = at(spent);
    ahead.style.left = at(spent);
    ahead.style.width = at(next);
    scale.replaceChildren(bar, ahead, ...records.map(({ budget }) => el("span", { className: "tick", style: `left: ${at(budget)}` })));
    whole.text.textContent = `Spent ${shown(spent, 5)}${next ? `, next ask ${shown(next, 5)}` : ""}.`;
    marks.replaceChildren(...records.map(({ budget, percentile }) =>
      el("li", { style: `left: ${at(budget)}` }, el("strong", {}, shown(budget)), ` wins ${percentile}%`)));
  };
  return whole;
}
