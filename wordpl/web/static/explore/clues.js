import { el } from "../dom.js";

export async function show(root, state) {
  root.append(el("p", {}, ""));
}
