/** How clear the next clue is: three large choices with the lies to expect, and the exact slider behind a fourth. */

import { el } from "../dom.js";
import { epsilonSlider, liesIn } from "../epsilon.js";

const CHOICES = { cheap: 6, fair: 13, clear: 25 };

/** The control for rows of `length` letters. `onchange(epsilon)` is called with what is chosen. */
export function epsilonChoices(value, length, onchange) {
  const slider = epsilonSlider("Epsilon of this row", value, (epsilon) => chosen(epsilon), { finite: true, length });
  const exact = el("button", { type: "button", onmousedown: stay, onclick: () => open(slider.hidden) }, el("strong", {}, "exact"));
  const buttons = Object.entries(CHOICES).map(([name, epsilon]) => el("button", { type: "button", onmousedown: stay, onclick: () => {
    open(false);
    slider.set(epsilon);
    chosen(epsilon);
  }, value: epsilon }, el("strong", {}, `${name} ${epsilon}`), el("small", {}, liesIn(epsilon, length))));
  const whole = el("div", {}, el("div", { className: "choices", role: "group", "aria-label": "How clear the next clue is" },
    buttons, exact), slider);
  const open = (shown) => {
    slider.hidden = !shown;
    exact.setAttribute("aria-expanded", String(shown));
  };
  const press = (epsilon) => {
    for (const button of buttons) button.setAttribute("aria-pressed", String(Number(button.value) === epsilon));
  };
  const chosen = (epsilon) => {
    press(epsilon);
    onchange(epsilon);
  };
  press(value);
  open(!Object.values(CHOICES).includes(value));
  // What is chosen with Enter is chosen for the board, where the next key goes.
  whole.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && event.target !== exact) setTimeout(() => whole.done());
  });
  return whole;
}

/** The focus stays where it was, so that Enter asks and does not press this again. */
const stay = (event) => event.preventDefault();
