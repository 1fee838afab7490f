/** A clue matrix drawn on a canvas: where its cells are, and what they look like. Tiles are kept as pictures. */

import { el } from "../dom.js";
import { property } from "./colours.js";

/** The sizes of a cell in pixels for words of a length. From the fourth on marks are drawn, from the fifth letters. */
export const zooms = (length) => [
  { width: 1, height: 1 }, { width: 2, height: 2 }, { width: 4, height: 4 }, { width: 8, height: 8 },
  { width: 4 * length, height: 16, marks: true },
  { width: 11 * length, height: 22, marks: true, letters: true },
  { width: 18 * length, height: 34, marks: true, letters: true },
];

const LABEL = 13;

export class MatrixPicture {
  /** Draws what can be seen of an `extent` in a scrolling `element`. A subclass moves the cursor, `cell`. */
  constructor(shape, tiles, attributes) {
    Object.assign(this, { shape, tiles });
    this.canvas = el("canvas", { "aria-hidden": "true" });
    this.extent = el("div", { className: "extent" }, this.canvas);
    this.element = el("div", attributes, this.extent);
    this.context = this.canvas.getContext("2d", { alpha: false });
    this.pins = [];
    this.cell = null;
    this.scrolled = false;
  }

  // Places

  get left() { return 10 * this.shape.length + 12; }

  get header() { return 9 * this.shape.length + 12; }

  get pinned() { return Math.max(this.zoom?.height ?? 0, 16); }

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

  /** The cell at a point of the element, or null; beside the body, that of the row or column that is named there. */
  at(x, y) {
    const row = y < this.header ? this.cell?.row : y < this.top ? this.pins[Math.floor((y - this.header) / this.pinned)]
      : Math.floor((y - this.top + this.element.scrollTop) / this.zoom.height);
    const column = x < this.left ? this.cell?.column : Math.floor((x - this.left + this.element.scrollLeft) / this.zoom.width);
    if (row === undefined || row >= this.shape.guesses || column >= this.shape.answers) return null;
    return { row, column: column ?? 0 };
  }

  tileAt({ row, column }) {
    const size = this.size;
    const tile = this.tiles.get(size, Math.floor(row / size), Math.floor(column / size));
    return tile && { tile, i: row % size, j: column % size };
  }

  /** The guess, the answer and the code of a cell, or null while they are on the way. */
  read(cell) {
    const found = this.tileAt(cell);
    if (!found) return null;
    const { tile, i, j } = found;
    return { guess: tile.guesses[i], answer: tile.answers[j], code: tile.codes[i * tile.columns + j] };
  }

  // Drawing

  drawSoon() {
    this.pending ??= requestAnimationFrame(() => this.draw());
  }

  get size() { return this.zoom.width <= 4 ? 512 : 128; }

  draw() {
    cancelAnimationFrame(this.pending);
    this.pending = null;
    const { canvas, context, element } = this;
    if (!this.zoom || !element.clientWidth) return;
    const scale = devicePixelRatio || 1;
    const [width, height] = [element.clientWidth, element.clientHeight];
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
      canvas.style.width = `${width}px`;
      canvas.style.height = `${height}px`;
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.imageSmoothingEnabled = false;
    this.colour = Object.fromEntries(["page", "raised", "text", "soft", "accent", "strong-line", "on-tile", "on-accent"]
      .map((name) => [name, property(name)]));
    context.fillStyle = this.colour.page;
    context.fillRect(0, 0, width, height);
    const blocks = this.blocks();
    this.tiles.want(this.needed(blocks));
    this.drawBody(blocks);
    this.drawPins(blocks);
    this.drawAnswers(blocks);
    this.drawGuesses(blocks);
    this.drawCursor();
  }

  /** The blocks that can be seen: their numbers, from and to (included). */
  blocks() {
    const { size, seen } = this;
    const last = (end) => Math.max(Math.ceil(end / size) - 1, 0);
    const from = (start) => Math.floor(start / size);
    return { rows: [from(seen.top), last(seen.bottom)], columns: [from(seen.left), last(seen.right)] };
  }

  /** The tiles for the picture, those of pinned rows, and once the user scrolls those around, which come next. */
  needed({ rows, columns }) {
    const { size } = this;
    const last = [Math.ceil(this.shape.guesses / size) - 1, Math.ceil(this.shape.answers / size) - 1];
    const range = ([from, to], end = Infinity) => Array.from({ length: Math.min(to, end) - Math.max(from, 0) + 1 },
      (_, i) => Math.max(from, 0) + i);
    const product = (some, others) => some.flatMap((row) => others.map((column) => [size, row, column]));
    const pinned = [...new Set(this.pins.map((row) => Math.floor(row / size)))];
    const around = product(range([rows[0] - 1, rows[1] + 1], last[0]), range([columns[0] - 1, columns[1] + 1], last[1]));
    const now = [...product(range(rows), range(columns)), ...product(pinned, range(columns))];
    const wanted = this.scrolled ? [...now, ...around] : now;
    return [...new Map(wanted.map((tile) => [tile.join("/"), tile])).values()];
  }

  x(column) { return this.left + column * this.zoom.width - this.element.scrollLeft; }

  y(row) { return this.top + row * this.zoom.height - this.element.scrollTop; }

  clipped(x, y, width, height, work) {
    const { context } = this;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    work();
    context.restore();
  }

  each({ rows, columns }, work) {
    for (let row = rows[0]; row <= rows[1]; row += 1) {
      for (let column = columns[0]; column <= columns[1]; column += 1) work(this.tiles.get(this.size, row, column), row, column);
    }
  }

  drawBody(blocks) {
    const { context, zoom, size, body } = this;
    this.clipped(this.left, this.top, body.width, body.height, () => {
      this.each(blocks, (tile, row, column) => {
        const [x, y] = [this.x(column * size), this.y(row * size)];
        if (tile) {
          context.drawImage(this.tiles.image(tile, zoom.marks), x, y, tile.columns * zoom.width, tile.rows * zoom.height);
          return;
        }
        context.fillStyle = this.colour.raised;
        context.fillRect(x, y, size * zoom.width, size * zoom.height);
      });
      if (zoom.letters) this.drawLetters(blocks);
      if (!zoom.marks) return;
      this.drawColumnLines(this.top, this.y(this.seen.bottom));
      this.drawRowLines();
    });
  }

  /** Lines between the columns, from one height to another. */
  drawColumnLines(from, to) {
    const { context, seen } = this;
    const width = this.zoom.letters ? 3 : 2;
    context.fillStyle = this.colour.page;
    for (let column = Math.ceil(seen.left); column <= seen.right; column += 1) {
      context.fillRect(this.x(column) - width / 2, from, width, to - from);
    }
  }

  drawRowLines() {
    const { context, seen, left } = this;
    context.fillStyle = this.colour.page;
    for (let row = Math.ceil(seen.top); row <= seen.bottom; row += 1) {
      context.fillRect(left, this.y(row) - 1, this.x(seen.right) - left, 1);
    }
  }

  /** The letters of the guesses over their marks: those of a row are the same in each cell, so they are drawn once. */
  drawLetters(blocks) {
    const { zoom, seen } = this;
    for (let row = blocks.rows[0]; row <= blocks.rows[1]; row += 1) {
      const tile = this.anyOf(row, null, blocks);
      if (!tile) continue;
      const from = Math.max(Math.floor(seen.top) - row * this.size, 0);
      const to = Math.min(Math.ceil(seen.bottom) - row * this.size, tile.rows);
      this.stamp(this.lettered(tile), from, to - from, this.y(row * this.size + from), zoom.height);
    }
  }

  /** Put `count` rows of letters, from row `from` of a strip, into each column that can be seen. */
  stamp(strip, from, count, y, height) {
    const { zoom, seen, context } = this;
    const scale = strip.scale;
    for (let column = Math.floor(seen.left); column < seen.right; column += 1) {
      context.drawImage(strip, 0, from * zoom.height * scale, strip.width, count * zoom.height * scale,
        this.x(column), y, zoom.width, count * height);
    }
  }

  /** A strip of a column's width with the letters of all guesses of a tile. */
  lettered(tile) {
    const { zoom } = this;
    const scale = devicePixelRatio || 1;
    const kind = `letters ${zoom.width} ${scale} ${this.colour["on-tile"]}`;
    if (!tile.images[kind]) {
      const strip = new OffscreenCanvas(Math.round(zoom.width * scale), Math.round(tile.rows * zoom.height * scale));
      const context = strip.getContext("2d");
      context.scale(scale, scale);
      context.fillStyle = this.colour["on-tile"];
      context.font = `600 ${Math.round(zoom.height * 0.62)}px ${property("mono")}`;
      context.textAlign = "center";
      context.textBaseline = "middle";
      const step = zoom.width / this.shape.length;
      tile.guesses.forEach((guess, i) => [...guess.toUpperCase()].forEach((letter, k) =>
        context.fillText(letter, (k + 0.5) * step, (i + 0.54) * zoom.height)));
      strip.scale = scale;
      tile.images[kind] = strip;
    }
    return tile.images[kind];
  }

  drawPins({ columns }) {
    const { context, zoom, size, body, header, pinned } = this;
    this.clipped(this.left, header, body.width, this.top - header, () => {
      this.pins.forEach((row, i) => {
        const y = header + i * pinned;
        for (let column = columns[0]; column <= columns[1]; column += 1) {
          const tile = this.tiles.get(size, Math.floor(row / size), column);
          if (!tile) continue;
          const image = this.tiles.image(tile, zoom.marks);
          context.drawImage(image, 0, row % size, image.width, 1,
            this.x(column * size), y, tile.columns * zoom.width, pinned - 1);
        }
        const tile = this.anyOf(Math.floor(row / size), null, { columns });
        if (tile && zoom.letters) this.stamp(this.lettered(tile), row % size, 1, y, pinned);
      });
      if (zoom.marks) this.drawColumnLines(header, this.top);
    });
    if (this.pins.length) {
      context.fillStyle = this.colour["strong-line"];
      context.fillRect(0, this.top - 2, this.left + body.width, 2);
    }
  }

  /** Any tile of a block of rows, or of a block of columns, that is here: for its words. */
  anyOf(row, column, { rows, columns }) {
    const [from, to] = row === null ? rows : columns;
    for (let other = from; other <= to; other += 1) {
      const tile = row === null ? this.tiles.get(this.size, other, column) : this.tiles.get(this.size, row, other);
      if (tile) return tile;
    }
    return null;
  }

  label(text, chosen) {
    const { context, colour } = this;
    context.font = `${chosen ? 700 : 400} 12px ${property("mono")}`;
    context.fillStyle = chosen ? colour.accent : colour.text;
    context.textBaseline = "middle";
    context.textAlign = "left";
    context.fillText(text, 0, 0);
  }

  drawGuesses(blocks) {
    const { context, zoom, size, seen, left, top, header, pinned } = this;
    const every = Math.ceil(LABEL / zoom.height);
    const draw = (tile, row, y, height) => {
      context.save();
      context.translate(6, y + Math.max(height, LABEL) / 2);
      this.label(tile.guesses[row % size], row === this.cell?.row);
      context.restore();
    };
    this.clipped(0, top, left, this.body.height, () => {
      for (let row = Math.floor(seen.top / every) * every; row < seen.bottom; row += every) {
        const tile = this.anyOf(Math.floor(row / size), null, blocks);
        if (tile) draw(tile, row, this.y(row), zoom.height);
      }
    });
    this.pins.forEach((row, i) => {
      const tile = this.anyOf(Math.floor(row / size), null, blocks);
      if (tile) draw(tile, row, header + i * pinned, pinned);
    });
  }

  drawAnswers(blocks) {
    const { context, zoom, size, seen, left, header } = this;
    const every = Math.ceil(LABEL / zoom.width);
    this.clipped(left, 0, this.body.width, header, () => {
      for (let column = Math.floor(seen.left / every) * every; column < seen.right; column += every) {
        const tile = this.anyOf(null, Math.floor(column / size), blocks);
        if (!tile) continue;
        context.save();
        context.translate(this.x(column) + Math.max(zoom.width, LABEL) / 2, header - 6);
        context.rotate(-Math.PI / 2);
        this.label(tile.answers[column % size], column === this.cell?.column);
        context.restore();
      }
    });
  }

  /** The cursor: a frame around its cell, and the names of its row and column set off. */
  drawCursor() {
    const { context, cell, zoom, colour, left, top, header } = this;
    if (!cell) return;
    const found = this.read(cell);
    const [x, y] = [this.x(cell.column), this.y(cell.row)];
    this.clipped(left, top, this.body.width, this.body.height, () => {
      context.strokeStyle = colour.page;
      context.lineWidth = 4;
      context.strokeRect(x - 1, y - 1, zoom.width, zoom.height);
      context.strokeStyle = colour.accent;
      context.lineWidth = 2;
      context.strokeRect(x - 1, y - 1, zoom.width, zoom.height);
    });
    if (!found) return;
    const tag = (text, place, turned) => {
      context.save();
      context.translate(...place);
      if (turned) context.rotate(-Math.PI / 2);
      context.fillStyle = colour.accent;
      context.fillRect(-6, -LABEL / 2 - 2, turned ? header : left, LABEL + 4);
      context.font = `700 12px ${property("mono")}`;
      context.fillStyle = colour["on-accent"];
      context.textBaseline = "middle";
      context.textAlign = "left";
      context.fillText(text, 0, 0);
      context.restore();
    };
    if (x + zoom.width > left && x < left + this.body.width) {
      this.clipped(left, 0, this.body.width, header, () => tag(found.answer, [x + zoom.width / 2, header - 6], true));
    }
    const pin = this.pins.indexOf(cell.row);
    if (pin >= 0) tag(found.guess, [6, header + (pin + 0.5) * this.pinned], false);
    if (y + zoom.height > top && y < top + this.body.height) {
      this.clipped(0, top, left, this.body.height, () => tag(found.guess, [6, y + zoom.height / 2], false));
    }
  }
}
