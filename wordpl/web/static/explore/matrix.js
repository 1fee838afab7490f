/** Explore: the clue matrix. */

import { get } from "../api.js";
import { announce, debounced, el, field, showError } from "../dom.js";
import { RULES, select } from "../game_fields.js";
import { latest } from "../latest.js";
import { spoken, tiles as tilesOf } from "../tiles.js";
import { withList, wordsField } from "../words.js";
import { clueOf } from "./codes.js";
import { Grid } from "./matrix_grid.js";
import { zooms } from "./matrix_picture.js";
import { Tiles } from "./matrix_tiles.js";

const ORDERS = { word: "Word", entropy: "Entropy", similarity: "Similarity" };
const MOST_PINS = 6;
const START_ZOOM = 5;

export async function show(root, state) {
  const view = new MatrixView(root, state);
  await view.build();
  await view.open();
}

class MatrixView {
  constructor(root, state) {
    Object.assign(this, { root, state, grid: null, unsettled: false, news: "" });
    this.open = latest((signal) => this.openNow(signal), state.signal);
    this.settleSoon = debounced(() => this.settle(), 250);
    addEventListener("theme", () => this.recolour(), { signal: state.signal });
  }

  get words() { return this.state.get("words", "original"); }

  get query() {
    const { state } = this;
    return { rule: state.get("rule", "letterwise"), guess_order: state.get("guesses", "word"),
      answer_order: state.get("answers", "word") };
  }

  get zoom() {
    const level = Number(this.state.get("zoom", START_ZOOM));
    return Number.isInteger(level) && level >= 0 && level < zooms(5).length ? level : START_ZOOM;
  }

  path(name) { return `/api/matrix/${encodeURIComponent(this.words)}/${name}`; }

  // Controls

  async build() {
    const change = (values) => {
      this.state.set(values, { push: true });
      this.open();
    };
    const choice = (label, name, choices, otherwise) => {
      const made = select(label, choices, this.state.get(name, otherwise));
      made.control.addEventListener("change", ({ target: { value } }) => change({ [name]: value === otherwise ? null : value }));
      return made;
    };
    this.rest = el("p", { className: "fault", hidden: true });
    this.info = el("div", { className: "cell-info" });
    this.pinList = el("div", { className: "pins" });
    this.legend = el("div", { className: "matrix-key note" });
    this.place = el("div");
    const list = await wordsField(this.words, ({ name }) => change({ words: name, at: null, pin: null }));
    this.fields = { words: list, rule: choice("Repeat rule", "rule", RULES, "letterwise"),
      guess_order: choice("Guesses by", "guesses", ORDERS, "word"),
      answer_order: choice("Answers by", "answers", ORDERS, "word") };
    this.root.append(
      el("p", {}, "Each row is a guess, each column an answer, and each cell the clue. Scroll or drag, click a row to pin it to"
        + " the top, and zoom out to see the whole."),
      el("div", { className: "row" }, Object.values(this.fields), this.zoomButtons(), this.searchForm()),
      this.rest, this.info, this.pinList, this.place, this.legend, help());
  }

  zoomButtons() {
    const button = (text, label, step) =>
      el("button", { type: "button", "aria-label": label, onclick: () => this.zoomBy(step) }, text);
    this.smaller = button("−", "Zoom out", -1);
    this.larger = button("+", "Zoom in", 1);
    return el("div", { className: "zoom", role: "group", "aria-label": "Zoom" }, this.smaller, this.larger);
  }

  searchForm() {
    const input = (label) => field(label, el("input", { type: "text", size: 10, maxLength: 60,
      autocomplete: "off", autocapitalize: "none", spellcheck: false }));
    const [guess, answer] = [input("Find a guess"), input("Find an answer")];
    const search = async (event) => {
      event.preventDefault();
      const row = await this.find(guess, "row");
      const column = await this.find(answer, "column");
      if (row === undefined || column === undefined || !this.grid) return;
      const cell = this.grid.cell ?? { row: 0, column: 0 };
      if (row === null && column === null) return;
      this.grid.goTo({ row: row ?? cell.row, column: column ?? cell.column }, { centre: true });
    };
    return el("form", { className: "row", role: "search", "aria-label": "Find words in the matrix", onsubmit: search },
      guess, answer, el("button", { type: "submit" }, "Find"));
  }

  /** Where the word of a field is: null if nothing was typed, undefined if there is no such place. */
  async find(box, axis) {
    const word = box.control.value.trim();
    box.fault(null);
    if (!word) return null;
    try {
      const found = await withList(this.words,
        () => get(this.path("find"), { ...this.query, word }, { signal: this.state.signal }));
      if (found[axis] !== null) return found[axis];
      box.fault(`${found.word.toUpperCase()} can be guessed, but it is never the answer.`);
    } catch (error) {
      showError(error, { word: box }, this.rest);
    }
    return undefined;
  }

  // The matrix of the address

  async openNow(signal) {
    this.rest.hidden = true;
    const waiting = el("div", { className: "matrix loading note", "aria-busy": "true" }, "Putting the words in order…");
    this.place.replaceChildren(waiting);
    try {
      const shape = await withList(this.words, () => get(this.path("order"), this.query, { signal }));
      const places = await this.places(signal);
      if (!signal.aborted) this.showGrid(shape, places, signal);
    } catch (error) {
      if (signal.aborted) return;
      this.place.replaceChildren();
      showError(error, this.fields, this.rest);
    }
  }

  /** Rows of the pinned guesses, and the cell of the address. A word that is not in the list is left out. */
  async places(signal) {
    const find = (word) => get(this.path("find"), { ...this.query, word }, { signal }).catch(() => null);
    const [guess, answer] = this.state.get("at", "").split(":");
    const pins = this.state.all("pin").slice(0, MOST_PINS);
    const [at, over, ...pinned] = await Promise.all(
      [guess ? find(guess) : null, answer ? find(answer) : null, ...pins.map(find)]);
    return {
      cell: at && { row: at.row, column: over?.column ?? 0 },
      pins: new Map(pinned.filter(Boolean).map(({ row, word }) => [row, word])),
    };
  }

  showGrid(shape, { cell, pins }, signal) {
    const failed = (error) => this.fail(error);
    this.shape = shape;
    this.pins = pins;
    this.tiles = new Tiles(this.words, this.query, shape, { arrived: () => this.arrived(), failed, signal });
    this.grid = new Grid(shape, this.tiles, { signal, cellChanged: (meant) => this.cellChanged(meant),
      pick: (row) => this.togglePin(row), zoomBy: (step, at) => this.zoomBy(step, at) });
    this.grid.element.setAttribute("aria-describedby", "matrix-help");
    this.place.replaceChildren(this.grid.element);
    this.grid.setPins([...pins.keys()]);
    this.grid.setZoom(this.zoom, { x: this.grid.left, y: this.grid.top });
    if (cell) this.grid.goTo(cell, { centre: true });
    this.showZoom();
    this.showPins();
    this.showCell();
  }

  arrived() {
    this.grid.drawSoon();
    this.rest.hidden = true;
    this.showCell();
    this.settle();
  }

  fail(error) {
    if ([404, 409].includes(error.status)) this.open();
    else showError(error, this.fields, this.rest);
  }

  recolour() {
    this.tiles?.refresh();
    this.grid?.drawSoon();
    this.showLegend();
  }

  zoomBy(step, at = null) {
    const level = Math.min(Math.max(this.zoom + step, 0), zooms(5).length - 1);
    if (!this.grid || level === this.zoom) return;
    this.state.set({ zoom: level === START_ZOOM ? null : level });
    this.grid.setZoom(level, at);
    this.showZoom();
  }

  showZoom() {
    this.smaller.disabled = this.zoom === 0;
    this.larger.disabled = this.zoom === zooms(5).length - 1;
    this.showLegend();
  }

  // The cell under the pointer or the cursor

  cellChanged(meant) {
    this.showCell();
    if (!meant) return;
    this.unsettled = true;
    this.settleSoon();
  }

  showCell() {
    const cell = this.grid?.cell;
    const read = cell && this.grid.read(cell);
    if (!read) {
      this.info.replaceChildren(el("span", { className: "note" }, cell ? "…" : "Point at a cell, or move there with the arrow keys."));
      return;
    }
    const count = (value) => value.toLocaleString("en");
    this.info.replaceChildren(
      tilesOf(read.guess, clueOf(read.code, this.shape.length), { small: true }),
      el("span", {}, "if the answer is ", el("strong", { className: "mono" }, read.answer.toUpperCase())),
      el("span", { className: "note" }, `row ${count(cell.row + 1)} of ${count(this.shape.guesses)}, column ${count(cell.column + 1)}`
        + ` of ${count(this.shape.answers)}`));
  }

  /** Say the cell that the user means, and put it into the address, once it is here. */
  settle() {
    const read = this.unsettled && this.grid?.cell && this.grid.read(this.grid.cell);
    if (!read) return;
    this.unsettled = false;
    const [guess, answer] = [read.guess.toUpperCase(), read.answer.toUpperCase()];
    announce(`${this.news}${guess} for ${answer}: ${spoken(read.guess, clueOf(read.code, this.shape.length))}`);
    this.news = "";
    this.state.set({ at: `${read.guess}:${read.answer}` });
  }

  // Pinned rows

  togglePin(row) {
    const read = this.grid.read({ row, column: this.grid.cell.column });
    if (!read) return;
    if (!this.pins.delete(row)) {
      if (this.pins.size === MOST_PINS) {
        showError({ message: `At most ${MOST_PINS} rows can be pinned; unpin one first.`, status: 422 }, {}, this.rest);
        return;
      }
      this.pins.set(row, read.guess);
    }
    this.news = `${read.guess.toUpperCase()} ${this.pins.has(row) ? "pinned" : "no longer pinned"}. `;
    this.pinsChanged();
  }

  pinsChanged() {
    this.rest.hidden = true;
    this.state.set({ pin: [...this.pins.values()] });
    this.unsettled = true;
    this.settleSoon();
    this.grid.setPins([...this.pins.keys()]);
    this.showPins();
  }

  showPins() {
    const unpin = (row) => {
      this.news = `${this.pins.get(row).toUpperCase()} no longer pinned. `;
      this.pins.delete(row);
      this.pinsChanged();
      this.grid.element.focus();
    };
    const buttons = [...this.pins].map(([row, word]) => el("button", { type: "button", className: "mono",
      "aria-label": `Unpin ${word.toUpperCase()}`, onclick: () => unpin(row) }, `${word.toUpperCase()} ×`));
    this.pinList.replaceChildren(...(buttons.length ? [el("span", { className: "note" }, "Pinned:"), ...buttons] : []));
  }

  // Legend

  showLegend() {
    const length = this.shape?.length ?? 5;
    const colour = (name, text) => el("span", {}, el("span", { className: `key-colour ${name}` }), text);
    if (zooms(length)[this.zoom].marks) {
      this.legend.replaceChildren(colour("correct", "correct"), colour("present", "present elsewhere"),
        colour("absent", "absent"));
    } else {
      const bar = el("span", { className: "key-colour ramp" });
      this.legend.replaceChildren(el("span", {}, "0 ", bar, ` ${2 * length}`),
        el("span", {}, `What a clue hits: 2 for each correct mark, 1 for each present one; ${2 * length} is the answer itself.`));
    }
  }
}

function help() {
  return el("p", { className: "note", id: "matrix-help" }, "Keys in the matrix: arrows move from cell to cell; Page Up, Page Down, Home and"
    + " End go further, with Ctrl to the corners; Enter pins the row; + and − zoom. With Ctrl the wheel zooms.");
}
