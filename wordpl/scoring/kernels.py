"""The numba kernels behind the scores of guesses.

Guesses are scored eight at a time: eight histograms over clue codes lie side by side, [codes, 8], so that filling them
keeps eight independent additions in flight and every later pass runs over whole vector registers.

Kernels compile on first use and are kept on disk (`wordpl.base.kernels`); they release the GIL and start no threads.
"""

import math
from typing import NamedTuple

import numpy as np
from numba.extending import intrinsic

from wordpl.model.entropy import Floats
from wordpl.scoring.noise import LANES
from wordpl.scoring.noise_kernels import apply, inner, kernel, spare_for

ENTROPY, TOP, POWER, EFFECTIVE, VALUES, LARGEST, PARTS = range(7)


class Measure(NamedTuple):
    """Result of `score` from the weights of the noisy clues to a guess."""

    kind: int
    """`ENTROPY` in bits; the sum of the largest joint weights (`TOP`), of powers, or of values of the numbers of
    answers; `EFFECTIVE`, the expected 1 / (sum of squared posterior); or the `LARGEST` weight and the number (`PARTS`)
    of the clues."""
    number: float = 0.0
    """The exponent of `POWER`."""
    values: Floats = np.empty(0)
    """Values of `VALUES` by number of answers; of `EFFECTIVE`, the squares of the weights."""


_SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
_MANTISSA_ONE = np.int64(52)
_LOG2_E = 1.0 / math.log(2.0)


@intrinsic
def popcount(typingctx, word):
    """Number of set bits of an unsigned integer, as one machine instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return word(word), codegen


@inner
def count_bits(words):
    """Number of bits of these uint64 that are set."""
    count = 0
    for k in range(words.size):
        count += np.int64(popcount(words[k]))
    return count


@kernel
def ranked(values):
    """Places by rising value, of float64: the one compiled sort, as numba takes long for each kind."""
    return np.argsort(values)


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


@inner
def fill_max(hist, clues, guesses, support, weights):
    """As `fill_sum`, with the largest weight of each bin in place of the sum."""
    hist[:] = 0.0
    for lane in range(guesses.size):
        row = clues[guesses[lane]]
        for k in range(support.size):
            at = np.intp(row[support[k]]) * LANES + lane
            if weights[k] > hist[at]:
                hist[at] = weights[k]


@inner
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


@inner
def _split(bits, mantissa_bits, exponent):
    """Split the floats with these bits into mantissas in [sqrt(1/2), sqrt(2)) and exponents."""
    for j in range(bits.size):
        k = (bits[j] - _SQRT_HALF_BITS) >> _MANTISSA_ONE
        mantissa_bits[j] = bits[j] - (k << _MANTISSA_ONE)
        exponent[j] = np.float64(k)


@inner
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
def sum_lanes(hist, out):
    """Sum of each lane."""
    acc = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            acc[lane] += hist[start + lane]
    for lane in range(out.size):
        out[lane] = acc[lane]


@inner
def largest_lanes(hist, out):
    """Largest entry of each lane."""
    top = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            top[lane] = max(top[lane], hist[start + lane])
    for lane in range(out.size):
        out[lane] = top[lane]


@kernel
def score(clues, guesses, support, weights, noises, codes, measure, out):
    """Fill in the value of a `Measure` for the noisy clues to each guess: out [guesses].

    support and weights [n] are answers and their weights. `noises` are two `Noise`: the channel, that of the squares.
    """
    kind, noise, squared_noise = measure.kind, noises[0], noises[1]
    hist, scratch = np.empty(codes * LANES), np.empty((2, codes * LANES))
    spare, squared_spare = spare_for(noise, codes), spare_for(squared_noise, codes)
    for start in range(0, guesses.size, LANES):
        block, part = guesses[start : start + LANES], out[start : start + LANES]
        if kind == TOP:
            fill_max(hist, clues, block, support, weights)
        else:
            fill_sum(hist, clues, block, support, weights)
        noisy = apply(hist, spare, noise, kind == TOP)
        if kind == POWER and measure.number == 0.5:
            for j in range(noisy.size):
                noisy[j] = math.sqrt(noisy[j])
        elif kind == POWER:
            for j in range(noisy.size):
                if noisy[j] > 0.0:
                    noisy[j] = noisy[j] ** measure.number
        elif kind == EFFECTIVE:
            fill_sum(scratch[0], clues, block, support, measure.values)
            squares = apply(scratch[0], squared_spare, squared_noise, False)
            for j in range(noisy.size):
                noisy[j] = noisy[j] * (noisy[j] * noisy[j] / squares[j]) if squares[j] > 0.0 else 0.0
        elif kind == VALUES:
            for j in range(noisy.size):
                noisy[j] = measure.values[np.intp(noisy[j])]
        elif kind == PARTS:
            for j in range(noisy.size):
                noisy[j] = 1.0 if noisy[j] > 0.0 else 0.0
        if kind == ENTROPY:
            entropy_lanes(noisy, scratch, part)
        elif kind == LARGEST:
            largest_lanes(noisy, part)
        else:
            sum_lanes(noisy, part)


@kernel
def score_mean(clues, guesses, support, weights, values, out):
    """Expected value of values[true clue]: out [guesses]."""
    for i in range(guesses.size):
        row = clues[guesses[i]]
        total = 0.0
        for k in range(support.size):
            total += weights[k] * values[row[support[k]]]
        out[i] = total
