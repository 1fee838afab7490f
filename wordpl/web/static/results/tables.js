/** The numbers behind the curves, and the verdicts, as tables. */

import { el, percent, shown, table } from "../dom.js";
import { ends, value } from "./pictures.js";

const WINS = [0.05, 0.5, 0.95];

/** The tables of a tab: `element`, and `fill(curves)`. */
export function tables() {
  const parts = { figures: part("Figures"), budgets: part("Smallest budget for a posterior win rate"), verdicts: part("Verdicts") };
  const element = el("div", {}, Object.values(parts).map((one) => one.element));
  function fill(curves) {
    const crossing = curves.filter(({ budgets }) => budgets.length);
    parts.figures.fill(curves.length && figures(curves));
    parts.budgets.fill(crossing.length && smallest(crossing));
    parts.verdicts.fill(curves.length && verdicts(curves));
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

/** A row for each curve or outcome; where there are several families, each has its name above its first row. */
function byFamily(curves, rowsOf) {
  const family = (curve) => curve?.label.split("(")[0];
  const several = new Set(curves.map(family)).size > 1;
  return curves.flatMap((curve, i) =>
    [...(several && family(curve) !== family(curves[i - 1]) ? [[el("strong", {}, family(curve))]] : []), ...rowsOf(curve)]);
}

function figures(curves) {
  const columns = ["strategy", "epsilon", "games", "won", "5th", "median", "95th", "mean budget", "mean turns"];
  const rows = byFamily(curves, ({ label, outcomes }) => outcomes.map((outcome) => [
    spec(label), shown(outcome.epsilon, 6), shown(outcome.trials, 12),
    cell(withEnds(percent(outcome.win_rate), outcome.win_rate_interval, percent)),
    ...["p05", "p50", "p95"].map((name) => cell(withEnds(value(outcome[name]), outcome[`${name}_interval`], value))),
    shown(outcome.mean_budget, 5), shown(outcome.mean_turns, 4),
  ]));
  return { columns, rows, numbers: columns.slice(1) };
}

function smallest(curves) {
  const columns = ["strategy", ...WINS.map((rate) => `to win ${percent(rate)}`)];
  const rows = byFamily(curves, ({ label, budgets }) => [[spec(label), ...budgets.map(({ place, budget, interval }) =>
    cell(withEnds({ below: `≤ ${shown(budget)}`, inside: shown(budget), above: "not reached",
      under_bound: "no estimate" }[place], interval, value)))]]);
  return { columns, rows, numbers: columns.slice(1) };
}

function verdicts(curves) {
  const every = curves.flatMap(({ outcomes }) => outcomes);
  const names = Object.keys(every[0].verdicts).filter((name) => every.some((outcome) => outcome.verdicts[name]));
  const columns = ["strategy", "epsilon", ...names.map((name) => name.toLowerCase())];
  const rows = byFamily(curves, ({ label, outcomes }) => outcomes.map((outcome) => [spec(label), shown(outcome.epsilon, 6),
    ...names.map((name) => shown(outcome.verdicts[name], 12))]));
  return { columns, rows, numbers: columns.slice(1) };
}
