/** The contest: the leaderboard, a page for each entry, and uploads with a page for each submission. */

import { el } from "../dom.js";
import { withoutLedger } from "../contest/parts.js";

export const title = "Contest";

const VIEWS = { leaderboard: "Leaderboard", submit: "Submit" };
const PAGES = { "": "leaderboard", submit: "submit", entry: "entry", submission: "submission" };
const BELOW = { entry: "leaderboard", submission: "submit" };

export async function show(root, state) {
  const name = PAGES[state.path[0] ?? ""] ?? "leaderboard";
  const links = Object.entries(VIEWS).map(([page, text]) => el("a", {
    href: page === "leaderboard" ? "/contest" : `/contest/${page}`,
    dataset: { link: "" },
    "aria-current": page === (BELOW[name] ?? name) ? "page" : undefined,
  }, text));
  const view = el("div");
  root.append(el("h1", {}, "Contest"), el("nav", { className: "views", "aria-label": "Contest" }, links), view);
  const module = await import(`/static/contest/${name}.js`);
  if (state.signal.aborted) return;
  try {
    await module.show(view, state);
  } catch (error) {
    if (error.status !== 404) throw error;
    view.replaceChildren(...withoutLedger(error, name));
  }
}
