"""The numba kernels behind the scores of guesses.

Guesses are scored eight at a time: eight histograms over clue codes lie side by side, [codes, 8], so
that filling them keeps eight independent additions in flight and every later pass runs over whole
vector registers. A channel that treats each mark alone is a Kronecker power of a 3x3 matrix and is
applied as `length` passes of that matrix, never multiplied out. So is a distance channel, with polynomials
in "false" as the entries of the matrix. Any other comes as a sparse matrix.

Kernels compile on first use and are cached on disk; they release the GIL and start no threads. The clock of a game
stands still meanwhile. No kernel assigns an array to a slice: numba would compile the text of the error for a wrong
shape with it, and so strings, which takes longer than all the rest.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numba import types
from numba.extending import intrinsic
from numpy.typing import NDArray

from wordpl.base import clock
from wordpl.base import kernels as storage
from wordpl.model.channel import Channel, DistanceChannel

clock.watch_compiler()

LANES = 8

IDENTITY, PER_MARK, GENERAL, LEVELS = 0, 1, 2, 3


class Noise(NamedTuple):
    """A channel as the kernels take it."""

    kind: int
    """`IDENTITY`, `PER_MARK` (use `marks`), `GENERAL` (use the three parts of a CSR matrix), or `LEVELS`."""
    marks: NDArray[np.float64]
    """[3, 3], noisy mark by true mark."""
    indptr: NDArray[np.int64]
    indices: NDArray[np.int64]
    data: NDArray[np.float64]
    """Of `LEVELS`, the probability of a clue by distance, as far as it differs from `floor`."""
    floor: float
    """Of `LEVELS`, the probability of each clue that is farther away; no level from `nearest` up is below it."""
    nearest: int
    """Of `LEVELS`, the smallest distance at which a clue is more likely than `floor`; none that is nearer is less."""
    right_ends: bool
    """Whether the right guess ends the game, so that its clue is none: it becomes no noisy clue."""


class Draws(NamedTuple):
    """Draws of answers by the alias method, as `alias_table` prepares them."""

    threshold: NDArray[np.float64]
    """[answers]"""
    alias: NDArray[np.int64]
    """[answers]"""
    size: int
    seed: np.uint64


def noise_of(channel: Channel, power: float = 1.0, right_ends: bool = False) -> tuple[Noise, float]:
    """Return the channel, each entry raised to `power`, and the factor that was taken out to keep it in range."""
    empty, marks = np.empty(0, dtype=np.int64), channel.mark_matrix
    if marks is not None:
        kind = IDENTITY if channel.exact else PER_MARK
        top = 1.0 if power == 1.0 else float(marks.max())
        return Noise(kind, (marks / top) ** power, empty, empty, np.empty(0), 0.0, 0, right_ends), top**channel.length
    if isinstance(channel, DistanceChannel):
        top = 1.0 if power == 1.0 else float(channel.levels.max())
        levels = (channel.levels / top) ** power
        floor = float(levels[-1]) if levels.max() > levels.min() == levels[-1] else 0.0
        apart = np.flatnonzero(levels > floor)
        return Noise(LEVELS, np.eye(3), empty, empty, levels[: apart[-1] + 1], floor, int(apart[0]), right_ends), top
    matrix = channel.matrix()
    indptr, indices = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int64)
    return Noise(GENERAL, np.eye(3), indptr, indices, matrix.data**power, 0.0, 0, right_ends), 1.0


_SQRT_HALF_BITS = np.int64(0x3FE6A09E667F3BCD)
_MANTISSA_ONE = np.int64(52)
_LOG2_E = 1.0 / math.log(2.0)

# error_model: Python's check for division by zero would keep the loops from vectorising.
kernel = storage.kernel(nogil=True, error_model="numpy")


@intrinsic
def popcount(typingctx, word):
    """Number of set bits of a uint64, as one machine instruction."""

    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@kernel
def count_bits(words):
    """How many bits of these uint64 are set."""
    count = 0
    for k in range(words.size):
        count += np.int64(popcount(words[k]))
    return count


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
def fill_draws(hist, clues, guesses, draws):
    """Histogram of the clues of drawn answers (`Draws`), drawn anew for every guess."""
    threshold, alias, size, seed = draws
    hist[:] = 0.0
    n = threshold.size
    unit = 1.0 / size
    for lane in range(guesses.size):
        row = clues[guesses[lane]]
        state = _mix(np.uint64(seed) + np.uint64(guesses[lane]) * np.uint64(0x9E3779B97F4A7C15))
        for _ in range(size):
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
    """What `apply` needs to work in: [distances, codes * LANES]."""
    return np.empty((max(noise.data.size - 1, 1) if noise.kind == LEVELS else 1, codes * LANES))


@kernel
def apply(hist, spare, noise, largest):
    """P(noisy clue) of each lane from P(true clue): the array that holds it, `hist` or a row of `spare`.

    With `largest`, (max, x) is in place of (+, x): the largest joint weight of each noisy clue.
    """
    if noise.right_ends:
        hist[hist.size - LANES :] = 0.0
    if noise.kind == PER_MARK:
        _apply_marks(hist, noise.marks, largest)
    elif noise.kind == LEVELS:
        return _apply_levels(hist, spare, noise, largest)
    elif noise.kind == GENERAL:
        noisy = spare[0]
        noisy[:] = 0.0
        for row in range(noise.indptr.size - 1):
            for at in range(noise.indptr[row], noise.indptr[row + 1]):
                for lane in range(LANES):
                    before, joint = noisy[row * LANES + lane], noise.data[at] * hist[noise.indices[at] * LANES + lane]
                    noisy[row * LANES + lane] = max(before, joint) if largest else before + joint
        return noisy
    return hist


@kernel
def _apply_marks(hist, m, largest):
    """Multiply each of the `length` axes by `m` [3, 3], in place."""
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            a = hist[start : start + stride]
            b = hist[start + stride : start + 2 * stride]
            c = hist[start + 2 * stride : start + 3 * stride]
            if largest:
                for j in range(stride):
                    x, y, z = a[j], b[j], c[j]
                    a[j] = max(m[0, 0] * x, max(m[0, 1] * y, m[0, 2] * z))
                    b[j] = max(m[1, 0] * x, max(m[1, 1] * y, m[1, 2] * z))
                    c[j] = max(m[2, 0] * x, max(m[2, 1] * y, m[2, 2] * z))
            else:
                for j in range(stride):
                    x, y, z = a[j], b[j], c[j]
                    a[j] = m[0, 0] * x + m[0, 1] * y + m[0, 2] * z
                    b[j] = m[1, 0] * x + m[1, 1] * y + m[1, 2] * z
                    c[j] = m[2, 0] * x + m[2, 1] * y + m[2, 2] * z
        stride *= 3


@kernel
def _apply_levels(hist, spare, noise, largest):
    """A distance channel: each distance with its level, and what is farther away all together, with the floor."""
    farthest = noise.data.size - 1
    everything = np.zeros(LANES)
    if noise.floor > 0.0:
        for start in range(0, hist.size, LANES):
            for lane in range(LANES):
                weight = hist[start + lane]
                everything[lane] = max(everything[lane], weight) if largest else everything[lane] + weight
        for lane in range(LANES):
            everything[lane] *= noise.floor
    # Of a sum the floor is taken out of each level; a maximum is none the larger for it.
    below = 0.0 if largest else noise.floor
    if farthest > 0:
        _sum_distances(hist, spare, farthest, noise.nearest, largest)
    noisy = spare[farthest - 1] if farthest > 0 else hist
    level = noise.data[farthest] - below
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            joint = level * noisy[start + lane]
            noisy[start + lane] = max(joint, everything[lane]) if largest else joint + everything[lane]
    for distance in range(noise.nearest, farthest):
        nearer = hist if distance == 0 else spare[distance - 1]
        level = noise.data[distance] - below
        if largest:
            for j in range(hist.size):
                noisy[j] = max(noisy[j], level * nearer[j])
        else:
            for j in range(hist.size):
                noisy[j] += level * nearer[j]
    return noisy


@kernel
def _sum_distances(hist, noisy, farthest, nearest, largest):
    """Sum over the clues that differ in 1, 2, .. marks: noisy [farthest, codes * LANES], complete from `nearest` on.

    Each pass takes one axis to the polynomials: beside what it was with so many false marks, a clue gets what the two
    others on the axis were with one less. Only what the passes to come still need is computed.
    """
    length, size = 0, LANES
    while size < hist.size:
        length, size = length + 1, 3 * size
    noisy[:] = 0.0
    stride = LANES
    for done in range(1, length + 1):
        for false in range(min(done, farthest), max(nearest - length + done, 1) - 1, -1):
            fewer, more = hist if false == 1 else noisy[false - 2], noisy[false - 1]
            _add_false(fewer, more, stride, largest)
        stride *= 3


@kernel
def _add_false(fewer, more, stride, largest):
    """Add to each clue of `more` what the two others on the axis of this stride are in `fewer`."""
    for start in range(0, more.size, 3 * stride):
        # A loop for each, so that the compiler need not fear that too many arrays overlap.
        for mark in range(3):
            own = more[start + mark * stride : start + (mark + 1) * stride]
            b = fewer[start + (mark + 1) % 3 * stride : start + ((mark + 1) % 3 + 1) * stride]
            c = fewer[start + (mark + 2) % 3 * stride : start + ((mark + 2) % 3 + 1) * stride]
            if largest:
                for j in range(stride):
                    own[j] = max(own[j], max(b[j], c[j]))
            else:
                for j in range(stride):
                    own[j] += b[j] + c[j]


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
def sum_lanes(hist, out):
    """Sum of each lane."""
    acc = np.zeros(LANES)
    for start in range(0, hist.size, LANES):
        for lane in range(LANES):
            acc[lane] += hist[start + lane]
    for lane in range(out.size):
        out[lane] = acc[lane]


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
        entropy_lanes(apply(hist, spare, noise, False), scratch, out[start : start + LANES])


@kernel
def deviate(hist, totals, kept):
    """P(noisy clue) less an even share, times the number of clues, of each lane from P(true clue): hist, in place.

    `totals`, of the size of `hist`, begins with the sum of each lane then. A channel that keeps a mark with probability
    (1 + kept) / 3 works on what differs from the even share alone, so a tiny `kept` loses no digit.
    """
    for j in range(hist.size):
        totals[j] = hist[j]
        hist[j] = 0.0
    stride = LANES
    while stride < hist.size:
        for start in range(0, hist.size, 3 * stride):
            at = start // stride * LANES
            for j in range(stride):
                lane = j % LANES
                x, y, z = hist[start + j], hist[start + stride + j], hist[start + 2 * stride + j]
                a, b, c = x + totals[at + lane], y + totals[at + LANES + lane], z + totals[at + 2 * LANES + lane]
                half = 0.5 * (a + b + c)
                hist[start + j] = x + y + z + kept * (1.5 * a - half)
                hist[start + stride + j] = x + y + z + kept * (1.5 * b - half)
                hist[start + 2 * stride + j] = x + y + z + kept * (1.5 * c - half)
        stride *= 3
        for j in range(hist.size // stride * LANES):
            at = j // LANES * 3 * LANES + j % LANES
            totals[j] = totals[at] + totals[at + LANES] + totals[at + 2 * LANES]


@kernel
def score_series(clues, guesses, support, weights, deviations, coefficients, codes, out):
    """Mean over noisy clues of u**2 (c2 + c3 u + ..), if each has (1 + u) times an even share; 0 if none: [guesses].

    `deviations` is the channel with `Faint.raised` for `data`.
    """
    hist, totals, spare = np.empty(codes * LANES), np.empty(codes * LANES), spare_for(deviations, codes)
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, weights)
        if deviations.right_ends:
            hist[hist.size - LANES :] = 0.0
        if deviations.kind == PER_MARK:
            deviate(hist, totals, deviations.data[0])
            deviated = hist
        else:
            sum_lanes(hist, totals[:LANES])
            deviated = apply(hist, spare, deviations, False)
        for lane in range(min(LANES, guesses.size - start)):
            total = 0.0
            for j in range(lane, hist.size, LANES):
                u = deviated[j] / totals[lane] if totals[lane] > 0.0 else 0.0
                series = 0.0
                for k in range(coefficients.size - 1, -1, -1):
                    series = series * u + coefficients[k]
                total += u * u * series
            out[start + lane] = total / codes


@kernel
def score_draws(clues, guesses, draws, floor, noise, codes, out):
    """Plug-in entropy of the noisy clue to each guess, from `Draws`, `floor` added to each bin: [guesses]."""
    hist, spare, scratch = np.empty(codes * LANES), spare_for(noise, codes), np.empty((2, codes * LANES))
    for start in range(0, guesses.size, LANES):
        fill_draws(hist, clues, guesses[start : start + LANES], draws)
        clue_probabilities = apply(hist, spare, noise, False)
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
        sum_lanes(apply(hist, spare, noise, True), out[start : start + LANES])


@kernel
def score_power(clues, guesses, support, powers, noise, codes, exponent, out):
    """Sum over noisy clues of (sum of powered joint weights) ** exponent: out [guesses]."""
    hist, spare = np.empty(codes * LANES), spare_for(noise, codes)
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, powers)
        noisy = apply(hist, spare, noise, False)
        for j in range(noisy.size):
            if noisy[j] > 0.0:
                noisy[j] = math.sqrt(noisy[j]) if exponent == 0.5 else noisy[j] ** exponent
        sum_lanes(noisy, out[start : start + LANES])


@kernel
def score_effective(clues, guesses, support, weights, noises, codes, out):
    """Expected 1 / (sum of squared posterior) after the clue: out [guesses].

    `weights` are two arrays [support], the weights and their squares; `noises` two `Noise`, the channel and that of the
    squares.
    """
    weights, squares = weights
    noise, squared_noise = noises
    first, second = np.empty(codes * LANES), np.empty(codes * LANES)
    spare, spare2 = spare_for(noise, codes), spare_for(squared_noise, codes)
    for start in range(0, guesses.size, LANES):
        block = guesses[start : start + LANES]
        fill_sum(first, clues, block, support, weights)
        fill_sum(second, clues, block, support, squares)
        total, square = apply(first, spare, noise, False), apply(second, spare2, squared_noise, False)
        for j in range(total.size):
            total[j] = total[j] * (total[j] * total[j] / square[j]) if square[j] > 0.0 else 0.0
        sum_lanes(total, out[start : start + LANES])


@kernel
def score_parts(clues, guesses, support, ones, codes, largest, count):
    """Size of the largest part and number of parts of the possible answers: [guesses] each."""
    hist = np.empty(codes * LANES)
    for start in range(0, guesses.size, LANES):
        fill_sum(hist, clues, guesses[start : start + LANES], support, ones)
        top, filled = np.zeros(LANES), np.zeros(LANES)
        for at in range(0, hist.size, LANES):
            for lane in range(LANES):
                top[lane] = max(top[lane], hist[at + lane])
                filled[lane] += 1.0 if hist[at + lane] > 0.0 else 0.0
        for lane in range(min(LANES, guesses.size - start)):
            largest[start + lane], count[start + lane] = top[lane], filled[lane]
