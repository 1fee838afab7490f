import { el } from "../dom.js";

export const title = "Analyse";

export async function show(root, state) {
  root.append(el("h1", {}, "Analyse"));
}
