/** Colours of the style sheet as pixels, for pictures that are written pixel by pixel. */

import { marksOf } from "./codes.js";

const MARK_COLOURS = ["absent", "present", "correct"];

/** The value of a custom property of the style sheet. */
export const property = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();

/** Pixels of a strip that a context has filled: Uint32Array(width), in the order of bytes of ImageData. */
function pixels(width, fill) {
  const canvas = new OffscreenCanvas(width, 1);
  const context = canvas.getContext("2d", { willReadFrequently: true });
  fill(context);
  return new Uint32Array(context.getImageData(0, 0, width, 1).data.buffer);
}

/** The colours of the ramp from nothing hit to everything hit, `steps` of them. */
export function ramp(steps) {
  return pixels(steps, (context) => {
    const gradient = context.createLinearGradient(0.5, 0, steps - 0.5, 0);
    ["ramp-low", "ramp-middle", "ramp-high"].forEach((name, i) => gradient.addColorStop(i / 2, property(name)));
    context.fillStyle = gradient;
    context.fillRect(0, 0, steps, 1);
  });
}

/** What a clue hits: 2 for each correct mark, 1 for each present one. */
export function hits(length) {
  const marks = marksOf(length);
  return Uint8Array.from({ length: 3 ** length }, (_, code) => {
    let sum = 0;
    for (let k = 0; k < length; k += 1) sum += marks[code * length + k];
    return sum;
  });
}

/** The colour of each mark: Uint32Array(3). */
export const markColours = () => pixels(3, (context) => MARK_COLOURS.forEach((name, i) => {
  context.fillStyle = property(name);
  context.fillRect(i, 0, 1, 1);
}));

/** The colour of each code, by what it hits: Uint32Array(3 ** length). */
export function codeColours(length) {
  const colours = ramp(2 * length + 1);
  return Uint32Array.from(hits(length), (sum) => colours[sum]);
}
