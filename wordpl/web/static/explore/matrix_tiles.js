/** Tiles of a clue matrix: fetched when they are wanted, and kept as long as there is room. */

import { request, withQuery } from "../api.js";
import { codeColours, markColours } from "./colours.js";
import { marksOf } from "./codes.js";

const AT_ONCE = 4;
const KEPT = { 128: 120, 512: 40 };

export class Tiles {
  /** `query` says which matrix; `arrived()` is called when there is more to draw, `failed(error)` when there is not. */
  constructor(words, query, shape, { arrived, failed, signal }) {
    Object.assign(this, { words, query, shape, arrived, failed, signal });
    this.kept = new Map();
    this.coming = new Set();
    this.wanted = [];
    this.refresh();
  }

  /** Take the colours of the page anew. */
  refresh() {
    this.colours = { codes: codeColours(this.shape.length), marks: markColours() };
    for (const tile of this.kept.values()) tile.images = {};
  }

  /** The tile of a block of rows and a block of columns, or undefined if it is not here yet. */
  get(size, row, column) {
    const key = `${size}/${row}/${column}`;
    const tile = this.kept.get(key);
    if (tile) {
      this.kept.delete(key);
      this.kept.set(key, tile);
    }
    return tile;
  }

  /** Say which tiles, as [size, row, column], the next picture needs, the most urgent first. */
  want(tiles) {
    this.wanted = tiles.filter((tile) => !this.kept.has(tile.join("/")));
    this.fetchNext();
  }

  fetchNext() {
    while (this.coming.size < AT_ONCE && !this.signal.aborted) {
      const next = this.wanted.find((tile) => !this.coming.has(tile.join("/")));
      if (!next) return;
      this.fetch(next);
    }
  }

  async fetch([size, row, column]) {
    const key = `${size}/${row}/${column}`;
    this.coming.add(key);
    try {
      const path = withQuery(`/api/matrix/${encodeURIComponent(this.words)}/tile`,
        { ...this.query, version: this.shape.version, size, row, column });
      const response = await request(path, { signal: this.signal });
      this.keep(key, size, this.read(await response.arrayBuffer(), size, row, column));
      this.arrived();
    } catch (error) {
      this.wanted = [];
      if (!this.signal.aborted) this.failed(error);
    } finally {
      this.coming.delete(key);
      this.wanted = this.wanted.filter((tile) => tile.join("/") !== key);
      this.fetchNext();
    }
  }

  keep(key, size, tile) {
    this.kept.set(key, tile);
    const same = [...this.kept.keys()].filter((one) => one.startsWith(`${size}/`));
    for (const old of same.slice(0, -KEPT[size])) this.kept.delete(old);
  }

  read(buffer, size, row, column) {
    const { guesses, answers, bytes_per_code: bytes } = this.shape;
    const rows = Math.min(size, guesses - row * size);
    const columns = Math.min(size, answers - column * size);
    const cells = rows * columns;
    const codes = bytes === 1 ? new Uint8Array(buffer, 0, cells)
      : Uint16Array.from({ length: cells }, (_, i) => new DataView(buffer).getUint16(2 * i, true));
    const labels = new TextDecoder().decode(new Uint8Array(buffer, cells * bytes)).split("\n").map((line) => line.split(" "));
    return { rows, columns, codes, guesses: labels[0], answers: labels[1], images: {} };
  }

  /** A tile as a picture: a pixel for each cell, or with `marks` one for each mark. */
  image(tile, marks) {
    const kind = marks ? "marks" : "codes";
    tile.images[kind] ??= this.paint(tile, marks);
    return tile.images[kind];
  }

  paint({ rows, columns, codes }, marks) {
    const wide = marks ? this.shape.length : 1;
    const canvas = new OffscreenCanvas(columns * wide, rows);
    const context = canvas.getContext("2d");
    const image = context.createImageData(canvas.width, rows);
    const pixels = new Uint32Array(image.data.buffer);
    if (marks) {
      const table = marksOf(wide);
      for (let i = 0; i < codes.length; i += 1) {
        for (let k = 0; k < wide; k += 1) pixels[i * wide + k] = this.colours.marks[table[codes[i] * wide + k]];
      }
    } else {
      for (let i = 0; i < codes.length; i += 1) pixels[i] = this.colours.codes[codes[i]];
    }
    context.putImageData(image, 0, 0);
    return canvas;
  }
}
