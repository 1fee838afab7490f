/** What the pages of the contest have in common. Whatever a contestant chose is text, isolated from what is around it. */

import { el, percent } from "../dom.js";

export const PERCENTILES = [5, 50, 95];
/** A text that a stranger chose: its direction and its length change nothing around it. */
export const given = (text) => el("bdi", { className: "given" }, text);

/** Whom an entry names as its author, as a link if it has an address that may be one. */
export function author({ author: name, link }) {
  const isLink = /^https?:\/\//.test(link);
  const shown = name || (isLink ? link.replace(/^https?:\/\//, "") : "");
  if (!shown) return "";
  return isLink ? el("a", { href: link, rel: "noopener nofollow noreferrer", target: "_blank" }, given(shown)) : given(shown);
}

export const entryLink = (id, name) => el("a", { href: `/contest/entry/${id}`, dataset: { link: "" } }, given(name || id));

/** Names and values, one below the other; empty values are left out. */
export function facts(pairs) {
  return el("dl", { className: "facts" }, pairs
    .filter(([, value]) => value !== "" && value !== null && value !== undefined)
    .map(([name, value]) => el("div", {}, el("dt", {}, name), el("dd", {}, value))));
}

/** The same under a heading that opens. */
export const folded = (heading, pairs) => el("details", {}, el("summary", {}, heading), facts(pairs));

/** The column of the posterior win rate at a budget. */
export const RATE_THERE = { name: "posterior win rate", of: (row) => row.win_rate, write: (rate) => percent(rate),
  ends: (row) => row.win_rate_interval };

export const commands = (...lines) => el("pre",
  { className: "panel scroll", tabIndex: 0, role: "region", "aria-label": `Commands: ${lines[0]}` }, lines.join("\n"));

/** A time of the API in this browser's own form. */
export function when(iso) {
  const time = new Date(iso);
  if (Number.isNaN(time.getTime())) return given(iso);
  return el("time", { dateTime: iso }, time.toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" }));
}

/** What a page says that found nothing: no ledger is shown, or nothing of that address is in it. */
export function withoutLedger(error, page) {
  if (page === "entry" && error.field === "id") {
    return [el("p", {}, error.message)];
  }
  return [
    el("p", {}, error.message),
    el("p", {}, "A contest is one file, its ledger: the entries, and every game they have"
      + " played. To enter a strategy into a ledger of your own, and to show the ledger here:"),
    commands("wordpl contest submit my_strategy.py --name Ann --ledger results/contest.sqlite", "wordpl serve --ledger results/contest.sqlite"),
  ];
}
