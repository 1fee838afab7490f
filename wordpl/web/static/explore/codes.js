/** Clue codes: marks read as a number in base 3, the first letter most significant; 2 correct, 1 present, 0 absent. */

import { MARKS } from "../tiles.js";

const tables = new Map();

/** The marks of every code of a length, one after the other: Uint8Array(3 ** length * length). */
export function marksOf(length) {
  if (!tables.has(length)) {
    const marks = new Uint8Array(3 ** length * length);
    for (let code = 0; code < 3 ** length; code += 1) {
      for (let k = length - 1, rest = code; k >= 0; k -= 1, rest = Math.floor(rest / 3)) marks[code * length + k] = rest % 3;
    }
    tables.set(length, marks);
  }
  return tables.get(length);
}

/** A code in the contest's notation, as "..icc". */
export function clueOf(code, length) {
  const marks = marksOf(length).subarray(code * length, (code + 1) * length);
  return Array.from(marks, (mark) => MARKS[mark]).join("");
}
