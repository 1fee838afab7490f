import { el } from "../dom.js";

export const title = "Play";

export async function show(root, state) {
  root.append(el("h1", {}, "Play"));
}
