/** A clue matrix drawn on a canvas: where its cells are, and what they look like. */

import { el, property } from "../dom.js";
import { capitals } from "../rows.js";
import { pixelsOfCodes } from "./colours.js";

/** The sizes of a cell in pixels for words of a length. From the fourth on marks are drawn, from the fifth letters. */
export const zooms = (length) => [
  { width: 1, height: 1 }, { width: 2, height: 2 }, { width: 4, height: 4 }, { width: 8, height: 8 },
  { width: 4 * length, height: 16, marks: true },
  { width: 11 * length, height: 22, marks: true, letters: true },
  { width: 18 * length, height: 34, marks: true, letters: true },
];

const LABEL = 13;
const PINNED = 16; // pixels of a pinned row, at least
const range = (from, to) => Array.from({ length: Math.max(to - from, 0) }, (_, i) => from + i);

export class MatrixPicture {
  /** Draws what can be seen of an `extent` in a scrolling `element`. A subclass moves the cursor, `cell`, and zooms. */
  constructor(shape, cells, attributes) {
    Object.assign(this, { shape, cells, pins: [], cell: null });
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.extent = el("div", { className: "extent" }, this.canvas);
    this.element = el("div", attributes, this.extent);
  }

  get left() { return 10 * this.shape.length + 12; }

  get header() { return 9 * this.shape.length + 12; }

  get pinned() { return Math.max(this.zoom?.height ?? 0, PINNED); }

  get top() { return this.header + this.pins.length * this.pinned; }

  get body() {
    const { clientWidth, clientHeight } = this.element;
    return { width: Math.max(clientWidth - this.left, 0), height: Math.max(clientHeight - this.top, 0) };
  }

  /** The first and last row and column that can be seen, as positions between cells. */
  get seen() {
    const { scrollLeft, scrollTop } = this.element;
    return {
      top: scrollTop / this.zoom.height, left: scrollLeft / this.zoom.width,
      bottom: Math.min((scrollTop + this.body.height) / this.zoom.height, this.shape.guesses),
      right: Math.min((scrollLeft + this.body.width) / this.zoom.width, this.shape.answers),
    };
  }

  x(column) { return this.left + column * this.zoom.width - this.element.scrollLeft; }

  /** The cell at a point of the element, or null; beside the body, that of the row or column that is named there. */
  at(x, y) {
    const row = y < this.header ? this.cell?.row : y < this.top ? this.pins[Math.floor((y - this.header) / this.pinned)]
      : Math.floor((y - this.top + this.element.scrollTop) / this.zoom.height);
    const column = x < this.left ? this.cell?.column : Math.floor((x - this.left + this.element.scrollLeft) / this.zoom.width);
    if (row === undefined || row >= this.shape.guesses || column >= this.shape.answers) return null;
    return { row, column: column ?? 0 };
  }

  /** The tiles for the picture. */
  needed() {
    const { pins, seen } = this;
    const size = this.zoom.width <= 4 ? 512 : 128;
    const blocks = (from, to) => range(Math.floor(from / size), Math.ceil(to / size));
    const rows = [...blocks(seen.top, seen.bottom), ...pins.map((row) => Math.floor(row / size))];
    return rows.flatMap((row) => blocks(seen.left, seen.right).map((column) => [size, row, column]));
  }

  drawSoon() {
    this.pending ??= requestAnimationFrame(() => this.draw());
  }

  recolour() {
    this.pixels = pixelsOfCodes(this.shape.length, this.zoom.marks);
    this.colour = Object.fromEntries(["page", "text", "accent", "strong-line", "on-tile", "on-accent", "mono"]
      .map((name) => [name, property(name)]));
    this.draw();
  }

  draw() {
    cancelAnimationFrame(this.pending);
    this.pending = null;
    const { canvas, cells, header, left, pins, top, zoom } = this;
    const { clientWidth: width, clientHeight: height } = this.element;
    if (!zoom || !width) return;
    const scale = devicePixelRatio;
    const size = { width: Math.round(width * scale), height: Math.round(height * scale) };
    if (canvas.width !== size.width || canvas.height !== size.height) Object.assign(canvas, size);
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    this.fill("page", 0, 0, width, height);
    this.cells.want(this.needed());
    const { seen } = this;
    const rows = range(Math.floor(seen.top), Math.ceil(seen.bottom));
    this.bands = [{ rows: pins, y: header, height: this.pinned, from: header, to: top },
      { rows, y: top + rows[0] * zoom.height - this.element.scrollTop, height: zoom.height, from: top, to: height }]
      .filter((band) => band.rows.length);
    this.columns = range(Math.floor(seen.left), Math.ceil(seen.right));
    const [first] = this.columns;
    for (const band of this.bands) this.drawRows(band, width);
    if (pins.length) this.fill("strong-line", 0, top - 2, width, 2);
    this.clipped(left, 0, width, header, () => this.names(cells.answers, this.columns, this.cell?.column, zoom.width,
      (offset) => [this.x(first) + offset, header - 6], true));
  }

  fill(name, x, y, width, height) {
    this.context.fillStyle = this.colour[name];
    this.context.fillRect(x, y, width, height);
  }

  /** Do some work that draws in a rectangle from one corner to the opposite one only. */
  clipped(left, top, right, bottom, work) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(left, top, right - left, bottom - top);
    context.clip();
    work();
    context.restore();
  }

  /** Draw rows of one height with their names, and a frame around the cell of the cursor. */
  drawRows({ rows, y, height, from, to }, right) {
    const { cell, cells, colour, columns, context, left, zoom } = this;
    const x = this.x(columns[0]);
    const [width, all] = [columns.length * zoom.width, rows.length * height];
    this.clipped(left, from, right, to, () => {
      context.imageSmoothingEnabled = false;
      context.drawImage(this.marked(rows), x, y, width, all);
      if (zoom.letters) {
        const strip = this.lettered(rows);
        for (const column of columns) context.drawImage(strip, this.x(column), y, zoom.width, all);
      }
      const gap = zoom.letters ? 3 : 2;
      if (zoom.marks) for (const column of columns) this.fill("page", this.x(column) - gap / 2, y, gap, all);
      if (height >= LABEL) rows.forEach((_, i) => this.fill("page", x, y + (i + 1) * height - 1, width, 1));
      for (const [name, line] of rows.includes(cell?.row) ? [["page", 4], ["accent", 2]] : []) {
        context.strokeStyle = colour[name];
        context.lineWidth = line;
        context.strokeRect(this.x(cell.column) - 1, y + rows.indexOf(cell.row) * height - 1, zoom.width, height);
      }
    });
    this.clipped(0, from, left, to, () =>
      this.names(cells.guesses, rows, cell?.row, height, (offset) => [6, y + offset], false));
  }

  /** The cells of rows that can be seen, small: a pixel for each cell, or for each mark. */
  marked(rows) {
    const { cells: { codes, rightToLeft }, columns, pixels, shape: { answers } } = this;
    const wide = pixels.length;
    const small = new OffscreenCanvas(columns.length * wide, rows.length);
    const image = new ImageData(small.width, small.height);
    const into = new Uint32Array(image.data.buffer);
    pixels.forEach((colours, k) => {
      let at = rightToLeft ? wide - 1 - k : k;
      for (const row of rows) {
        const first = row * answers + columns[0];
        for (let cell = first; cell < first + columns.length; cell += 1) {
          into[at] = colours[codes[cell]];
          at += wide;
        }
      }
    });
    small.getContext("2d").putImageData(image, 0, 0);
    return small;
  }

  /** The letters of rows over the marks of a column; they are the same in every column. */
  lettered(rows) {
    const { cells, colour, shape: { length }, zoom: { width, height } } = this;
    const scale = devicePixelRatio;
    const strip = new OffscreenCanvas(Math.round(width * scale), Math.round(rows.length * height * scale));
    const context = strip.getContext("2d");
    context.scale(scale, scale);
    context.fillStyle = colour["on-tile"];
    context.font = `600 ${Math.round(height * 0.62)}px ${colour.mono}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    rows.forEach((row, i) => [...capitals(cells.guesses[row] ?? "")].forEach((letter, k) =>
      context.fillText(letter, ((cells.rightToLeft ? length - 1 - k : k) + 0.5) * width / length, (i + 0.54) * height)));
    return strip;
  }

  /** The names of rows or columns of one size: as many as have room, and that of the cursor. `place` is where one begins. */
  names(words, numbers, cursor, size, place, turned) {
    const { context, colour } = this;
    const write = (number, offset, chosen) => {
      context.save();
      context.translate(...place(offset));
      if (turned) context.rotate(-Math.PI / 2);
      if (chosen) this.fill("accent", -6, -LABEL / 2 - 2, turned ? this.top : this.left, LABEL + 4);
      context.fillStyle = colour[chosen ? "on-accent" : "text"];
      context.fillText(words[number] ?? "", 0, 0);
      context.restore();
    };
    context.textBaseline = "middle";
    context.font = `400 12px ${colour.mono}`;
    numbers.forEach((number, i) => { if (number % Math.ceil(LABEL / size) === 0) write(number, i * size + Math.max(size, LABEL) / 2, false); });
    context.font = `700 12px ${colour.mono}`;
    if (numbers.includes(cursor)) write(cursor, (numbers.indexOf(cursor) + 0.5) * size, true);
  }
}
