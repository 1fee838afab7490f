/** The contest: what there is to beat, how to begin, and the leaderboard at one percentile, which follows the ledger. */

import { oneOf, prose } from "../address.js";
import { get, request, withQuery } from "../api.js";
import { announce, attempt, commands, count, counted, debounced, el, field, percent, shown } from "../dom.js";
import { every, latest } from "../latest.js";
import { ODDS } from "../plot.js";
import { figure } from "../save.js";
import { sheet } from "../sheet.js";

export const title = "Contest";

const POLL_MS = 10_000;
const PERCENTILES = [5, 50, 95];
/** A text that a stranger chose: its direction and its length change nothing around it. */
const given = (text) => el("bdi", { className: "given" }, text);
const COLUMNS = [
  { name: "rank", of: ({ rank }) => rank },
  { name: "name", of: ({ name }) => name, show: ({ id, name }) => (id ? given(name || id) : el("strong", {}, name)) },
  { name: "score", of: ({ score }) => score ?? Infinity, ends: ({ interval }) => interval?.map((end) => end ?? Infinity) },
  { name: "beats the record", of: ({ beats_record: beats }) => (beats === undefined ? "" : beats ? "yes" : "no") },
  { name: "author", of: (row) => row.author || row.link, show: author },
];

export async function show(root, state) {
  state.expect({ percentile: oneOf(PERCENTILES.map(String)), match: prose(100) });
  root.append(scene(state.signal));
  const percentile = Number(state.get("percentile", 5));
  const read = (signal) => get("/api/contest", { percentile, match: state.get("match") }, { signal });
  let contest;
  try {
    contest = await read(state.signal);
  } catch (error) {
    if (error.status !== 404) throw error;
    root.append(...withoutLedger(error));
    return;
  }
  const match = el("input", { type: "search", value: state.get("match", ""), maxLength: 100, autocomplete: "off" });
  const searched = field("Name or id", match);
  const fault = el("p", { className: "fault", hidden: true });
  const boards = el("div");
  const draw = (newest, news) => {
    contest = newest;
    boards.replaceChildren(choices(percentile, state), ...whole(contest, Boolean(state.get("match"))));
    if (news) announce(news);
  };
  match.addEventListener("input", debounced(latest((signal) => attempt(async () => {
    state.set({ match: match.value.trim() });
    const newest = await read(signal);
    draw(newest, counted(newest.entries, "entry", "entries"));
  }, { match: searched }, fault), state.signal), 250));
  root.append(
    el("h2", {}, "Leaderboard"),
    el("p", {}, "Every entry plays the same hidden games. Its score is a percentile of the budgets of its games, where a lost game"
      + " counts as infinite. The smaller, the better."),
    el("div", { className: "row" }, searched), fault, boards);
  draw(contest);
  every(POLL_MS, async () => {
    const newest = await read(state.signal).catch(() => contest);
    if (newest.version !== contest.version) draw(newest, "The leaderboard has changed.");
  }, state.signal);
}

function choices(shownPercentile, state) {
  return el("nav", { className: "views", "aria-label": "Percentile" }, PERCENTILES.map((percentile) =>
    el("a", { href: withQuery("/contest", { percentile, match: state.get("match") }), dataset: { link: "" },
      "aria-current": percentile === shownPercentile ? "true" : undefined }, `Win ${percentile}%`)));
}

function whole(contest, matching) {
  return [
    contest.stage !== "final" && contest.record && beaten(contest),
    section(contest),
    contest.entries === 0 && el("p", {}, matching ? "No entry matches." : "There are no entries yet."),
    contest.stage !== "final" && contest.how_to_submit && el("p", {}, "To hand in a strategy, the organiser says: ", given(contest.how_to_submit)),
    el("div", { className: "note" }, contest.stage === "final"
      ? "The contest is closed. Whoever has its ledger can replay the games with wordpl contest replay. Its seeds, and the SHA-256 of their 64 letters and digits, which were published at the start:"
      : "The seeds of the hidden games are secret until the close. The SHA-256 of their 64 letters and digits, published at the start:",
    Object.entries(contest.hashes).map(([stage, hash]) =>
      el("p", {}, `${stage}: `, el("code", {}, hash), stage in contest.seeds && [", of the seed ", el("code", {}, contest.seeds[stage])]))),
  ].filter(Boolean);
}

function beaten({ record, margin_percent: margin, percentile }) {
  return el("p", { className: "standing" }, `The record that the contest lists for ${percentile}%: ${shown(record.budget)}.`
    + ` To beat it, reach ${shown(record.budget * (1 - margin / 100), 6)} or less, ${shown(margin)}% below. Our own strategy, which is not handed in, spends ${shown(record.best_known)}.`);
}

/** Its rows, with the record among them where there is one to beat. */
function section({ title: heading, percentile, record, rows, entries, remarks, left_out: left }) {
  const table = sheet(`${heading}, ${percentile}th percentile`);
  const all = record ? [...rows, { score: record.budget, name: "listed record" }] : rows;
  table.put(COLUMNS, all.toSorted((a, b) => (a.score ?? Infinity) - (b.score ?? Infinity)));
  return el("section", {},
    el("h2", {}, given(heading)), all.length > 0 && table,
    rows.length === 0 && entries > 0 && el("p", {}, "No entry has been played to its end."),
    left > 0 && el("p", { className: "note" }, `${count(left)} more are not shown; a name finds them.`),
    remarks.length > 0 && el("ul", {}, remarks.map((remark) =>
      el("li", {}, given(remark.name || remark.id), ": ", given(remark.text)))));
}

/** Whom an entry names as its author, as a link if it has an address that may be one. */
function author({ author: name, link }) {
  const text = given(name || link?.replace(/^https:\/\//, "") || "–");
  return link ? el("a", { href: link, rel: "noopener nofollow noreferrer", target: "_blank" }, text) : text;
}

/** The contest in one picture, and the first move of a strategy. */
function scene(signal) {
  const picture = figure("What there is to beat");
  const first = el("code", {}, "…");
  const fault = el("p", { className: "fault", hidden: true });
  attempt(async () => {
    const { win_rates: rates, curves, records } = await get("/api/frontier", {}, { signal });
    const line = (name, label, look) => ({ label, look, named: true, kind: "line",
      points: curves.find((curve) => curve.name === name).budgets.map((x, i) => ({ x, y: rates[i] })) });
    const points = records.filter(({ ours }) => !ours).map(({ budget: x, win_rate: y }) =>
      ({ x, y, title: `Record: wins ${percent(y)} of its games for ${shown(x)}` }));
    picture.draw({
      label: `No strategy can pass the bound; the records win ${points.map(({ x, y }) => `${percent(y)} for ${shown(x)}`).join(", ")}.`,
      x: { label: "budget", range: [0, 90] }, y: { label: "games won", ...ODDS },
      series: [line("bound", "the bound", { name: "text", width: 4 }), line("best", "smallest known", { name: "accent", width: 3 }),
        { label: "records", named: true, kind: "points", look: { name: "wrong", mark: "cross" }, points }],
    });
    [first.textContent] = /return "\w+",.*/.exec(await (await request("/api/contest/template", { signal })).text());
  }, {}, fault);
  return el("section", { className: "scene" }, el("h1", {}, title),
    el("p", {}, "Write a program that plays WORDPL, and win 5%, half or 95% of your games on a smaller budget than the records: the crosses. A record is beaten by a budget at least 5% below it, unless a contest says otherwise. The line “smallest known” is what our own strategies need."),
    el("div", { className: "stage" }, picture), fault,
    el("p", {}, "It starts from a ", el("a", { href: "/api/contest/template" }, "template"), ", whose first move is ", first, ": a word to ask, and what its clue may cost. After ", el("code", {}, "pip install ."), " in a clone of WORDPL, on Linux with bubblewrap for the sandbox:"),
    commands("wordpl new my_strategy.py", "wordpl check my_strategy.py", "wordpl score my_strategy.py --sandbox"));
}

const withoutLedger = (error) => [
  el("p", {}, error.message),
  el("p", {}, "A contest is one file, its ledger: the entries, and every game they have played. To enter a strategy into a ledger"
    + " of your own, and to show the ledger here:"),
  commands("wordpl contest start --ledger results/contest.sqlite",
    "wordpl contest submit my_strategy.py --name Ann --ledger results/contest.sqlite", "wordpl serve --ledger results/contest.sqlite"),
];
