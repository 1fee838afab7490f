/** What the scenes are made of: numbers as people say them, and small marks of which the false ones are dashed. */

import { el, shown } from "../dom.js";

/** How many of 100: 0.2, 43, 85, 99.5. */
export const ofHundred = (part) => shown(100 * part, part >= 0.99 ? 3 : 2);

/** A ratio: 2.7, 148, 442,413. */
export const times = (ratio) => (ratio < 10 ? shown(ratio, 2) : Math.round(ratio).toLocaleString("en"));

/** What an epsilon promises: e to its power, and how much that is. */
export const promised = (epsilon) => el("strong", {}, "e", el("sup", {}, String(epsilon)), ` = ${times(Math.exp(epsilon))}`);

/** A small mark; `style` is of the element. */
export const cell = (mark, lie, style) => el("span", { className: lie ? "cell lie" : "cell", dataset: { mark }, style });

/** A pile of green marks, the true ones below. */
export const pile = (right, wrong, label) => el("span", { className: "pile", role: "img", "aria-label": label },
  Array.from({ length: right + wrong }, (_, i) => cell("c", i >= right, `animation-delay: ${8 * i}ms`)));
