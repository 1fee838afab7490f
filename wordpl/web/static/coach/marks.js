/** The clue to a guess as tiles that are pressed through the marks. */

import { announce, el } from "../dom.js";
import { MARKS, NAMES } from "../tiles.js";

const KEYS = { ".": ".", 0: ".", b: ".", i: "i", 1: "i", y: "i", c: "c", 2: "c", g: "c" };

/**
 * Press a tile for its next mark. Keys: Space, Enter, up and down go through the marks; left and right go to the
 * neighbour; `.`, `i`, `c` (or 0, 1, 2, or b, y, g) set the mark and go on. `onchange(clue)` is called at each change,
 * `onend()` when a mark was typed on the last tile. The element has `clue` and `first`, the tile to focus.
 */
export function markTiles(word, clue, { onchange, onend = () => {} }) {
  const marks = [...clue];
  const buttons = [...word].map((letter, at) => el("button", {
    type: "button", className: "tile", tabIndex: at ? -1 : 0, onclick: () => turn(at, 1), onkeydown: (event) => key(event, at),
  }, letter));
  const group = el("div", { className: buttons.length > 6 ? "tiles long" : "tiles", role: "group", dir: "auto",
    "aria-label": `Clue to ${word.toUpperCase()}` }, buttons);

  function draw(at) {
    buttons[at].dataset.mark = marks[at];
    buttons[at].setAttribute("aria-label", `${word[at].toUpperCase()}: ${NAMES[marks[at]]}`);
  }

  function put(at, mark) {
    if (marks[at] === mark) return;
    marks[at] = mark;
    group.clue = marks.join("");
    draw(at);
    announce(`${word[at].toUpperCase()} ${NAMES[mark]}`);
    onchange(group.clue);
  }

  const turn = (at, by) => put(at, MARKS[(MARKS.indexOf(marks[at]) + by + MARKS.length) % MARKS.length]);

  function focus(wanted) {
    const at = Math.min(Math.max(wanted, 0), buttons.length - 1);
    for (const [i, button] of buttons.entries()) button.tabIndex = i === at ? 0 : -1;
    buttons[at].focus();
  }

  function key(event, at) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const last = buttons.length - 1;
    const right = getComputedStyle(group).direction === "rtl" ? -1 : 1;
    if (event.key === "ArrowUp") turn(at, 1);
    else if (event.key === "ArrowDown") turn(at, -1);
    else if (event.key === "ArrowLeft") focus(at - right);
    else if (event.key === "ArrowRight") focus(at + right);
    else if (event.key === "Home") focus(0);
    else if (event.key === "End") focus(last);
    else if (event.key.toLowerCase() in KEYS) {
      put(at, KEYS[event.key.toLowerCase()]);
      if (at < last) focus(at + 1);
      else onend();
    } else return;
    event.preventDefault();
  }

  group.clue = clue;
  [group.first] = buttons;
  buttons.forEach((_, at) => draw(at));
  return group;
}
