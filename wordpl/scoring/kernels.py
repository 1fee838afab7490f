"""The numba kernels behind the scores of guesses.

Guesses are scored eight at a time: eight histograms over clue codes lie side by side, [codes, 8], so
that filling them keeps eight independent additions in flight and every later pass runs over whole
vector registers. A channel that treats each mark alone is a Kronecker power of a 3x3 matrix and is
applied as `length` passes of that matrix, never multiplied out. So is a channel under which always as many marks are
false, with polynomials in "false" as the entries of the matrix. Any other comes as a sparse matrix.

Kernels compile on first use and are cached on disk; they release the GIL and start no threads. The clock of a game
stands still meanwhile. No kernel assigns an array to a slice: numba would compile the text of the error for a wrong
shape with it, and so strings, which takes longer than all the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from wordpl import clock

clock.watch_compiler()

LANES = 8

IDENTITY, PER_MARK, GENERAL, LIES = 0, 1, 2, 3


class Noise(NamedTuple):
    """A channel as the kernels take it."""

    kind: int
    """`IDENTITY`, `PER_MARK` (use `marks`), `GENERAL` (use the three parts of a CSR matrix), or `LIES`."""
    marks: NDArray[np.float64]
    """[3, 3], noisy mark by true mark."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    """Of `LIES`, the probability of each clue that can be."""
    lies: int = 0
    """Of `LIES`, how many marks of a clue are false, from 1 up; else 0."""
    right_ends: bool = False
    """Whether the right guess ends the game, so that its clue is none: it becomes no noisy clue."""


_SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
_MANTISSA_ONE = np.int64(52)
_LOG2_E = 1.0 / math.log(2.0)

# error_model: Python's check for division by zero would keep the loops from vectorising.
kernel = njit(cache=True, nogil=True, error_model="numpy")


@kernel
def fill_sum(hist, clues, guesses, support, weights):
    """Add weights[a] to the bin of each lane's clue: hist [codes * LANES], lane g from guesses[g]."""
    hist[:] = 0.0
    n = guesses.size
    if n == LANES:
        r0, r1, r2, r3 = clues[guesses[0]], clues[guesses[1]], clues[guesses[2]], clues[guesses[3]]
        r4, r5, r6, r7 = clues[guesses[4]], clues[guesses[5]], clues[guesses[6]], clues[guesses[7]]
        for k in range(support.size):
            a = support[k]
            w = weights[k]
            hist[np.intp(r0[a]) * LANES] += w
            hist[np.intp(r1[a]) * LANES + 1] += w
            hist[np.intp(r2[a]) * LANES + 2] += w
            hist[np.intp(r3[a]) * LANES + 3] += w
            hist[np.intp(r4[a]) * LANES + 4] += w
            hist[np.intp(r5[a]) * LANES + 5] += w
            hist[np.intp(r6[a]) * LANES + 6] += w
            hist[np.intp(r7[a]) * LANES + 7] += w
    else:
        for lane in range(n):
            row = clues[guesses[lane]]
            for k in range(support.size):
                hist[np.intp(row[support[k]]) * LANES + lane] += weights[k]


@kernel
def fill_max(hist, clues, guesses, support, weights):
    """As `fill_sum`, with the largest weight of each bin in place of the sum."""
    hist[:] = 0.0
    for lane in range(guesses.size):
        row = clues[guesses[lane]]
        for k in range(support.size):
            at = np.intp(row[support[k]]) * LANES + lane
            if weights[k] > hist[at]:
                hist[at] = weights[k]


@kernel
def fill_draws(hist, clues, guesses, threshold, alias, draws, seed):
    """Histogram of the clues of `draws` answers, drawn anew for every guess by the alias method."""
    hist[:] = 0.0
    n = threshold.size
    unit = 1.0 / draws
    for lane in range(guesses.size):
        row = clues[guesses[lane]]
        state = _mix(np.uint64(seed) + np.uint64(guesses[lane]) * np.uint64(0x9E3779B97F4A7C15))
        for _ in range(draws):
            state += np.uint64(0x9E3779B97F4A7C15)
            x = np.float64(_mix(state) >> np.uint64(11)) * (n * 2.0**-53)
            a = np.intp(x)
            if x - a >= threshold[a]:
                a = alias[a]
            hist[np.intp(row[a]) * LANES + lane] += unit


@kernel
def _mix(z):
    """The output function of SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))


@kernel
def spare_for(noise, codes):
    """What `apply_sum` and `apply_max` need to work in: [1 or lies, codes * LANES]."""
    return np.empty((max(noise.lies, 1), codes * LANES))


@kernel
def apply_sum(hist, spare, noise):
    """P(noisy clue) of each lane from P(true clue): the array that holds it, `hist` or a row of `spare`."""
    if noise.right_ends:
        hist[hist.size - LANES :] = 0.0
    if noise.kind == PER_MARK:
        _marks_sum(hist, noise.marks)
    elif noise.kind == LIES:
        _lies_sum(hist, spare)
        return _scaled(spare[noise.lies - 1], noise.data[0])
    elif noise.kind == GENERAL:
        sums = spare[0]
        sums[:] = 0.0
        for row in range(noise.indptr.size - 1):
            for at in range(noise.indptr[row], noise.indptr[row + 1]):
                for lane in range(LANES):
                    sums[row * LANES + lane] += noise.data[at] * hist[noise.indices[at] * LANES + lane]
        return sums
    return hist


@kernel
def apply_max(hist, spare, noise):
    """As `apply_sum` with (max, x) in place of (+, x): the largest joint weight of each noisy clue."""
    if noise.right_ends:
        hist[hist.size - LANES :] = 0.0
    if noise.kind == PER_MARK:
        _marks_max(hist, noise.marks)
    elif noise.kind == LIES:
        _lies_max(hist, spare)
        return _scaled(spare[noise.lies - 1], noise.data[0])
    elif noise.kind == GENERAL:
        largest = spare[0]
        largest[:] = 0.0
        for row in range(noise.indptr.size - 1):
            for at in range(noise.indptr[row], noise.indptr[row + 1]):
                for lane in range(LANES):
                    joint = noise.data[at] * hist[noise.indices[at] * LANES + lane]
                    largest[row * LANES + lane] = max(largest[row * LANES + lane], joint)
        return largest
    return hist


@kernel
def _scaled(hist, factor):
    for j in range(hist.size):
        hist[j] *= factor
    return hist


@kernel
def _marks_sum(hist, m):
    """Multiply each of the `length` axes by `m` [3, 3], in place."""
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            for j in range(stride):
                x, y, z = a[j], b[j], c[j]
                a[j] = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z
                b[j] = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z
                c[j] = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z
        stride *= 3


@kernel
def _marks_max(hist, m):
    """As `_marks_sum` with (max, x) in place of (+, x)."""
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            for j in range(stride):
                x, y, z = a[j], b[j], c[j]
                a[j] = max(m[0, 0] * x, max(m[0, 1] * y, m[0, 2] * z))
                b[j] = max(m[1, 0] * x, max(m[1, 1] * y, m[1, 2] * z))
                c[j] = max(m[2, 0] * x, max(m[2, 1] * y, m[2, 2] * z))
        stride *= 3


@kernel
def _lies_sum(hist, sums):
    """Sums over the clues that differ in 1, 2, .. marks: sums [lies, codes * LANES], of which the last is complete.

    Each pass takes one axis to the polynomials: beside what it was with so many false marks, a clue gets what the two
    others on the axis were with one less. Only what the passes to come still need is computed.
    """
    lies, length, size = sums.shape[0], 0, LANES
    while size < hist.size:
        length, size = length + 1, 3 * size
    sums[:] = 0.0
    stride = LANES
    for done in range(1, length + 1):
        for false in range(min(done, lies), max(lies - length + done, 1) - 1, -1):
            fewer, more = hist if false == 1 else sums[false - 2], sums[false - 1]
            for start in range(0, hist.size, 3 * stride):
                a = fewer[start : start + stride]
                b = fewer[start + stride : start + 2 * stride]
                c = fewer[start + 2 * stride : start + 3 * stride]
                # A loop for each, so that the compiler need not fear that too many arrays overlap.
                own = more[start : start + stride]
                for j in range(stride):
                    own[j] += b[j] + c[j]
                own = more[start + stride : start + 2 * stride]
                for j in range(stride):
                    own[j] += a[j] + c[j]
                own = more[start + 2 * stride : start + 3 * stride]
                for j in range(stride):
                    own[j] += a[j] + b[j]
        stride *= 3


@kernel
def _lies_max(hist, tops):
    """As `_lies_sum` with the maximum in place of the sum."""
    lies, length, size = tops.shape[0], 0, LANES
    while size < hist.size:
        length, size = length + 1, 3 * size
    tops[:] = 0.0
    stride = LANES
    for done in range(1, length + 1):
        for false in range(min(done, lies), max(lies - length + done, 1) - 1, -1):
            fewer, more = hist if false == 1 else tops[false - 2], tops[false - 1]
            for start in range(0, hist.size, 3 * stride):
                a = fewer[start : start + stride]
                b = fewer[start + stride : start + 2 * stride]
                c = fewer[start + 2 * stride : start + 3 * stride]
                own = more[start : start + stride]
                for j in range(stride):
                    own[j] = max(own[j], max(b[j], c[j]))
                own = more[start + stride : start + 2 * stride]
                for j in range(stride):
                    own[j] = max(own[j], max(a[j], c[j]))
                own = more[start + 2 * stride : start + 3 * stride]
                for j in range(stride):
                    own[j] = max(own[j], max(a[j], b[j]))
        stride *= 3


@kernel
def entropy_lanes(hist, scratch, out):
    """Sum of -p log2 p of each lane, to about 1e-15 relative; 0 log 0 is 0. scratch [2, codes * LANES].

    log2 is computed here because calls to libm do not vectorise: p = m 2^k with m in
    [sqrt(1/2), sqrt(2)), and log m = 2 atanh((m-1)/(m+1)) by its series. Each loop reads and writes
    different arrays, or the compiler would have to fear that they overlap.
    """
    mantissa, exponent = scratch[0], scratch[1]
    _split(hist.view(np.int64), mantissa.view(np.int64), exponent)
    _plogp(hist, mantissa, exponent)
    sum_lanes(exponent, out)
    for lane in range(out.size):
        out[lane] = 0.0 - out[lane]


@kernel
def _split(bits, mantissa_bits, exponent):
    """Split the floats with these bits into mantissas in [sqrt(1/2), sqrt(2)) and exponents."""
    for j in range(bits.size):
        k = (bits[j] - _SQRT_HALF_BITS) >> _MANTISSA_ONE
        mantissa_bits[j] = bits[j] - (k << _MANTISSA_ONE)
        exponent[j] = np.float64(k)


@kernel
def _plogp(hist, mantissa, exponent):
    """exponent := hist * log2(mantissa 2^exponent)."""
    for j in range(hist.size):
        m = mantissa[j]
        s = (m - 1.0) / (m + 1.0)
        z = s * s
        series = 1.0 / 21.0
        series = series * z + 1.0 / 19.0
        series = series * z + 1.0 / 17.0
        series = series * z + 1.0 / 15.0
        series = series * z + 1.0 / 13.0
        series = series * z + 1.0 / 11.0
        series = series * z + 1.0 / 9.0
        series = series * z + 1.0 / 7.0
        series = series * z + 1.0 / 5.0
        series = series * z + 1.0 / 3.0
        series = series * z + 1.0
        exponent[j] = hist[j] * (exponent[j] + 2.0 * s * series * _LOG2_E)


@kernel
def power_lanes(hist, exponent, out):
    """Sum of p ** exponent of each lane."""
    acc = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            p = hist[start + lane]
            if p > 0.0:
                acc[lane] += math.sqrt(p) if exponent == 0.5 else p**exponent
    for lane in range(out.size):
        out[lane] = acc[lane]


@kernel
def sum_lanes(hist, out):
    """Sum of each lane."""
    acc = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            acc[lane] += hist[start + lane]
    for lane in range(out.size):
        out[lane] = acc[lane]


@kernel
def effective_lanes(first, second, out):
    """Sum of first**3 / second of each lane: see `information.expected_remaining`."""
    acc = np.zeros(LANES)
    for start in range(0, first.size, LANES):
        for lane in range(LANES):
            p = first[start + lane]
            if second[start + lane] > 0.0:
                acc[lane] += p * (p * p / second[start + lane])
    for lane in range(out.size):
        out[lane] = acc[lane]


@kernel
def part_lanes(hist, largest, count):
    """Largest bin and number of non-empty bins of each lane."""
    top = np.zeros(LANES)
    filled = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            p = hist[start + lane]
            top[lane] = max(top[lane], p)
            filled[lane] += 1.0 if p > 0.0 else 0.0
    for lane in range(count.size):
        largest[lane], count[lane] = top[lane], filled[lane]


@kernel
def alias_table(weights, threshold, alias):
    """Tables for drawing from `weights` in constant time (Vose 1991): fills threshold and alias."""
    n = weights.size
    scale = n / weights.sum()
    small, large = np.empty(n, np.int64), np.empty(n, np.int64)
    n_small = n_large = 0
    for i in range(n):
        threshold[i] = weights[i] * scale
        alias[i] = i
        if threshold[i] < 1.0:
            small[n_small] = i
            n_small += 1
        else:
            large[n_large] = i
            n_large += 1
    while n_small > 0 and n_large > 0:
        n_small -= 1
        poor, rich = small[n_small], large[n_large - 1]
        alias[poor] = rich
        threshold[rich] -= 1.0 - threshold[poor]
        if threshold[rich] < 1.0:
            n_large -= 1
            small[n_small] = rich
            n_small += 1
    # What is left over is 1 up to rounding. A weight of exactly zero is never left over as long as
    # any other is, so it is never drawn.
    for i in range(n_small):
        threshold[small[i]] = 1.0
    for i in range(n_large):
        threshold[large[i]] = 1.0


@kernel
def score_entropy(clues, guesses, support, weights, noise, codes, out):
    """Entropy in bits of the noisy clue to each guess: out [guesses]."""
    hist, spare, scratch = np.empty(codes * LANES), spare_for(noise, codes), np.empty((2, codes * LANES))
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, weights)
        entropy_lanes(apply_sum(hist, spare, noise), scratch, out[start : start + LANES])


@kernel
def score_draws(clues, guesses, threshold, alias, draws, seed, floor, noise, codes, out):
    """Plug-in entropy of the noisy clue to each guess, from draws of its own, `floor` added to each bin."""
    hist, spare, scratch = np.empty(codes * LANES), spare_for(noise, codes), np.empty((2, codes * LANES))
    for start in range(0, guesses.size, LANES):
        fill_draws(hist, clues, guesses[start : start + LANES], threshold, alias, draws, seed)
        clue_probabilities = apply_sum(hist, spare, noise)
        clue_probabilities += floor
        entropy_lanes(clue_probabilities, scratch, out[start : start + LANES])


@kernel
def score_mean(clues, guesses, support, weights, values, out):
    """Expected value of values[true clue]: out [guesses]."""
    for i in range(guesses.size):
        row = clues[guesses[i]]
        total = 0.0
        for k in range(support.size):
            total += weights[k] * values[row[support[k]]]
        out[i] = total


@kernel
def score_top(clues, guesses, support, weights, noise, codes, out):
    """Sum over noisy clues of the largest joint weight: out [guesses]."""
    hist, spare = np.empty(codes * LANES), spare_for(noise, codes)
    for start in range(0, guesses.size, LANES):
        fill_max(hist, clues, guesses[start : start + LANES], support, weights)
        sum_lanes(apply_max(hist, spare, noise), out[start : start + LANES])


@kernel
def score_power(clues, guesses, support, powers, noise, codes, exponent, out):
    """Sum over noisy clues of (sum of powered joint weights) ** exponent: out [guesses]."""
    hist, spare = np.empty(codes * LANES), spare_for(noise, codes)
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, powers)
        power_lanes(apply_sum(hist, spare, noise), exponent, out[start : start + LANES])


@kernel
def score_effective(clues, guesses, support, weights, squares, noise, squared_noise, codes, out):
    """Expected 1 / (sum of squared posterior) after the clue: out [guesses]."""
    first, second = np.empty(codes * LANES), np.empty(codes * LANES)
    spare, spare2 = spare_for(noise, codes), spare_for(squared_noise, codes)
    for start in range(0, guesses.size, LANES):
        block = guesses[start : start + LANES]
        fill_sum(first, clues, block, support, weights)
        fill_sum(second, clues, block, support, squares)
        total, square = apply_sum(first, spare, noise), apply_sum(second, spare2, squared_noise)
        effective_lanes(total, square, out[start : start + LANES])


@kernel
def score_parts(clues, guesses, support, ones, codes, largest, count):
    """Size of the largest part and number of parts of the possible answers: [guesses] each."""
    hist = np.empty(codes * LANES)
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, ones)
        part_lanes(hist, largest[start : start + LANES], count[start : start + LANES])
