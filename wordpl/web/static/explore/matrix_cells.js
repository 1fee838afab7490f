/** The cells of a clue matrix: fetched in tiles where they are wanted, and kept. */

import { request, withQuery } from "../api.js";
import { direction } from "../tiles.js";

const AT_ONCE = 4;

export class Cells {
  /** `path` and `query` say which matrix; `arrived()` is called when there is more to draw, `failed(error)` when there is not. */
  constructor(path, query, shape, { arrived, failed, signal }) {
    Object.assign(this, { path, query, shape, arrived, failed, signal, guesses: [], answers: [], wanted: [], coming: 0 });
    // The server allows 40 million cells. Each is its code and 1, or 0 while it is not here.
    this.codes = new Uint16Array(shape.guesses * shape.answers);
    this.asked = new Set();
  }

  /** The guess, the answer and the code of a cell, or null while they are on the way. */
  read({ row, column }) {
    const code = this.codes[row * this.shape.answers + column];
    return code ? { guess: this.guesses[row], answer: this.answers[column], code: code - 1 } : null;
  }

  /** Say which tiles, as [size, row, column], the next picture needs, the most urgent first. */
  want(tiles) {
    this.wanted = tiles;
    for (let i = this.coming; i < AT_ONCE; i += 1) this.fetchNext();
  }

  async fetchNext() {
    const tile = this.wanted.find((one) => !this.asked.has(String(one)));
    if (!tile || this.signal.aborted) return;
    const [size, row, column] = tile;
    this.asked.add(String(tile));
    this.coming += 1;
    try {
      const path = withQuery(this.path, { ...this.query, version: this.shape.version, size, row, column });
      const response = await request(path, { signal: this.signal });
      this.keep(await response.arrayBuffer(), size, row * size, column * size);
      this.arrived();
    } catch (error) {
      this.asked.delete(String(tile));
      this.wanted = [];
      if (!this.signal.aborted) this.failed(error);
    } finally {
      this.coming -= 1;
      this.fetchNext();
    }
  }

  keep(buffer, size, top, left) {
    const { guesses, answers, bytes_per_code: bytes } = this.shape;
    const [rows, columns] = [Math.min(size, guesses - top), Math.min(size, answers - left)];
    const view = new DataView(buffer);
    for (let i = 0; i < rows * columns; i += 1) {
      const code = bytes === 1 ? view.getUint8(i) : view.getUint16(2 * i, true);
      this.codes[(top + Math.floor(i / columns)) * answers + left + i % columns] = code + 1;
    }
    const words = new TextDecoder().decode(new Uint8Array(buffer, rows * columns * bytes));
    const [named, over] = words.split("\n").map((line) => line.split(" "));
    named.forEach((word, i) => { this.guesses[top + i] = word; });
    over.forEach((word, i) => { this.answers[left + i] = word; });
    this.rightToLeft = direction(words) === "rtl";
  }
}
