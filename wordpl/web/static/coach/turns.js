/** The guesses of a game with their clues, each of which can be changed, and the next one. */

import { announce, el, field, wordBox } from "../dom.js";
import { epsilonSlider } from "../epsilon.js";
import { capitals, fold, lengthOf, letters } from "../rows.js";
import { MARKS, NAMES } from "../tiles.js";

const KEYS = { ".": ".", 0: ".", b: ".", i: "i", 1: "i", y: "i", c: "c", 2: "c", g: "c" };
/** A clue for a word of perhaps another length. */
const fitted = (clue, guess) => clue.slice(0, lengthOf(guess)).padEnd(lengthOf(guess), ".");

/**
 * The editor of a game's rows. `onrows(rows)` is called with other marks, another epsilon, or a row less; `submit(change)`
 * with a function that adds a row or gives one another word: its promise is true if the server takes these rows.
 * `onadded()` is called once one is added, `ondraft(draft)` as the next row is typed, `paste(text)` with a pasted text of
 * more than a word; `length()` is that of the words. The element has `set(rows, draft, noise)`, `put(draft)`, `remove(at)`,
 * `focus()`, and `fault(error)`, which returns whether it is about a row. `noise()` is the game of `epsilonSlider`, or false.
 */
export function turnsEditor({ length, onrows, submit, onadded, ondraft, paste }) {
  let [rows, shown, noise, next] = [[], [], null, null];
  let submitting = false;
  const list = el("ol", { className: "turns" });
  const place = el("div");
  const whole = el("div", {}, list, place);

  function draw(anew) {
    rows = anew;
    shown = rows.map((row, at) => (row.fault ? unreadRow(row, () => whole.remove(at)) : turnRow(row, at + 1, {
      noise, onchange: (changed) => change(at, changed), onremove: () => whole.remove(at) })));
    list.replaceChildren(...shown);
  }

  async function take(changed) {
    if (submitting) return false;
    submitting = true;
    const taken = await submit(changed);
    submitting = false;
    if (taken) draw(changed(rows));
    return taken;
  }

  async function change(at, row) {
    if (row.guess === rows[at].guess) {
      rows = rows.with(at, row);
      onrows(rows);
      return;
    }
    draw(rows); // the row has the word that it had until the server takes the other one
    shown[at].tiles.first.focus();
    if (await take((of) => of.with(at, row))) shown[at].tiles.first.focus();
  }

  async function add(row) {
    if (!await take((of) => [...of, noise ? row : { ...row, epsilon: "inf" }])) return;
    whole.put({ ...row, guess: "", clue: "" });
    onadded();
  }

  whole.remove = (at) => {
    draw(rows.filter((_, i) => i !== at));
    (shown[Math.min(at, shown.length - 1)]?.tiles.first ?? next.first).focus();
    onrows(rows);
  };
  whole.put = (draft) => {
    next.set(draft);
    ondraft(draft);
  };
  whole.set = (anew, draft, game) => {
    if (!next || !noise !== !game) { // else what has the focus keeps it
      next = nextRow({ length, noise: game, paste, onchange: ondraft, onadd: add });
      place.replaceChildren(next);
    }
    noise = game;
    next.set(draft);
    if (anew !== rows) draw(anew);
  };
  whole.focus = () => next.first.focus();
  whole.fault = (error) => {
    const [, at, part] = /^turns\.(\d+)\.(.*)$/.exec(error?.field ?? "") ?? [];
    for (const row of shown) row.fault(null);
    if (at === undefined) return false;
    // The row that is being added is not among those shown.
    if (shown[at]) shown[at].fault(error.message);
    else next.fault(part === "guess" ? error.message : `${part}: ${error.message}`);
    announce(error.message);
    return true;
  };
  return whole;
}

function unreadRow({ text, fault }, onclick) {
  const first = el("button", { className: "quiet", "aria-label": `Remove ${text}`, onclick }, "Remove");
  return Object.assign(el("li", { className: "turn" }, el("code", {}, text), first, el("div", { className: "fault" }, fault)),
    { tiles: { first }, fault: () => {} });
}

/** One guess with its clue. `onchange(row)` gets the row anew. The element has `tiles` and `fault(message)`. */
function turnRow(row, number, { noise, onchange, onremove }) {
  const word = letters(row.guess);
  const fault = el("div", { className: "fault", role: "status" });
  let now = row;
  const change = (values) => {
    now = { ...now, ...values };
    onchange(now);
  };
  const button = (label, onclick) => el("button",
    { className: "quiet", "aria-label": `${label} ${capitals(word)}, row ${number}`, onclick }, label);
  const tiles = markTiles(word, row.clue, { onchange: (clue) => change({ clue }) });

  function rename() {
    const named = field(`Guess ${number}`, wordBox(row.guess));
    const input = named.control;
    input.addEventListener("blur", () => {
      named.replaceWith(tiles);
      const guess = fold(input.value.trim());
      if (guess && guess !== row.guess) change({ guess, clue: fitted(now.clue, guess) });
    });
    input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== "Escape") return;
      event.preventDefault();
      if (event.key === "Escape") input.value = "";
      input.blur();
      tiles.first.focus();
    });
    tiles.replaceWith(named);
    input.select();
  }

  const whole = el("li", { className: "turn" }, el("div", { className: "turn-word" }, tiles),
    el("span", { className: "turn-buttons" }, button("Change", rename), button("Remove", onremove)),
    noise && epsilonSlider(`Epsilon of ${capitals(word)}`, row.epsilon, (epsilon) => change({ epsilon }), { game: noise }),
    row.guess.endsWith("!") && el("span", { className: "note" }, "Not in the list."), fault);
  whole.fault = (message) => { fault.textContent = message || ""; };
  whole.tiles = tiles;
  return whole;
}

/**
 * The next guess: a word, its clue once the word is whole, and a button that adds it. `onchange(draft)` is called while
 * it is typed, `onadd(draft)` when it is to be added. The element has `set(draft)`, `fault(message)`, and `first`.
 */
function nextRow({ length, noise, paste, onchange, onadd }) {
  let now = null;
  const word = field("Next guess", wordBox(""));
  const input = word.control;
  const hints = el("div", { className: "row hints" });
  const clue = el("div", { className: "turn-word" });
  const add = el("button", { className: "main", onclick: () => onadd(now) }, "Add this clue");
  const slider = noise && epsilonSlider("Epsilon of the next guess", 13, (epsilon) => change({ epsilon }), { game: noise });
  const note = el("p", { className: "note" }, "Press a tile until it has the colour of the clue.");
  const whole = el("div", { className: "next" }, el("div", { className: "row" }, word, slider), hints, clue, note, add);

  function change(values) {
    now = { ...now, ...values };
    onchange(now);
  }

  function draw() {
    const ready = lengthOf(now.guess) === length();
    const tiles = ready && markTiles(letters(now.guess), now.clue, {
      onchange: (marks) => change({ clue: marks }), onend: () => add.focus(),
    });
    clue.replaceChildren(tiles || "");
    clue.hidden = note.hidden = add.hidden = !ready;
    whole.first = tiles ? tiles.first : input;
  }

  input.addEventListener("input", () => {
    hints.replaceChildren();
    const guess = fold(input.value.trim());
    change({ guess, clue: fitted(now.clue, guess) });
    draw();
  });
  input.addEventListener("keydown", (event) => {
    if (event.key !== "Enter") return;
    event.preventDefault(); // else it would press the tile that gets the focus
    if (whole.first === input) whole.fault(`The words have ${length()} letters.`);
    else whole.first.focus();
  });

  input.addEventListener("paste", (event) => {
    const text = event.clipboardData.getData("text").trim();
    if (!paste || /^[\p{L}\p{M}]*!?$/u.test(text)) return;
    event.preventDefault();
    paste(text);
  });

  /** What is wrong with the word, and the words that were perhaps meant as buttons. */
  whole.fault = (message) => {
    word.fault(message);
    const meant = /did you mean ([^?]*)\?/.exec(message || "")?.[1].match(/[^\s“”]+/g)?.filter((text) => text !== "or") ?? [];
    const own = message?.includes(`${now.guess}!`) ? [`${now.guess}!`] : [];
    hints.replaceChildren(...[...meant, ...own].map((guess) => el("button",
      { onclick: () => { change({ guess }); whole.set(now); whole.first.focus(); } },
      guess.endsWith("!") ? `Use ${letters(guess)} all the same` : guess)));
  };
  whole.set = (draft) => {
    now = { ...draft, clue: fitted(draft.clue, draft.guess) };
    input.value = draft.guess;
    slider?.set?.(draft.epsilon);
    whole.fault(null);
    draw();
  };
  return whole;
}

/**
 * The clue to a guess as tiles. Press one for its next mark. Keys: Space, Enter, up and down go through the marks; left and
 * right go to the neighbour; `.`, `i`, `c` (or 0, 1, 2, or b, y, g) set the mark and go on. `onchange(clue)` is called at each
 * change, `onend()` when a mark was typed on the last tile. The element has `clue` and `first`, the tile to focus.
 */
function markTiles(word, clue, { onchange, onend = () => {} }) {
  const [marks, shown] = [[...clue], [...capitals(word)]];
  const buttons = shown.map((letter, at) => el("button", {
    className: "tile", tabIndex: at ? -1 : 0, onclick: () => turn(at, 1), onkeydown: (event) => key(event, at),
  }, letter));
  const group = el("div", { className: buttons.length > 6 ? "tiles long" : "tiles", role: "group", dir: "auto",
    "aria-label": `Clue to ${capitals(word)}` }, buttons);

  function draw(at) {
    buttons[at].dataset.mark = marks[at];
    buttons[at].setAttribute("aria-label", `${shown[at]}: ${NAMES[marks[at]]}`);
  }

  function put(at, mark) {
    if (marks[at] === mark) return;
    marks[at] = mark;
    group.clue = marks.join("");
    draw(at);
    announce(`${shown[at]} ${NAMES[mark]}`);
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
    else if (event.key.toLowerCase() in KEYS) {
      put(at, KEYS[event.key.toLowerCase()]);
      if (at < last) focus(at + 1);
      else onend();
    } else return;
    event.preventDefault();
  }

  Object.assign(group, { clue, first: buttons[0] });
  buttons.forEach((_, at) => draw(at));
  return group;
}
