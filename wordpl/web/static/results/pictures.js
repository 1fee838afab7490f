/** Curves of results: percentiles and win rates with bands of 95%, and turns without noise. */

import { el, percent, shown } from "../dom.js";
import { SERIES, colour, draw, faint, legendEntry, plain, seriesColour, seriesDash, seriesName } from "../plotly.js";

/** As many curves as colours and dashes tell apart. */
export const MOST_CURVES = 4 * SERIES;
const PERCENTILES = { p05: "5th percentile of the score", p50: "Median of the score", p95: "95th percentile of the score" };
const AXES = { epsilon: "epsilon of an ask", budget: "budget of a game" };
const WRAP = 48;

/** The pictures of a tab: `element`, and `fill(results, x)`, which draws them. */
export function pictures(signal) {
  const legend = el("ul", { className: "legend", "aria-label": "Curves" });
  const rest = el("p", { className: "note", hidden: true });
  const charts = new Map(["wins", ...Object.keys(PERCENTILES), "turns"].map((name) => [name, chart(signal)]));
  const element = el("div", {}, legend, rest, el("div", { className: "columns" },
    [...charts.values()].map(({ element: figure }) => figure)));

  async function fill({ curves, outcomes }, x) {
    const lines = curves.slice(0, MOST_CURVES).map(({ label }, index) => {
      const own = outcomes.filter((outcome) => outcome.curve === index);
      return { label, index, noiseless: own.filter((outcome) => outcome.noiseless),
        noisy: own.filter(({ epsilon }) => epsilon !== null && epsilon !== "inf") };
    });
    legend.replaceChildren(...lines.map(({ label, index }) => legendEntry(label, seriesName(index), seriesDash(index))));
    rest.hidden = curves.length <= MOST_CURVES;
    rest.textContent = `The first ${MOST_CURVES} of ${curves.length} curves are drawn; narrow the filter to see others.`;
    const noisy = lines.filter((line) => line.noisy.length);
    const noiseless = lines.filter((line) => line.noiseless.length);
    await Promise.all([
      charts.get("wins").fill("Win rate", noisy.length && winPicture(noisy, x)),
      ...Object.entries(PERCENTILES).map(([name, text]) =>
        charts.get(name).fill(text, noisy.length && percentilePicture(noisy, name))),
      charts.get("turns").fill("Turns at epsilon = ∞", noiseless.length && turnPicture(noiseless)),
    ]);
  }
  return { element, fill };
}

function chart(signal) {
  const heading = el("h2");
  const plot = el("div", { className: "plot", role: "img" });
  const element = el("section", { hidden: true }, heading, plot);
  async function fill(text, picture) {
    element.hidden = !picture;
    if (!picture) return;
    heading.textContent = text;
    plot.setAttribute("aria-label", `${text}; the numbers are in the tables below`);
    await draw(plot, picture.traces, picture.layout, signal);
  }
  return { element, fill };
}

/** Whether positive values span two decades, so that a linear axis would show only the largest. */
const spansDecades = (values) => Math.min(...values) > 0 && Math.max(...values) >= 100 * Math.min(...values);

const xAxis = (values, text) =>
  ({ title: { text }, ...(spansDecades(values) ? { type: "log" } : { rangemode: "tozero" }) });

function winPicture(lines, x) {
  const at = (outcome) => (x === "budget" ? outcome.mean_budget : outcome.epsilon);
  const values = lines.flatMap(({ noisy }) => noisy.map(at));
  const traces = () => lines.flatMap((line) => curveTraces(line, line.noisy.map((outcome) =>
    ({ x: at(outcome), y: outcome.win_rate, ends: outcome.win_rate_interval, outcome }))));
  const layout = () => ({
    xaxis: xAxis(values, AXES[x]),
    yaxis: { title: { text: "games won" }, range: [0, 1.02], tickvals: [0, 0.05, 0.25, 0.5, 0.75, 0.95], tickformat: ".0%" },
    shapes: [0.05, 0.5, 0.95].map(line),
  });
  return { traces, layout };
}

function percentilePicture(lines, name) {
  const all = lines.flatMap(({ noisy }) => noisy);
  const finite = all.map((outcome) => outcome[name]).filter((value) => value !== null);
  const top = 1.25 * Math.max(1, ...finite);
  // What is infinite is drawn on a line at the top.
  const traces = () => lines.flatMap((line) => {
    const points = line.noisy.map((outcome) => ({ x: outcome.epsilon, y: outcome[name], outcome,
      ends: outcome[`${name}_interval`].map((end) => Math.min(end ?? top, top)) }));
    const lost = points.filter(({ y }) => y === null).map((point) => ({ ...point, y: top }));
    return [...curveTraces(line, points.filter(({ y }) => y !== null)), lostTrace(line, lost)];
  });
  const layout = () => ({
    xaxis: xAxis(all.map(({ epsilon }) => epsilon), AXES.epsilon),
    yaxis: { title: { text: "budget" }, range: [0, 1.08 * top] },
    ...(finite.length < all.length && { shapes: [line(top)], annotations: [note(top, "∞ (lost)")] }),
  });
  return { traces, layout };
}

const line = (y) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { color: colour("soft"), width: 1, dash: "dot" } });
const note = (y, text) => ({ text, xref: "paper", x: 1, y, xanchor: "right", yanchor: "bottom", showarrow: false, font: { color: colour("soft") } });

/** A curve and its band; a single point has a bar instead. */
function curveTraces(curve, points) {
  const paint = seriesColour(curve.index);
  const x = points.map((point) => point.x);
  const [low, high] = [0, 1].map((end) => points.map((point) => point.ends[end]));
  const bars = points.length === 1 && { error_y: { array: [high[0] - points[0].y], arrayminus: [points[0].y - low[0]], color: paint } };
  const band = { x: [...x, ...x.toReversed()], y: [...high, ...low.toReversed()], type: "scatter", mode: "lines",
    fill: "toself", fillcolor: faint(paint, 0.16), line: { width: 0 }, hoverinfo: "skip" };
  const drawn = { x, y: points.map((point) => point.y), type: "scatter", mode: "lines+markers", ...bars,
    line: { color: paint, dash: seriesDash(curve.index) }, marker: { color: paint, size: 7 },
    text: points.map(({ outcome }) => told(curve, outcome)), hoverinfo: "text" };
  return points.length > 1 ? [band, drawn] : [drawn];
}

function lostTrace(curve, points) {
  return { x: points.map((point) => point.x), y: points.map((point) => point.y), type: "scatter", mode: "markers",
    marker: { symbol: "x", size: 8, color: seriesColour(curve.index) }, hoverinfo: "text",
    text: points.map(({ outcome }) => told(curve, outcome)) };
}

function turnPicture(lines) {
  const bars = lines.flatMap((one) => one.noiseless.map((outcome) => ({ one, outcome })));
  const last = Math.max(...bars.flatMap(({ outcome }) => outcome.turn_shares.map(({ turns }) => turns ?? 0)));
  const place = ({ turns }) => turns ?? last + 2;
  const first = Math.min(...bars.flatMap(({ outcome }) => outcome.turn_shares.map(place)));
  const at = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i);
  const traces = () => bars.map(({ one, outcome: { turn_shares: turns, trials } }) => ({
    type: "bar", x: turns.map(place), y: turns.map(({ share }) => share), marker: { color: seriesColour(one.index) },
    error_y: { array: turns.map(({ share, interval }) => interval[1] - share), thickness: 1, color: colour("soft"),
      arrayminus: turns.map(({ share, interval }) => share - interval[0]) },
    text: turns.map(({ turns: turn, share, interval }) => [...wrapped(one.label),
      `${turn === null ? "lost" : `won on turn ${turn}`}: ${percent(share)} ${ends(interval, percent)}`,
      `${shown(trials, 12)} games`].map(plain).join("<br>")),
    textposition: "none", hoverinfo: "text",
  }));
  const layout = { barmode: "group", yaxis: { title: { text: "share of games" }, tickformat: ".0%", rangemode: "tozero" },
    xaxis: { title: { text: "turns" }, tickvals: [...at, last + 2], ticktext: [...at.map(String), "lost"] } };
  return { traces, layout };
}

/** What hovering over a point shows. */
function told(curve, outcome) {
  const lines = [...wrapped(curve.label), `epsilon ${shown(outcome.epsilon, 6)}, mean budget ${shown(outcome.mean_budget, 6)}`,
    `won ${percent(outcome.win_rate)} ${ends(outcome.win_rate_interval, percent)}`,
    ...Object.keys(PERCENTILES).map((name) => `${name} ${value(outcome[name])} ${ends(outcome[`${name}_interval`], value)}`),
    `${shown(outcome.trials, 12)} games`];
  return lines.map(plain).join("<br>");
}

/** A budget; one that no game reaches is null. */
export const value = (budget) => shown(budget ?? Infinity, 5);
export const ends = ([low, high], write) => `[${write(low)}, ${write(high)}]`;

function wrapped(text) {
  return text.match(new RegExp(`.{1,${WRAP}}`, "gsu")) ?? [""];
}
