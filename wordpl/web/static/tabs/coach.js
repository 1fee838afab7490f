import { el } from "../dom.js";

export const title = "Coach";

export async function show(root, state) {
  root.append(el("h1", {}, "Coach"));
}
