/** Explore: four pictures, each with its own address below /explore. Each is a module of ../explore with `show`. */

import { el } from "../dom.js";

export const title = "Explore";
export const VIEWS = { channel: "The channel", frontier: "The frontier", clues: "Clues", matrix: "Matrix" };

export async function show(root, state) {
  const name = state.view(Object.keys(VIEWS), "channel");
  document.title = `${VIEWS[name]} · WORDPL`;
  const links = Object.entries(VIEWS).map(([path, text]) =>
    el("a", { href: `/explore/${path}`, dataset: { link: "" }, "aria-current": path === name ? "page" : undefined }, text));
  const view = el("div");
  root.append(el("h1", {}, "Explore"), el("nav", { className: "views", "aria-label": "Pictures" }, links), view);
  const module = await import(`/static/explore/${name}.js`);
  if (!state.signal.aborted) await module.show(view, state);
}
