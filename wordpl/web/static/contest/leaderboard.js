/** The leaderboard at one percentile. It follows the ledger while the tab is to be seen. */

import { oneOf, prose } from "../address.js";
import { get, withQuery } from "../api.js";
import { announce, attempt, count, counted, debounced, el, field, percent, shown } from "../dom.js";
import { every } from "../latest.js";
import { PERCENTILES, author, entryLink, facts, given, intervalText, tellingTable } from "./parts.js";

const POLL_MS = 10_000;

export async function show(root, state) {
  state.expect({ percentile: oneOf(PERCENTILES.map(String)), match: prose(100) });
  const percentile = Number(state.get("percentile", 5));
  const read = () => get("/api/contest", { percentile, match: state.get("match") }, { signal: state.signal });
  let contest = await read();
  const match = el("input", { type: "search", value: state.get("match", ""), maxLength: 100, autocomplete: "off" });
  const searched = field("Name or id", match);
  const fault = el("p", { className: "fault", hidden: true });
  const boards = el("div");
  const draw = (newest, news) => {
    contest = newest;
    boards.replaceChildren(...whole(contest, Boolean(state.get("match"))));
    announce(news);
  };
  match.addEventListener("input", debounced(() => attempt(async () => {
    state.set({ match: match.value.trim() });
    const newest = await read();
    draw(newest, counted(newest.entries, "entry", "entries"));
  }, { match: searched }, fault), 250));
  root.append(
    el("p", {}, "The rank of an entry goes by its budget: the smallest epsilon of a whole game with which it surely wins"
      + " that share of all games. The smaller, the better."),
    el("div", { className: "row" }, choices(percentile, state), searched), fault, boards);
  draw(contest, "");
  every(POLL_MS, async () => {
    const newest = await read().catch(() => contest);
    if (newest.version !== contest.version) draw(newest, "The leaderboard has changed.");
  }, state.signal);
}

function choices(shownPercentile, state) {
  return el("nav", { className: "views", "aria-label": "Percentile" }, PERCENTILES.map((percentile) =>
    el("a", { href: withQuery("/contest", { percentile, match: state.get("match") }), dataset: { link: "" },
      "aria-current": percentile === shownPercentile ? "true" : undefined }, `Win ${percentile}%`)));
}

function whole(contest, matching) {
  const record = contest.records.find(({ percentile }) => percentile === contest.percentile);
  const least = record.budget * (1 - contest.margin_percent / 100);
  return [
    el("p", { className: "standing" }, `To beat at ${contest.percentile}%: ${shown(record.budget)}. `
      + `A budget of at most ${shown(least)} does it by the margin of ${shown(contest.margin_percent)}%.`),
    contest.boards.length === 0 && el("p", {}, matching ? "No entry matches." : "There are no entries yet."),
    ...contest.boards.map((board) => section(board, contest)),
    el("details", {}, el("summary", {}, "The contest"), facts([
      ["Commitment to the contest's secret", el("code", {}, contest.commitment)],
      ["State", contest.closed ? "closed; the secret is published" : "open"],
    ]), el("p", { className: "note" }, "Keep a copy of the ledger, if its owner publishes one: with it you can tell later whether"
      + " anything was changed.")),
  ].filter(Boolean);
}

function section(board, contest) {
  const columns = [
    ["Rank", (row) => row.rank ?? "–", true],
    ["Name", (row) => entryLink(row.id, row.name)],
    ["Budget", (row) => (row.budget === null ? "undecided" : shown(row.budget)), true],
    ["Posterior win rate there", (row) => `${percent(row.win_rate)} ${intervalText(row.win_rate_interval)}`, true],
    ["Record", (row) => shown(row.record), true, (row) => row.record !== undefined],
    ["Improvement", (row) => (row.improvement_percent == null ? "" : signed(row.improvement_percent)), true,
      (row) => row.improvement_percent != null],
    ["Beats it", (row) => (row.clears ? "yes" : "no"), false, (row) => row.clears !== undefined],
    ["Sampled", (row) => shown(row.sampled), true],
    ["Decided", (row) => (row.decided ? "yes" : "no"), false, (row) => !row.decided],
    ["Attempt", (row) => row.attempt, true, (row) => row.attempt !== 1],
    ["Author", author, false, (row) => row.author || row.link],
    ["Trials", (row) => count(row.trials), true],
  ];
  return el("section", { className: "contest-board" },
    el("h2", {}, given(board.title)),
    board.rows.length > 0 ? tellingTable(`${board.title}, ${contest.percentile}th percentile`, columns, board.rows)
      : el("p", {}, `No entry has a rank at the ${contest.percentile}th percentile.`),
    board.left_out > 0 && el("p", { className: "note" }, `${count(board.left_out)} more are not shown; a name finds them.`),
    board.remarks.length > 0 && el("ul", { className: "remarks" }, board.remarks.map((remark) =>
      el("li", {}, entryLink(remark.id, remark.name), " ", given(remark.text)))));
}

const signed = (value) => `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(1)}%`;
