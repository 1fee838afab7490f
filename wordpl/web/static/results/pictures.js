/** Curves of results: percentiles and win rates with bands of 95%, and turns without noise. */

import { counted, el, percent, shown } from "../dom.js";
import { WIN_RATES, legendEntry } from "../plot.js";
import { figure } from "../save.js";

const PERCENTILES = { p05: "5th percentile score", p50: "Median score", p95: "95th percentile score" };
const MOST_MARKS = 15; // of a curve; more would hide it
const FIRST = 3; // curves that are drawn before somebody asks for others
export const WINS = [0.05, 0.5, 0.95];
export const AXES = { epsilon: "epsilon of an ask", budget: "budget of a game" };
export const familyOf = ({ label }) => label.split("(")[0];

/**
 * The pictures of a tab, with `fill(curves, x)`, which draws them; what has nothing to show is hidden. The curves `wanted`
 * are drawn, at first those that win 5, 50 and 95% of their games for the least; `onchange(labels)` is told of a choice.
 */
export function pictures(wanted, onchange) {
  let chosen = new Set(wanted);
  const legend = el("ul", { className: "legend", "aria-label": "Curves to draw" });
  const chart = (name) => {
    const picture = figure(name);
    const element = el("section", { hidden: true }, el("h2", {}, name), picture);
    return Object.assign(element, { fill(content, among) {
      element.hidden = !content;
      if (content) picture.draw({ ...content, label: among + content.label });
    } });
  };
  const [wins, turns] = ["Win rate", "Turns at epsilon = ∞"].map(chart);
  const percentiles = Object.entries(PERCENTILES).map(([name, text]) => [name, chart(text)]);

  function fill(curves, x) {
    const lines = curves.toSorted((a, b) => budgetOf(a, 1) - budgetOf(b, 1)).map((curve, look) => ({ ...curve, look, name: nameOf(curve, curves) }));
    const cheapest = WINS.flatMap((_, i) => lines.toSorted((a, b) => budgetOf(a, i) - budgetOf(b, i)).slice(0, 1));
    const labels = new Set([...cheapest, ...lines].map(({ label }) => label));
    const drawnNow = new Set(lines.some(({ label }) => chosen.has(label)) ? chosen : [...labels].slice(0, FIRST));
    const choose = ({ target: { checked, value: label } }) => {
      if (checked) drawnNow.add(label); else drawnNow.delete(label);
      chosen = drawnNow;
      onchange([...chosen]);
      paint();
    };
    legend.replaceChildren(...lines.map(({ label, look }) => {
      const entry = legendEntry({ label, look, mark: true });
      entry.replaceChildren(el("label", {}, el("input", { type: "checkbox", checked: drawnNow.has(label), value: label, onchange: choose }), ...entry.children));
      return entry;
    }));
    const paint = () => {
      const drawn = lines.filter(({ label }) => drawnNow.has(label));
      const noisy = drawn.map((line) => ({ ...line, outcomes: line.outcomes.filter(({ epsilon }) => epsilon !== null && epsilon !== "inf") }))
        .filter(({ outcomes }) => outcomes.length);
      const bars = drawn.flatMap(({ outcomes, ...line }) =>
        outcomes.filter(({ noiseless }) => noiseless).map((outcome) => ({ ...line, outcome })));
      const among = drawn.length < lines.length ? `Of the ${drawn.length} curves drawn (of ${lines.length}): ` : "";
      wins.fill(noisy.length && winPicture(noisy, x), among);
      for (const [name, element] of percentiles) element.fill(noisy.length && percentilePicture(noisy, name), among);
      turns.fill(bars.length && turnPicture(bars), among);
    };
    paint();
  }
  const charts = [wins, ...percentiles.map(([, element]) => element), turns];
  return Object.assign(el("div", {}, legend, el("div", { className: "pictures" }, charts)), { fill });
}

/** The budget at which a curve wins a share of its games, by its number among WINS. */
const budgetOf = ({ budgets }, i) => (["below", "inside"].includes(budgets[i]?.place) ? budgets[i].budget : Number.MAX_VALUE);
/** What is written at a curve: its family, if no other curve is of that. */
const nameOf = (curve, curves) => (curves.filter((other) => familyOf(other) === familyOf(curve)).length > 1 ? curve.label : familyOf(curve));

/** The curves of a picture, of whose points `point(outcome)` tells the place. */
const series = (lines, point) => lines.map(({ label, name, look, outcomes }) => ({ label: name, named: true, look, kind: "line",
  mark: outcomes.length <= MOST_MARKS,
  points: outcomes.map((outcome) => ({ ...point(outcome), title: titleOf(label, outcome) })) }));
/** The least value, the first outcome that has it, and the names of all curves that have it. */
function least(lines, of) {
  const all = lines.flatMap(({ name, outcomes }) => outcomes.map((outcome) => ({ name, outcome, value: of(outcome) })));
  const value = Math.min(...all.map((one) => one.value));
  const best = all.filter((one) => one.value === value);
  return { value, outcome: best[0].outcome, names: [...new Set(best.map(({ name }) => name))].join(" and ") };
}

function winPicture(lines, x) {
  const { names, outcome } = least(lines, ({ win_rate: rate }) => -rate);
  return {
    label: `Most games, ${percent(outcome.win_rate)} at ${x === "budget" ? `a budget of ${shown(infinite(outcome.mean_budget), 4)}` : `epsilon ${shown(outcome.epsilon, 6)}`}, are won by ${names}.`,
    x: { label: AXES[x], log: "auto" },
    y: { label: "games won", ...WIN_RATES },
    series: series(lines, ({ epsilon, mean_budget: budget, win_rate: y, win_rate_interval: [low, high] }) =>
      ({ x: x === "budget" ? budget : epsilon, y, low, high })),
    lines: WINS.map((y) => ({ y })),
  };
}

/** What is infinite is on the frame. */
function percentilePicture(lines, name) {
  const drawn = series(lines, (outcome) => {
    const [low, high] = outcome[`${name}_interval`].map(infinite);
    return { x: outcome.epsilon, y: infinite(outcome[name]), low, high, mark: true };
  });
  const finite = drawn.flatMap(({ points }) => points.map(({ y }) => y)).filter(Number.isFinite);
  const lost = drawn.some(({ points }) => points.some(({ y }) => y === Infinity));
  const best = least(lines, (outcome) => infinite(outcome[name]));
  return { label: finite.length ? `The least budget, ${value(best.value)} at epsilon ${shown(best.outcome.epsilon, 6)}, is that of ${best.names}.` : "All of these lose too many games for a score.",
    x: { label: AXES.epsilon, log: "auto" }, y: { label: "budget", range: [0, 1.25 * Math.max(1, ...finite)] }, series: drawn,
    lines: lost ? [{ y: Infinity, label: "∞ (lost)" }] : [] };
}

function turnPicture(bars) {
  const turns = bars.flatMap(({ outcome }) => outcome.turn_shares.map((share) => share.turns)).filter((turn) => turn !== null);
  const first = Math.min(...turns, 6);
  const lost = Math.max(...turns, first) + 2;
  const best = least(bars.map(({ name, outcome }) => ({ name, outcomes: [outcome] })), ({ win_rate: rate }) => -rate);
  return {
    label: `Most games, ${percent(best.outcome.win_rate)}, are won by ${best.names}.`,
    x: { label: "turns", range: [first - 1, lost + 1],
      ticks: [...Array.from({ length: lost - first - 1 }, (_, i) => first + i), [lost, "lost"]] },
    y: { label: "share of games", format: "percent" },
    series: bars.map(({ label, name, look, outcome }) => ({ label: name, named: true, look, kind: "bars",
      points: outcome.turn_shares.map(({ turns: turn, share, interval: [low, high] }) => ({ x: turn ?? lost, name: turn ?? "lost", y: share, low, high,
        title: [label, `${turn === null ? "lost" : `won on turn ${turn}`}: ${percent(share)} ${ends([low, high], percent)}`,
          counted(outcome.trials, "game")].join("\n") })) })),
  };
}

function titleOf(label, outcome) {
  return [label, `epsilon ${shown(outcome.epsilon, 6)}, mean budget ${shown(outcome.mean_budget, 6)}`,
    `won ${percent(outcome.win_rate)} ${ends(outcome.win_rate_interval, percent)}`,
    ...Object.keys(PERCENTILES).map((name) => `${name} ${value(outcome[name])} ${ends(outcome[`${name}_interval`], value)}`),
    counted(outcome.trials, "game")].join("\n");
}

/** A number of the API, where one that is infinite is null or a text. */
export const infinite = (number) => (number === null || number === "inf" ? Infinity : number);
export const value = (budget) => shown(infinite(budget), 5);
const ends = ([low, high], write) => `[${write(low)}, ${write(high)}]`;
