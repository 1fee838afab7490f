import { el } from "../dom.js";

export const title = "Results";

export async function show(root, state) {
  root.append(el("h1", {}, "Results"));
}
