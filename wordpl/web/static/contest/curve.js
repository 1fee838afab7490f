/** Win rate against budget: a picture, and the same as a table. */

import { el, percent, shown } from "../dom.js";
import { draw, pictureTable } from "../plot.js";
import { intervalText } from "./tables.js";

/** Draw the curve of an entry in `picture`, and put its table into `below`. */
export function drawCurve(picture, below, curve, entry, signal) {
  if (curve.points.length === 0) {
    picture.remove();
    below.append(el("p", {}, "There are no games to draw."));
    return;
  }
  const drawn = pictureOf(curve, entry);
  below.append(
    el("p", { className: "note" }, `Of ${curve.trials.toLocaleString("en")} games. The band is the interval of each win rate by`
      + ` itself, wrong with a probability of ${percent(curve.error)}.`
      + (entry.board.contest ? " Crosses are the records that it had to beat." : "")
      + " Dots are its budgets."),
    el("details", {}, el("summary", {}, "As a table"), pictureTable(drawn, "Win rate against budget")));
  draw(picture, drawn, signal);
}

function pictureOf({ points }, { standings }) {
  const records = standings.filter(({ record }) => record !== undefined);
  const said = ({ budget, win_rate: rate, interval }) => `budget ${shown(budget)}: ${percent(rate)} ${intervalText(interval)}`;
  return {
    label: "Win rate against budget, with its interval",
    x: { label: "budget of a game" },
    y: { label: "win rate", range: [0, 1.02], ticks: [0, 0.05, 0.25, 0.5, 0.75, 0.95], format: "percent" },
    lines: standings.map(({ percentile }) => ({ y: percentile / 100 })),
    series: [
      { label: "this entry", look: 0, kind: "step", points: points.map((point) =>
        ({ x: point.budget, y: point.win_rate, low: point.interval[0], high: point.interval[1], title: said(point) })) },
      { label: "its budgets", look: 0, kind: "points", points: standings.filter(({ budget }) => budget !== null).map((one) =>
        ({ x: one.budget, y: one.win_rate, title: `its budget for ${one.percentile}%: ${shown(one.budget)}` })) },
      { label: "records", look: 1, kind: "points", mark: "cross", points: records.map(({ record, percentile }) =>
        ({ x: record, y: percentile / 100, title: `record for ${percentile}%: ${shown(record)}` })) },
    ],
  };
}
