/** The numbers behind the curves as tables. */

import { el, percent, shown } from "../dom.js";
import { sheet } from "../sheet.js";
import { WINS, familyOf, infinite, value } from "./pictures.js";

const strategy = { name: "strategy", of: ({ label }) => label, write: (label) => el("span", { className: "mono" }, label) };
const epsilon = { name: "epsilon", of: (row) => infinite(row.epsilon), write: (at) => shown(at, 6) };
const meanBudget = { name: "mean budget", of: (row) => infinite(row.mean_budget), write: value };
const count = (name, of) => ({ name, of, write: (n) => shown(n, 12) });

/** The column of a statistic as the server declares it. */
function column({ name, heading, kind, has_interval: hasInterval }) {
  if (kind === "count") return count(heading, (row) => row[name]);
  const of = (row) => (hasInterval ? infinite(row[name]) : row[name]);
  return { name: heading, of, write: kind === "share" ? percent : value,
    ...hasInterval && { ends: (row) => row[`${name}_interval`].map(infinite) } };
}

const PLACES = { below: (budget) => `≤ ${shown(budget)}`, inside: shown, above: () => "not reached", under_bound: () => "no estimate",
  percentile: (budget) => (budget === null ? "not reached" : shown(budget)) };
const SMALLEST = [strategy, ...WINS.map((rate, i) => ({ name: `to win ${percent(rate)}`,
  of: ({ budgets }) => (budgets[i].place === "under_bound" ? null : infinite(budgets[i].budget)),
  write: value, show: ({ budgets }) => PLACES[budgets[i].place](budgets[i].budget), ends: ({ budgets }) => budgets[i].interval.map(infinite) }))];

/** The axes of the pictures, the statistics, and how many games ended in a fault of the strategy, where there are any. */
const columns = (statistics, rows) => [strategy, epsilon, meanBudget, ...statistics.map(column),
  ...Object.keys(rows[0].verdicts).filter((verdict) => !["WIN", "LOSS"].includes(verdict))
  .filter((verdict) => rows.some(({ verdicts }) => verdicts[verdict]))
  .map((verdict) => count(verdict.toLowerCase(), ({ verdicts }) => verdicts[verdict]))];

/** The tables of a tab, with `fill(curves, statistics)`. */
export function tables() {
  const section = (name, open, note) => {
    const body = sheet(name, { family: familyOf });
    const element = el("details", { open, hidden: true }, el("summary", {}, el("h2", {}, name)), body, note && el("p", { className: "note" }, note));
    return Object.assign(element, { put(columnsOf, rows) {
      element.hidden = !rows.length;
      if (rows.length) body.put(columnsOf(rows), rows);
    } });
  };
  const [first, second] = [section("Statistics", true),
    section("Smallest budget to win a share of games", false, "Budgets are interpolated between those that were played, from the posterior win rates."
      + " Where the games of an epsilon differ in budget, they are the smallest percentiles of the scores. A strategy needs two epsilons to be here.")];
  return Object.assign(el("div", {}, first, second), { fill(curves, statistics) {
    first.put((rows) => columns(statistics, rows), curves.flatMap(({ label, outcomes }) => outcomes.map((outcome) => ({ ...outcome, label }))));
    second.put(() => SMALLEST, curves.filter(({ budgets }) => budgets.length));
  } });
}
