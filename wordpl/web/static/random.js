/** Random numbers from a seed: the same ones in each browser, so that an address shows to all what it showed to one. */

const GOLDEN = 0x9e3779b9;

/** A bijection of 32 bits in which each bit of the input changes half of the output: the finaliser of MurmurHash3. */
function mixed(bits) {
  let hash = bits;
  hash = Math.imul(hash ^ hash >>> 16, 0x85ebca6b);
  hash = Math.imul(hash ^ hash >>> 13, 0xc2b2ae35);
  return hash ^ hash >>> 16;
}

const rotated = (word, by) => word << by | word >>> 32 - by;

/**
 * A generator of numbers from 0 to below 1, xoshiro128**. `seed` and `stream` are whole numbers; each pair of them has
 * numbers of its own. The four words of its state are hashed from them, so the first numbers of neighbours differ, too.
 */
export function generator(seed, stream) {
  let [a, b, c, d] = [1, 2, 3, 4].map((word) => mixed(mixed(seed) + GOLDEN * (4 * stream + word)));
  return () => {
    const drawn = Math.imul(rotated(Math.imul(b, 5), 7), 9);
    const shifted = b << 9;
    c ^= a;
    d ^= b;
    b ^= c;
    a ^= d;
    c ^= shifted;
    d = rotated(d, 11);
    return (drawn >>> 0) / 2 ** 32;
  };
}
