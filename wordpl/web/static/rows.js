/** Words as the server has them, and guesses with their clues in an address: `row=crate:..icc:13`. */

import { readEpsilon } from "./epsilon.js";

/** A word as lists have it: the rule of `fold_word` in `wordpl/model/words.py`. */
export const fold = (text) => composed([...composed(text)].map((letter) => {
  const lower = letter.toLowerCase();
  return [...lower].length === 1 ? lower : letter;
}).join("").replaceAll("ς", "σ"));

const composed = (text) => text.replaceAll(/[^\u1100-\u11ff]+/g, (run) => run.normalize("NFC"));

/** The letters of a guess; an exclamation mark after it says that a word outside the list is meant. */
export const letters = (guess) => guess.replace(/!$/, "");
export const lengthOf = (guess) => [...letters(fold(guess))].length;

/** A word in capitals. A letter whose capital is that of another, as of ı, or is not one letter, as of ß, stays as it is. */
export const capitals = (word) => [...word].map((letter) => {
  const capital = letter.toUpperCase();
  return [...capital].length === 1 && fold(capital) === letter ? capital : letter;
}).join("");

export const ROW = "a guess, its clue (c, i or . for each letter), and in WORDPL its epsilon, as crate:..icc:13,";

/** A row ({guess, clue, epsilon}) from the address, or null. `noisy` rows have an epsilon, others none. */
export function readRow(text, noisy) {
  const [guess, clue = "", spent = noisy ? "" : "inf", ...more] = text.split(":");
  const length = lengthOf(guess);
  const epsilon = spent === "0" ? 0 : readEpsilon(spent); // 0 is a proposal in an unlimited game
  const fits = length >= 3 && length <= 8 && clue.length === length && /^[ci.]+$/.test(clue) && !more.length;
  return fits && epsilon !== null && (noisy || epsilon === "inf") ? { guess: fold(guess), clue, epsilon } : null;
}

/** The same for the address. A noisy row always has its epsilon, so that one that was cut off is missed. */
export const writeRow = ({ guess, clue, epsilon }, noisy) => `${guess}:${clue}${noisy ? `:${epsilon}` : ""}`;
