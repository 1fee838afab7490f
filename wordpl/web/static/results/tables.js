/** The numbers behind the curves as tables. */

import { el, percent, shown } from "../dom.js";
import { sheet } from "../sheet.js";
import { WINS, infinite, value } from "./pictures.js";

const strategy = { name: "strategy", of: ({ label }) => label, write: (label) => el("span", { className: "mono" }, label) };
const epsilon = { name: "epsilon", of: (row) => infinite(row.epsilon), write: (at) => shown(at, 6) };
const count = (name, of) => ({ name, of, write: (n) => shown(n, 12) });
const percentile = (name, field) =>
  ({ name, of: (row) => infinite(row[field]), write: value, ends: (row) => row[`${field}_interval`].map(infinite) });

const STATISTICS = [strategy, epsilon, count("games", ({ trials }) => trials),
  { name: "won", of: (row) => row.win_rate, write: percent, ends: (row) => row.win_rate_interval },
  percentile("5th", "p05"), percentile("median", "p50"), percentile("95th", "p95"),
  { name: "mean budget", of: (row) => infinite(row.mean_budget), write: value }, { name: "mean turns", of: (row) => row.mean_turns }];

const PLACES = { below: (budget) => `≤ ${shown(budget)}`, inside: shown, above: () => "not reached", under_bound: () => "no estimate" };
const SMALLEST = [strategy, ...WINS.map((rate, i) => ({ name: `to win ${percent(rate)}`,
  of: ({ budgets }) => (budgets[i].place === "under_bound" ? null : infinite(budgets[i].budget)),
  write: value, show: ({ budgets }) => PLACES[budgets[i].place](budgets[i].budget), ends: ({ budgets }) => budgets[i].interval.map(infinite) }))];

/** The statistics, and how many games ended in a fault of the strategy, where there are any. */
const statistics = (rows) => [...STATISTICS, ...Object.keys(rows[0].verdicts).filter((verdict) => !["WIN", "LOSS"].includes(verdict))
  .filter((verdict) => rows.some(({ verdicts }) => verdicts[verdict]))
  .map((verdict) => count(verdict.toLowerCase(), ({ verdicts }) => verdicts[verdict]))];

/** The tables of a tab, with `fill(curves)`. */
export function tables() {
  const section = (name, open) => {
    const body = sheet(name, { family: ({ label }) => label.split("(")[0] });
    const element = el("details", { open, hidden: true }, el("summary", {}, el("h2", {}, name)), body);
    return Object.assign(element, { put(columns, rows) {
      element.hidden = !rows.length;
      if (rows.length) body.put(columns(rows), rows);
    } });
  };
  const [first, second] = [section("Statistics", true), section("Smallest budget for a posterior win rate", false)];
  return Object.assign(el("div", {}, first, second), { fill(curves) {
    first.put(statistics, curves.flatMap(({ label, outcomes }) => outcomes.map((outcome) => ({ ...outcome, label }))));
    second.put(() => SMALLEST, curves.filter(({ budgets }) => budgets.length));
  } });
}
