/** The contest: the leaderboard, and a page for each entry. */

import { el } from "../dom.js";
import { withoutLedger } from "../contest/parts.js";

export const title = "Contest";
export const VIEWS = { leaderboard: "Leaderboard", entry: "Entry" };

export async function show(root, state) {
  const name = state.view({ entry: 2 }, "leaderboard");
  document.title = `${VIEWS[name]} · WORDPL`;
  const view = el("div");
  root.append(el("h1", {}, "Contest"));
  if (name === "entry") root.append(el("p", {}, el("a", { href: "/contest", dataset: { link: "" } }, "To the leaderboard")));
  root.append(view);
  const module = await import(`/static/contest/${name}.js`);
  if (state.signal.aborted) return;
  try {
    await module.show(view, state);
  } catch (error) {
    if (error.status !== 404) throw error;
    view.replaceChildren(...withoutLedger(error, name));
  }
}
