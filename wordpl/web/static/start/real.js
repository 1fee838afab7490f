/** Scene 5: what published systems spend, each with its source, and what a clue of this game is beside them. */

import { el } from "../dom.js";
import { promised, times } from "./parts.js";

export const heading = "For real";

const SYSTEMS = [
  ["Google", "what symptoms you search for, per day", 1.68, "central", "https://arxiv.org/abs/2009.01265"],
  ["Apple", "which emoji you type, per day", 4, "local", "https://www.apple.com/privacy/docs/Differential_Privacy_Overview.pdf"],
  ["Apple", "new words that you type, per day", 16, "local", "https://desfontain.es/blog/real-world-differential-privacy.html"],
  ["US Census 2020", "your answers in the redistricting data; your home adds 2.47", 17.14, "central",
    "https://www.census.gov/newsroom/press-releases/2021/2020-census-key-parameters.html"],
];
const FAIR = 13;

export const draw = () => [
  el("p", {}, "The same promise is made about people. This is the epsilon that published systems spend:"),
  el("ul", { className: "systems" }, SYSTEMS.map(([who, what, epsilon, kind, source]) => el("li", {},
    el("strong", {}, String(epsilon)),
    el("span", {}, el("strong", {}, who), `: ${what} `,
      el("span", { className: "note" }, `(${kind}, up to ${times(Math.exp(epsilon))} times, `,
        el("a", { href: source, "aria-label": `source for ${who}, epsilon ${epsilon}` }, "source"), ")"))))),
  el("p", { className: "note" }, "Local: the noise is in before the data leave your device, as in this game. Central: somebody has"
    + " the true data, and adds noise to what is published. Days add up. The census allows a tiny chance of more."),
  el("p", {}, `A fair clue of this game costs ${FAIR}, and `, promised(FAIR), ": a clue may be that many times as likely for one"
    + " word as for another. That is a formality, not privacy. But this is a game: find my word for as little epsilon as you can."),
];
