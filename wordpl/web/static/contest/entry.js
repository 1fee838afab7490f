/** The page of an entry. */

import { get, pause, post, sentence } from "../api.js";
import { announce, attempt, bars, count, el, percent, shown } from "../dom.js";
import { every } from "../latest.js";
import { WIN_RATES } from "../plot.js";
import { figure } from "../save.js";
import { sheet } from "../sheet.js";
import { PERCENTILES, RATE_THERE, author, facts, folded, given, when } from "./parts.js";

const POLL_MS = 10_000;
const AUDIT_POLL_MS = 1000;
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
  root.append(seed(entry), await auditPanel(path, entry, state.signal), await sources(entry, path, state.signal));
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
      ["Sandbox", given(entry.sandbox)],
      ["Trials", entry.trials === undefined ? "" : count(entry.trials)],
      ["Attempt", entry.attempt === 1 ? "" : `${entry.attempt}: an entry before it has the same content, so its error is divided by ${entry.attempt * (entry.attempt + 1)}`],
      ["The contest's own files", entry.contest_files && given(entry.contest_files)],
    ]),
  ].filter(Boolean);
}

function results(entry, path, state) {
  const chart = el("section", {}, el("h2", {}, "Win rate against budget"));
  const fault = el("p", { className: "fault", hidden: true });
  attempt(async () => chart.append(...curve(await get(`${path}/curve`, {}, { signal: state.signal }), entry)), {}, fault);
  return [
    el("section", {}, el("h2", {}, "Standings"), standings(entry)), chart, fault,
    el("div", { className: "columns" },
      el("section", {}, el("h2", {}, "Verdicts"), verdicts(entry)),
      el("section", {}, el("h2", {}, "Evidence"), evidence(entry))),
  ];
}

function curve(found, entry) {
  if (found.points.length === 0) return [el("p", {}, "There are no games to draw.")];
  const picture = figure("Win rate against budget");
  picture.draw(pictureOf(found, entry.standings));
  return [picture,
    el("p", { className: "note" }, `Of ${count(found.trials)} games. The band is the interval of each win rate by`
      + ` itself, wrong with a probability of ${percent(found.error)}.`)];
}

function pictureOf({ points }, rows) {
  const records = rows.filter(({ record }) => record !== undefined);
  const titleOf = ({ budget, win_rate: rate, interval: [low, high] }) =>
    `budget ${shown(budget)}: ${percent(rate)} [${percent(low)}, ${percent(high)}]`;
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

const STANDINGS = [
  { name: "percentile", of: ({ percentile }) => percentile, write: (at) => `${at}th` },
  { name: "rank", of: ({ rank }) => rank },
  { name: "budget", of: ({ budget }) => budget, show: ({ budget, decided }) => (budget === null && !decided ? "undecided" : shown(budget)) },
  RATE_THERE,
  { name: "games won within it", of: ({ wins }) => wins, show: ({ wins, trials }) => `${percent(wins / trials)}: ${count(wins)} of ${count(trials)}` },
  { name: "listed record", of: ({ record }) => record },
  { name: "beats it", of: ({ clears }) => clears === undefined ? "" : clears ? "yes" : "no" },
];

function standings({ standings: rows, trials }) {
  if (rows.length === 0) return el("p", {}, "It has no standings.");
  const table = sheet("Standings");
  table.put(STANDINGS, rows.map((row) => ({ ...row, trials })));
  return [table, el("p", { className: "note" }, "The budget is the smallest epsilon of a whole game with which the entry surely wins that"
    + " share of games. In the posterior win rate a game counts with the probability that its word was right: the same on average,"
    + " and less left to chance than the games won.")];
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

function seed(entry) {
  const later = "published when the run is over";
  return folded("Seed and digests", [
    ["Commitment", el("code", {}, entry.commitment)],
    ["Nonce", el("code", {}, given(entry.nonce))],
    ["Secret", el("code", {}, entry.secret ?? later)],
    ["Seed", el("code", {}, entry.seed ?? later)],
    ["Digest of the content", el("code", {}, entry.digest)],
    ["Engine", String(entry.engine)],
  ]);
}

/** The panel, with the result of the last audit if there is one. */
async function auditPanel(path, entry, signal) {
  const findings = el("div");
  const fault = el("p", { className: "fault", hidden: true });
  const button = el("button", { type: "button", onclick: () => follow(() => post(`${path}/audit`)) }, "Audit now");
  const draw = (audit) => {
    button.disabled = audit.running || Boolean(audit.result?.current);
    button.textContent = audit.result ? "Audit again" : "Audit now";
    findings.replaceChildren(...report(audit).filter(Boolean));
  };
  const follow = async (work) => {
    if (!await attempt(async () => {
      let audit = await work();
      draw(audit);
      while (audit.running) {
        await pause(AUDIT_POLL_MS, signal);
        audit = await get(`${path}/audit`, {}, { signal });
        draw(audit);
        if (!audit.running) announce(verdict(audit.result));
      }
    }, {}, fault)) button.disabled = false;
  };
  follow(() => get(`${path}/audit`, {}, { signal }));
  return el("section", {}, el("h2", {}, "Audit"),
    el("p", {}, entry.state === "running"
      ? "While it runs, only its terms can be checked."
      : "An audit works out every clue, verdict and chance again from the seed. The same at home, with an earlier copy of"
        + " the ledger: "),
    entry.state !== "running" && el("p", {}, el("code", {}, `wordpl contest audit ${entry.id} --against COPY`)),
    findings, fault, button);
}

const verdict = ({ ledger, entry }) => (ledger.length + entry.length === 0 ? "All fits." : "Something does not fit.");

function report({ running, trials, of, result }) {
  if (running && trials === 0) return [el("p", {}, "The audit has begun, or waits for another one.")];
  if (running) {
    return [el("p", {}, `Replayed ${count(trials)} of ${count(of)} games.`),
      el("progress", { value: trials, max: of, "aria-label": "Games replayed" })];
  }
  if (!result) return [];
  const faults = [...result.entry, ...result.ledger];
  return [
    el("p", { className: faults.length ? "fault" : "right" },
      faults.length ? `${verdict(result)} ${result.entry.length ? "In this entry:" : "In the ledger:"}`
        : `${verdict(result)}${result.only_terms ? " Only its terms were checked, since the run was not over." : ""}`),
    faults.length > 0 && el("ul", { className: "remarks" }, faults.map((line) => el("li", {}, given(line)))),
    el("p", { className: "note" }, "Audited ", when(result.at), result.current ? "; the leaderboard is the same since." : "; the leaderboard has changed since."),
  ];
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
