/** Clue codes and their colours, as pixels for pictures that are written pixel by pixel. */

import { property } from "../dom.js";
import { MARKS } from "../tiles.js";

/** The marks of a code, a number in base 3 whose first digit is the first mark: 2 correct, 1 present, 0 absent. */
const marksOf = (code, length) => Array.from(code.toString(3).padStart(length, "0"), Number);
/** A code in the contest's notation, as "..icc". */
export const clueOf = (code, length) => marksOf(code, length).map((mark) => MARKS[mark]).join("");
/** The parts of a colour (`#rrggbb`), and a colour of such parts as ImageData has it. */
const parts = (name) => property(name).match(/[0-9a-f]{2}/gi).map((digits) => parseInt(digits, 16));
const pixel = ([red, green, blue]) => (255 << 24 | blue << 16 | green << 8 | red) >>> 0;
export const markColours = () => ["absent", "present", "correct"].map((name) => pixel(parts(name)));

/** The colours from nothing hit to everything hit; a code hits 2 for each correct mark, 1 for each present one. */
function ramp(length) {
  const colours = ["ramp-low", "ramp-middle", "ramp-high"].map(parts);
  return Array.from({ length: 2 * length + 1 }, (_, hits) => {
    const half = hits < length ? 0 : 1;
    return pixel(colours[half].map((part, i) => Math.round(part + (colours[half + 1][i] - part) * (hits / length - half))));
  });
}

/** The pixels of a cell (one, or with `marks` one for each mark), each by the code and 1; 0 is a cell that is not here yet. */
export function pixelsOfCodes(length, marks) {
  const colours = marks ? markColours() : ramp(length);
  const clues = Array.from({ length: 3 ** length }, (_, code) => marksOf(code, length));
  const parted = marks ? clues : clues.map((clue) => [clue.reduce((hits, mark) => hits + mark)]);
  return parted[0].map((_, k) => Uint32Array.of(pixel(parts("raised")), ...parted.map((clue) => colours[clue[k]])));
}
