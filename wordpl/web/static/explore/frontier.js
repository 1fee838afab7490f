/** The frontier: how many games can be won at a budget, on a scale of log odds, on which the curves are nearly straight. */

import { keyOf, many, wholeFrom } from "../address.js";
import { get } from "../api.js";
import { announce, attempt, debounced, el, field, percent, shown } from "../dom.js";
import { checkbox } from "../game_fields.js";
import { latest } from "../latest.js";
import { ODDS, SHAPES, swatchOf } from "../plot.js";
import { figure } from "../save.js";
import { sheet } from "../sheet.js";

const MOST_BUDGET = 110;
const CLUES = 3; // of privacy accounting, beside any number of them
const KINDS = { clues: "ours, best of this many clues", published: "published strategy", record: "our record",
  best: "the smallest of all these strategies", bound: "no strategy can pass",
  two_clues: "no strategy with two clues can pass", privacy: "privacy accounting: cannot be passed either" };
/** The curves that are always drawn, with what is written at them, and the others by their kinds. */
const FIRST = { bound: "the bound", best: "smallest known", MaxClueEntropy: "MaxClueEntropy" };
const MORE = { clues: "each number of clues", published: "published strategies", record: "our record holders",
  two_clues: "the bound with two clues", privacy: "privacy accounting" };
const RATES = { least: 1, most: 99, first: 50 };

export async function show(root, state) {
  const rest = el("p", { className: "fault", hidden: true });
  const picture = figure("The frontier", { className: "tall" });
  const heading = el("h2");
  const budgets = sheet("Budgets at the chosen win rate");
  let frontier = null;
  state.expect({ rate: wholeFrom(RATES.least, RATES.most), more: many(keyOf(MORE), 5) });
  const more = new Set(state.all("more"));
  let rate = state.get("rate", RATES.first);

  const slider = el("input", { type: "range", min: RATES.least, max: RATES.most, value: rate, oninput: () => {
    rate = Number(slider.value);
    tell();
    fill();
  } });
  const rateShown = el("span", { className: "note" });
  const sliding = field("Win rate", slider, rateShown);
  sliding.classList.add("wide");
  const boxes = Object.entries(MORE).map(([kind, label]) => checkbox(label, more.has(kind), ({ target }) => {
    if (target.checked) more.add(kind); else more.delete(kind);
    state.set({ more: [...more] });
    fill();
    if (kind === "privacy") read();
  }));
  root.append(
    el("p", {}, "The budget of a game is the sum of its epsilons. How small can it be if this share of games is to be won?"),
    sliding, rest, picture, el("div", { className: "switches", role: "group", "aria-label": "More curves" }, "More curves:", boxes), heading, budgets,
    el("p", { className: "note" }, "Each curve is the smallest budget at which a family of strategies wins a share of its games, with the contest's"
      + " words: exact, or sampled and interpolated, then with ± half of a 95% interval."
      + " Our record holders spend a little more than their curves, to be sure of their share."));

  const tell = debounced(() => {
    const at = (kind) => written(frontier.curves.find((curve) => curve.kind === kind), rate);
    announce(`${rate}% of games won: smallest budget known ${at("best")}, no strategy below ${at("bound")}.`);
    state.set({ rate: rate === RATES.first ? null : rate });
  }, 400);

  function fill() {
    if (!frontier || state.signal.aborted) return;
    rateShown.textContent = `${rate}%`;
    slider.setAttribute("aria-valuetext", rateShown.textContent);
    heading.textContent = `To win ${rate}% of games`;
    budgets.put(...budgetTable(frontier.curves, rate, more));
    picture.draw(pictureOf(frontier, rate, more));
  }

  const read = latest((signal) => attempt(async () => {
    frontier = await get("/api/frontier", { clues: more.has("privacy") ? CLUES : null }, { signal });
    fill();
  }, {}, rest), state.signal);

  await read();
}

const labelOf = ({ name }) => FIRST[name] ?? name;
const isDrawn = ({ name, kind }, more) => name in FIRST || more.has(kind);
const budgetOf = (curve, rate) => curve.budgets[rate - 1];
/** Its text. A bound is rounded down, and what a strategy needs is rounded up, so that both stay true. */
const written = (curve, rate) => shown(budgetOf(curve, rate), 4, /bound|two_clues|privacy/.test(curve.kind) ? "floor" : "ceil")
  + (curve.errors?.[rate - 1] ? ` ± ${shown(curve.errors[rate - 1], 2)}` : "");

/** The measured curve that is the smallest at a win rate. */
const holderOf = (curves, rate) => curves.filter((curve) => ["clues", "published", "record"].includes(curve.kind) && budgetOf(curve, rate) !== null)
  .reduce((one, other) => (budgetOf(other, rate) <= budgetOf(one, rate) ? other : one));

function budgetTable(curves, rate, more) {
  const bound = budgetOf(curves.find(({ kind }) => kind === "bound"), rate);
  const measured = curves.filter((curve) => budgetOf(curve, rate) !== null).toSorted((a, b) => budgetOf(a, rate) - budgetOf(b, rate));
  return [[{ name: "curve", of: labelOf, show: (curve) => el("span", {}, isDrawn(curve, more) && swatchOf(drawn(curve, curves.indexOf(curve))), labelOf(curve)) },
    { name: "budget", of: (curve) => budgetOf(curve, rate), show: (curve) => written(curve, rate) },
    { name: "times the bound", of: (curve) => budgetOf(curve, rate) / bound, write: (times) => times.toFixed(2) },
    { name: "what it is", of: ({ kind }) => KINDS[kind] }], measured];
}

/** How a curve is drawn; those of many have a shape, too, on some of their points. */
function drawn({ name, kind }, index) {
  const own = { name: `series-${2 + (index % 5)}`, mark: Object.keys(SHAPES)[index % 6] }; // not the accent's blue
  return { label: labelOf({ name }), named: true, kind: kind === "two_clues" ? "points" : "line", mark: !["best", "bound", "privacy"].includes(kind), look: {
    clues: own, published: { ...own, dash: "dash" }, record: { ...own, dash: "dot", width: 5 }, best: { name: "accent", width: 5 },
    bound: { name: "text", width: 3 }, two_clues: { name: "text", mark: "square" }, privacy: { name: "soft", dash: index % 2 ? "dot" : "dashdot", width: 3 },
  }[kind] };
}

function pictureOf({ win_rates: rates, curves, records }, chosen, more) {
  const holder = holderOf(curves, chosen);
  const [bound, best] = ["bound", "best"].map((name) => curves.find((curve) => curve.name === name));
  const impossible = { label: "impossible", look: { name: "soft" }, kind: "band",
    points: [...[0, bound.budgets[0]].map((x) => ({ x, low: null, high: null })),
      ...bound.budgets.map((x, i) => ({ x, low: rates[i], high: null }))] };
  const said = (name, rate, budget) => `${name}: ${percent(rate)} at ${budget}`;
  return {
    label: `No strategy can pass the bound: to win ${chosen}% of games takes at least ${written(bound, chosen)}.`
      + ` The smallest budget known is ${written(best, chosen)}${best.errors?.[chosen - 1] ? " (interpolated)" : ""}, with ${holder.name} (${KINDS[holder.kind]}).`,
    x: { label: "budget", range: [0, MOST_BUDGET] },
    y: { label: "games won", ...ODDS },
    lines: [{ y: chosen / 100, label: `${chosen}%`, look: { name: "wrong" } }],
    series: [impossible, ...curves.flatMap((curve, i) => (!isDrawn(curve, more) ? [] : { ...drawn(curve, i), points: curve.budgets.map((x, j) =>
      ({ x, y: x === null ? null : rates[j], mark: curve.kind !== "two_clues" && (j + 2 * i) % 12 ? false : undefined, title: said(labelOf(curve), rates[j], written(curve, j + 1)) })) })),
    ...[true, false].map((ours) => ({ label: ours ? "our records" : "published records", named: true, kind: "points",
      look: { name: ours ? "accent" : "wrong", mark: ours ? "diamond" : "cross" },
      points: records.filter((record) => record.ours === ours).map((one) =>
        ({ x: one.budget, y: one.win_rate, title: said(one.name, one.win_rate, shown(one.budget)) })) }))],
  };
}
