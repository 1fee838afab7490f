/** The channel of the game for the scenes: what it does to the marks of CRATE, exactly and as drawn from a seed. */

import { MARKS } from "../tiles.js";

/** The clues to CRATE if the answer is the one word or the other. */
export const CLUES = { HASTE: "..icc", PROUD: ".c..." };

/** The probability that a mark is kept. */
export const keep = (epsilon) => 1 / (1 + 2 * Math.exp(-epsilon / 5));

/** A generator of numbers from 0 to 1; `stream` tells the scenes with the same seed apart. */
export function generator(seed, stream) {
  let state = 1 + (Math.trunc(Math.abs(Number(seed))) || 0) % 10000 + 10000 * stream;
  const next = () => (state = state * 48271 % 2147483647) / 2147483647;
  next();
  next();
  return next;
}

/** A noisy mark. It takes two draws at every epsilon, so that a mark that is kept at one is kept at each above it. */
function noisyMark(mark, epsilon, random) {
  const [kept, side] = [random() < keep(epsilon), random() < 0.5];
  return kept ? mark : MARKS.filter((other) => other !== mark)[side ? 0 : 1];
}

export const noisy = (clue, epsilon, random) => [...clue].map((mark) => noisyMark(mark, epsilon, random)).join("");

export const agreements = (clue, other) => [...clue].filter((mark, i) => mark === other[i]).length;

/** All sequences of so many marks. */
const sequences = (length) => Array.from({ length: 3 ** length }, (_, code) =>
  Array.from({ length }, (_place, i) => MARKS[Math.floor(code / 3 ** i) % 3]));

/**
 * The 243 noisy clues by how many marks more fit the first word than the second: the probability under each word, and
 * an example, the likeliest clue. For each single clue of a kind one probability is exp(more * epsilon / 5) times the other.
 */
export function kindsOfClue(epsilon, [first, second] = Object.values(CLUES)) {
  const [right, wrong] = [keep(epsilon), (1 - keep(epsilon)) / 2];
  const likelihood = (fits) => right ** fits * wrong ** (5 - fits);
  const kinds = new Map();
  for (const clue of sequences(5)) {
    const fits = [agreements(clue, first), agreements(clue, second)];
    const more = fits[0] - fits[1];
    const kind = kinds.get(more) ?? { more, first: 0, second: 0, fits: -1 };
    kinds.set(more, kind);
    kind.first += likelihood(fits[0]);
    kind.second += likelihood(fits[1]);
    if (fits[0] + fits[1] > kind.fits) Object.assign(kind, { fits: fits[0] + fits[1], example: clue.join("") });
  }
  return [...kinds.values()].sort((one, other) => other.more - one.more);
}

/** The marks that were drawn most often; the likeliest readings of what was asked several times. */
export function likeliest(marks) {
  const counts = MARKS.map((mark) => marks.filter((other) => other === mark).length);
  return MARKS.filter((_, i) => counts[i] === Math.max(...counts));
}

/** How likely the likeliest reading of a mark is right after so many asks at an epsilon; chance decides between equals. */
export function rightReading(epsilon, asks) {
  let sum = 0;
  for (const marks of sequences(asks)) {
    const readings = likeliest(marks);
    if (!readings.includes("c")) continue;
    const right = marks.filter((mark) => mark === "c").length;
    sum += keep(epsilon) ** right * ((1 - keep(epsilon)) / 2) ** (asks - right) / readings.length;
  }
  return sum;
}
