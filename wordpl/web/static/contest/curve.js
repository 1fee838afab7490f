/** Win rate against budget: a picture, and the same as a table. */

import { el, percent, shown, table } from "../dom.js";
import { colour, draw, faint } from "../plotly.js";
import { intervalText } from "./tables.js";

/** Draw the curve of an entry in `picture`, and put its table into `below`. */
export async function drawCurve(picture, below, curve, entry, signal) {
  if (curve.points.length === 0) {
    picture.remove();
    below.append(el("p", {}, "There are no games to draw."));
    return;
  }
  below.append(
    el("p", { className: "note" }, `Of ${curve.trials.toLocaleString("en")} games. The band is the interval of each win rate by`
      + ` itself, wrong with a probability of ${percent(curve.error)}.`
      + (entry.board.contest ? " Crosses are the records that it had to beat." : "")
      + " Dots are its budgets."),
    el("details", {}, el("summary", {}, "As a table"), table(["Budget", "Win rate", "Interval"],
      curve.points.map((point) => [shown(point.budget), percent(point.win_rate), intervalText(point.interval)]),
      { caption: "Win rate against budget", numbers: ["Budget", "Win rate", "Interval"] })));
  await draw(picture, () => traces(curve, entry), () => layout(curve, entry), signal);
}

function traces(curve, entry) {
  const { points } = curve;
  const x = points.map(({ budget }) => budget);
  const edge = { x, type: "scatter", mode: "lines", line: { shape: "hv", width: 0 }, hoverinfo: "skip" };
  const standings = entry.standings.filter(({ budget }) => budget !== null);
  const records = entry.standings.filter(({ record }) => record !== undefined);
  return [
    { ...edge, y: points.map(({ interval }) => interval[0]) },
    { ...edge, y: points.map(({ interval }) => interval[1]), fill: "tonexty", fillcolor: faint(colour("series-1"), 0.2) },
    { x, y: points.map((point) => point.win_rate), type: "scatter", mode: "lines",
      line: { shape: "hv", color: colour("series-1"), width: 2 }, text: points.map(({ interval }) => intervalText(interval)),
      hovertemplate: "budget %{x:.4g}: %{y:.2%} %{text}<extra></extra>" },
    { x: standings.map(({ budget }) => budget), y: standings.map((one) => one.win_rate), type: "scatter", mode: "markers",
      marker: { color: colour("series-1"), size: 9 }, text: standings.map(({ percentile }) => `${percentile}%`),
      hovertemplate: "its budget for %{text}: %{x:.4g}<extra></extra>" },
    { x: records.map(({ record }) => record), y: records.map(({ percentile }) => percentile / 100), type: "scatter",
      mode: "markers", marker: { color: colour("series-2"), size: 10, symbol: "x" },
      text: records.map(({ percentile }) => `${percentile}%`), hovertemplate: "record for %{text}: %{x:.4g}<extra></extra>" },
  ];
}

function layout(curve, entry) {
  const line = (y) => ({ type: "line", xref: "paper", x0: 0, x1: 1, y0: y, y1: y, line: { color: colour("strong-line"), width: 1, dash: "dot" } });
  return {
    xaxis: { title: { text: "budget of a game" }, rangemode: "tozero" },
    yaxis: { title: { text: "win rate" }, range: [0, 1.02], tickformat: ".0%", tickvals: [0.05, 0.25, 0.5, 0.75, 0.95] },
    shapes: entry.standings.map(({ percentile }) => line(percentile / 100)),
  };
}
