/** Explore: the clue matrix. */

import { keyOf, many, nonempty, parsed, wholeFrom } from "../address.js";
import { get } from "../api.js";
import { announce, attempt, count, debounced, el, field, showError, wordBox } from "../dom.js";
import { RULES, select } from "../game_fields.js";
import { latest } from "../latest.js";
import { capitals } from "../rows.js";
import { savePainted, savingRows } from "../save.js";
import { retyped } from "../storage.js";
import { meanings, spoken, tiles } from "../tiles.js";
import { withList, wordsField } from "../words.js";
import { clueOf } from "./colours.js";
import { Cells } from "./matrix_cells.js";
import { Grid } from "./matrix_grid.js";
import { zooms } from "./matrix_picture.js";

const ORDERS = { word: "Word", entropy: "Entropy" };
const START_ZOOM = 5;
const LAST_ZOOM = 6;
const MOST_PINS = 5;

export async function show(root, state) {
  state.expect({ words: nonempty(40), rule: keyOf(RULES), guesses: keyOf(ORDERS), answers: keyOf(ORDERS), zoom: wholeFrom(0, LAST_ZOOM), pin: many(nonempty(60), MOST_PINS),
    at: parsed("a guess and an answer, as crate:haste,", (text) => (/^[^:]+:[^:]+$/.test(text) ? text.split(":") : null)) });
  const view = new MatrixView(root, state);
  view.build();
  await view.open();
}

class MatrixView {
  constructor(root, state) {
    Object.assign(this, { root, state, grid: null, unsettled: false });
    this.open = latest((signal) => this.openNow(signal), state.signal);
    this.settleSoon = debounced(() => this.settle(), 250);
    addEventListener("theme", () => this.grid?.recolour(), { signal: state.signal });
  }

  get words() { return this.state.get("words", "original"); }

  get query() {
    const { state } = this;
    return { rule: state.get("rule", "letterwise"), guess_order: state.get("guesses", "word"),
      answer_order: state.get("answers", "word") };
  }

  get zoom() { return this.state.get("zoom", START_ZOOM); }

  ask(name, query, signal) {
    return withList(this.words, () => get(this.path(name), { ...this.query, ...query }, { signal }));
  }

  path(name) { return `/api/matrix/${encodeURIComponent(this.words)}/${name}`; }

  build() {
    const change = (values) => {
      this.state.set(values, { push: true });
      this.open();
    };
    const choice = (label, name, choices, usual) => select(label, choices, this.state.get(name, usual),
      (value) => change({ [name]: value === usual ? null : value }));
    this.rest = el("p", { className: "fault", hidden: true });
    this.info = el("div", { className: "cell-info" });
    this.legend = el("div", { className: "matrix-key note" });
    this.pins = el("div", { className: "matrix-key", role: "group", "aria-label": "Pinned rows" });
    this.place = el("div", { className: "place" });
    const list = wordsField(this.words, ({ name }) => change({ words: name, at: null, pin: null }));
    this.fields = { words: list, rule: choice("Repeat rule", "rule", RULES, "letterwise"),
      guess_order: choice("Guesses by", "guesses", ORDERS, "word"),
      answer_order: choice("Answers by", "answers", ORDERS, "word") };
    const button = (text, label, step) =>
      el("button", { type: "button", "aria-label": label, onclick: () => this.zoomBy(step) }, text);
    this.smaller = button("−", "Zoom out", -1);
    this.larger = button("+", "Zoom in", 1);
    this.root.append(
      el("div", { className: "screen" },
        el("div", { className: "row" }, this.searchForm(), el("div", { className: "row", role: "group", "aria-label": "Zoom" }, this.smaller, this.larger),
          savingRows("what you see", () => this.seenRows(), { PNG: () => savePainted("what you see", this.grid.canvas) })),
        this.rest, this.info, this.pins, this.place, this.legend),
      el("div", { className: "row" }, Object.values(this.fields)),
      el("p", { className: "note", id: "matrix-help" }, "Zoom out to see patterns; press a cell there to come closer. Click the name of a guess, and its row"
        + " stays at the top. Keys in the matrix: arrows move from cell to cell; Page Up, Page Down, Home and End go further, with Ctrl to the corners; Enter pins the row."));
  }

  searchForm() {
    const [guess, answer] = ["Find a guess", "Find an answer"].map((label) => field(label, retyped(label, wordBox(""))));
    const search = latest(async (signal, event) => {
      event.preventDefault();
      const typed = Object.entries({ row: guess, column: answer }).filter(([, box]) => box.control.value.trim());
      const cell = { row: 0, column: 0, ...this.grid?.cell };
      const found = await Promise.all(typed.map(([axis, box]) => attempt(async () => {
        const { word, [axis]: place, column } = await this.ask("find", { word: box.control.value.trim() }, signal);
        cell[axis] = place;
        if (typed.length === 1 && column !== null) cell.column = column; // a guess alone is shown where it is the answer
        if (place === null) box.fault(`${capitals(word)} can be guessed, but it is never the answer.`);
      }, { word: box }, this.rest)));
      if (found.length && found.every(Boolean) && cell.column !== null) this.grid?.goTo(cell, { centre: true });
    }, this.state.signal);
    return el("form", { className: "row", role: "search", "aria-label": "Find words in the matrix", onsubmit: search },
      guess, answer, el("button", { type: "submit" }, "Find"));
  }

  async openNow(signal) {
    this.rest.hidden = true;
    this.place.replaceChildren(el("div", { className: "matrix panel note", "aria-busy": "true" }, "Putting the words in order…"));
    try {
      const shape = await this.ask("order", {}, signal);
      const find = (key) => (word) => this.ask("find", { word }, signal).catch((error) =>
        (error.field === "word" ? this.state.refuse(key, error.message) : Promise.reject(error)));
      const at = await Promise.all(this.state.get("at", []).map(find("at")));
      if (at[1]?.column === null) this.state.refuse("at", `${at[1].word} is never the answer.`);
      const pins = await Promise.all(this.state.all("pin").map(find("pin")));
      if (signal.aborted) return;
      this.showGrid(shape, pins, signal);
      if (at.length) this.grid.goTo({ row: at[0].row, column: at[1].column }, { centre: true });
    } catch (error) {
      if (signal.aborted) return;
      if (error.faults) throw error;
      this.place.replaceChildren();
      showError(error, this.fields, this.rest);
    }
  }

  showGrid(shape, pins, signal) {
    this.shape = shape;
    this.cells = new Cells(this.path("tile"), this.query, shape, { signal,
      arrived: () => this.arrived(),
      failed: (error) => ([404, 409].includes(error.status) ? this.open() : showError(error, this.fields, this.rest)) });
    this.grid = new Grid(shape, this.cells, (meant) => {
      this.showCell();
      this.unsettled ||= meant;
      if (meant) this.settleSoon();
    }, (row) => this.pin(row), () => this.zoomBy(START_ZOOM - this.zoom));
    for (const { row, word } of pins) this.cells.guesses[row] = word;
    this.place.replaceChildren(this.grid.element);
    this.setZoom();
    this.setPins([...new Set(pins.map(({ row }) => row))]);
    this.showCell();
  }

  arrived() {
    this.grid.drawSoon();
    this.rest.hidden = true;
    this.showCell();
    this.settle();
  }

  zoomBy(step) {
    const level = Math.min(Math.max(this.zoom + step, 0), LAST_ZOOM);
    if (!this.grid || level === this.zoom) return;
    this.state.set({ zoom: level === START_ZOOM ? null : level });
    this.setZoom();
  }

  setZoom() {
    const { zoom, shape: { length } } = this;
    this.grid.setZoom(zoom);
    this.smaller.disabled = zoom === 0;
    this.larger.disabled = zoom === LAST_ZOOM;
    this.legend.replaceChildren(...(zooms(length)[zoom].marks ? [meanings()]
      : [el("span", {}, "0 ", el("span", { className: "ramp" }), ` ${2 * length}`),
        el("span", {}, `What a clue hits: 2 for each correct mark, 1 for each present one; ${2 * length} is the answer itself.`)]));
  }

  /** Pin a row to the top, or let it go. Of too many the first goes. */
  pin(row) {
    const { cells: { guesses }, grid } = this;
    if (!guesses[row]) return; // its word is on the way
    const isPinned = grid.pins.includes(row);
    this.setPins(isPinned ? grid.pins.filter((pinned) => pinned !== row) : [...grid.pins, row].slice(-MOST_PINS));
    announce(`${capitals(guesses[row])} is ${isPinned ? "no longer pinned" : "pinned"}.`);
  }

  setPins(rows) {
    const { cells: { guesses }, grid } = this;
    grid.pins = rows;
    grid.layOut();
    this.state.set({ pin: rows.map((row) => guesses[row]) });
    this.pins.replaceChildren(...rows.map((row) => el("button", { className: "pick", "aria-label": `Unpin ${capitals(guesses[row])}`, onclick: () => {
      this.pin(row);
      grid.element.focus();
    } }, `${guesses[row]} ×`)));
  }

  /** What can be seen, once all that is on its way is here, as rows: the answers, and each guess with its clues. */
  async seenRows() {
    do await new Promise(requestAnimationFrame); while (this.cells.coming);
    const { cells, grid: { bands, columns } } = this;
    const clue = (row, column) => {
      const read = cells.read({ row, column });
      return read && clueOf(read.code, this.shape.length);
    };
    return [["guess", ...columns.map((column) => cells.answers[column])],
      ...bands.flatMap(({ rows }) => rows).map((row) => [cells.guesses[row], ...columns.map((column) => clue(row, column))])];
  }

  showCell() {
    const cell = this.grid?.cell;
    const read = cell && this.cells.read(cell);
    if (!read) {
      this.info.replaceChildren(el("span", { className: "note" }, cell ? "…" : "Rows are guesses, columns are answers, cells their clues. Point at one, or press the arrow keys."));
      return;
    }
    this.info.replaceChildren(
      tiles(read.guess, clueOf(read.code, this.shape.length), { small: true }),
      el("span", {}, "if the answer is ", el("strong", { className: "mono" }, capitals(read.answer))),
      el("span", { className: "note" }, `row ${count(cell.row + 1)} of ${count(this.shape.guesses)}, column ${count(cell.column + 1)}`
        + ` of ${count(this.shape.answers)}`));
  }

  /** Say the cell that the user means, and put it into the address, once it is here and the user rests. */
  settle() {
    const read = this.unsettled && this.grid?.cell && this.cells.read(this.grid.cell);
    if (!read) return;
    this.unsettled = false;
    const [guess, answer] = [capitals(read.guess), capitals(read.answer)];
    announce(`${guess} for ${answer}: ${spoken(read.guess, clueOf(read.code, this.shape.length))}`);
    this.state.set({ at: `${read.guess}:${read.answer}` });
  }
}
