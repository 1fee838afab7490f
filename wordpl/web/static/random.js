/** Random numbers from a seed: the same ones in each browser, so that an address shows to all what it showed to one. */

const GOLDEN = 0x9e3779b9;

/** A bijection of 32 bits in which each bit of the input changes half of the output: the finaliser of MurmurHash3. */
function mixed(bits) {
  let hash = Math.imul(bits ^ bits >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return hash ^ hash >>> 16;
}

/**
 * A generator of numbers from 0 to below 1, SplitMix with 32 bits. `seed` and `stream` are whole numbers; each pair of them has
 * numbers of its own.
 */
export function generator(seed, stream) {
  let state = mixed(mixed(seed) + GOLDEN * (stream + 1));
  return () => {
    state += GOLDEN;
    return (mixed(state) >>> 0) / 2 ** 32;
  };
}
