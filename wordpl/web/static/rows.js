/** Guesses with their clues in an address: `row=crate:..icc:13`. Without an epsilon the clue is exact. */

import { readEpsilon } from "./epsilon.js";

/** The letters of a guess; an exclamation mark after it says that a word outside the list is meant. */
export const letters = (guess) => guess.replace(/!$/, "");

/** A row ({guess, clue, epsilon}) from the address, or null. Marks that are missing are absent. */
export function readRow(text) {
  const [guess = "", marks = "", epsilon = "inf"] = text.trim().toLowerCase().split(":");
  const length = [...letters(guess)].length;
  if (length < 3 || length > 8) return null;
  const clue = Array.from({ length }, (_, i) => ("ic".includes(marks[i] || ".") ? marks[i] : ".")).join("");
  return { guess, clue, epsilon: readEpsilon(epsilon) ?? "inf" };
}

export const writeRow = ({ guess, clue, epsilon }) => `${guess}:${clue}${epsilon === "inf" ? "" : `:${epsilon}`}`;

export const readRows = (texts) => texts.map(readRow).filter((row) => row !== null);
