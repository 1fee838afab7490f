/** What the next clue may cost, and what was spent. */

import { el, shown } from "../dom.js";
import { epsilonSlider, liesIn } from "../epsilon.js";

const CHOICES = { cheap: 6, fair: 13, clear: 25 };
const LEAST = 50;
const ROOM = 0.16; // part of the scale that the label of a tick needs

/**
 * Three large choices with the lies to expect in rows of the game, and the exact slider behind a fourth.
 * `onchange(epsilon)` is called with what is chosen, `onenter()` when Enter has chosen it.
 */
export function epsilonChoices(value, game, onchange, onenter) {
  const slider = epsilonSlider("Epsilon of this row", value, (epsilon) => choose(epsilon), { finite: true, game: () => game });
  const exact = el("button", { onmousedown: stay, onclick: () => open(slider.hidden) }, el("strong", {}, "exact"));
  const buttons = Object.entries(CHOICES).map(([name, epsilon]) => el("button", { onmousedown: stay, onclick: () => {
    open(false);
    slider.set(epsilon);
    choose(epsilon);
  }, value: epsilon }, el("strong", {}, `${name} ${epsilon}`), el("small", {}, liesIn(epsilon, game))));
  const whole = el("div", {}, el("div", { className: "choices", role: "group", "aria-label": "How clear the next clue is" },
    buttons, exact), slider);
  const open = (wanted) => {
    slider.hidden = !wanted;
    exact.setAttribute("aria-expanded", String(wanted));
  };
  const press = (epsilon) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.value) === epsilon));
  };
  const choose = (epsilon) => {
    press(epsilon);
    onchange(epsilon);
  };
  press(value);
  open(!Object.values(CHOICES).includes(value));
  // What is chosen with Enter is chosen for the board, where the next key goes.
  whole.addEventListener("keydown", (event) => { if (event.key === "Enter" && event.target !== exact) setTimeout(onenter); });
  return whole;
}

/** The focus stays where it was, so that Enter asks and does not press this again. */
const stay = (event) => event.preventDefault();

/**
 * The budget spent so far. The element has `text`, an element that says it, and `show(spent, next, records)`: what is spent,
 * what the next ask would add, and the budgets of the records to compare with.
 */
export function budgetMeter() {
  const bar = el("span", { className: "spent" });
  const ahead = el("span", { className: "ahead" });
  const whole = el("div", { className: "meter", role: "img" });
  whole.text = el("p", { className: "meter-text note" });
  whole.show = (spent, next, records) => {
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
    whole.text.textContent = `Spent ${shown(spent, 5)}; this adds ${shown(next, 5)}.`;
    const besides = records.map(({ budget, percentile }) => `; the record at the ${percentile}th percentile: ${shown(budget, 4)}`);
    whole.setAttribute("aria-label", `Budget spent: ${shown(spent, 5)}${besides.join("")}`);
  };
  return whole;
}
