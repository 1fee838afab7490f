/** What the game is, in three pictures. */

import { el } from "./dom.js";
import { tiles } from "./tiles.js";

const picture = (heading, drawn, text) => el("section", {}, el("h3", {}, heading), drawn, el("p", {}, text));

export function show() {
  const dialog = el("dialog", { "aria-label": "How WORDPL works" },
    el("h2", {}, "How WORDPL works"),
    el("div", { className: "pictures" },
      picture("1. Ask", tiles("crate", "..icc", { small: true }),
        "You guess a word. Each letter gets a mark: correct, present elsewhere, or absent."),
      picture("2. The marks may be wrong", tiles("crate", ".ci.c", { flipped: "..icc", small: true }),
        "You choose epsilon for each guess. The smaller it is, the more marks are flipped. It is a privacy budget: what"
        + " the clue tells about the answer is at most epsilon."),
      picture("3. Propose", tiles("haste", "ccccc", { small: true }),
        "When you are sure enough, you propose the answer. If it is right, your score is all the epsilon you have spent."
        + " The smaller, the better. If it is wrong, the score is infinite.")),
    el("p", { className: "note" }, "With epsilon ∞ no mark is ever flipped, and the game is ordinary Wordle."),
    el("button", { type: "button", className: "main", onclick: () => dialog.close() }, "Play"));
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
