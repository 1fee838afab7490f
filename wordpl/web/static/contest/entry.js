/** The page of an entry. */

import { get, sentence } from "../api.js";
import { bar, el, percent, shown, showError } from "../dom.js";
import { every } from "../latest.js";
import { auditPanel } from "./audit.js";
import { drawCurve } from "./curve.js";
import { author, count, facts, given, ordinal, receipt, when } from "./parts.js";
import { intervalText, tellingTable } from "./tables.js";

const POLL_MS = 10_000;
const PERCENTILES = [5, 50, 95];
const STATES = { running: "is being scored", finished: "has played to its end", ended: "was not played to its end" };

export async function show(root, state) {
  const path = `/api/contest/entries/${encodeURIComponent(state.path[1] ?? "")}`;
  const entry = await get(path, {}, { signal: state.signal });
  entry.standings = PERCENTILES.map((percentile) => ({ percentile, ...entry[`p${String(percentile).padStart(2, "0")}`] }))
    .filter((standing) => "wins" in standing);
  document.title = `${entry.name} · WORDPL`;
  root.append(...head(entry));
  if (entry.state === "running") {
    root.append(el("p", { className: "note" }, "Nothing of its games is shown before the run is over. This page follows."));
    follow(path, root, state);
  } else {
    root.append(...results(entry, path, state));
  }
  root.append(...terms(entry), await auditPanel(path, entry, state.signal), await sources(entry, path, state.signal));
}

/** Show the page anew when the run is over. */
function follow(path, root, state) {
  every(POLL_MS, async () => {
    const entry = await get(path, {}, { signal: state.signal }).catch(() => ({ state: "running" }));
    if (entry.state === "running") return false;
    root.replaceChildren();
    await show(root, state);
    return true;
  }, state.signal);
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
      ["Draw", entry.draw === 1 ? "" : `${entry.draw}: an earlier entry had the same content, so its error is divided by ${entry.draw * (entry.draw + 1)}`],
      ["The contest's own files", entry.contest_files && given(entry.contest_files)],
    ]),
  ].filter(Boolean);
}

function results(entry, path, state) {
  const picture = el("div", { className: "plot" });
  const below = el("div");
  get(`${path}/curve`, {}, { signal: state.signal })
    .then((curve) => drawCurve(picture, below, curve, entry, state.signal))
    .catch((error) => { picture.remove(); showError(error, {}, below); });
  return [
    el("section", {}, el("h2", {}, "Standings"), standings(entry)),
    el("section", {}, el("h2", {}, "Win rate against budget"), picture, below),
    el("div", { className: "columns" },
      el("section", {}, el("h2", {}, "Verdicts"), verdicts(entry)),
      el("section", {}, el("h2", {}, "Evidence"), evidence(entry))),
  ];
}

function standings(entry) {
  if (entry.standings.length === 0) return el("p", {}, "It has no standings.");
  return tellingTable("Standings", [
    ["Percentile", (one) => ordinal(one.percentile)],
    ["Rank", (one) => one.rank ?? "–", true],
    ["Budget", (one) => (one.budget === null ? (one.decided ? "none" : "undecided") : shown(one.budget)), true],
    ["Win rate there", (one) => `${percent(one.win_rate)} ${intervalText(one.win_rate_interval)}`, true],
    ["Won there", (one) => count(one.wins), true],
    ["Record", (one) => shown(one.record), true, (one) => one.record !== undefined],
    ["Beats it", (one) => (one.clears ? `yes, by ${one.improvement_percent.toFixed(1)}%` : "no"), false,
      (one) => one.clears !== undefined],
    ["Sampled", (one) => shown(one.sampled), true],
    ["Decided", (one) => (one.decided ? "yes" : "no"), false, (one) => !one.decided],
  ], entry.standings);
}

function verdicts(entry) {
  const most = Math.max(1, ...Object.values(entry.verdicts));
  return el("div", {},
    el("ul", { className: "chances" }, Object.entries(entry.verdicts).filter(([, n]) => n > 0).map(([verdict, n]) =>
      el("li", {}, el("span", {}, verdict.toLowerCase()), bar(n / most), el("span", { className: "number" }, count(n))))),
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
  const { chain } = entry;
  const event = (one) => (one ? el("span", {}, `event ${one.number}, `, el("code", {}, one.hash)) : "");
  return [
    el("div", { className: "columns" },
      el("section", {}, el("h2", {}, "Limits"), facts([
        ...Object.entries(entry.limits).map(([name, value]) => [name.replaceAll("_", " ").replace("cpu", "CPU").replace("min ", "smallest "), limit(name, value)]),
        ["Sandbox", given(entry.sandbox)],
      ])),
      el("section", {}, el("h2", {}, "Seed and chain"), facts([
        ["Commitment", el("code", {}, entry.commitment)],
        ["Nonce", el("code", {}, given(entry.nonce))],
        ["Secret", el("code", {}, entry.secret ?? "published when the run is over")],
        ["Seed", el("code", {}, entry.seed ?? "published when the run is over")],
        ["Digest of the content", el("code", {}, entry.digest)],
        ["Entered", event(chain.entered)],
        ["Finished", event(chain.finished)],
        ["Contest opened", event(chain.opened)],
        ["Last event of the ledger", el("code", {}, chain.head)],
        ["Engine", String(entry.engine)],
      ]),
      el("p", {}, receipt(entry)))),
  ];
}

function limit(name, value) {
  if (["memory", "scratch"].includes(name)) return `${shown(value / 2 ** 20)} MiB`;
  return name.endsWith("seconds") ? `${shown(value)} s` : count(value);
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
    details.addEventListener("toggle", async () => {
      if (!details.open || text.textContent) return;
      try {
        text.textContent = (await get(`${path}/source`, {}, { signal }))[number].text;
      } catch (error) {
        showError(error, {}, fault);
      }
    });
    return details;
  });
  return el("section", {}, el("h2", {}, "Source"), files);
}
