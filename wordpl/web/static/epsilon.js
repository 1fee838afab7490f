/** A slider for epsilon, from 0.1 to infinity on a logarithmic scale, with a box for exact numbers. */

import { el, field, shown } from "./dom.js";

const LEAST = 0.1;
const MOST = 100;
const STEPS = 240;

/** The epsilon at a step of the slider, rounded so that people can read it; the last step is infinity. */
export function epsilonAt(step) {
  if (step >= STEPS) return "inf";
  const exact = LEAST * (MOST / LEAST) ** (step / (STEPS - 1));
  return Number(exact.toPrecision(exact < 10 ? 2 : 3));
}

/** The step of the slider that is nearest to an epsilon. */
export function stepOf(epsilon) {
  if (epsilon === "inf" || epsilon > MOST) return STEPS;
  return Math.round((STEPS - 1) * Math.log(Math.max(epsilon, LEAST) / LEAST) / Math.log(MOST / LEAST));
}

/** An epsilon that was typed, or null: a number above 0 up to 1e6, also as 12,5 (1,000 may mean two things), or inf. */
export function readEpsilon(text) {
  const typed = text.trim().toLowerCase().replace(/^(\d+),(?!\d{3}$)(?=\d+$)/, "$1.");
  if (["inf", "∞", "infinity"].includes(typed)) return "inf";
  const value = Number(typed);
  return typed && value > 0 && value <= 1e6 ? value : null;
}

/** The probabilities that a mark is kept, and that it becomes one given other mark, if each is noised by itself. */
export function markChances(epsilon, length = 5) {
  const shrink = epsilon === "inf" ? 0 : Math.exp(-epsilon / length);
  const kept = 1 / (1 + 2 * shrink);
  return { kept, flipped: shrink * kept }; // not (1 - kept) / 2, which has no digits left where noise is rare
}

export const keep = (epsilon) => markChances(epsilon).kept;

/** The noise of a row of a game ({length, channel}): its lies on average, and what share of what is true. */
function noiseAt(epsilon, { length = 5, channel }) {
  const [name, radius = 0] = (channel ?? "randomized_response").split(":");
  const letterwise = name === "randomized_response";
  const spent = epsilon === "inf" ? Number.MAX_VALUE : epsilon;
  let [clues, sum, lies] = [1, 0, 0];
  for (let wrong = 0; wrong <= length; wrong += 1) {
    // Other channels are balls, of radius 0 if it is the whole clue: only beyond it are clues less likely.
    const weight = clues * Math.exp(-spent * (letterwise ? wrong / length : Number(wrong > radius)));
    sum += weight;
    lies += wrong * weight;
    clues *= 2 * (length - wrong) / (wrong + 1);
  }
  lies /= sum;
  return letterwise ? { lies, share: 1 - lies / length, what: "marks true" } : { lies, share: 1 / sum, what: "rows without a lie" };
}

/** How many marks of a row are false on average: "0.8 lies". */
export function liesIn(epsilon, game) {
  const { lies } = noiseAt(epsilon, game);
  const number = lies < 1e-4 ? "about 0" : shown(lies, 2);
  return `${number} ${number === "1" ? "lie" : "lies"}`;
}

/** What an epsilon means: "85 of 100 marks true, 0.8 lies a row". */
export function meaning(epsilon, game) {
  const { lies, share, what } = noiseAt(epsilon, game);
  if (lies === 0) return "no mark is false";
  if (share > 0.999) return `more than 99.9 of 100 ${what}, hardly ever a lie`;
  return `${shown(100 * share, share > 0.99 ? 3 : 2)} of 100 ${what}, ${liesIn(epsilon, game)} a row`;
}

/**
 * The control. `onchange(epsilon)` is called with a number or "inf" as the slider moves; `finite` leaves "inf" out;
 * `game()` is the game ({length, channel}) whose rows it is about. What can be used is used as it is typed; what cannot
 * stays, with what is wrong with it. Returns the element, which has `value`, `set(epsilon)`, and `settle()`, which says whether the box can be used.
 */
export function epsilonSlider(label, value, onchange, { finite = false, game = () => ({}) } = {}) {
  const range = el("input", { type: "range", min: 0, max: finite ? STEPS - 1 : STEPS, "aria-label": `${label}, slider` });
  const box = el("input", { type: "text", size: 4, inputMode: "decimal", autocomplete: "off" });
  const boxed = field(label, box);
  const means = el("span", { className: "note means" });
  const whole = el("span", { className: "epsilon row" }, boxed, range, means);
  const show = (epsilon) => {
    whole.value = epsilon;
    range.value = stepOf(epsilon);
    range.setAttribute("aria-valuetext", epsilon === "inf" ? "infinity, no noise" : String(epsilon));
    means.textContent = meaning(epsilon, game());
  };
  whole.set = (epsilon) => {
    show(epsilon);
    box.value = epsilon === "inf" ? "∞" : String(epsilon);
    boxed.fault(null);
  };
  const usable = () => (finite && readEpsilon(box.value) === "inf" ? null : readEpsilon(box.value));
  whole.settle = () => {
    const works = usable() !== null;
    if (works) whole.set(whole.value);
    else boxed.fault(`“${box.value}” does not work: type a number above 0, up to 1,000,000${finite ? "" : ", or inf"}.`);
    return works;
  };
  whole.focus = () => box.select();
  range.addEventListener("input", () => {
    whole.set(epsilonAt(Number(range.value)));
    onchange(whole.value);
  });
  box.addEventListener("input", () => {
    if (usable() === null) return;
    show(usable());
    onchange(whole.value);
  });
  box.addEventListener("change", () => whole.settle());
  whole.set(value);
  return whole;
}
