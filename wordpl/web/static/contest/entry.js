/** The page of an entry. */

import { get, sentence } from "../api.js";
import { attempt, bars, count, el, percent, shown, showError } from "../dom.js";
import { every } from "../latest.js";
import { WIN_RATES, draw, pictureTable } from "../plot.js";
import { auditPanel } from "./audit.js";
import { PERCENTILES, author, facts, given, intervalText, tellingTable, when } from "./parts.js";

const POLL_MS = 10_000;
const STATES = { running: "is being scored", finished: "has played to its end", ended: "was not played to its end" };

export async function show(root, state) {
  state.expect({});
  const path = `/api/contest/entries/${encodeURIComponent(state.path[1])}`;
  const entry = await get(path, {}, { signal: state.signal });
  entry.standings = PERCENTILES.map((percentile) => ({ percentile, ...entry[`p${String(percentile).padStart(2, "0")}`] }))
    .filter((standing) => "wins" in standing);
  document.title = `${entry.name} · WORDPL`;
  root.append(...head(entry));
  if (entry.state === "running") {
    root.append(el("p", { className: "note" }, "Nothing of its games is shown before the run is over. This page follows."));
    every(POLL_MS, async () => {
      const newest = await get(path, {}, { signal: state.signal }).catch(() => entry);
      if (newest.state === "running") return false;
      root.replaceChildren();
      await show(root, state);
      return true;
    }, state.signal);
  } else {
    root.append(...results(entry, path, state));
  }
  root.append(...terms(entry), await auditPanel(path, entry, state.signal), await sources(entry, path, state.signal));
}

function head(entry) {
  const by = author(entry);
  return [
    el("h2", { className: "entry-name" }, given(entry.name)),
    el("p", {}, by && ["by ", by, " · "], "entered ", when(entry.entered), ` · ${STATES[entry.state]}`,
      entry.state === "finished" && !entry.ranked && " · not ranked"),
    entry.reason && el("p", { className: "fault" }, given(sentence(entry.reason))),
    facts([
      ["Strategy", entry.strategy && given(entry.strategy)],
      ["Call", entry.call && el("code", {}, given(entry.call))],
      ["Board", given(entry.board.title)],
      ["Trials", entry.trials === undefined ? "" : count(entry.trials)],
      ["Attempt", entry.attempt === 1 ? "" : `${entry.attempt}: an entry before it has the same content, so its error is divided by ${entry.attempt * (entry.attempt + 1)}`],
      ["The contest's own files", entry.contest_files && given(entry.contest_files)],
    ]),
  ].filter(Boolean);
}

function results(entry, path, state) {
  const picture = el("div", { className: "plot" });
  const below = el("div");
  get(`${path}/curve`, {}, { signal: state.signal }).then((curve) => drawCurve(picture, below, curve, entry))
    .catch((error) => { picture.remove(); showError(error, {}, below); });
  return [
    el("section", {}, el("h2", {}, "Standings"), standings(entry)),
    el("section", {}, el("h2", {}, "Win rate against budget"), picture, below),
    el("div", { className: "columns" },
      el("section", {}, el("h2", {}, "Verdicts"), verdicts(entry)),
      el("section", {}, el("h2", {}, "Evidence"), evidence(entry))),
  ];
}

/** Draw the curve of an entry in `picture`, and put its table into `below`. */
function drawCurve(picture, below, curve, entry) {
  if (curve.points.length === 0) {
    picture.remove();
    below.append(el("p", {}, "There are no games to draw."));
    return;
  }
  const data = pictureOf(curve, entry.standings);
  below.append(
    el("p", { className: "note" }, `Of ${count(curve.trials)} games. The band is the interval of each win rate by`
      + ` itself, wrong with a probability of ${percent(curve.error)}.`
      + (entry.board.contest ? " Crosses are the records that it had to beat." : "")
      + " Dots are its budgets."),
    el("details", {}, el("summary", {}, "As a table"), pictureTable(data, "Win rate against budget")));
  draw(picture, data);
}

function pictureOf({ points }, rows) {
  const records = rows.filter(({ record }) => record !== undefined);
  const titleOf = ({ budget, win_rate: rate, interval }) => `budget ${shown(budget)}: ${percent(rate)} ${intervalText(interval)}`;
  return {
    label: "Win rate against budget, with its interval",
    x: { label: "budget of a game" },
    y: { label: "win rate", ...WIN_RATES },
    lines: rows.map(({ percentile }) => ({ y: percentile / 100 })),
    series: [
      { label: "this entry", look: 0, kind: "step", points: points.map((point) =>
        ({ x: point.budget, y: point.win_rate, low: point.interval[0], high: point.interval[1], title: titleOf(point) })) },
      { label: "its budgets", look: 0, kind: "points", points: rows.filter(({ budget }) => budget !== null).map((row) =>
        ({ x: row.budget, y: row.win_rate, title: `its budget for ${row.percentile}%: ${shown(row.budget)}` })) },
      { label: "records", look: 1, kind: "points", mark: "cross", points: records.map(({ record, percentile }) =>
        ({ x: record, y: percentile / 100, title: `record for ${percentile}%: ${shown(record)}` })) },
    ],
  };
}

function standings(entry) {
  if (entry.standings.length === 0) return el("p", {}, "It has no standings.");
  return tellingTable("Standings", [
    ["Percentile", (row) => `${row.percentile}th`],
    ["Rank", (row) => row.rank ?? "–", true],
    ["Budget", (row) => (row.budget === null ? (row.decided ? "none" : "undecided") : shown(row.budget)), true],
    ["Posterior win rate there", (row) => `${percent(row.win_rate)} ${intervalText(row.win_rate_interval)}`, true],
    ["Won there", (row) => `${percent(row.wins / entry.trials)}: ${count(row.wins)} of ${count(entry.trials)}`, true],
    ["Record", (row) => shown(row.record), true, (row) => row.record !== undefined],
    ["Beats it", (row) => (row.clears ? `yes, by ${row.improvement_percent.toFixed(1)}%` : "no"), false,
      (row) => row.clears !== undefined],
    ["Sampled", (row) => shown(row.sampled), true],
    ["Decided", (row) => (row.decided ? "yes" : "no"), false, (row) => !row.decided],
  ], entry.standings);
}

function verdicts(entry) {
  const counts = Object.entries(entry.verdicts).filter(([, n]) => n > 0);
  return el("div", {},
    bars(counts.map(([verdict, n]) => [verdict.toLowerCase(), n, count(n)]), "Games by verdict"),
    entry.reasons.length > 0 && [
      el("h3", {}, "Why trials were lost"),
      el("ul", { className: "remarks" }, entry.reasons.map(({ reason, trials }) => el("li", {}, `${count(trials)}: `, given(reason)))),
    ],
    el("p", {}, el("a", { href: `/api/contest/entries/${entry.id}/log`, download: `${entry.id}.jsonl` },
      "Save the log: every game, move by move")));
}

function evidence(entry) {
  const { flag } = entry;
  if (flag.raised === undefined) return el("p", {}, "There is no evidence, since the run was not finished.");
  return el("div", {},
    el("p", { className: flag.raised && !flag.cleared ? "fault" : "" },
      flag.raised ? ["A flag is raised: ", given(flag.reason)] : "No flag is raised: its moves fit a player who knows only its clues."),
    flag.cleared && el("p", {}, "The organiser has cleared it: ", given(flag.cleared)),
    facts([
      ["E-value of all tests together", shown(flag.e_value)],
      ...Object.entries(flag.e_values).map(([test, value]) => [given(test), shown(value)]),
    ]),
    el("p", { className: "note" }, "An e-value is what a bet against an honest player would have made of 1. A flag is raised"
      + " where that of all tests together reaches 1,000. At most one honest player in 1,000 ever gets there."));
}

function terms(entry) {
  return [
    el("div", { className: "columns" },
      el("section", {}, el("h2", {}, "Limits"), facts([
        ...Object.entries(entry.limits).map(([name, value]) => [name.replaceAll("_", " ").replace("cpu", "CPU").replace("min ", "smallest "), limit(name, value)]),
        ["Sandbox", given(entry.sandbox)],
      ])),
      el("section", {}, el("h2", {}, "Seed"), facts([
        ["Commitment", el("code", {}, entry.commitment)],
        ["Nonce", el("code", {}, given(entry.nonce))],
        ["Secret", el("code", {}, entry.secret ?? "published when the run is over")],
        ["Seed", el("code", {}, entry.seed ?? "published when the run is over")],
        ["Digest of the content", el("code", {}, entry.digest)],
        ["Engine", String(entry.engine)],
      ]))),
  ];
}

function limit(name, value) {
  if (["memory", "scratch"].includes(name)) return `${shown(value / 2 ** 20)} MiB`;
  return name.endsWith("seconds") ? `${shown(value)} s` : shown(value, 12);
}

async function sources(entry, path, signal) {
  if (entry.source.length === 0) {
    return el("section", {}, el("h2", {}, "Source"), el("p", {}, "Its author does not publish the source."));
  }
  const files = entry.source.map(({ name, characters }, number) => {
    const text = el("pre", { className: "source scroll", tabIndex: 0, role: "region", "aria-label": `Source of ${name}` });
    const fault = el("p", { className: "fault", hidden: true });
    const details = el("details", {}, el("summary", {}, given(name), ` (${count(characters)} characters)`), fault,
      el("p", {}, el("a", { href: `${path}/source/${number}`, download: "" }, "Save it")), text);
    details.addEventListener("toggle", () => details.open && !text.textContent && attempt(async () => {
      text.textContent = (await get(`${path}/source`, {}, { signal }))[number].text;
    }, {}, fault));
    return details;
  });
  return el("section", {}, el("h2", {}, "Source"), files);
}
