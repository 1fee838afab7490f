/** The contest: the leaderboard, a page for each entry, and uploads with a page for each submission. */

import { el } from "../dom.js";
import { withoutLedger } from "../contest/parts.js";

export const title = "Contest";
export const VIEWS = { "/contest": "Leaderboard", "/contest/submit": "Submit" };
const PARTS = { entry: 2, submit: 1, submission: 2 };

export async function show(root, state) {
  const name = state.view(PARTS, "leaderboard");
  const current = name.startsWith("subm") ? "/contest/submit" : "/contest";
  document.title = `${name[0].toUpperCase()}${name.slice(1)} · WORDPL`;
  const links = Object.entries(VIEWS).map(([href, text]) =>
    el("a", { href, dataset: { link: "" }, "aria-current": href === current ? "page" : undefined }, text));
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
