/** What the scenes are made of: the channel on the marks of CRATE, exactly and as drawn from a seed, and how its numbers look. */

import { count, el, shown } from "../dom.js";
import { keep } from "../epsilon.js";
import { MARKS } from "../tiles.js";

/** The clues to CRATE if the answer is the one word or the other. */
export const CLUES = { HASTE: "..icc", PROUD: ".c..." };
export const SEEDS = 10000;

/** A noisy mark. It takes two draws at every epsilon, so that a mark that is kept at one is kept at each above it. */
function noisyMark(mark, epsilon, random) {
  const [kept, side] = [random() < keep(epsilon), random() < 0.5];
  return kept ? mark : MARKS.filter((other) => other !== mark)[side ? 0 : 1];
}

export const noisy = (clue, epsilon, random) => [...clue].map((mark) => noisyMark(mark, epsilon, random)).join("");
export const agreements = (clue, other) => [...clue].filter((mark, i) => mark === other[i]).length;

const sequences = (length) => Array.from({ length: 3 ** length }, (_, code) =>
  Array.from({ length }, (_place, i) => MARKS[Math.floor(code / 3 ** i) % 3]));

/**
 * The 243 noisy clues by how many marks more fit the first word than the second: the probability under each word, and
 * the likeliest clue. For each single clue of a kind one probability is exp(more * epsilon / 5) times the other.
 */
export function kindsOfClue(epsilon) {
  const clues = sequences(5).map((marks) => ({ marks, fits: Object.values(CLUES).map((truth) => agreements(marks, truth)) }));
  return [4, 3, 2, 1, 0, -1, -2, -3, -4].map((more) => {
    const kind = clues.filter(({ fits }) => fits[0] - fits[1] === more).sort((a, b) => b.fits[0] - a.fits[0]);
    const [first, second] = [0, 1].map((word) => kind.reduce((sum, { fits }) =>
      sum + keep(epsilon) ** fits[word] * ((1 - keep(epsilon)) / 2) ** (5 - fits[word]), 0));
    return { more, first, second, example: kind[0].marks.join("") };
  });
}

/**
 * How likely the likeliest reading of a mark, which is the mark that was drawn most often, is right after so many asks
 * at an epsilon. Chance decides between equals. The true mark is the first of MARKS here.
 */
export function rightReading(epsilon, asks) {
  let sum = 0;
  for (const marks of sequences(asks)) {
    const counts = MARKS.map((mark) => marks.filter((other) => other === mark).length);
    const most = Math.max(...counts);
    if (counts[0] < most) continue;
    sum += keep(epsilon) ** most * ((1 - keep(epsilon)) / 2) ** (asks - most) / counts.filter((number) => number === most).length;
  }
  return sum;
}

/** How many of 100: 0.2, 43, 85, 99.5. */
export const ofHundred = (part) => shown(100 * part, part >= 0.99 ? 3 : 2);
/** A ratio: 2.7, 148, 442,413. */
export const times = (ratio) => (ratio < 10 ? shown(ratio, 2) : count(ratio));
/** What an epsilon promises: e to its power, and how much that is. */
export const promised = (epsilon) => el("strong", {}, "e", el("sup", {}, String(epsilon)), ` = ${times(Math.exp(epsilon))}`);
export const cell = (mark, lie) => el("span", { className: lie ? "cell lie" : "cell", dataset: { mark } });

/** A pile of green marks, the true ones below. */
export const pile = (right, wrong, label) => el("span", { className: "pile", role: "img", "aria-label": label },
  Array.from({ length: right + wrong }, (_, i) => cell("c", i >= right)));
