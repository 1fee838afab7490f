/**
 * The frontier: how many games can be won at a budget, on a scale of log odds, on which the curves are nearly straight.
 * A win rate is chosen with a slider, or by dragging in the picture; a table has the budgets at it.
 */

import { wholeFrom } from "../address.js";
import { get } from "../api.js";
import { announce, attempt, debounced, el, field, percent, shown, table } from "../dom.js";
import { select, upTo } from "../game_fields.js";
import { draw, legendEntry } from "../plot.js";

const MOST_BUDGET = 110;
const MOST_CLUES = 10;
const TICKS = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99];
const KINDS = { clues: "ours, best of this many clues", published: "published strategy", record: "our record",
  best: "smallest known", bound: "no strategy can pass",
  two_clues: "no strategy with two clues can pass", privacy: "privacy accounting: cannot be passed either" };
const RATES = { least: 1, most: 99, first: 50 };
const logOdds = (rate) => Math.log(rate / (1 - rate));
const RANGE = [logOdds(0.008), logOdds(0.992)];

export async function show(root, state) {
  const { signal } = state;
  const rest = el("p", { className: "fault", hidden: true });
  const plot = el("div", { className: "plot tall drag" });
  const legend = el("ul", { className: "legend", "aria-label": "Curves" });
  const heading = el("h2");
  const region = table([], [], { caption: "Budgets at the chosen win rate" });
  let frontier = null;
  state.expect({ rate: wholeFrom(RATES.least, RATES.most), clues: wholeFrom(1, MOST_CLUES) });
  let rate = state.get("rate", RATES.first);
  let clues = state.get("clues", 3);

  const slider = el("input", { type: "range", min: RATES.least, max: RATES.most, oninput: () => choose(Number(slider.value)) });
  const sliding = field("Win rate", slider);
  sliding.classList.add("wide");
  const counter = select("Clues whose privacy is accounted for", upTo(MOST_CLUES), clues, (count) => {
    clues = Number(count);
    state.set({ clues: clues === 3 ? null : clues });
    read();
  });
  root.append(
    el("p", {}, "The budget is all the epsilon that a game spends. Every curve is the smallest budget at which a family of"
      + " strategies wins a share of its games, with the contest's words. Left of the bound, no strategy can be."),
    el("div", { className: "row" }, sliding, counter),
    rest, plot, legend, heading, region);

  const tell = debounced(() => {
    const at = (kind) => written(frontier.curves.find((curve) => curve.kind === kind), rate);
    announce(`${rate}% of games won: smallest budget known ${at("best")}, no strategy below ${at("bound")}.`);
    state.set({ rate: rate === RATES.first ? null : rate });
  }, 400);

  let asked = 0;
  function choose(wanted) {
    rate = Math.min(RATES.most, Math.max(RATES.least, wanted));
    tell();
    // One drawing a frame, however fast the mouse is.
    cancelAnimationFrame(asked);
    asked = requestAnimationFrame(fill);
  }

  function fill() {
    if (!frontier || signal.aborted) return;
    slider.value = rate;
    slider.setAttribute("aria-valuetext", `${rate}%`);
    heading.textContent = `To win ${rate}% of games`;
    region.replaceChildren(...budgetTable(frontier.curves, rate).childNodes);
    draw(plot, pictureOf(frontier, rate));
  }

  const read = () => attempt(async () => {
    frontier = await get("/api/frontier", { clues }, { signal });
    legend.replaceChildren(...frontier.curves.map((curve, i) => legendEntry(drawn(curve, i))));
    fill();
  }, {}, rest);

  dragging(plot, (share) => choose(Math.round(100 / (1 + Math.exp(-(RANGE[0] + share * (RANGE[1] - RANGE[0])))))));
  await read();
}

/** Call `onmove` with the height in the picture, 0 to 1, of a pressed mouse or pen, or of a finger's tap. */
function dragging(plot, onmove) {
  const move = ({ buttons, clientY }) => {
    const area = plot.querySelector(".area")?.getBoundingClientRect();
    if (area && buttons === 1) onmove(Math.min(1, Math.max(0, (area.bottom - clientY) / area.height)));
  };
  plot.addEventListener("pointerdown", (event) => {
    if (event.pointerType !== "touch") plot.setPointerCapture(event.pointerId); // a finger that moves scrolls the page
    move(event);
  });
  plot.addEventListener("pointermove", (event) => { if (plot.hasPointerCapture(event.pointerId)) move(event); });
}

const budgetOf = (curve, rate) => curve.budgets[rate - 1];
/** Its text. A bound is rounded down; to the nearest, it would forbid budgets that it does not forbid. */
const written = (curve, rate) =>
  shown(budgetOf(curve, rate), 4, /bound|two_clues|privacy/.test(curve.kind) ? "floor" : undefined);

function budgetTable(curves, rate) {
  const bound = budgetOf(curves.find(({ kind }) => kind === "bound"), rate);
  const measured = curves.filter((curve) => budgetOf(curve, rate) !== null);
  measured.sort((a, b) => budgetOf(a, rate) - budgetOf(b, rate));
  const rows = measured.map((curve) => [curve.name, written(curve, rate),
    (budgetOf(curve, rate) / bound).toFixed(2), KINDS[curve.kind]]);
  return table(["curve", "budget", "times the bound", "what it is"], rows,
    { caption: "Budgets at the chosen win rate", numbers: ["budget", "times the bound"] });
}

/** How a curve is drawn, in the picture and in its legend. */
function drawn({ name: label, kind }, index) {
  const name = `series-${1 + (index % 6)}`;
  return { label, kind: kind === "two_clues" ? "points" : "line", look: {
    clues: { name }, published: { name, dash: "dash" }, record: { name, dash: "dot", width: 5 }, best: { name: "accent", width: 5 },
    bound: { name: "text", width: 5 }, two_clues: { name: "text", mark: "square" }, privacy: { name: "soft", dash: index % 2 ? "dot" : "dashdot", width: 3 },
  }[kind] };
}

function pictureOf({ win_rates: rates, curves, records }, chosen) {
  const bound = curves.find(({ kind }) => kind === "bound");
  const impossible = { label: "no strategy", look: { name: "soft" }, kind: "band",
    points: [...[0, bound.budgets[0]].map((x) => ({ x, low: null, high: null })),
      ...bound.budgets.map((x, i) => ({ x, low: logOdds(rates[i]), high: null }))] };
  const said = (name, rate, budget) => `${name}: ${percent(rate)} at ${budget}`;
  return {
    label: "Games won against budget, a curve for each family; the table below has the budgets at the chosen win rate",
    x: { label: "budget", range: [0, MOST_BUDGET] },
    y: { label: "games won", range: RANGE, ticks: TICKS.map((tick) => [logOdds(tick), percent(tick)]) },
    lines: [{ y: logOdds(chosen / 100), label: `${chosen}%`, look: { name: "wrong" } }],
    series: [impossible, ...curves.map((curve, i) => ({ ...drawn(curve, i), points: curve.budgets.map((x, j) =>
      ({ x, y: x === null ? null : logOdds(rates[j]), title: said(curve.name, rates[j], written(curve, j + 1)) })) })),
    ...[true, false].map((ours) => ({ label: ours ? "our records" : "published records", kind: "points",
      look: { name: ours ? "accent" : "wrong", mark: ours ? "diamond" : "ring" },
      points: records.filter((record) => record.ours === ours).map((one) =>
        ({ x: one.budget, y: logOdds(one.win_rate), title: said(one.name, one.win_rate, shown(one.budget)) })) }))],
  };
}
