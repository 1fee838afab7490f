/**
 * The distribution of a noisy clue, worked out in the page: the server sends that of the exact clue once, and moving
 * epsilon costs a few thousand multiplications. The formulas are those of `wordpl/model/channel.py`.
 */

import { markChances } from "../epsilon.js";

/** Values of the codes that the server named, with zeros for the others: Float64Array(3 ** length). */
function spread(codes, values, length) {
  const all = new Float64Array(3 ** length);
  codes.forEach((code, i) => { all[code] = values[i]; });
  return all;
}

/** Take values of the exact clue through the channel, a pass for each mark; `combine(three terms)` is a sum or a maximum. */
function throughChannel(values, { kept, flipped }, combine) {
  const noisy = Float64Array.from(values);
  for (let stride = 1; stride < noisy.length; stride *= 3) {
    for (let start = 0; start < noisy.length; start += 3 * stride) {
      for (let i = start; i < start + stride; i += 1) {
        const [a, b, c] = [noisy[i], noisy[i + stride], noisy[i + 2 * stride]];
        noisy[i] = combine(kept * a, flipped * b, flipped * c);
        noisy[i + stride] = combine(flipped * a, kept * b, flipped * c);
        noisy[i + 2 * stride] = combine(flipped * a, flipped * b, kept * c);
      }
    }
  }
  return noisy;
}

/** Entropy in bits. */
const entropy = (probabilities) => probabilities.reduce((bits, p) => (p > 0 ? bits - p * Math.log2(p) : bits), 0);

/** The distribution and the scores of a guess at an epsilon, from what the server sent of it. */
export function distributionAt({ codes, probabilities, largest }, epsilon, length) {
  const chances = markChances(epsilon, length);
  const exact = spread(codes, probabilities, length);
  const noisy = throughChannel(exact, chances, (a, b, c) => a + b + c);
  // The largest joint weight of each noisy clue, from the largest P(answer) of each exact clue.
  const joint = throughChannel(spread(codes, largest, length), chances, Math.max);
  const clueEntropy = entropy(noisy);
  const noiseEntropy = length * entropy([chances.kept, chances.flipped, chances.flipped]);
  // Never negative; at tiny epsilons the difference is all rounding.
  const informationGain = Math.max(clueEntropy - noiseEntropy, 0);
  return { exact, noisy, clueEntropy, noiseEntropy, informationGain, expectedTop: joint.reduce((sum, value) => sum + value, 0) };
}

/** The codes from the most to the least probable; ties go by code. */
export const byProbability = (noisy) => Array.from(noisy.keys()).sort((a, b) => noisy[b] - noisy[a] || a - b);
