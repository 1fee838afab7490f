/** Curves of results: percentiles and win rates with bands of 95%, and turns without noise. */

import { counted, el, percent, shown } from "../dom.js";
import { WIN_RATES, legendEntry } from "../plot.js";
import { figure } from "../save.js";

const PERCENTILES = { p05: "5th percentile score", p50: "Median score", p95: "95th percentile score" };
const MOST_MARKS = 15; // of a curve; more would hide it
export const WINS = [0.05, 0.5, 0.95];
export const AXES = { epsilon: "epsilon of an ask", budget: "budget of a game" };

/** The pictures of a tab, with `fill(curves, x)`, which draws them; what has nothing to show is hidden. */
export function pictures() {
  const legend = el("ul", { className: "legend", "aria-label": "Curves" });
  const chart = (name) => {
    const picture = figure(name, { legend: false });
    const element = el("section", { hidden: true }, el("h2", {}, name), picture);
    return Object.assign(element, { fill(content) {
      element.hidden = !content;
      if (content) picture.draw({ label: shownBy(content), ...content });
    } });
  };
  const [wins, turns] = ["Win rate", "Turns at epsilon = ∞"].map(chart);
  const percentiles = Object.entries(PERCENTILES).map(([name, text]) => [name, chart(text)]);

  function fill(curves, x) {
    const lines = curves.map((curve, look) => ({ ...curve, look }));
    legend.replaceChildren(...lines.map(({ label, look }) => legendEntry({ label, look, mark: true })));
    const noisy = lines.map((line) => ({ ...line, outcomes: line.outcomes.filter(({ epsilon }) => epsilon !== null && epsilon !== "inf") }))
      .filter(({ outcomes }) => outcomes.length);
    const bars = lines.flatMap(({ outcomes, ...line }) =>
      outcomes.filter(({ noiseless }) => noiseless).map((outcome) => ({ ...line, outcome })));
    wins.fill(noisy.length && winPicture(noisy, x));
    for (const [name, element] of percentiles) element.fill(noisy.length && percentilePicture(noisy, name));
    turns.fill(bars.length && turnPicture(bars));
  }
  const charts = [wins, ...percentiles.map(([, element]) => element), turns];
  return Object.assign(el("div", {}, legend, el("div", { className: "pictures" }, charts)), { fill });
}

/** What a picture shows: of how many curves, and from where to where they go. */
function shownBy({ y, series }) {
  const values = series.flatMap(({ points }) => points.map((point) => point.y)).filter(Number.isFinite);
  const [least, most] = [Math.min(...values), Math.max(...values)].map(y.format === "percent" ? (value) => percent(value) : value);
  return `${counted(series.length, "curve")}: ${y.label} ${values.length ? `from ${least} to ${most}` : "infinite everywhere"}.`;
}

/** The curves of a picture, of whose points `point(outcome)` tells the place. */
const series = (lines, point) => lines.map(({ label, look, outcomes }) => ({ label, look, kind: "line",
  mark: outcomes.length <= MOST_MARKS,
  points: outcomes.map((outcome) => ({ ...point(outcome), title: titleOf(label, outcome) })) }));

const winPicture = (lines, x) => ({
  x: { label: AXES[x], log: "auto" },
  y: { label: "games won", ...WIN_RATES },
  series: series(lines, ({ epsilon, mean_budget: budget, win_rate: y, win_rate_interval: [low, high] }) =>
    ({ x: x === "budget" ? budget : epsilon, y, low, high })),
  lines: WINS.map((y) => ({ y })),
});

/** What is infinite is on the frame. */
function percentilePicture(lines, name) {
  const drawn = series(lines, (outcome) => {
    const [low, high] = outcome[`${name}_interval`].map(infinite);
    return { x: outcome.epsilon, y: infinite(outcome[name]), low, high, mark: true };
  });
  const finite = drawn.flatMap(({ points }) => points.map(({ y }) => y)).filter(Number.isFinite);
  const lost = drawn.some(({ points }) => points.some(({ y }) => y === Infinity));
  return { x: { label: AXES.epsilon, log: "auto" }, y: { label: "budget", range: [0, 1.25 * Math.max(1, ...finite)] }, series: drawn,
    lines: lost ? [{ y: Infinity, label: "∞ (lost)" }] : [] };
}

function turnPicture(bars) {
  const turns = bars.flatMap(({ outcome }) => outcome.turn_shares.map((share) => share.turns)).filter((turn) => turn !== null);
  const [first, last] = [Math.min(...turns, 6), Math.max(...turns, 1)];
  const lost = last + 2;
  return {
    x: { label: "turns", range: [first - 1, lost + 1],
      ticks: [...Array.from({ length: last - first + 1 }, (_, i) => first + i), [lost, "lost"]] },
    y: { label: "share of games", format: "percent" },
    series: bars.map(({ label, look, outcome }) => ({ label, look, kind: "bars",
      points: outcome.turn_shares.map(({ turns: turn, share, interval: [low, high] }) => ({ x: turn ?? lost, name: turn ?? "lost", y: share, low, high,
        title: [label, `${turn === null ? "lost" : `won on turn ${turn}`}: ${percent(share)} ${ends([low, high], percent)}`,
          `${shown(outcome.trials, 12)} games`].join("\n") })) })),
  };
}

function titleOf(label, outcome) {
  return [label, `epsilon ${shown(outcome.epsilon, 6)}, mean budget ${shown(outcome.mean_budget, 6)}`,
    `won ${percent(outcome.win_rate)} ${ends(outcome.win_rate_interval, percent)}`,
    ...Object.keys(PERCENTILES).map((name) => `${name} ${value(outcome[name])} ${ends(outcome[`${name}_interval`], value)}`),
    `${shown(outcome.trials, 12)} games`].join("\n");
}

/** A number of the API, where one that is infinite is null or a text. */
export const infinite = (number) => (number === null || number === "inf" ? Infinity : number);
export const value = (budget) => shown(infinite(budget), 5);
const ends = ([low, high], write) => `[${write(low)}, ${write(high)}]`;
