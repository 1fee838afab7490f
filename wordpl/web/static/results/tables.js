/** The numbers behind the curves, and the verdicts, as tables. */

import { el, percent, shown, table } from "../dom.js";
import { WINS, ends, part, value } from "./pictures.js";

/** The tables of a tab, with `fill(curves)`. */
export function tables() {
  const parts = ["Figures", "Smallest budget for a posterior win rate", "Verdicts"].map(tablePart);
  const fill = (curves) => {
    const crossing = curves.filter(({ budgets }) => budgets.length);
    const contents = [curves.length && figures(curves), crossing.length && smallest(crossing), curves.length && verdicts(curves)];
    contents.forEach((content, i) => parts[i].fill(content));
  };
  return Object.assign(el("div", {}, parts), { fill });
}

/** A table that can be replaced without taking the focus from it. All columns but the first are numbers. */
function tablePart(caption) {
  const region = table([], [], { caption });
  return part(caption, region, ({ columns, rows }) =>
    region.replaceChildren(...table(columns, rows, { caption, numbers: columns.slice(1) }).childNodes));
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
  return { columns, rows };
}

function smallest(curves) {
  const columns = ["strategy", ...WINS.map((rate) => `to win ${percent(rate)}`)];
  const rows = byFamily(curves, ({ label, budgets }) => [[spec(label), ...budgets.map(({ place, budget, interval }) =>
    cell(withEnds({ below: `≤ ${shown(budget)}`, inside: shown(budget), above: "not reached",
      under_bound: "no estimate" }[place], interval, value)))]]);
  return { columns, rows };
}

function verdicts(curves) {
  const every = curves.flatMap(({ outcomes }) => outcomes);
  const names = Object.keys(every[0].verdicts).filter((name) => every.some((outcome) => outcome.verdicts[name]));
  const columns = ["strategy", "epsilon", ...names.map((name) => name.toLowerCase())];
  const rows = byFamily(curves, ({ label, outcomes }) => outcomes.map((outcome) => [spec(label), shown(outcome.epsilon, 6),
    ...names.map((name) => shown(outcome.verdicts[name], 12))]));
  return { columns, rows };
}
