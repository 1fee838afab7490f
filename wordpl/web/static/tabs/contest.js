import { el } from "../dom.js";

export const title = "Contest";

export async function show(root, state) {
  root.append(el("h1", {}, "Contest"));
}
