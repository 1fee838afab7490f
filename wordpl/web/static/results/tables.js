/** The numbers behind the curves, and the verdicts, as tables. */

import { el, percent, shown, table } from "../dom.js";
import { MOST_CURVES, ends, value } from "./pictures.js";

const WINS = [0.05, 0.5, 0.95];

/** The tables of a tab: `element`, and `fill(results)`. */
export function tables() {
  const parts = { figures: part("Figures"), budgets: part("Smallest budget for a posterior win rate"), verdicts: part("Verdicts") };
  const element = el("div", {}, Object.values(parts).map((one) => one.element));
  function fill({ curves, outcomes }) {
    const drawn = outcomes.filter(({ curve }) => curve < MOST_CURVES);
    const labels = curves.map(({ label }) => label);
    parts.figures.fill(drawn.length && figures(labels, drawn));
    const crossing = curves.slice(0, MOST_CURVES).filter(({ budgets }) => budgets.length);
    parts.budgets.fill(crossing.length && smallest(crossing));
    parts.verdicts.fill(drawn.length && verdicts(labels, drawn));
  }
  return { element, fill };
}

/** A heading and a table that can be replaced without taking the focus from it. */
function part(heading) {
  const region = table([], [], { caption: heading });
  const element = el("section", { hidden: true }, el("h2", {}, heading), region);
  const fill = (made) => {
    element.hidden = !made;
    if (made) region.replaceChildren(...table(made.columns, made.rows, { ...made, caption: heading }).childNodes);
  };
  return { element, fill };
}

const spec = (text) => el("span", { className: "mono" }, text);
const withEnds = (written, interval, write) => [written, " ", el("span", { className: "note" }, ends(interval, write))];
const cell = (children) => el("span", {}, children);

function figures(labels, outcomes) {
  const columns = ["strategy", "epsilon", "games", "won", "5th", "median", "95th", "mean budget", "mean turns"];
  const rows = outcomes.map((outcome) => [
    spec(labels[outcome.curve]), shown(outcome.epsilon, 6), shown(outcome.trials, 12),
    cell(withEnds(percent(outcome.win_rate), outcome.win_rate_interval, percent)),
    ...["p05", "p50", "p95"].map((name) => cell(withEnds(value(outcome[name]), outcome[`${name}_interval`], value))),
    shown(outcome.mean_budget, 5), shown(outcome.mean_turns, 4),
  ]);
  return { columns, rows, numbers: columns.slice(1) };
}

function smallest(curves) {
  const columns = ["strategy", ...WINS.map((rate) => `to win ${percent(rate)}`)];
  const rows = curves.map(({ label, budgets }) => [spec(label), ...budgets.map(({ place, budget, interval }) =>
    cell(withEnds({ below: `≤ ${shown(budget)}`, inside: shown(budget), above: "not reached",
      under_bound: "no estimate" }[place], interval, value)))]);
  return { columns, rows, numbers: columns.slice(1) };
}

function verdicts(labels, outcomes) {
  const names = Object.keys(outcomes[0].verdicts).filter((name) => outcomes.some((outcome) => outcome.verdicts[name]));
  const columns = ["strategy", "epsilon", ...names.map((name) => name.toLowerCase())];
  const rows = outcomes.map((outcome) => [spec(labels[outcome.curve]), shown(outcome.epsilon, 6),
    ...names.map((name) => shown(outcome.verdicts[name], 12))]);
  return { columns, rows, numbers: columns.slice(1) };
}
